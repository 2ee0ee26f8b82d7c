package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// ours begins the names of the metrics that somebody must ask for.
const ours = "toolgate_"

// past is what was scraped, and an engine to ask it.
type past struct {
	folder      string
	db          *tsdb.DB
	engine      *promql.Engine
	first, last time.Time
	step        time.Duration
	names       map[string]bool // of all series
	families    map[string]bool // of ours, as they are declared
}

// load reads the scrapes of a folder.
func load(ctx context.Context, folder string) (*past, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b string) int { return int(moment(a).Sub(moment(b))) })
	moments := map[time.Time]bool{}
	for _, file := range files {
		moments[moment(file)] = true
	}
	if len(moments) < 2 {
		return nil, fmt.Errorf("%d scrapes in %q: two at least are needed", len(moments), folder)
	}
	p := &past{names: map[string]bool{}, families: map[string]bool{}, first: moment(files[0]), last: moment(files[len(files)-1])}
	p.step = p.last.Sub(p.first) / time.Duration(len(moments)-1)
	if p.folder, err = os.MkdirTemp("", "promcheck"); err != nil {
		return nil, err
	}
	if p.db, err = tsdb.Open(p.folder, nil, nil, tsdb.DefaultOptions(), nil); err != nil {
		return nil, err
	}
	p.engine = promql.NewEngine(promql.EngineOpts{
		MaxSamples: 10_000_000, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true,
	})
	for _, file := range files {
		if err := p.append(ctx, file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return p, nil
}

func moment(file string) time.Time {
	stamp, _, _ := strings.Cut(filepath.Base(file), ".")
	ms, _ := strconv.ParseInt(stamp, 10, 64)
	return time.UnixMilli(ms)
}

func instance(file string) string {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), ".")
	return name
}

func (p *past) close() {
	_ = p.db.Close()
	_ = os.RemoveAll(p.folder)
}

// append stores one scrape as Prometheus would.
func (p *past) append(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	reader := expfmt.NewTextParser(model.UTF8Validation)
	families, err := reader.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return err
	}
	into := scrape{Appender: p.db.Appender(ctx), past: p, at: moment(file).UnixMilli(), instance: instance(file)}
	for name, family := range families {
		if strings.HasPrefix(name, ours) {
			p.families[name] = true
		}
		for _, metric := range family.GetMetric() {
			if err := into.metric(family, metric); err != nil {
				return err
			}
		}
	}
	if err := into.sample("up", nil, float64(min(len(text), 1))); err != nil {
		return err
	}
	return into.Commit()
}

// scrape is one on its way into the store.
type scrape struct {
	storage.Appender

	past     *past
	at       int64
	instance string
}

func (s scrape) metric(family *dto.MetricFamily, metric *dto.Metric) error {
	name, own := family.GetName(), metric.GetLabel()
	switch family.GetType() {
	case dto.MetricType_COUNTER:
		return s.sample(name, own, metric.GetCounter().GetValue())
	case dto.MetricType_GAUGE:
		return s.sample(name, own, metric.GetGauge().GetValue())
	case dto.MetricType_UNTYPED:
		return s.sample(name, own, metric.GetUntyped().GetValue())
	case dto.MetricType_SUMMARY:
		return s.sample(name+"_count", own, float64(metric.GetSummary().GetSampleCount()))
	}
	h := metric.GetHistogram()
	for _, bucket := range h.GetBucket() {
		bound := "+Inf"
		if !math.IsInf(bucket.GetUpperBound(), 1) {
			bound = strconv.FormatFloat(bucket.GetUpperBound(), 'g', -1, 64)
		}
		le := "le"
		if err := s.sample(name+"_bucket", append(slices.Clip(own), &dto.LabelPair{Name: &le, Value: &bound}), float64(bucket.GetCumulativeCount())); err != nil {
			return err
		}
	}
	if err := s.sample(name+"_sum", own, h.GetSampleSum()); err != nil {
		return err
	}
	return s.sample(name+"_count", own, float64(h.GetSampleCount()))
}

func (s scrape) sample(name string, own []*dto.LabelPair, value float64) error {
	s.past.names[name] = true
	b := labels.NewBuilder(labels.FromStrings(labels.MetricName, name, "job", "toolgate", "instance", s.instance))
	for _, pair := range own {
		b.Set(pair.GetName(), pair.GetValue())
	}
	_, err := s.Append(0, b.Labels(), s.at, value)
	return err
}

// check tells what is wrong with a question, and notes the metrics that it asks
// for.
func (p *past) check(ctx context.Context, q question, quiet bool, asked map[string]bool) (faults []string) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
	if err != nil {
		return []string{fmt.Sprintf("%v in %s", err, q.expr)}
	}
	for _, name := range metricsOf(parsed) {
		asked[name] = true
		if !p.names[name] && !quiet {
			faults = append(faults, fmt.Sprintf("there is no metric %s in %s", name, q.expr))
		}
	}
	found, err := p.ask(ctx, q.expr)
	switch {
	case err != nil:
		faults = append(faults, fmt.Sprintf("%v in %s", err, q.expr))
	case quiet && q.alert && len(found) > 0:
		faults = append(faults, fmt.Sprintf("it fires although nothing is wrong: %v", found[0]))
	case !quiet && len(found) == 0:
		faults = append(faults, "nothing is found by "+q.expr)
	case !quiet:
		faults = append(faults, q.missing(found)...)
	}
	return faults
}

// ask returns the series that an expression has at some moment, without those
// that are no numbers.
func (p *past) ask(ctx context.Context, expr string) (found []labels.Labels, err error) {
	query, err := p.engine.NewRangeQuery(ctx, p.db, nil, expr, p.first, p.last, p.step)
	if err != nil {
		return nil, err
	}
	defer query.Close()
	matrix, err := query.Exec(ctx).Matrix()
	if err != nil {
		return nil, err
	}
	for _, series := range matrix {
		if slices.ContainsFunc(series.Floats, func(point promql.FPoint) bool { return !math.IsNaN(point.F) }) {
			found = append(found, series.Metric)
		}
	}
	return found, nil
}

// unasked lists our metrics that no question names.
func (p *past) unasked(asked map[string]bool) (names []string) {
	for name := range p.families {
		if !asked[name] && !asked[name+"_bucket"] && !asked[name+"_sum"] && !asked[name+"_count"] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func metricsOf(expr parser.Expr) (names []string) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			names = append(names, selector.Name)
		}
		return nil
	})
	return names
}
