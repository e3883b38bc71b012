package filter

import "pulsar-dissect/session"

// expressionFlag is the flag whose conditions go over records.
const expressionFlag = "filter"

// topicFlag is the flag whose conditions go over topics.
const topicFlag = "topic"

// ofFrames are the flags that only frames can meet, and what was made of one.
var ofFrames = map[string]bool{"type": true, "dir": true, "request-id": true}

// OnlyFrames says whether there are conditions that nothing but a frame, or
// what was made of one, can meet.
func (f *Filter) OnlyFrames() bool {
	for _, t := range f.terms {
		if ofFrames[t.flag] {
			return true
		}
	}
	return false
}

// HasPlaces says whether there are conditions other than expressions: such that
// only events can meet.
func (f *Filter) HasPlaces() bool {
	for _, t := range f.terms {
		if t.flag != expressionFlag {
			return true
		}
	}
	return false
}

// MatchPlace tells whether an event meets all conditions that are no
// expressions. What is not an event, but belongs to its connection, is to be
// shown then.
func (f *Filter) MatchPlace(e *session.Event) bool {
	for _, t := range f.terms {
		if t.flag != expressionFlag && !t.match(f, e) {
			return false
		}
	}
	return true
}

// MatchTopic tells whether a topic meets the conditions on topics. It is for what
// is no event, but about a topic.
func (f *Filter) MatchTopic(topic string) bool {
	e := session.Event{Kind: session.ConnectionEnd, Consumer: &session.Consumer{Topic: topic}}
	for _, t := range f.terms {
		if t.flag == topicFlag && !t.match(f, &e) {
			return false
		}
	}
	return true
}

// MatchRecord tells whether a record, as one line of JSON, meets the
// expressions. It is for those that are made of no event.
func (f *Filter) MatchRecord(line []byte) bool {
	for _, t := range f.terms {
		if t.flag == expressionFlag && !(f.record.read(line) && t.match(f, nil)) {
			return false
		}
	}
	return true
}

// read takes a record as it is. What is no JSON has no fields.
func (r *record) read(line []byte) bool {
	r.buf = append(r.buf[:0], line...)
	r.fields = r.fields[:0]
	end := after(r.buf)
	r.stale = false
	return end >= 0 && items(r.buf[:end], r.add) == nil
}
