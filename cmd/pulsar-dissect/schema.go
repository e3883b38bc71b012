package main

import (
	"github.com/spf13/cobra"

	"pulsar-dissect/render/schema"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "The JSON Schema of the records that -o json writes",
		Long: `Prints the JSON Schema (draft 2020-12) of a line of JSON output: all kinds of
records, and the fields of all commands. Its $id has the version of the schema.`,
		Example: `  pulsar-dissect schema > records.schema.json
  pulsar-dissect schema | jq '."$defs".exchange'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := schema.Document()
			if err == nil {
				_, err = c.OutOrStdout().Write(text)
			}
			return writing(err)
		},
	}
}
