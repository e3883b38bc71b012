package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pulsar-dissect/internal/nearest"
)

// The groups in which the help lists subcommands.
const (
	groupViews = "views"
	groupOther = "other"
)

// commands has a row for each subcommand.
var commands = []struct {
	group string
	make  func() *cobra.Command
}{
	{groupViews, analyze.command},
	{groupViews, diagnoseView.command},
	{groupViews, consumers.command},
	{groupViews, statsCommand},
	{groupViews, traceCommand},
	{groupViews, timelineCommand},
	{groupViews, pairs.command},
	{groupViews, messages.command},
	{groupViews, txns.command},
	{groupViews, showCommand},
	{groupViews, events.command},
	{groupViews, sniffCommand},
	{groupViews, tuiCommand},
	{groupViews, lint.command},
	{groupViews, diffCommand},
	{groupViews, reportCommand},
	{groupOther, decodeCommand},
	{groupOther, sliceCommand},
	{groupOther, scrubCommand},
	{groupOther, extractCommand},
	{groupOther, schemaCommand},
	{groupOther, limitsCommand},
	{groupOther, versionCommand},
}

// run executes a command line and gives the exit status.
func run(args []string) int {
	signal.Ignore(syscall.SIGPIPE) // a write to a pipe that nobody reads fails with EPIPE then
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	root := newRoot()
	root.SetArgs(args)
	var measured profile
	measured.flag(root)
	err := root.ExecuteContext(ctx)
	if ended := measured.end(); err == nil {
		err = ended
	}
	return exitStatus(err, os.Stderr)
}

// newRoot makes the command without a name: that of analyze, for a file as its
// first argument.
func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false // they stand in the order of the list
	root := analyze.command()
	root.Use = "pulsar-dissect"
	root.Short = "See what clients and brokers of Apache Pulsar said to each other"
	root.Long = rootText
	root.Example = rootExamples
	root.Args = fileOrCommand
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableAutoGenTag = true
	root.AddGroup(&cobra.Group{ID: groupViews, Title: "Views of captures:"}, &cobra.Group{ID: groupOther, Title: "Other commands:"})
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = help(c.OutOrStdout(), c) }) // cobra has no use for the error
	root.SetUsageFunc(func(c *cobra.Command) error { return help(c.OutOrStderr(), c) })
	for _, row := range commands {
		c := row.make()
		c.GroupID = row.group
		root.AddCommand(c)
	}
	return root
}

const rootText = `pulsar-dissect reads captures of Apache Pulsar traffic (pcap and pcapng, also
compressed) and shows what clients and brokers said to each other: connections,
commands in order of time, requests with their responses, and every message out
of its batch.`

const rootExamples = `  pulsar-dissect capture.pcap                       overview of what is in it
  pulsar-dissect diagnose capture.pcap              what is wrong, and what to do
  pulsar-dissect consumers capture.pcap             how each consumer is doing
  pulsar-dissect timeline capture.pcap | less -R    every command, in order of time
  pulsar-dissect messages --topic orders dump*.gz   messages of a topic, of all these files
  pulsar-dissect pairs --bad capture.pcap           requests that failed or were not answered
  pulsar-dissect events -o json capture.pcap | jq 'select(.kind == "exchange")'
  tcpdump -i any -U -w - port 6650 | pulsar-dissect timeline -`

// fileOrCommand takes any files. A first word that is no file, but nearly the
// name of a command, is taken for that.
func fileOrCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil || strings.ContainsAny(args[0], `*?[./\`) {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(append(names, c.Name()), c.Aliases...)
	}
	if name, ok := nearest.Name(args[0], names); ok {
		return wrongUse(fmt.Sprintf("Did you mean 'pulsar-dissect %s'? 'pulsar-dissect --help' lists the commands.", name),
			"%q is neither a file nor a command", args[0])
	}
	return nil
}

// wrongFlag explains an error of the flags of a command.
func wrongFlag(c *cobra.Command, err error) error {
	path := c.CommandPath()
	if !c.HasParent() {
		path += " " + analyze.name
	}
	hint := fmt.Sprintf("'%s --help' explains the flags.", path)
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		if near, ok := nearest.Name(name, flagNames(c)); ok {
			hint = fmt.Sprintf("Did you mean --%s? %s", near, hint)
		}
	}
	if value := (*pflag.InvalidValueError)(nil); errors.As(err, &value) {
		err = fmt.Errorf("--%s: %w", value.GetFlag().Name, value.Unwrap())
	}
	return useError{err, hint}
}
