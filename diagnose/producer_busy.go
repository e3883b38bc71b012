package diagnose

import (
	"fmt"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var producerBusy = &Rule{
	Name:     "producer-busy",
	Severity: Error,
	Title:    "ProducerBusy: the name or the topic is taken",
	Meaning: "A topic has each producer name once. Another producer holds this one, or holds the topic exclusively, or the topic has as many producers as " +
		"it may have. After a crash a broker keeps the name of the dead client until its keep-alive ends the old connection.",
	Advice: "If the holder is alive: give each producer a name of its own, or none. If it is dead: wait for the broker's keep-alive, and shorten it " +
		"(keepAliveIntervalSeconds) where that takes too long. Reached max producers limit: raise it or close some.",
	Blind:     "Holders whose opening is not in the capture.",
	Frames:    holderFrames,
	Exchanges: holderExchanges,
	Kinds:     holderKinds,
	Start:     func(r *Reporter) Watch { return taken(r, "ProducerBusy") },
}

// taken tells of producers that are refused with a code because another one
// has what they want.
func taken(r *Reporter, code string) Watch {
	hs := newHolders()
	return func(e *session.Event) {
		if e.Kind == session.RunEnd {
			return
		}
		hs.see(e)
		if e.Kind != session.ExchangeSeen || e.Exchange.Error != code || e.Producer == nil || !refusesProducer(e.Exchange) {
			return
		}
		x := e.Exchange
		f := Finding{Severity: Error, Subject: about(e), Evidence: sides(e.Conn, x)}
		f.Detail = fmt.Sprintf("%s of %s was refused with %s%s", session.TypeName(&x.Request), clientHost(e.Conn), code, quoted(x.Text))
		if h := hs.find(e.Producer, x.Text, server(e.Conn)); h != nil {
			f.Detail += ": " + h.describe(x.Response.Time) + "."
			f.Evidence = append(f.Evidence, h.evidence)
			f.Advice = holderAdvice(code, h)
		} else if n := hs.count(e.Producer.Topic, server(e.Conn)); n > 0 {
			f.Advice = "Close producers that are not needed, or raise the limit (maxProducersPerTopic)."
			f.Detail += fmt.Sprintf(". By this capture the topic has %s there.", counted(n, "producer"))
		} else {
			f.Detail += ". The capture does not show who holds it."
		}
		r.Report(f)
	}
}

// holderAdvice is what to do about a holder that is known.
func holderAdvice(code string, h *holder) string {
	switch {
	case code != "ProducerBusy": // it is meant to be so
		return ""
	case h.open():
		return "Give each producer a name of its own, or none; or close the one that holds it."
	}
	return "Wait for the broker's keep-alive to end what is left of the holder; shorten it (keepAliveIntervalSeconds) where that takes too long."
}

// refusesProducer says whether an exchange is a PRODUCER or SEND with an error.
func refusesProducer(x *session.Exchange) bool {
	return x.Result == session.Failed && x.HasRequest && (x.Kind == session.Send || x.Request.Type == int32(pb.BaseCommand_PRODUCER))
}
