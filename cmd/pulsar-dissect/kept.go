package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"pulsar-dissect/capture"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/rewrite/evidence"
)

// kept is what flags say of packets that are to be kept, and what keeps them.
type kept struct {
	options evidence.Options
	trigger severity

	keeper *evidence.Keeper // nil: nothing is kept
	told   bool             // it was told that nothing is kept any more
	asked  chan os.Signal   // for what a ring holds
}

func (k *kept) flagSet() *pflag.FlagSet {
	o := &k.options
	k.trigger = severity{diagnose.Warning, true}
	set := newFlagSet()
	set.StringVarP(&o.Path, "write", "w", "", "write what is captured to this file (pcapng), with findings as comments on their packets")
	set.Var(size[int64]{&o.RotateSize}, "rotate-size", "begin another file before one is larger than this: FILE-00001, FILE-00002, ...")
	set.Var(span{&o.RotateTime}, "rotate-time", "begin another file after this time")
	set.Var(number{&o.RotateCount}, "rotate-count", "begin another file after so many packets")
	set.Var(number{&o.Keep}, "keep", "keep the last N files, remove older ones of this run; 0: keep all")
	set.Var(ring{o}, "ring", "write nothing but the last so many bytes (64M) or so long (5m), which are held in memory, when a finding comes up, and on SIGUSR1")
	set.Var(trigger{&k.trigger}, "trigger", "least severity of a finding for which the ring is written")
	return set
}

// check tells what is wrong with the flags.
func (k *kept) check() error {
	o := &k.options
	if o.Path == "" && (k.later() || o.Keep > 0) {
		return wrongUse("Name one with -w: pulsar-dissect sniff -i any -w evidence.pcapng --ring 64M.", "no file is named to write packets to")
	}
	if o.Keep > 0 && !o.Rotates() {
		return wrongUse("Say with --rotate-size, --rotate-time or --rotate-count when another begins.", "--keep without more than one file")
	}
	return nil
}

// open makes the first file, if packets are to be kept.
func (k *kept) open(source packetSource) (err error) {
	if k.options.Path == "" {
		return nil
	}
	if named, ok := source.(interface{ Interface(id uint32) string }); ok {
		k.options.Name = named.Interface
	}
	k.options.Application = "pulsar-dissect " + programVersion()
	k.options.Stats = source.Stats
	k.asked = make(chan os.Signal, 1)
	signal.Notify(k.asked, dumpSignals...)
	k.keeper, err = evidence.New(k.options)
	return err
}

// only is the file to which all packets go, if it is one.
func (k *kept) only() string {
	if k.later() {
		return ""
	}
	return k.options.Path
}

// later says whether files are made in the course of the run.
func (k *kept) later() bool { return k.options.Rotates() || k.rings() }

func (k *kept) rings() bool { return k.options.RingBytes > 0 || k.options.RingTime > 0 }

// mayGoOn tells whether files can be made later on, with the rights that are left.
func (k *kept) mayGoOn(user string) error {
	if k.keeper == nil || !k.later() {
		return nil
	}
	folder := filepath.Dir(k.options.Path)
	if err := mayWrite(folder); err != nil {
		return wrongUse("Name a folder of that user with -w, or another user with --user.",
			"no files can be made in %s by %s, who this program is once capture has begun: %w", folder, user, err)
	}
	return nil
}

// add takes a packet.
func (k *kept) add(p *capture.Packet, c *console) {
	if k.keeper == nil {
		return
	}
	k.keeper.Add(p)
	k.look(c)
}

// idle says that no packet is at hand at a time, in ns since the Unix epoch.
func (k *kept) idle(now int64, c *console) {
	if k.keeper == nil {
		return
	}
	k.keeper.Idle(now)
	k.look(c)
}

// look writes what is held if somebody asked for that, and tells of errors.
func (k *kept) look(c *console) {
	if len(k.asked) > 0 {
		<-k.asked
		k.keeper.Dump()
	}
	if err := k.keeper.Err(); err != nil && !k.told {
		k.told = true
		c.tell("no more packets are written: " + err.Error())
	}
}

// found takes a finding.
func (k *kept) found(f *diagnose.Finding) {
	var packets []uint64
	for i := range f.Evidence {
		packets = append(packets, f.Evidence[i].Packet)
	}
	text := fmt.Sprintf("%s: %s (%s)", f.Severity, f.Title, f.Rule.Name)
	if f.SoFar {
		text += ", so far"
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	k.keeper.Comment(packets, text)
	if k.rings() && f.Severity >= k.trigger.of {
		k.keeper.Dump()
	}
}

// close writes what is left, and says what was written.
func (k *kept) close() (said string, err error) {
	if k.keeper == nil {
		return "", nil
	}
	signal.Stop(k.asked)
	err = k.keeper.Close()
	files := k.keeper.Files()
	switch len(files) {
	case 0:
		return "nothing written: no finding asked for it", err
	case 1:
		return fmt.Sprintf("%d packets written to %s", k.keeper.Written(), files[0]), err
	}
	return fmt.Sprintf("%d packets written, files %s to %s", k.keeper.Written(), files[0], files[len(files)-1]), err
}

// ring is the value of a flag in bytes or in time.
type ring struct{ of *evidence.Options }

// Set reads a size or a duration.
func (r ring) Set(text string) error {
	longest := span{&r.of.RingTime}
	if longest.Set(text) == nil && r.of.RingTime > 0 {
		return nil
	}
	most := size[int64]{&r.of.RingBytes}
	if most.Set(text) != nil || r.of.RingBytes == 0 {
		return fmt.Errorf("%q is neither a size, as 64M, nor a time, as 5m", text)
	}
	return nil
}

func (r ring) String() string { return "" }

// Type is how help texts call the value.
func (r ring) Type() string { return "BYTES|DURATION" }

// trigger is the value of a flag that takes a severity, or its beginning.
type trigger struct{ *severity }

// Set takes the name of a severity, or how people cut it short.
func (t trigger) Set(text string) error {
	for _, v := range severities {
		if len(text) > 2 && strings.HasPrefix(v.String(), text) {
			text = v.String()
		}
	}
	return t.severity.Set(text)
}
