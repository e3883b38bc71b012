package report_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// browser is a headless Chromium, driven as the W3C recommendation WebDriver says.
type browser struct {
	t       testing.TB
	session string // address of the session
}

// newBrowser starts one. The test is skipped where there is none.
func newBrowser(t testing.TB, width, height int) *browser {
	t.Helper()
	driver, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Skip("needs a browser: chromedriver is not there (Debian: chromium, chromium-driver)")
	}
	profiles, err := os.MkdirTemp("", "report")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profiles) }) // a browser may still be writing
	c := exec.Command(driver, "--port=0")
	c.Env = append(os.Environ(), "TMPDIR="+profiles)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	b := &browser{t, "http://127.0.0.1:" + portOf(t, bufio.NewScanner(out)) + "/session"}
	flags := []string{"--headless=new", "--no-sandbox", "--disable-gpu", fmt.Sprintf("--window-size=%d,%d", width, height)}
	var made struct{ SessionID string }
	b.ask(http.MethodPost, "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": map[string]any{"args": flags},
		"goog:loggingPrefs":  map[string]any{"browser": "ALL"},
	}}}, &made)
	b.session += "/" + made.SessionID
	t.Cleanup(func() { b.ask(http.MethodDelete, "", nil, nil) })
	return b
}

func portOf(t testing.TB, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if found := regexp.MustCompile(`started successfully on port (\d+)`).FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("chromedriver did not start")
	return ""
}

// ask sends a command to the browser.
func (b *browser) ask(method, path string, body, answer any) {
	b.t.Helper()
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			b.t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, b.session+path, &sent)
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	var got struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil || response.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s %s %v", method, path, response.Status, got.Value, err)
	}
	if answer != nil {
		if err := json.Unmarshal(got.Value, answer); err != nil {
			b.t.Fatal(err)
		}
	}
}

// open opens a file and waits until all of it is read. It gives the time that the
// first view took, and that all took.
func (b *browser) open(file string) (first, all time.Duration) {
	b.t.Helper()
	b.ask(http.MethodPost, "/url", map[string]string{"url": "file://" + file}, nil)
	b.await(`document.documentElement.dataset.ready`)
	since := func(mark string) time.Duration {
		return time.Duration(b.number(`Number(document.documentElement.dataset.`+mark+`)`)) * time.Millisecond
	}
	return since("open"), since("ready")
}

// run has the page evaluate an expression.
func (b *browser) run(expression string, answer any, arguments ...any) {
	b.t.Helper()
	if arguments == nil {
		arguments = []any{}
	}
	b.ask(http.MethodPost, "/execute/sync", map[string]any{"script": "return " + expression, "args": arguments}, answer)
}

func (b *browser) text(expression string) (s string) {
	b.t.Helper()
	b.run("String("+expression+")", &s)
	return s
}

func (b *browser) number(expression string) (n float64) {
	b.t.Helper()
	b.run(expression, &n)
	return n
}

// await waits until an expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	for range 400 {
		var is bool
		if b.run("!!("+expression+")", &is); is {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("never true: %s; the page says %v", expression, b.log())
}

// element is the reference of the element that a selector of CSS names.
func (b *browser) element(selector string) string {
	b.t.Helper()
	b.await("document.querySelector(" + fmt.Sprintf("%q", selector) + ")")
	var found map[string]string
	b.ask(http.MethodPost, "/element", map[string]string{"using": "css selector", "value": selector}, &found)
	for _, id := range found {
		return "/element/" + id
	}
	return ""
}

// click moves the pointer to an element and clicks.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.ask(http.MethodPost, b.element(selector)+"/click", map[string]any{}, nil)
}

// keys types.
func (b *browser) keys(selector, text string) {
	b.t.Helper()
	b.ask(http.MethodPost, b.element(selector)+"/value", map[string]string{"text": text}, nil)
}

// log is what the page has told the console so far.
func (b *browser) log() (messages []string) {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.ask(http.MethodPost, "/se/log", map[string]string{"type": "browser"}, &entries)
	for _, e := range entries {
		messages = append(messages, e.Level+" "+e.Message)
	}
	return messages
}

// picture writes a screenshot where REPORT_SCREENSHOTS names a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("REPORT_SCREENSHOTS")
	if folder == "" {
		return
	}
	time.Sleep(300 * time.Millisecond) // until it is drawn
	var text string
	b.ask(http.MethodGet, "/screenshot", nil, &text)
	png, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
