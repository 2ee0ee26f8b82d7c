package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// question is one expression that somebody asks.
type question struct {
	where string // panel, variable or alert
	expr  string
	alert bool
	shown []string // labels that are shown of the answer
}

// dashboard is what is read of Grafana's form.
type dashboard struct {
	Panels     []panel
	Templating struct{ List []variable }
	// Annotations are marks over all panels.
	Annotations struct {
		List []struct{ Name, Expr, TextFormat string }
	}
}

type panel struct {
	Title   string
	Type    string
	Panels  []panel // of a row that is folded
	Targets []struct {
		Expr         string
		LegendFormat string
	}
}

type variable struct {
	Name, Type string
	Query      json.RawMessage
}

// The variables of Grafana itself, and ours at "all".
var fillIn = strings.NewReplacer(
	"$__rate_interval", "1m", "$__range", "10m", "$__interval", "15s",
	"$job", ".*", "$instance", ".*", "$tool", ".*",
)

func questionsOf(file string) (all []question, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		q, err := v.question()
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	for _, a := range d.Annotations.List {
		all = append(all, question{where: "annotation " + a.Name, expr: fillIn.Replace(a.Expr), shown: labelsIn(a.TextFormat)})
	}
	for _, p := range d.Panels {
		all = append(all, p.questions()...)
	}
	return all, nil
}

var (
	labelValues = regexp.MustCompile(`^label_values\((.+),\s*([a-z_]+)\)$`)
	braces      = regexp.MustCompile(`\{\{\s*([a-z_]+)\s*\}\}`)
)

// question asks whether a variable has something to choose from.
func (v variable) question() (question, error) {
	var query string
	if json.Unmarshal(v.Query, &query) != nil {
		var form struct{ Query string }
		if err := json.Unmarshal(v.Query, &form); err != nil {
			return question{}, fmt.Errorf("the variable %s: %w", v.Name, err)
		}
		query = form.Query
	}
	match := labelValues.FindStringSubmatch(query)
	if match == nil {
		return question{}, fmt.Errorf("the variable %s: %q is no label_values(…)", v.Name, query)
	}
	return question{
		where: "variable " + v.Name, expr: fmt.Sprintf("group by (%s) (%s)", match[2], fillIn.Replace(match[1])), shown: []string{match[2]},
	}, nil
}

func (p panel) questions() (all []question) {
	for _, target := range p.Targets {
		all = append(all, question{where: "panel " + p.Title, expr: fillIn.Replace(target.Expr), shown: labelsIn(target.LegendFormat)})
	}
	for _, inner := range p.Panels {
		all = append(all, inner.questions()...)
	}
	return all
}

func labelsIn(text string) (names []string) {
	for _, match := range braces.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// missing lists the labels that are shown and that no answer has.
func (q question) missing(found []labels.Labels) (faults []string) {
	for _, name := range q.shown {
		there := false
		for _, series := range found {
			there = there || series.Get(name) != ""
		}
		if !there {
			faults = append(faults, fmt.Sprintf("the label %s is shown, and no answer of %s has it", name, q.expr))
		}
	}
	return faults
}

var templated = regexp.MustCompile(`\$labels\.([a-z_]+)`)

// alertsOf reads rules as Prometheus does, templates included.
func alertsOf(file string) (all []question, err error) {
	groups, faults := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, fault := range faults {
		return nil, fault
	}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			q := question{where: "alert " + rule.Alert, expr: rule.Expr, alert: true}
			for _, text := range rule.Annotations {
				for _, match := range templated.FindAllStringSubmatch(text, -1) {
					q.shown = append(q.shown, match[1])
				}
			}
			all = append(all, q)
		}
	}
	return all, nil
}
