package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pulsar-dissect/internal/traffic"
)

// input is one capture to be made.
type input struct {
	name     string
	shape    traffic.Shape
	megabyte int      // size to reach, in 10^6 bytes, at scale 1
	flags    []string // that reading it needs
}

const captures = "testdata/captures/"

// Captures that inputs are made of.
const (
	bigMessages   = captures + "tso-bigmsgs/tso-bigmsgs.pcap"
	smallMessages = captures + "load-small-head/load-small-head.pcap.zst"
	shortSessions = captures + "base/base.pcap"
	tlsSessions   = captures + "tls13/tls13.pcap"
	tlsKeys       = captures + "tls13/tls13.keylog"
)

// inputs are the shapes of traffic that are measured.
var inputs = append([]input{
	{name: "large-1448", shape: traffic.Shape{Source: bigMessages, Segment: 1448, Dense: true}, megabyte: 1000},
	{name: "large-64k", shape: traffic.Shape{Source: bigMessages, Segment: 64000, Dense: true}, megabyte: 1000},
	{name: "small-dense", shape: traffic.Shape{Source: smallMessages, Segment: 1448, Dense: true}, megabyte: 170},
	{name: "small-single", shape: traffic.Shape{Source: smallMessages}, megabyte: 390},
	{name: "connections", shape: traffic.Shape{Source: shortSessions, Segment: 1448, Dense: true}, megabyte: 100},
	{name: "late-1%", shape: traffic.Shape{Source: smallMessages, Segment: 1448, Dense: true, Late: 10}, megabyte: 100},
	{name: "late-5%", shape: traffic.Shape{Source: bigMessages, Segment: 1448, Dense: true, Late: 50}, megabyte: 200},
	{name: "lost-1%", shape: traffic.Shape{Source: smallMessages, Segment: 1448, Dense: true, Lost: 10}, megabyte: 100},
	{name: "lost-5%", shape: traffic.Shape{Source: smallMessages, Lost: 50}, megabyte: 100},
	{name: "tls", shape: traffic.Shape{Source: tlsSessions, Segment: 1448}, megabyte: 100, flags: []string{"--tls-keylog", tlsKeys}},
}, batches("none", "lz4", "zlib", "zstd", "snappy")...)

// batches are inputs of batches, by codec.
func batches(codecs ...string) (list []input) {
	for _, c := range codecs {
		source := fmt.Sprintf("%[1]sproduce-batch-%[2]s/produce-batch-%[2]s.pcap.zst", captures, c)
		list = append(list, input{name: "batch-" + c, shape: traffic.Shape{Source: source, Segment: 1448}, megabyte: 100})
	}
	return list
}

// made gives the path of an input, which is made unless it is there.
func (in *input) made(dir string, scale float64) (path string, err error) {
	path = filepath.Join(dir, fmt.Sprintf("%s-%g.pcap", in.name, scale))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	f, err := os.CreateTemp(dir, "making-*")
	if err != nil {
		return "", err
	}
	err = traffic.Write(f, in.shape, int64(float64(in.megabyte)*1e6*scale))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error counts
		return "", err
	}
	return path, os.Rename(f.Name(), path)
}

// fresh copies an input: pages that have been cached for long are read more
// slowly on some machines.
func fresh(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.Create(path + ".fresh")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return out.Name(), err
}
