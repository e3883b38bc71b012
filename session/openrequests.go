package session

// request waits for its response.
type request struct {
	Ref
	producer *Producer // that it names
	consumer *Consumer
	topic    string // that it names otherwise
	turn     uint64
}

// openRequests are the requests of a connection that wait for their response:
// by id, first in, first out.
type openRequests struct {
	byID  map[uint64][]request
	order []asking // from head on, in the order asked; those answered since are passed over
	head  int
	open  int
	turn  uint64
}

// asking is a request in the order asked.
type asking struct{ id, turn uint64 }

func (o *openRequests) add(id uint64, r request) {
	if o.byID == nil {
		o.byID = map[uint64][]request{}
	}
	o.turn++
	r.turn = o.turn
	o.byID[id] = append(o.byID[id], r)
	o.open++
	if len(o.order)-o.head > 2*o.open+64 {
		o.tidy()
	}
	o.order = append(o.order, asking{id, r.turn})
}

// tidy takes out what has been answered.
func (o *openRequests) tidy() {
	keep := o.order[:0]
	for _, a := range o.order[o.head:] {
		if list := o.byID[a.id]; len(list) > 0 && list[0].turn <= a.turn {
			keep = append(keep, a)
		}
	}
	o.order, o.head = keep, 0
}

// first is the oldest request of an id.
func (o *openRequests) first(id uint64) (request, bool) {
	if list := o.byID[id]; len(list) > 0 {
		return list[0], true
	}
	return request{}, false
}

// settle takes the oldest request of an id off the list.
func (o *openRequests) settle(id uint64) {
	list := o.byID[id]
	o.open--
	if len(list) == 1 {
		delete(o.byID, id)
		return
	}
	list[0] = request{}
	o.byID[id] = list[1:]
}

// oldest is the id whose oldest request is the oldest of all.
func (o *openRequests) oldest() (id uint64) {
	for {
		a := o.order[o.head]
		if r, ok := o.first(a.id); ok && r.turn == a.turn {
			return a.id
		}
		o.head++
		if o.head > 64 && o.head > len(o.order)/2 {
			o.order, o.head = append(o.order[:0], o.order[o.head:]...), 0
		}
	}
}
