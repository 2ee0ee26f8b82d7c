package diagnose

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed vocabularies/*.yaml
var embedded embed.FS

// commonName is the vocabulary that every tool gets last.
const commonName = "common"

// loadVocabularies reads every *.yaml of the file systems; a later file of the
// same name replaces an earlier one.
func loadVocabularies(sources ...fs.FS) (map[string]*vocabulary, error) {
	texts := map[string][]byte{}
	for _, source := range sources {
		files, err := fs.Glob(source, "*.yaml")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := fs.ReadFile(source, file)
			if err != nil {
				return nil, err
			}
			texts[path.Base(file)] = text
		}
	}
	all, bases := map[string]*vocabulary{}, map[string]string{}
	for file, text := range texts {
		v, base, err := parseVocabulary(strings.TrimSuffix(file, ".yaml"), text)
		if err != nil {
			return nil, fmt.Errorf("vocabulary %s: %w", file, err)
		}
		all[v.name], bases[v.name] = v, base
	}
	if err := linkBases(all, bases); err != nil {
		return nil, err
	}
	return all, checkTogether(all)
}

// linkBases resolves `extends` and refuses circles.
func linkBases(all map[string]*vocabulary, bases map[string]string) error {
	for name, base := range bases {
		if base == "" {
			continue
		}
		if all[base] == nil {
			return fmt.Errorf("vocabulary %s.yaml extends %q, which does not exist", name, base)
		}
		all[name].base = all[base]
	}
	for name := range all {
		for v, steps := all[name].base, 0; v != nil; v, steps = v.base, steps+1 {
			if v.name == name || steps > len(all) {
				return fmt.Errorf("vocabulary %s.yaml extends itself in a circle", name)
			}
		}
	}
	return nil
}

// checkTogether refuses a host or a name that two vocabularies claim.
func checkTogether(all map[string]*vocabulary) error {
	claimed := map[string]string{}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		v := all[name]
		for _, key := range append(append([]string{}, v.hosts...), v.names...) {
			if other, taken := claimed[key]; taken {
				return fmt.Errorf("vocabulary %s.yaml: %q belongs to %s.yaml already", name, key, other)
			}
			claimed[key] = name
		}
	}
	return nil
}

var providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

func parseVocabulary(name string, text []byte) (*vocabulary, string, error) {
	var f vocabularyFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return nil, "", err
	}
	if f.Provider != name || !providerName.MatchString(name) {
		return nil, "", fmt.Errorf("provider: %q has to equal the file's name (lower case letters, digits, - and _)", f.Provider)
	}
	c := &compiler{}
	v := c.vocabulary(&f)
	return v, f.Extends, c.err
}

// compiler turns a file into a vocabulary and keeps the first fault.
type compiler struct{ err error }

func (c *compiler) faultf(line int, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
}

func (c *compiler) vocabulary(f *vocabularyFile) *vocabulary {
	v := &vocabulary{name: f.Provider, names: append([]string{f.Provider}, f.Also...)}
	for _, host := range f.Hosts {
		if strings.ContainsAny(strings.TrimPrefix(host, "*."), "*/: ") || host != strings.ToLower(host) {
			c.faultf(0, "hosts: %q is no host name; only a leading \"*.\" may stand for labels", host)
		}
		v.hosts = append(v.hosts, host)
	}
	for _, service := range f.Services {
		folder, starred := strings.CutSuffix(service, "*")
		if !starred || !strings.HasSuffix(folder, ".") || strings.ContainsAny(folder, "*/ ") {
			c.faultf(0, "services: %q names no package; openfga.v1.* does", service)
		}
		v.services = append(v.services, folder)
	}
	v.shape = c.alternatives(f.Shape)
	if f.Hidden != nil {
		v.marks, v.hidden = markerForms(f.Hidden.Markers), c.alternatives(f.Hidden.When)
		if len(v.marks) == 0 || len(v.hidden) == 0 {
			c.faultf(0, "hidden: both markers and when are needed")
		}
	}
	c.read(v, &f.Read)
	for _, e := range f.Hide {
		v.hide = append(v.hide, c.pattern(e, false))
	}
	c.codes(v, f.Codes)
	for i := range f.Rules {
		v.rules = append(v.rules, c.rule(&f.Rules[i]))
	}
	return v
}

func (c *compiler) read(v *vocabulary, f *readFile) {
	v.code, v.message, v.detail = c.places(f.Code), c.places(f.Message), c.places(f.Detail)
	v.field, v.value, v.accepted = c.places(f.Field), c.places(f.Value), c.places(f.Accepted)
	v.wait, v.facts = c.waits(f.Wait), c.facts(f.Facts)
	if g := f.Violations; g != nil {
		v.violations = &violationPlaces{
			each: c.bodyPlaces(g.Each), field: c.fieldPlaces(g.Field), code: c.bodyPlaces(g.Code),
			problem: c.bodyPlaces(g.Problem), value: c.bodyPlaces(g.Value), accepted: c.bodyPlaces(g.Accepted),
		}
	}
	if g := f.Batch; g != nil {
		v.batch = &batchPlaces{
			each: c.bodyPlaces(g.Each), failed: c.alternatives(g.Failed), code: c.bodyPlaces(g.Code),
			message: c.bodyPlaces(g.Message), id: c.bodyPlaces(g.ID), argument: texts(g.Argument),
		}
	}
}

func texts(list entries) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.text
	}
	return out
}
