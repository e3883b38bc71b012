package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/render"
	"pulsar-dissect/render/report"
)

// digits is a number as the page writes it: 12,345.
func digits(n float64) string {
	s := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rowsOf is the text of the cells of a table of the page, by the first cell.
func (b *browser) rowsOf(table string) map[string][]string {
	b.t.Helper()
	var rows [][]string
	b.run(`[...document.querySelectorAll('[data-table="`+table+`"] tbody tr')].map(r => [...r.cells].map(c => c.textContent))`, &rows)
	by := map[string][]string{}
	for _, r := range rows {
		by[r[0]] = r[1:]
	}
	return by
}

// quiet fails the test where the page had something to complain of.
func (b *browser) quiet() {
	b.t.Helper()
	if messages := b.log(); len(messages) > 0 {
		b.t.Errorf("the page complains: %q", messages)
	}
}

// The overview shows the numbers of the JSON summary.
func TestNumbers(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	b.picture("overview")
	if got := b.text(`document.querySelector('#tabs [aria-current]')?.dataset.view`); got != "overview" {
		t.Errorf("marked as shown is %s", got)
	}
	s := m.summary()
	for name, want := range map[string]float64{
		"Packets": s["packets"].(float64), "Frames": s["frames"].(float64), "Findings": float64(len(m.of("finding"))), "Connections": float64(len(m.of("connection"))),
		"Sent": sumOf(s["produced"], "messages"), "Delivered": sumOf(s["consumed"], "messages"),
	} {
		if got := b.text(`document.querySelector('[data-fact="` + name + `"]').textContent`); got != digits(want) {
			t.Errorf("%s: %s, want %s", name, got, digits(want))
		}
	}
	checkCommands(t, b, s["commands"].(map[string]any))
	checkExchanges(t, b, s["exchanges"].(map[string]any))
	b.quiet()
}

func sumOf(rows any, field string) (n float64) {
	for _, r := range rows.([]any) {
		n += r.(map[string]any)[field].(float64)
	}
	return n
}

func checkCommands(t *testing.T, b *browser, commands map[string]any) {
	t.Helper()
	rows := b.rowsOf("commands")
	if len(rows) < 10 {
		t.Errorf("%d commands", len(rows))
	}
	for name, cells := range rows {
		for i, dir := range []string{"c2s", "s2c"} {
			want := ""
			if n, ok := commands[dir].(map[string]any)[name].(float64); ok {
				want = digits(n)
			}
			if cells[i] != want {
				t.Errorf("%s %s: %q, want %q", name, dir, cells[i], want)
			}
		}
	}
}

func checkExchanges(t *testing.T, b *browser, exchanges map[string]any) {
	t.Helper()
	rows := b.rowsOf("exchanges")
	send := exchanges["send"].(map[string]any)["results"].(map[string]any)["ok"].(float64)
	if got := rows["send: SEND to its receipt"][0]; got != digits(send) {
		t.Errorf("%s sends are ok, want %s", got, digits(send))
	}
	lookup := exchanges["request"].(map[string]any)["by_request"].(map[string]any)["LOOKUP"].(map[string]any)["latency_ns"].(map[string]any)
	got, want := rows["LOOKUP"][2], lookup["p50"].(float64)
	shown, err := time.ParseDuration(strings.ReplaceAll(got, " ", ""))
	if diff := float64(shown) - want; err != nil || diff > want/100 || diff < -want/100 {
		t.Errorf("half of the lookups take %s, want %v ns (%v)", got, want, err)
	}
}

// A click leads from a finding to its evidence, and from there to the sequence.
func TestFromFindingToSequence(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	b.click(`#tabs a[data-view="findings"]`)
	if got, want := b.number(`document.querySelectorAll('.findings .card').length`), len(m.of("finding")); int(got) != want {
		t.Errorf("%v findings, want %d", got, want)
	}
	first := m.of("finding")[0]
	if got := b.text(`document.querySelector('.findings h3').textContent`); got != first["title"] {
		t.Errorf("the first is %q, want %q", got, first["title"])
	}
	b.picture("findings")
	b.click(`.findings .card .evidence .link`)
	evidence := first["evidence"].([]any)[0].(map[string]any)
	if got := b.text(`document.querySelector('#details h2').textContent`); !strings.Contains(got, evidence["type"].(string)) {
		t.Errorf("the details are those of %q, want %s", got, evidence["type"])
	}
	if got := b.text(`document.querySelector('#details .facts').textContent`); !strings.Contains(got, "Packet"+digits(evidence["packet"].(float64))) {
		t.Errorf("the details say %q, want packet %v", got, evidence["packet"])
	}
	b.click(`#details .actions button`)
	b.await(`document.querySelector('.arrow.chosen')`)
	if got := b.text(`document.querySelector('.arrow.chosen').textContent`); !strings.Contains(got, evidence["type"].(string)) {
		t.Errorf("chosen in the sequence is %q", got)
	}
	b.picture("sequence")
	b.quiet()
}

// A message is followed over its frames; zoom and search find their way.
func TestFollowMessage(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := makePage(t, testkit.Capture(t, "proxy-both.pcap"), report.Limits{})
	b.open(m.save(t))
	var id string
	conns := map[any]bool{}
	for _, r := range m.of("exchange") {
		if at, ok := r["message_id"].(map[string]any); ok && r["exchange"] == "send" {
			if own := fmt.Sprintf("%.0f:%.0f", at["ledgerId"], at["entryId"]); id == "" || own == id {
				id = own
				conns[r["conn"]] = true
			}
		}
	}
	b.click(`#tabs a[data-view="sequence"]`)
	b.keys(`[data-message]`, id+"\ue007") // Enter
	b.await(`location.hash.includes('message')`)
	b.await(`document.querySelectorAll('.arrow').length > 3`)
	shown := b.text(`[...document.querySelectorAll('.arrow .type')].map(n => n.textContent).join(' ')`)
	for _, want := range []string{"SEND", "SEND_RECEIPT", "MESSAGE", "ACK"} {
		if !strings.Contains(shown, want) {
			t.Errorf("entry %s has no %s: %s", id, want, shown)
		}
	}
	if got := b.number(`document.querySelectorAll('.lane-title').length`); int(got) <= len(conns) {
		t.Errorf("%v lanes for %d connections that the entry was sent on", got, len(conns))
	}
	b.picture("message")
	b.keys(`[data-search]`, "send_receipt")
	b.await(`document.querySelectorAll('.arrow.hit').length > 0`)
	even := b.number(`document.querySelector('.ladder-space').offsetHeight`)
	b.click(`[aria-label="Zoom in"]`)
	b.click(`[aria-label="Zoom in"]`)
	b.await(`document.querySelector('[data-zoom]').textContent === '×2'`)
	if zoomed := b.number(`document.querySelector('.ladder-space').offsetHeight`); zoomed <= even {
		t.Errorf("zoomed it is %v high, before %v", zoomed, even)
	}
	b.quiet()
}

// A key finds the messages that have it, on their way.
func TestFollowKey(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	sends := map[any]bool{} // by offset: a batch is one
	for _, r := range m.of("message") {
		if r["key"] == "k-night" && r["type"] == "SEND" {
			sends[r["offset"]] = true
		}
	}
	b.run(`(location.hash = '#sequence?message=k-night', true)`, nil)
	b.await(`document.querySelectorAll('.arrow').length > 3`)
	b.keys(`[data-search]`, `"type":"SEND","command"`)
	b.await(`document.querySelector('[data-hits]').textContent !== ''`)
	if got, want := b.text(`document.querySelector('[data-hits]').textContent`), strconv.Itoa(len(sends))+" hits"; got != want || len(sends) < 2 {
		t.Errorf("SENDs: %s, want %s", got, want)
	}
	b.quiet()
}

// Numbers of 64 bits are shown as they are.
func TestExactNumbers(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	found := regexp.MustCompile(`"type":"LOOKUP","command":\{"topic":"[^"]*","request_id":(\d{17,20}),`).FindStringSubmatch(strings.Join(m.lines, "\n"))
	if found == nil {
		t.Fatal("the capture has no LOOKUP with a large id")
	}
	b.run(`(location.hash = arguments[0], true)`, nil, "#frames?type=LOOKUP&text="+found[1])
	b.await(`document.querySelector('.row')?.textContent.includes('LOOKUP')`)
	b.click(`.row`)
	if got := b.text(`document.querySelector('#details .tree').textContent`); !strings.Contains(got, "request_id"+found[1]) {
		t.Errorf("the details say %q, want request_id %s", got, found[1])
	}
	b.quiet()
}

// The list of frames: filters, keys, details.
func TestFrames(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	b.click(`#tabs a[data-view="frames"]`)
	b.await(`document.querySelectorAll('.row').length > 10`)
	if got, want := b.text(`document.querySelector('.list').getAttribute('aria-rowcount')`), strconv.Itoa(len(m.of("frame"))); got != want {
		t.Errorf("%s rows, want %s", got, want)
	}
	sends := 0
	for _, r := range m.of("frame") {
		if r["type"] == "SEND" {
			sends++
		}
	}
	b.run(`(location.hash = '#frames?type=SEND', true)`, nil)
	b.await(`document.querySelector('[data-count]')?.textContent.startsWith('` + strconv.Itoa(sends) + ` of ')`)
	b.keys(`.list`, "\ue015\ue015") // two arrows down
	b.await(`document.querySelector('.row.chosen')?.dataset.i === '1'`)
	if got := b.text(`document.querySelector('#details h2').textContent`); got != "→ SEND" {
		t.Errorf("the details are those of %q", got)
	}
	b.picture("frames")
	b.keys(`[data-search]`, "nothing has these words")
	b.await(`document.querySelectorAll('.row').length === 0`)
	b.quiet()
}

// The page can be used without a pointer.
func TestKeys(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := ackPage(t, report.Limits{})
	b.open(m.save(t))
	active := `document.activeElement`
	b.keys(`body`, "4")
	b.await(`document.getElementById('view').dataset.view === 'latency'`)
	b.keys(`body`, "8")
	b.await(`document.getElementById('view').dataset.view === 'frames'`)
	b.keys(`body`, "/")
	b.await(active + `.matches('[data-search]')`)
	b.keys(`.list`, "\ue010\ue007") // End, Enter
	b.await(`document.querySelector('.row.chosen')?.dataset.i === '` + strconv.Itoa(len(m.of("frame"))-1) + `'`)
	b.keys(`.list`, "\ue00c") // Escape
	b.await(`document.getElementById('details').hidden`)
	b.keys(`.skip`, "\ue007")
	b.await(active + `.id === 'view'`)
	if got := b.text(`document.getElementById('view').dataset.view`); got != "frames" {
		t.Errorf("the link to the content shows %s", got)
	}
	b.keys(`body`, "?")
	b.await(`document.getElementById('keys').open`)
	b.quiet()
}

// Every view draws itself, in light and dark, wide and narrow, and for the printer.
func TestViews(t *testing.T) {
	m := ackPage(t, report.Limits{})
	file := m.save(t)
	for name, width := range map[string]int{"wide": 1360, "narrow": 420} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, width, 900)
			b.open(file)
			b.click(`#theme`)
			theme := b.text(`document.documentElement.dataset.theme`)
			for _, view := range []string{"overview", "findings", "sequence", "latency", "permits", "throughput", "connections", "frames"} {
				b.run(`(location.hash = arguments[0], true)`, nil, view)
				b.await(`document.getElementById('view').dataset.view === '` + view + `' && document.querySelector('#view svg, #view .row, #view .card')`)
				b.picture(view + "-" + name + "-" + theme)
				if over := b.number(`document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %v pixels too wide", view, over)
				}
			}
			b.run(`(dispatchEvent(new Event('beforeprint')), true)`, nil)
			if got := b.text(`[...document.querySelectorAll('.print-view > h1')].map(n => n.textContent).join(' ')`); got != "Overview Findings Latency Permits Throughput" {
				t.Errorf("printed are %s", got)
			}
			b.run(`(dispatchEvent(new Event('afterprint')), true)`, nil)
			b.quiet()
		})
	}
}

// No text from the wire runs, or becomes an element, wherever it is shown.
func TestNothingRuns(t *testing.T) {
	b := newBrowser(t, 1360, 900)
	m := makePage(t, evilCapture(t), report.Limits{})
	b.open(m.save(t))
	title := b.text(`document.title`)
	for _, view := range []string{"overview", "findings", "sequence", "sequence?message=<img src=x>", "latency", "permits", "throughput", "connections", "frames"} {
		b.run(`(location.hash = arguments[0], true)`, nil, view)
		b.await(`document.getElementById('view').dataset.view === '` + strings.Split(view, "?")[0] + `'`)
		b.run(`(document.querySelectorAll('.row, .arrow').forEach(n => n.dispatchEvent(new MouseEvent('click', { bubbles: true }))), document.querySelectorAll('details').forEach(n => { n.open = true; }), true)`, nil)
	}
	b.await(`document.getElementById('details').textContent.includes("</script><script>document.title='pwned'")`)
	if got := b.text(`document.title`); got != title || !strings.HasPrefix(title, "<img") {
		t.Errorf("the title is %q, and was %q", got, title)
	}
	for _, element := range []string{"img", "body script:not([type])", "iframe", "a[href^='javascript']", "[onerror]"} {
		want := 0.0
		if strings.Contains(element, "body script") {
			want = 1
		}
		if got := b.number(`document.querySelectorAll("` + element + `").length`); got != want {
			t.Errorf("%v elements %s, want %v", got, element, want)
		}
	}
	b.quiet()
}

// Even a script that came in as markup would not run.
func TestPolicyHolds(t *testing.T) {
	b := newBrowser(t, 800, 600)
	m := makePage(t, evilCapture(t), report.Limits{})
	m.html = strings.Replace(m.html, "</body>", `<script>document.title='ran'</script><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onerror="document.title='ran'"></body>`, 1)
	b.open(m.save(t))
	if got := b.text(`document.title`); got == "ran" {
		t.Error("the policy lets scripts run")
	}
	if refused := strings.Join(b.log(), "\n"); !strings.Contains(refused, "Content Security Policy") {
		t.Errorf("nothing was refused: %s", refused)
	}
}

// mostNodes is how many elements a page has, however much it is about: lists and
// diagrams hold what is seen of them.
const mostNodes = 6000

// The page of the largest capture takes no more elements than others do, so that
// it is there at once and moves smoothly; how fast is told, and not held against
// anything, since it depends on what else the machine does.
func TestLargest(t *testing.T) {
	var page bytes.Buffer
	feed(t, testkit.Capture(t, "load-small.pcap.zst"), func(o render.Options) []render.Diagnosed {
		return []render.Diagnosed{report.New(&page, o, report.Limits{}, "v1")}
	})
	m := &made{html: page.String()}
	file := m.save(t)
	b := newBrowser(t, 1360, 900)
	first, all := b.open(file)
	for range 2 { // other work on the machine is no fault of the page
		f, a := b.open(file)
		first, all = min(first, f), min(all, a)
	}
	t.Logf("%d MB, the first view after %v, everything after %v", len(m.html)>>20, first, all)
	if got := b.text(`document.getElementById('note').textContent`); !strings.HasPrefix(got, "100,000 of 606,436 events") {
		t.Errorf("the note says %q", got)
	}
	for view, scroller := range map[string]string{"frames": ".list", "sequence": ".ladder"} {
		b.click(`#tabs a[data-view="` + view + `"]`)
		b.await(`document.querySelector('` + scroller + `')?.clientHeight > 100`)
		var took []float64
		b.ask("POST", "/execute/async", map[string]any{"args": []any{scroller}, "script": `
			const node = document.querySelector(arguments[0]), done = arguments[1], took = [];
			const step = () => {
				if (took.length === 15) return done(took);
				const began = performance.now();
				node.scrollTop = (took.length * 7919 % 15) / 15 * node.scrollHeight;
				requestAnimationFrame(() => requestAnimationFrame(() => { took.push(performance.now() - began); step(); }));
			};
			step();`}, &took)
		quickest := took[0]
		for _, ms := range took {
			quickest = min(quickest, ms)
		}
		t.Logf("%s: drawn within %.0f ms of a scroll (of all: %.0f)", view, quickest, took)
		var nodes int
		b.ask("POST", "/execute/sync", map[string]any{"args": []any{}, "script": `return document.querySelectorAll('*').length`}, &nodes)
		if nodes > mostNodes {
			t.Errorf("%s: %d elements", view, nodes)
		}
		b.picture("largest-" + view)
	}
	b.quiet()
}
