package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"

	"pulsar-dissect/diagnose"
)

// SARIFReport is the face "lint" as a SARIF log (OASIS SARIF 2.1.0): a result
// for each finding. A result is in the capture that its first evidence is in.
type SARIFReport struct{ report }

// NewSARIF makes the face.
func NewSARIF(w io.Writer, o Options, r Report) *SARIFReport {
	return &SARIFReport{report{Report: r, w: w, files: o.Files}}
}

// sarifSchema is where OASIS keeps the schema of version 2.1.0.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool      sarifTool       `json:"tool"`
	Artifacts []sarifArtifact `json:"artifacts"`
	Results   []sarifResult   `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifMessage `json:"shortDescription"`
	Full    sarifMessage `json:"fullDescription"`
	Help    sarifMessage `json:"help"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifArtifact struct {
	Location sarifURI `json:"location"`
}

type sarifURI struct {
	URI string `json:"uri"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Index        int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Count        int               `json:"occurrenceCount"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID       *int           `json:"id,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifURI `json:"artifactLocation"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// sarifLevels are what SARIF calls severities (3.27.10).
var sarifLevels = [...]string{diagnose.Info: "note", diagnose.Warning: "warning", diagnose.Error: "error"}

// Close writes the log.
func (s *SARIFReport) Close(*End) error {
	e := json.NewEncoder(s.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{s.run()}})
}

func (s *SARIFReport) run() sarifRun {
	r := sarifRun{
		Tool:      sarifTool{sarifDriver{Name: program, Version: s.Version, Rules: []sarifRule{}}},
		Artifacts: []sarifArtifact{}, Results: []sarifResult{},
	}
	for _, name := range s.files {
		r.Artifacts = append(r.Artifacts, sarifArtifact{sarifURI{fileURI(name)}})
	}
	index := map[*diagnose.Rule]int{}
	for i, rule := range s.Rules {
		index[rule] = i
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, sarifRuleOf(rule))
	}
	for _, f := range s.found {
		r.Results = append(r.Results, s.result(f, index[f.Rule]))
	}
	return r
}

func sarifRuleOf(rule *diagnose.Rule) sarifRule {
	r := sarifRule{
		ID: rule.Name, Short: sarifMessage{rule.Title}, Full: sarifMessage{orTitle(rule.Meaning, rule)}, Help: sarifMessage{orTitle(rule.Advice, rule)},
	}
	r.Default.Level = sarifLevels[rule.Severity]
	return r
}

// orTitle is a text that must not be empty.
func orTitle(text string, rule *diagnose.Rule) string {
	if text == "" {
		return rule.Title
	}
	return text
}

func (s *SARIFReport) result(f *diagnose.Finding, index int) sarifResult {
	sum := sha256.Sum256(append([]byte(f.Rule.Name), subjectFields(nil, &f.Subject)...))
	r := sarifResult{
		Rule: f.Rule.Name, Index: index, Level: sarifLevels[f.Severity], Message: sarifMessage{findingText(f)}, Count: f.Count,
		Locations:    []sarifLocation{},
		Fingerprints: map[string]string{"subject/v1": hex.EncodeToString(sum[:16])},
	}
	at := sarifLocation{Physical: s.physical(f.Evidence)}
	if about := subjectWords(&f.Subject); about != "" {
		at.Logical = []sarifLogical{{about}}
	}
	if at.Physical != nil || at.Logical != nil {
		r.Locations = append(r.Locations, at)
	}
	for i := range f.Evidence {
		r.Related = append(r.Related, sarifLocation{ID: &i, Message: &sarifMessage{evidenceText(&f.Evidence[i])}, Physical: s.physical(f.Evidence[i : i+1])})
	}
	return r
}

// physical is the file that the first evidence is in; nil where that is not
// known.
func (s *SARIFReport) physical(evidence []diagnose.Evidence) *sarifPhysical {
	file := 0
	switch {
	case len(s.files) == 0:
		return nil
	case len(s.files) > 1 && len(evidence) == 0, len(s.files) > 1 && evidence[0].File < 0:
		return nil
	case len(s.files) > 1:
		file = evidence[0].File
	}
	return &sarifPhysical{sarifURI{fileURI(s.files[file])}}
}

// fileURI is the name of a file as a URI reference (RFC 3986).
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
