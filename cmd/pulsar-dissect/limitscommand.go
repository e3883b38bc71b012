package main

import "github.com/spf13/cobra"

// limitsName is the command that lists the flags of limits, which the help of
// other commands leaves out.
const limitsName = "limits"

func limitsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   limitsName,
		Short: "What is kept in memory at most, and the flags that say so",
		Long: `Lists the limits of what is kept in memory. Each is a flag of every command that
reads captures. Where one is hit, the run goes on; the overview and the summary
say what it cost.`,
		Example: `  pulsar-dissect limits
  pulsar-dissect timeline --limit-held 256M capture.pcap`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE:                  func(c *cobra.Command, _ []string) error { return writing(help(c.OutOrStdout(), c)) },
	}
	addFlags(c, flagGroup{flagsLimits, (&limits{}).flagSet()}, nil)
	return c
}
