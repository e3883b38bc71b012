package render

import (
	"fmt"
	"io"
	"strconv"

	"pulsar-dissect/decode/anatomy"
	"pulsar-dissect/decode/endtoend"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// Dissection is the face "show": frames byte by byte, the bytes left and what
// they mean right.
type Dissection struct {
	w        io.Writer
	options  Options
	extents  *reassembly.Extents
	keys     *endtoend.Keys
	stamps   stamps
	json     *JSON
	anything bool
}

// NewDissection makes the face "show". extents tell the segments of frames; keys
// open payloads that clients encrypted, nil: none do.
func NewDissection(w io.Writer, o Options, extents *reassembly.Extents, keys *endtoend.Keys) *Dissection {
	return &Dissection{w: w, options: o, extents: extents, keys: keys, stamps: stamps{wall: o.WallClock, start: o.Start}, json: NewJSON(o.JSON())}
}

// Event shows a frame.
func (d *Dissection) Event(e *session.Event) error {
	if e.Kind != session.FrameSeen {
		return nil
	}
	o := d.options.anatomy(d.keys)
	o.Names = namesOf(e)
	a := anatomy.OfFrame(e.Frame, o)
	text := d.text(e, a)
	d.anything = true
	_, err := d.w.Write(text)
	return err
}

// Close says so where no frame was shown.
func (d *Dissection) Close(e *End) error {
	if d.anything || d.options.Format == JSONLines {
		return nil
	}
	packets := uint64(0)
	for i := range e.Capture.Files {
		packets += e.Capture.Files[i].Packets
	}
	_, err := fmt.Fprintf(d.w, "Nothing to show: no such frame in %d packets. Those of handshakes,\n"+
		"acknowledgements, FIN and RST have none; timeline lists frames.\n", packets)
	return err
}

// anatomy are the options as an anatomy takes them.
func (o *Options) anatomy(keys *endtoend.Keys) *anatomy.Options {
	return &anatomy.Options{ShowSecrets: o.ShowSecrets, MaxText: maxName, MaxPayload: o.MaxPayload, Keys: keys}
}

// namesOf tells whom the numbers in a frame stand for.
func namesOf(e *session.Event) map[string]string {
	names := map[string]string{}
	if p := e.Producer; p != nil && p.Topic != "" {
		names["producer_id"] = "producer " + string(appendName(nil, p.Name)) + " on " + string(appendTopic(nil, p.Topic))
	}
	if c := e.Consumer; c != nil && c.Topic != "" {
		names["consumer_id"] = "consumer " + string(appendName(nil, c.Name)) + " of subscription " + string(appendName(nil, c.Subscription)) +
			" on " + string(appendTopic(nil, c.Topic))
	}
	return names
}

func (d *Dissection) text(e *session.Event, a *anatomy.Anatomy) []byte {
	segments := d.extents.Of(e.Conn.ID, e.Conn.SideOf(e.Direction), e.Offset, e.Offset+int64(len(e.Frame.Bytes)))
	if d.options.Format == JSONLines {
		return d.json.appendDissection(nil, e, a, segments)
	}
	l := newLine(&d.options)
	var text []byte
	if d.options.Format != Compact {
		text = d.heading(&l, e, segments)
	}
	return append(text, appendAnatomy(nil, &l, &d.options, a)...)
}

// heading tells what the frame is and where it lies.
func (d *Dissection) heading(l *line, e *session.Event, segments []reassembly.Extent) (text []byte) {
	d.stamps.begin(e.Conn.TCP.First.Time)
	if d.anything {
		text = append(text, '\n')
	}
	f := e.Frame
	l.begin()
	l.put(heading, []byte(f.TypeName()))
	l.words(subject, string(appendLabel(nil, e.Conn.ID))+" "+e.Conn.Name)
	l.words(sides[e.Direction], arrows[e.Direction][0])
	l.words(plain, "packet "+strconv.FormatUint(f.Last.Packet, 10)+", "+string(d.stamps.append(nil, f.Last.Time, f.Last.TimeUnknown)))
	text = append(text, l.end()...)
	l.begin()
	l.puts(faint, sizeText(f.Size)+" at offset "+strconv.FormatInt(f.Offset, 10)+" of the stream, in "+plural(len(segments), "segment"))
	text = append(text, l.end()...)
	for i := range segments {
		s := &segments[i]
		if i == shownSegments && len(segments) > shownSegments+1 {
			l.begin()
			l.puts(faint, indent+"and "+plural(len(segments)-i, "more segment"))
			text = append(text, l.end()...)
			break
		}
		l.begin()
		l.puts(faint, indent+"packet "+strconv.FormatUint(s.At.Packet, 10)+": "+hexRange(s.From-f.Offset, s.To-f.Offset)+", "+
			plural(int(s.To-s.From), "byte"))
		text = append(text, l.end()...)
	}
	return text
}

// shownSegments is how many segments of a frame are listed for people.
const shownSegments = 20

// hexRange shows a range of bytes by its first and its last one.
func hexRange(from, to int64) string {
	return "0x" + hexOffset(from) + "-0x" + hexOffset(max(from, to-1))
}

func hexOffset(n int64) string {
	s := strconv.FormatInt(n, 16)
	for len(s) < offsetDigits {
		s = "0" + s
	}
	return s
}

const offsetDigits = 4

// WriteAnatomy shows bytes from anywhere. why says what they were taken for.
func WriteAnatomy(w io.Writer, o Options, a *anatomy.Anatomy, form anatomy.Form, why string) error {
	if o.Format == JSONLines {
		_, err := w.Write(NewJSON(o.JSON()).appendLooseDissection(nil, a, form, why))
		return err
	}
	l := newLine(&o)
	var text []byte
	if o.Format != Compact && why != "" {
		l.begin()
		l.puts(faint, sizeText(int64(len(a.Buffers[0].Bytes)))+", "+why+".")
		text = append(text, l.end()...)
	}
	_, err := w.Write(append(text, appendAnatomy(nil, &l, &o, a)...))
	return err
}

// MakeAnatomy explains bytes from anywhere as a form.
func MakeAnatomy(form anatomy.Form, data []byte, o Options, keys *endtoend.Keys) (*anatomy.Anatomy, error) {
	return anatomy.Of(form, data, o.anatomy(keys))
}
