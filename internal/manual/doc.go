// Package manual writes the pages of docs that follow from the program itself:
// subcommands and findings as Markdown, subcommands as man pages, the JSON
// Schema as tables, and a screenshot as SVG.
//
// In: the commands as Command, the rules as Finding, the document of
// render/schema, and text with the escape sequences of a terminal. Out: Pages, by
// their path below docs. A test of cmd/pulsar-dissect, which knows the commands,
// writes them and says when they are stale. Another page is a function that gives
// Pages.
package manual
