package reassembly

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pulsar-dissect/capture"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/reassembly/segment"
)

// others gives the rows of what another tool says of captures made by others.
func others(t *testing.T) (dir string, rows [][]string) {
	t.Helper()
	dir = filepath.Join(testkit.Shared(t), "thirdparty")
	f, err := os.Open(filepath.Join(dir, "facts.tsv"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	if rows, err = r.ReadAll(); err != nil {
		t.Fatal(err)
	}
	return dir, rows[1:]
}

// elsewise has the captures whose number of streams differs, and why.
var elsewise = map[string]int{
	"deepflow__pulsar-producer.pcap":       2, // has no row of its own
	"ppp__solaris.snoop":                   0, // not read: neither pcap nor pcapng
	"tcpdump__bigtcp-ipv4-vxlan-ipv4.pcap": 1, // the tool stops at the length of 0
	"tcpdump__bigtcp-ipv6.pcap":            1, // the same
}

// TestNumberOfStreams: as many connections as another tool sees.
func TestNumberOfStreams(t *testing.T) {
	dir, rows := others(t)
	for _, row := range rows {
		name := row[0]
		want, _ := strconv.Atoi(row[5])
		if n, ok := elsewise[name]; ok {
			want = n
		}
		src, err := capture.Open([]string{filepath.Join(dir, name)}, capture.Options{})
		if err != nil {
			if want != 0 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		a := New(Limits{}, segment.NewParser(segment.Limits{}))
		for range a.Events(wiremake.Overwriting(src.Packets())) {
		}
		if got := int(a.Counters().Connections); got != want {
			t.Errorf("%s: %d connections, want %d", name, got, want)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOthersStreams: what is in them, in the words of read.
func TestOthersStreams(t *testing.T) {
	dir := filepath.Join(testkit.Shared(t), "thirdparty")
	for _, x := range []struct {
		name string
		want []string
	}{
		{"suri__tcp-overlap.pcap", []string{"0.0 GOOD", "0.0 conflict 4 at 0", "0 end"}},
		{"suri__tcp-simple-gap2.pcap", []string{"0.0 VERY", "0.0 gap 4 at 4, capture, acked", "0.0 DATA", "0 end"}},
		{"suri__tcp-leading-gap.pcap", []string{"0.0 gap 4 at 0, capture, acked", "0.0 GOODDATA", "0 end"}},
		{"suri__tcp-rst-with-data.pcap", []string{"0.1 Please Let Me In!", "0 end"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			holds(t, read(t, Limits{}, wiremake.Overwriting(open(t, dir, x.name))), x.want...)
		})
	}
	for _, x := range []struct {
		name string
		want string // bytes of each side, bytes in gaps, conflicts, who sent SYN, RST and FIN first
	}{
		{"ppp__one_tcp_stream_fin_rst_close_packet.pcap", "235+78 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST 0, FIN 0;"},
		{"ppp__unidirectional_tcp_stream_with_missing_packet.pcap", "8528+0 bytes, gaps 1420+0, conflicts 0+0, SYN 0, RST -1, FIN -1;"},
		{"zeek__handshake-reorder.pcap", "5007+136 bytes, gaps 0+0, conflicts 0+0, SYN 1, RST -1, FIN 1;"},
		{"zeek__missing-syn.pcap", "9417+98 bytes, gaps 0+0, conflicts 0+0, SYN 1, RST -1, FIN 1;"},
		{"zeek__no-handshake.pcap", "136+0 bytes, gaps 0+0, conflicts 0+0, SYN -1, RST -1, FIN -1;"},
		{"zeek__tcp-fast-open.pcap", "65+200 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 1; 86+1307 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 1;"},
		{"zeek__payload-syn.pcap", "100+0 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__payload-synack.pcap", "0+110 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__rst-inject-rae.pcap", "175+0 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST 1, FIN -1;"},
		{"zeek__fin_retransmission.pcap", "0+0 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST 1, FIN 0;"},
		{"zeek__vlan-collisions.pcap", "136+5007 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__vlan-qinqinq.pcap", "136+5007 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__content-range-gap.pcap", "244+9578 bytes, gaps 0+1380, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__http-large-gap.pcap", "158+321 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__miss_end_data.pcap", "538+0 bytes, gaps 0+2902, conflicts 0+0, SYN 0, RST -1, FIN 1;"},
		{"zeek__ssh-dups.pcap", "3705+4273 bytes, gaps 0+0, conflicts 0+0, SYN 0, RST -1, FIN 0;"},
		{"zeek__reassembly.pcap", "28832+0 bytes, gaps 4376+0, conflicts 0+0, SYN 0, RST -1, FIN 1;"},
		{"tcpdump__bigtcp-ipv6-hbh.pcap", "80000+0 bytes, gaps 0+0, conflicts 0+0, SYN -1, RST -1, FIN -1;"},
		{"tcpflow__test1-out-of-order.pcap", "65+0 bytes, gaps 0+0, conflicts 0+0, SYN -1, RST -1, FIN -1;"},
	} {
		var got []string
		a := New(Limits{}, segment.NewParser(segment.Limits{}))
		for e := range a.Events(wiremake.Overwriting(open(t, dir, x.name))) {
			if e.Kind == Ended {
				c := e.Conn
				got = append(got, fmt.Sprintf("%d+%d bytes, gaps %d+%d, conflicts %d+%d, SYN %d, RST %d, FIN %d;", c.Sides[0].Bytes, c.Sides[1].Bytes,
					c.Sides[0].GapBytes, c.Sides[1].GapBytes, c.Sides[0].Conflicts, c.Sides[1].Conflicts, c.SYNFrom, c.RSTFrom, c.FINFrom))
			}
		}
		if got := strings.Join(got, " "); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

// TestOthersOutput: the bytes of both directions as another project's tests
// have them.
func TestOthersOutput(t *testing.T) {
	dir := filepath.Join(testkit.Shared(t), "thirdparty")
	want, err := os.ReadFile(filepath.Join(dir, "ppp__one_tcp_stream_output.txt"))
	if err != nil {
		t.Skip(err)
	}
	var got []byte
	for e := range New(Limits{}, segment.NewParser(segment.Limits{})).Events(wiremake.Overwriting(open(t, dir, "ppp__one_tcp_stream.pcap"))) {
		if e.Kind == Data {
			got = append(got, e.Data...)
		}
	}
	if string(got) != string(want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
