package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pulsar-dissect/render/schema"
)

// version is set by the linker: -ldflags '-X main.version=v1.2.3'.
var version string

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Versions of the program, of Go and of the schema",
		Long:    "Prints the version of the program, of the Go that it was built with, and of the\nJSON records that it writes.",
		Example: "  pulsar-dissect version",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "pulsar-dissect %s\n%s %s/%s\nschema %d\n",
				programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, schema.Version)
			return writing(err)
		},
	}
}

// programVersion is that of the linker, of the module, or of the commit.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "devel"
}
