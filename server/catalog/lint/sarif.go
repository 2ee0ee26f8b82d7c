package lint

import (
	"encoding/json"
	"net/url"
	"path/filepath"
)

// sarifSchema is where the standard keeps its schema (OASIS SARIF 2.1.0).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
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
	Short   sarifText    `json:"shortDescription"`
	Full    sarifText    `json:"fullDescription"`
	Help    sarifText    `json:"help"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Fixes        []sarifFix         `json:"fixes,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// SARIF writes reports as SARIF 2.1.0, the form in which CI systems show findings
// in a change. Findings that a comment covers are suppressed results.
func SARIF(version string, reports []*Report) ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{Name: "toolgate lint", Version: version}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	for _, rule := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.ID, Short: sarifText{rule.Title}, Full: sarifText{rule.Title}, Help: sarifText{rule.Why},
			Default: sarifDefault{rule.Severity.String()},
		})
	}
	for _, report := range reports {
		for _, findings := range [][]Finding{report.Findings, report.Excused} {
			for _, f := range findings {
				run.Results = append(run.Results, report.sarif(f))
			}
		}
	}
	return json.Marshal(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func (r *Report) sarif(f Finding) sarifResult {
	message := f.Message + "."
	if f.Fix != "" {
		message += " Fix: " + f.Fix
	}
	result := sarifResult{
		RuleID: f.Rule, RuleIndex: indexOf(f.Rule), Level: f.Severity.String(), Message: sarifText{message},
		Locations: []sarifLocation{r.sarifLocation(f.Place, "")},
	}
	if f.Related != nil {
		result.Related = append(result.Related, r.sarifLocation(f.Related.Place, f.Related.Message))
	}
	if f.Excuse != "" {
		result.Suppressions = append(result.Suppressions, sarifSuppression{Kind: "inSource", Justification: f.Excuse})
	}
	if len(f.Edits) > 0 {
		change := sarifChange{Artifact: sarifArtifact{uriOf(r.File)}}
		for _, e := range f.Edits {
			change.Replacements = append(change.Replacements, sarifReplacement{Deleted: r.document.region(e), Inserted: sarifText{e.New}})
		}
		result.Fixes = append(result.Fixes, sarifFix{Description: sarifText{f.Fix}, Changes: []sarifChange{change}})
	}
	return result
}

func (r *Report) sarifLocation(p Place, message string) sarifLocation {
	location := sarifLocation{Physical: sarifPhysical{
		Artifact: sarifArtifact{uriOf(r.File)},
		Region:   sarifRegion{StartLine: p.Line, StartColumn: p.Column, EndColumn: p.EndColumn},
	}}
	if p.Path != "" {
		location.Logical = []sarifLogical{{p.Path}}
	}
	if message != "" {
		location.Message = &sarifText{message}
	}
	return location
}

// region is where an edit stands, in lines and columns.
func (d *document) region(e Edit) sarifRegion {
	line, column := d.position(e.Start)
	endLine, endColumn := d.position(e.End)
	return sarifRegion{StartLine: line, StartColumn: column, EndLine: endLine, EndColumn: endColumn}
}

func indexOf(id string) int {
	for i, rule := range rules {
		if rule.ID == id {
			return i
		}
	}
	return -1
}

// uriOf writes a file's name as a URI, relative where the name is.
func uriOf(name string) string {
	path := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}
