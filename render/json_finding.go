package render

import (
	"pulsar-dissect/diagnose"
)

// AppendFinding appends the record of kind finding, with its line end. Its time
// and packet are those of its first evidence.
func (j *JSON) AppendFinding(dst []byte, f *diagnose.Finding) []byte {
	dst = append(dst, `{"kind":"finding"`...)
	if len(f.Evidence) > 0 {
		dst = j.clock.append(append(dst, `,"time":`...), f.Evidence[0].Time)
		dst = unsigned(dst, `,"packet":`, f.Evidence[0].Packet)
		dst = j.fileOf(dst, &f.Evidence[0])
	}
	if f.Subject.ConnID >= 0 {
		dst = connOf(dst, f.Subject.Conn, f.Subject.ConnID, ",")
	}
	dst = text(dst, `,"rule":`, f.Rule.Name)
	dst = text(dst, `,"severity":`, f.Severity.String())
	dst = text(dst, `,"title":`, f.Title)
	dst = text(dst, `,"detail":`, f.Detail)
	dst = text(dst, `,"advice":`, f.Advice)
	dst = subjectFields(append(dst, `,"subject":{`...), &f.Subject)
	dst = append(dst, `},"evidence":[`...)
	for i := range f.Evidence {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = j.evidence(dst, &f.Evidence[i])
	}
	dst = number(append(dst, ']'), `,"count":`, int64(f.Count))
	if j.options.Again {
		o := Options{Files: j.options.Files}
		dst = text(dst, `,"slice":`, o.command(cutOut(f)))
	}
	return append(dst, '}', '\n')
}

// connOf appends the fields that name a connection, if there is one.
func connOf(dst []byte, name string, id int, separator string) []byte {
	if name != "" {
		dst = text(append(dst, separator...), `"conn":`, name)
		separator = ","
	}
	if id >= 0 {
		dst = number(append(dst, separator...), `"conn_id":`, int64(id))
	}
	return dst
}

func subjectFields(dst []byte, s *diagnose.Subject) []byte {
	separator := ""
	if s.Conn != "" || s.ConnID >= 0 {
		dst, separator = connOf(dst, s.Conn, s.ConnID, ""), ","
	}
	for _, f := range []struct{ name, value string }{
		{"topic", s.Topic}, {"subscription", s.Subscription}, {"producer", s.Producer}, {"consumer", s.Consumer}, {"message_id", s.MessageID},
	} {
		if f.value != "" {
			dst = text(append(dst, separator...), `"`+f.name+`":`, f.value)
			separator = ","
		}
	}
	return dst
}

// fileOf appends the file of evidence, where there are several.
func (j *JSON) fileOf(dst []byte, v *diagnose.Evidence) []byte {
	if len(j.options.Files) < 2 || v.File < 0 {
		return dst
	}
	return text(dst, `,"file":`, j.options.Files[v.File])
}

func (j *JSON) evidence(dst []byte, v *diagnose.Evidence) []byte {
	dst = j.fileOf(unsigned(dst, `{"packet":`, v.Packet), v)
	dst = j.clock.append(append(dst, `,"time":`...), v.Time)
	dst = connOf(dst, v.Conn, v.ConnID, ",")
	dst = present(dst, `,"dir":`, v.Dir)
	dst = number(dst, `,"offset":`, v.Offset)
	return append(present(dst, `,"type":`, v.Type), '}')
}
