package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var txnUnknown = &Rule{
	Name:     "txn-unknown",
	Severity: Warning,
	Title:    "Transaction is not known",
	Meaning: "A command names a transaction that was never opened, or that has ended: the coordinator says so (TransactionNotFound, InvalidTxnStatus), or a SEND or an ACK " +
		"names it although the capture has no opening of it.",
	Advice:    "Look for a client that goes on after a timeout or abort (txn-timeout), that ends a transaction twice, or that mixes up numbers of coordinators.",
	Blind:     "Unknown numbers are told of only where all connections of the client are in the capture from their start to their end.",
	Lint:      true,
	Frames:    append(slices.Clone(txnFrames), pb.BaseCommand_SEND, pb.BaseCommand_ACK),
	Exchanges: exchangesWith(session.Request, session.Failed),
	Kinds:     txnKinds,
	Start: func(r *Reporter) Watch {
		w := &strayTxns{Reporter: r, transactions: newTransactions(), partial: partialHosts{}}
		return w.event
	},
}

// strayTxns are commands that name transactions which are not known.
type strayTxns struct {
	*Reporter
	*transactions
	partial partialHosts
	found   []strayTxn
}

type strayTxn struct {
	host    string
	finding Finding
}

func (w *strayTxns) event(e *session.Event) {
	w.transactions.event(e)
	switch {
	case e.Kind == session.RunEnd:
		w.tell()
	case e.Kind == session.ConnectionEnd:
		w.partial.note(e.Conn)
	case e.Kind == session.ExchangeSeen:
		w.refused(e)
	case e.Frame.Is(int32(pb.BaseCommand_SEND)), e.Frame.Is(int32(pb.BaseCommand_ACK)):
		w.named(e)
	}
}

// unknownTxnErrors are what a coordinator answers about a transaction that it
// does not have, or not any more.
var unknownTxnErrors = map[string]bool{"TransactionNotFound": true, "InvalidTxnStatus": true, "TransactionCoordinatorNotFound": true}

func (w *strayTxns) refused(e *session.Event) {
	x := e.Exchange
	if x.Kind != session.Request || x.Result != session.Failed || !unknownTxnErrors[x.Error] {
		return
	}
	name := decode.TypeName(x.Request.Type)
	w.Report(Finding{Severity: Warning, Title: "Coordinator does not know the transaction: " + name, Subject: about(e), Evidence: sides(e.Conn, x),
		Detail: fmt.Sprintf("%s was answered by %s%s.", name, x.Error, quoted(x.Text))})
}

func (w *strayTxns) named(e *session.Event) {
	id, ok := session.TxnNamed(e.Frame)
	if e.Frame.Is(int32(pb.BaseCommand_SEND)) {
		id, ok = session.TxnOf(e.Frame)
	}
	if !ok || w.byID[id] != nil || w.forgot || len(w.found) >= unknownAcksKept {
		return
	}
	w.found = append(w.found, strayTxn{clientHost(e.Conn), Finding{Severity: Warning, Title: "Transaction was never opened", Subject: about(e),
		Detail: fmt.Sprintf("%s names transaction %s, which nobody has opened in the capture.", e.Frame.TypeName(), id), Evidence: []Evidence{here(e)}}})
}

func (w *strayTxns) tell() {
	for _, s := range w.found {
		if !w.partial[s.host] {
			w.Report(s.finding)
		}
	}
}
