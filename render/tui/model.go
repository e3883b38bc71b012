package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pulsar-dissect/render"
)

// Sizes of a terminal, where it does not tell.
const (
	usualWidth  = 80
	usualHeight = 24
)

// Model is the screen. It is used by one goroutine, as bubbletea does.
type Model struct {
	run           Run
	snapshot      *Snapshot
	paused        bool
	width, height int
	painter       *render.Painter

	tabs   []page
	tab    int
	stack  []page // what was opened from a tab, the latest last
	prompt *prompt
	notice render.Cell // in the last line, until a key is pressed
	read   uint64      // news that the user has looked at
	filter string      // expression by which events are listed

	job    func() tea.Msg     // to be started
	cancel context.CancelFunc // of what runs; nil: nothing does
	quit   bool
}

// New makes the screen of a run.
func New(r Run) *Model {
	m := &Model{run: r, snapshot: r.Feed.Latest()}
	for _, make := range screens {
		m.tabs = append(m.tabs, make())
	}
	m.resize(usualWidth, usualHeight)
	m.show(0)
	return m
}

// tick says that it is time to look at the feed.
type tick struct{}

// done is what a job on another goroutine has come to.
type done func(m *Model)

func (m *Model) resize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.painter = render.NewPainter(m.run.Color, m.width)
}

// Init begins to look at the feed.
func (m *Model) Init() tea.Cmd { return m.wait() }

func (m *Model) wait() tea.Cmd {
	return tea.Tick(m.run.Refresh, func(time.Time) tea.Msg { return tick{} })
}

// Update takes keys, the size of the terminal, and time.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		m.press(msg)
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.insert(msg.Content)
		}
	case tick:
		m.look()
		return m, m.wait()
	case done:
		m.cancel = nil
		msg(m)
	}
	return m, m.next()
}

// next is what follows a message.
func (m *Model) next() tea.Cmd {
	if m.quit {
		m.stop()
		return tea.Quit
	}
	if job := m.job; job != nil {
		m.job = nil
		return job
	}
	return nil
}

// look takes the latest snapshot, if it is another.
func (m *Model) look() {
	if latest := m.run.Feed.Latest(); !m.paused && latest != m.snapshot {
		m.snapshot = latest
		m.page().take(latest)
	}
}

// page is what is shown.
func (m *Model) page() page {
	if n := len(m.stack); n > 0 {
		return m.stack[n-1]
	}
	return m.tabs[m.tab]
}

func (m *Model) push(p page) {
	p.take(m.snapshot)
	m.stack = append(m.stack, p)
}

// back closes what was opened last.
func (m *Model) back() {
	if n := len(m.stack); n > 0 {
		m.stack = m.stack[:n-1]
		m.page().take(m.snapshot)
	}
}

// show shows a tab.
func (m *Model) show(tab int) {
	m.tab, m.stack = tab, nil
	m.page().take(m.snapshot)
}

// press takes a key.
func (m *Model) press(msg tea.KeyPressMsg) {
	key := msg.String()
	if m.cancel == nil {
		m.notice = render.Cell{}
	}
	switch {
	case key == "ctrl+c":
		m.quit = true
	case m.prompt != nil:
		m.answer(key, msg.Key().Text)
	case m.cancel != nil:
		if key == "esc" {
			m.stop()
		}
	case commands[key] != nil:
		commands[key](m)
	default:
		if do := m.page().press(key); do != nil {
			do(m)
		}
	}
}

// commands are the keys that all pages have.
var commands = map[string]func(*Model){
	"q":         func(m *Model) { m.quit = true },
	"esc":       (*Model).back,
	"backspace": (*Model).back,
	"tab":       func(m *Model) { m.show((m.tab + 1) % len(m.tabs)) },
	"shift+tab": func(m *Model) { m.show((m.tab + len(m.tabs) - 1) % len(m.tabs)) },
	"p":         (*Model).pause,
	"space":     (*Model).pause,
	"/":         (*Model).askFind,
	"f":         (*Model).askFilter,
	"?":         func(m *Model) { m.push(newText("help", helpText)) },
	"N":         func(m *Model) { m.read = m.snapshot.NewsSeen; m.push(newText("news", m.newsText())) },
}

func init() {
	for i := range screens {
		commands[string(rune('1'+i))] = func(m *Model) { m.show(i) }
	}
}

const helpText = `1-6, Tab      topics, consumers, producers, connections, findings, events
up, down, PgUp, PgDn, Home, End, or k, j, g, G
Enter         open: topic, producer, consumer, connection -> events -> bytes
Esc           back; ends what is being read again
s, r          sort by the next column; the other way round
/             find text: rows without it are left out; an empty text ends that
f             list only events that an expression lets through, as --filter
p, Space      pause: the screen stays, capture goes on
t             what happened to the message of an event, from SEND to ACK
e             write the listed frames to a file: JSON Lines, or *.pcapng
N             what was told while the screen was on
q, Ctrl-C     quit`

func (m *Model) pause() {
	m.paused = !m.paused
	m.look()
}

func (m *Model) newsText() string {
	if len(m.snapshot.News) == 0 {
		return "Nothing was told so far."
	}
	lines := make([]string, 0, len(m.snapshot.News))
	for _, text := range m.snapshot.News {
		lines = append(lines, render.Visible(text))
	}
	return strings.Join(lines, "\n")
}
