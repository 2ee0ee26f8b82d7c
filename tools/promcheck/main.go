// Command promcheck asks Prometheus' own engine the questions of a Grafana
// dashboard and of alert rules, over metrics as they were scraped.
//
//	promcheck -scrapes FOLDER [-dashboard FILE] [-rules FILE] [-quiet]
//
// The folder holds one file per scrape in the text format, named by its moment and
// its target: `<Unix milliseconds>.<instance>.txt`. An empty one is a scrape that
// failed. Every query must parse, name metrics that exist, and
// return something at some moment of the scrapes; so must every alert. With
// -quiet no alert may.
//
// Each fault is a line on standard output; then the exit code is 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "promcheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	scrapes := flag.String("scrapes", "", "the folder with the scrapes")
	dashboard := flag.String("dashboard", "", "a Grafana dashboard, JSON")
	rules := flag.String("rules", "", "a file of alert rules")
	quiet := flag.Bool("quiet", false, "no alert may fire")
	flag.Parse()

	past, err := load(ctx, *scrapes)
	if err != nil {
		return err
	}
	defer past.close()
	var questions []question
	if *dashboard != "" {
		if questions, err = questionsOf(*dashboard); err != nil {
			return err
		}
	}
	if *rules != "" {
		alerts, err := alertsOf(*rules)
		if err != nil {
			return err
		}
		questions = append(questions, alerts...)
	}
	faults, asked := 0, map[string]bool{}
	for _, q := range questions {
		for _, fault := range past.check(ctx, q, *quiet, asked) {
			fmt.Printf("%s: %s\n", q.where, fault)
			faults++
		}
	}
	if *dashboard != "" && *rules != "" {
		for _, name := range past.unasked(asked) {
			fmt.Printf("%s: nobody asks for this metric\n", name)
			faults++
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d faults in %d questions", faults, len(questions))
	}
	fmt.Printf("%d questions are answered\n", len(questions))
	return nil
}
