package diagnose

import (
	"testing"

	"pulsar-dissect/proto/pb"
)

func TestSendRejected(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	c.producer(1, "p")
	for n := range uint64(2) {
		c.publish(1, n, "p")
		c.broker(sendError(1, n, pb.ServerError_PersistenceError))
	}
	s.finds(sendRejected, `error `+topic+` p x2: SEND refused: PersistenceError | sequence id 0 with PersistenceError ("why")`)

	s = newScene(t)
	c = s.conn(4000)
	c.producer(1, "p")
	c.publish(1, 0, "p")
	c.receipt(1, 0, 0)
	s.finds(sendRejected)
}
