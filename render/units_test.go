package render

import (
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		want  string
	}{
		{0, "0 B"}, {1, "1 B"}, {1023, "1023 B"}, {1024, "1.00 KiB"}, {1260, "1.23 KiB"}, {10 << 10, "10.0 KiB"},
		{1023 << 10, "1023 KiB"}, {1 << 20, "1.00 MiB"}, {5 << 30, "5.00 GiB"}, {1<<63 - 1, "8.00 EiB"}, {-2048, "-2.00 KiB"},
	} {
		if got := sizeText(c.bytes); got != c.want {
			t.Errorf("%d bytes: got %s, want %s", c.bytes, got, c.want)
		}
	}
}

func TestLatencies(t *testing.T) {
	for _, c := range []struct {
		ns   time.Duration
		want string
	}{
		{0, "0 ns"}, {7, "7 ns"}, {999, "999 ns"}, {778 * time.Microsecond, "778 µs"}, {999_499, "999 µs"}, {999_500, "1.00 ms"},
		{2_974_000, "2.97 ms"}, {46 * time.Millisecond, "46.0 ms"}, {1530 * time.Millisecond, "1.53 s"}, {99 * time.Second, "99.0 s"},
		{200 * time.Second, "3m20s"}, {-1_160_000, "-1.16 ms"},
	} {
		if got := latencyText(int64(c.ns)); got != c.want {
			t.Errorf("%d ns: got %s, want %s", c.ns, got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 227_545: "227,545", 1_234_567: "1,234,567"} {
		if got := countText(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 deliveries", 1: "1 delivery", 2: "2 deliveries"} {
		if got := plural(n, "delivery"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, c := range []struct {
		part, whole uint64
		want        string
	}{{0, 0, "0%"}, {1, 10_000, "<0.1%"}, {24, 1000, "2.4%"}, {7, 7, "100.0%"}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: got %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

func TestStamps(t *testing.T) {
	at := time.Date(2026, 11, 30, 17, 22, 45, 266_525_999, time.UTC).UnixNano()
	for _, c := range []struct {
		stamps  stamps
		ns      int64
		unknown bool
		want    string
	}{
		{stamps{}, at, false, "0.000000"},
		{stamps{}, at + 1_000_001_500, false, "1.000001"},
		{stamps{}, at - 2_500_000, false, "-0.002500"},
		{stamps{}, at + 86_400_000_000_000, false, "86400.000000"},
		{stamps{}, at, true, "-"},
		{stamps{wall: true}, at, false, "17:22:45.266525"},
	} {
		c.stamps.begin(at)
		c.stamps.begin(at + 5) // has no effect
		if got := string(c.stamps.append(nil, c.ns, c.unknown)); got != c.want {
			t.Errorf("%d: got %s, want %s", c.ns-at, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"persistent://public/default/orders":     "orders",
		"persistent://shop/eu/orders":            "shop/eu/orders",
		"non-persistent://public/default/orders": "non-persistent://public/default/orders",
		"orders-partition-3":                     "orders-partition-3",
	} {
		if got := string(appendTopic(nil, in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"org.apache.pulsar.broker.service.BrokerServiceException$NamingException: Producer with name": "NamingException: Producer with name",
		"java.lang.IllegalStateException: no: really":                                                 "IllegalStateException: no: really",
		"Topic not found":      "Topic not found",
		"Exceeded: limit":      "Exceeded: limit",
		": odd":                ": odd",
		"a.b\x1b: c":           `a.b\x1b: c`,
		"persistent://x: gone": "persistent://x: gone",
	} {
		if got := string(appendError(nil, in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestShellWords(t *testing.T) {
	for in, want := range map[string]string{
		"base.pcap": "base.pcap", "two words.pcap": "'two words.pcap'", "it's.pcap": `'it'\''s.pcap'`, "$(x).pcap": "'$(x).pcap'",
		"": "''", "a\x1b.pcap": `'a\x1b.pcap'`,
	} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	o := Options{Files: []string{"a.pcap", "b c.pcap"}}
	if got, want := o.command("pairs --bad"), "pulsar-dissect pairs --bad a.pcap 'b c.pcap'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	o.Files = append(o.Files, "d.pcap")
	if got, want := o.command("pairs"), "pulsar-dissect pairs FILE..."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
