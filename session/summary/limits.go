package summary

// Limits bounds the tables that the wire can fill. Zero fields take the
// defaults.
type Limits struct {
	Topics        int // topics that messages were sent to
	Subscriptions int // pairs of topic and subscription
	NameBytes     int // bytes of the names in each of these tables
	Groups        int // rows of each other table: errors, unanswered, issues, ...
}

// The default limits.
const (
	DefaultTopics        = 10_000
	DefaultSubscriptions = 10_000
	DefaultNameBytes     = 8 << 20
	DefaultGroups        = 1_000
)

// maxExamples is how many examples of each trouble are kept, and maxExampleText
// how many bytes of text from the wire each may have.
const (
	maxExamples    = 3
	maxExampleText = 512
)

func (l Limits) withDefaults() Limits {
	for _, v := range []struct {
		limit *int
		usual int
	}{
		{&l.Topics, DefaultTopics},
		{&l.Subscriptions, DefaultSubscriptions},
		{&l.NameBytes, DefaultNameBytes},
		{&l.Groups, DefaultGroups},
	} {
		if *v.limit <= 0 {
			*v.limit = v.usual
		}
	}
	return l
}
