package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

//go:embed page
var files embed.FS

// The page around the data: its one style sheet and one script, and its markup.
var (
	style  = joined("css")
	script = "(() => {\n'use strict';\n" + joined("js") + "start();\n})();\n"
	markup = read("page.html")
)

// joined is the content of the files with an extension, in the order of their
// names.
func joined(extension string) string {
	entries, err := files.ReadDir("page")
	if err != nil {
		panic(err) // cannot be: the folder is part of the program
	}
	var b strings.Builder
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "."+extension) {
			b.WriteString(read(e.Name()))
		}
	}
	return b.String()
}

func read(name string) string {
	b, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // cannot be: the file is part of the program
	}
	return string(b)
}

// policy is the content security policy of the page (CSP Level 3): the script and
// the style sheet of these hashes, and nothing else from anywhere.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(script), hash(style))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// head is everything ahead of the data.
func head(title string) string {
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="` + policy() + `">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>` + html.EscapeString(title) + `</title>
<style>` + style + `</style>
</head>
<body>
` + markup
}
