package decrypt

// unlock finds the keys for the first protected record of a direction. Where
// it finds none and says taken, the record is passed over.
func (d *Decrypter) unlock(t *connection, h *half, r []byte) verdict {
	n := t.n
	switch {
	case n.version == 0 && n.retried && t.roleOf(h.side) == client:
		d.report(t, h, reasonEarly, int64(len(r))) // the server wants another hello, and so refused it
		return taken
	case n.version == 0 || !n.hello:
		return d.wait(t, h, reasonNoHandshake)
	case n.version < versionTLS10 || n.version > versionTLS13:
		return d.giveUp(t, h, reasonVersion)
	case n.suite == nil:
		return d.giveUp(t, h, reasonCipher+" "+suiteName(n.suiteID))
	case n.compressed:
		return d.giveUp(t, h, reasonCompressed)
	case n.version == versionTLS13:
		return d.unlock13(t, h)
	}
	return d.unlock12(t, h, r)
}

// wait leaves the record in its place until more is known.
func (d *Decrypter) wait(t *connection, h *half, reason string) verdict {
	if reason != reasonNoHandshake && !d.keys.mayGrow() || reason == reasonNoHandshake && t.midstream {
		return d.giveUp(t, h, reason)
	}
	h.waits = reason
	return waiting
}

// trafficKinds are the traffic secrets by role and stage.
var trafficKinds = [2][2]keyKind{
	client: {stageHandshake: keyClientHandshake, stageApplication: keyClientApplication},
	server: {stageHandshake: keyServerHandshake, stageApplication: keyServerApplication},
}

// unlock13 takes the traffic secret of the direction's stage. Where only that
// of the application is known, the handshake is passed over.
func (d *Decrypter) unlock13(t *connection, h *half) verdict {
	by := t.roleOf(h.side)
	kinds := &trafficKinds[by]
	e := d.keys.of(t.n.clientRandom, kinds[h.stage])
	if e == nil || e[kinds[h.stage]] == nil && e[kinds[stageApplication]] == nil {
		return d.wait(t, h, reasonNoSecret)
	}
	if h.stage == stageHandshake {
		h.early = by == client && t.n.early
		h.lenient = h.early
		if e[kinds[stageHandshake]] == nil {
			h.stage, h.lenient = stageApplication, true
		}
	}
	h.use(t.n.suite, e[kinds[h.stage]])
	if h.keys == nil {
		return d.wait(t, h, reasonMisfit)
	}
	t.open(d)
	return taken
}

// unlock12 takes the keys of the master secret, which is proved by the first
// record of either direction.
func (d *Decrypter) unlock12(t *connection, h *half, r []byte) verdict {
	n, by := t.n, t.roleOf(h.side)
	if n.pair[by] == nil {
		switch found, fits := d.prove(n, by, r); {
		case !found:
			return d.wait(t, h, reasonNoSecret)
		case !fits:
			return d.wait(t, h, reasonMisfit)
		}
	}
	h.keys = n.pair[by]
	t.open(d)
	return taken
}
