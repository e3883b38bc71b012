package diagnose

// Rules are all rules there are, in the order of the documentation.
var Rules = []*Rule{
	checksumBad,
	sendUnanswered,
}

// ByName finds a rule, nil if there is none of that name.
func ByName(name string) *Rule {
	for _, r := range Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}
