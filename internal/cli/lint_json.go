package cli

import (
	"time"

	"toolgate.dev/toolgate/server/catalog/lint"
)

// lintDocument is what `lint -o json` prints. Its names are kept.
type lintDocument struct {
	Findings []lintFinding `json:"findings"`
	Excused  []lintFinding `json:"excused"`
	Fixed    []lintFinding `json:"fixed"`
	Waits    []lintWait    `json:"waits"`
	Summary  lintSummary   `json:"summary"`
}

type lintFinding struct {
	Rule      string       `json:"rule"`
	Severity  string       `json:"severity"`
	File      string       `json:"file"`
	Line      int          `json:"line"`
	Column    int          `json:"column"`
	EndColumn int          `json:"end_column"`
	Path      string       `json:"path,omitempty"`
	Message   string       `json:"message"`
	Why       string       `json:"why"`
	Fix       string       `json:"fix,omitempty"`
	Fixable   string       `json:"fixable,omitempty"` // sure, all
	Excuse    string       `json:"excuse,omitempty"`
	Related   *lintRelated `json:"related,omitempty"`
}

type lintRelated struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type lintWait struct {
	File           string  `json:"file"`
	Tool           string  `json:"tool"`
	Line           int     `json:"line"`
	Attempts       uint32  `json:"attempts"`
	AttemptSeconds float64 `json:"attempt_seconds"`
	BackoffSeconds float64 `json:"backoff_seconds"`
	WaitSeconds    float64 `json:"wait_seconds"`
	QueueSeconds   float64 `json:"queue_seconds"`
	LookupSeconds  float64 `json:"lookup_seconds"`
	Deadline       float64 `json:"deadline_seconds"`
	Worst          float64 `json:"worst_seconds"`
}

type lintSummary struct {
	Files    int `json:"files"`
	Tools    int `json:"tools"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Excused  int `json:"excused"`
	Fixed    int `json:"fixed"`
}

func (r *review) printJSONReport() error {
	document := lintDocument{Findings: []lintFinding{}, Excused: []lintFinding{}, Fixed: asJSON(r.fixed), Waits: []lintWait{}}
	sum := &document.Summary
	for _, report := range r.reports {
		document.Findings = append(document.Findings, asJSON(report.Findings)...)
		document.Excused = append(document.Excused, asJSON(report.Excused)...)
		for _, wait := range report.Waits {
			document.Waits = append(document.Waits, waitOf(report.File, wait))
		}
		sum.Tools += report.Tools
		for _, f := range report.Findings {
			*map[lint.Severity]*int{lint.Error: &sum.Errors, lint.Warning: &sum.Warnings, lint.Note: &sum.Notes}[f.Severity]++
		}
	}
	sum.Files, sum.Excused, sum.Fixed = len(r.reports), len(document.Excused), len(r.fixed)
	text, err := compactJSON(document)
	if err != nil {
		return err
	}
	r.printJSON(text)
	return nil
}

func asJSON(findings []lint.Finding) []lintFinding {
	all := make([]lintFinding, 0, len(findings))
	for _, f := range findings {
		one := lintFinding{
			Rule: f.Rule, Severity: f.Severity.String(), File: f.File, Line: f.Place.Line, Column: f.Place.Column, EndColumn: f.Place.EndColumn,
			Path: f.Place.Path, Message: f.Message, Why: f.Why, Fix: f.Fix, Excuse: f.Excuse,
		}
		switch {
		case len(f.Edits) == 0:
		case f.Sure:
			one.Fixable = fixSure
		default:
			one.Fixable = fixAll
		}
		if f.Related != nil {
			one.Related = &lintRelated{Line: f.Related.Place.Line, Column: f.Related.Place.Column, Message: f.Related.Message}
		}
		all = append(all, one)
	}
	return all
}

func waitOf(file string, w lint.Wait) lintWait {
	seconds := func(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }
	return lintWait{
		File: file, Tool: w.Tool, Line: w.Line, Attempts: w.Attempts, AttemptSeconds: seconds(w.Attempt), BackoffSeconds: seconds(w.Backoff),
		WaitSeconds: seconds(w.Waits), QueueSeconds: seconds(w.Queue), LookupSeconds: seconds(w.Lookup), Deadline: seconds(w.Deadline), Worst: seconds(w.Worst),
	}
}
