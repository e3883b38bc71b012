package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// choice is what the flags say.
type choice struct {
	binary, dir, poms string
	soak              time.Duration
}

func main() {
	var c choice
	flag.StringVar(&c.binary, "binary", "bin/pulsar-dissect", "program to be tried")
	flag.StringVar(&c.dir, "dir", "lab/out", "where the broker's jars are kept, and what is written")
	flag.StringVar(&c.poms, "pom", "lab/pom.xml", "what Maven is told of the broker")
	flag.DurationVar(&c.soak, "soak", 20*time.Second, "how long clients go as fast as they can; 0: not at all")
	flag.Parse()
	if why := lacking(); why != "" {
		fmt.Println("lab: skipped:", why)
		return
	}
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

// lacking says what is missing on this machine, if anything is.
func lacking() string {
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not there"
		}
	}
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0)
	if err != nil {
		return fmt.Sprintf("no right to capture, CAP_NET_RAW: %v", err)
	}
	_ = syscall.Close(fd)
	return ""
}

func (c *choice) run() error {
	if err := errors.Join(c.absolute(), os.MkdirAll(c.dir, 0o755)); err != nil {
		return err
	}
	jars, err := fetch(c.poms, c.dir)
	if err != nil {
		return err
	}
	b, err := startBroker(jars, filepath.Join(c.dir, "broker"))
	if err != nil {
		return err
	}
	defer b.stop()
	fmt.Printf("broker at %s\n", b.address())
	if err := c.check(b); err != nil {
		return err
	}
	if c.soak == 0 {
		return nil
	}
	return c.soakFor(b)
}

// absolute makes paths good for programs that run elsewhere.
func (c *choice) absolute() (err error) {
	for _, path := range []*string{&c.binary, &c.dir, &c.poms} {
		absolute, failed := filepath.Abs(*path)
		*path, err = absolute, errors.Join(err, failed)
	}
	return err
}

// check compares what clients, the live run and the file say.
func (c *choice) check(b *broker) error {
	file := filepath.Join(c.dir, "clients.pcapng")
	live := filepath.Join(c.dir, "live.jsonl")
	s, err := startSniff(c.binary, live, b.port, "-o", "json", "-w", file)
	if err != nil {
		return err
	}
	seen, err := runClients(b)
	told, stopped := s.stop()
	if err := errors.Join(err, stopped); err != nil {
		return fmt.Errorf("%w\n%s", err, told)
	}
	again := filepath.Join(c.dir, "file.jsonl")
	if err := c.events(file, again); err != nil {
		return err
	}
	return errors.Join(equal(live, again), compare(seen, again))
}

// events writes the records of a file.
func (c *choice) events(file, out string) error {
	w, err := os.Create(out)
	if err != nil {
		return err
	}
	defer w.Close()
	run := exec.Command(c.binary, "events", file)
	run.Stdout, run.Stderr = w, os.Stderr
	return run.Run()
}

// soakFor has clients go as fast as they can, and says what was lost of it.
func (c *choice) soakFor(b *broker) error {
	s, err := startSniff(c.binary, os.DevNull, b.port, "-o", "json")
	if err != nil {
		return err
	}
	messages, err := goFast(b, c.soak)
	told, stopped := s.stop()
	if err := errors.Join(err, stopped); err != nil {
		return fmt.Errorf("%w\n%s", err, told)
	}
	fmt.Printf("soak: %d messages produced and consumed in %s, %.0f a second\n  %s\n", messages, c.soak, float64(messages)/c.soak.Seconds(), lost(told))
	return nil
}
