package diagnose

var producerFenced = &Rule{
	Name:     "producer-fenced",
	Severity: Error,
	Title:    "ProducerFenced: another producer has the topic for itself",
	Meaning: "The topic is held by a producer with exclusive access. One that asked for exclusive access is refused, and one that held it and lost it to " +
		"another (ExclusiveWithFencing, or a newer one after a reconnect) may never write again under its old epoch.",
	Advice: "This is how leader election by producers works: the one that is refused has to step down. If it is not meant, use access mode Shared, or " +
		"WaitForExclusive to wait for the topic.",
	Blind:     "Holders whose opening is not in the capture.",
	Frames:    holderFrames,
	Exchanges: holderExchanges,
	Kinds:     holderKinds,
	Start:     func(r *Reporter) Watch { return taken(r, "ProducerFenced") },
}
