package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// bom is a CycloneDX 1.6 document: what a binary is made of
// (https://cyclonedx.org/docs/1.6/json).
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// inventory writes the list of the modules that a binary says it has within.
func (r *release) inventory(t target) error {
	info, err := buildinfo.ReadFile(r.built(t))
	if err != nil {
		return err
	}
	content, err := os.ReadFile(r.built(t))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	own := library(program, r.version)
	own.Type, own.Hashes = "application", []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	own.Properties = []property{{"go:GOOS", t.system}, {"go:GOARCH", t.processor}}
	b := bom{"CycloneDX", "1.6", 1, metadata{r.time.Format(time.RFC3339), own}, linked(info), nil}
	top := dependency{Ref: own.Ref}
	for _, c := range b.Components {
		top.On = append(top.On, c.Ref)
	}
	b.Dependencies = []dependency{top}
	return writeFile(r.output(t, ".cdx.json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b)
	})
}

// linked lists the modules in a binary, the standard library first.
func linked(info *debug.BuildInfo) []component {
	all := []component{library("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := library(m.Path, m.Version)
		c.Properties = []property{{"go:sum", m.Sum}}
		all = append(all, c)
	}
	return all
}

func library(path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{Ref: purl, Type: "library", Name: path, Version: version, PURL: purl}
}
