// Command pulsar-dissect reads captures of Apache Pulsar traffic.
package main

import (
	"bufio"
	"fmt"
	"os"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
)

func main() {
	var files []string
	var o capture.Options
	args := os.Args[1:]
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "events", "-o", "json":
		case "--reorder":
			i++
			o.Reorder = 200e6
		case "--tls-keylog", "--decrypt-key":
			i++
		default:
			files = append(files, args[i])
		}
	}
	o.Warn = func(w capture.Warning) { fmt.Fprintln(os.Stderr, w) }
	src, err := capture.Open(files, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	j := render.NewJSON(render.JSONOptions{Files: src.Files(), MaxPayload: 1024})
	asm := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	dec := decode.New(decode.Limits{}, nil)
	ses := session.New(session.Options{})
	var buf []byte
	for e, err := range ses.Events(dec.Events(asm.Events(src.Packets()))) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		buf = j.Append(buf[:0], e)
		out.Write(buf)
	}
}
