package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"SEND", "SEND_RECEIPT", "LOOKUP", "PING", "PONG"}
	for written, want := range map[string]string{
		"SEND": "SEND", "SENDD": "SEND", "SNED": "SEND", "LOKUP": "LOOKUP", "PIN": "PING", "PXNG": "PING", "SENDRECEIPT": "SEND_RECEIPT",
		"": "", "XYZ": "", "MESSAGE": "",
	} {
		got, ok := Name(written, names)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", written, got, ok, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, v := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"abc", "acb", 2}, {"flaw", "lawn", 2},
	} {
		if got := distance(v.a, v.b); got != v.want {
			t.Errorf("%q, %q: got %d, want %d", v.a, v.b, got, v.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got := Hint("tipe", []string{"type", "topic"}); got != `; did you mean "type"?` {
		t.Error(got)
	}
	if got := Hint("zzzzzz", []string{"type", "topic"}); got != "" {
		t.Error(got)
	}
}
