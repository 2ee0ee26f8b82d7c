package diagnose

import (
	"sort"
	"strings"
)

// registry finds the vocabulary of a tool. It never changes.
type registry struct {
	all    map[string]*vocabulary
	names  map[string]*vocabulary // provider names and their other names
	hosts  map[string]*vocabulary // whole hosts
	ends   []hostEnd              // "*.example.com", the longest first
	shapes []*vocabulary          // those with shapes, by name
	grpc   []*vocabulary          // those with services, by name
	common *vocabulary
}

type hostEnd struct {
	suffix     string // ".example.com"
	vocabulary *vocabulary
}

func newRegistry(all map[string]*vocabulary) *registry {
	g := &registry{all: all, names: map[string]*vocabulary{}, hosts: map[string]*vocabulary{}, common: all[commonName]}
	for _, v := range all {
		for _, name := range v.names {
			g.names[name] = v
		}
		for _, host := range v.hosts {
			if end, found := strings.CutPrefix(host, "*"); found {
				g.ends = append(g.ends, hostEnd{suffix: end, vocabulary: v})
				continue
			}
			g.hosts[host] = v
		}
		if len(v.shape) > 0 {
			g.shapes = append(g.shapes, v)
		}
		if len(v.services) > 0 {
			g.grpc = append(g.grpc, v)
		}
	}
	sort.Slice(g.ends, func(i, j int) bool {
		a, b := g.ends[i].suffix, g.ends[j].suffix
		return len(a) > len(b) || len(a) == len(b) && a < b
	})
	for _, some := range [][]*vocabulary{g.shapes, g.grpc} {
		sort.Slice(some, func(i, j int) bool { return some[i].name < some[j].name })
	}
	return g
}

// known is the vocabulary that the catalogue or the host names; nil: none.
func (g *registry) known(provider, host string) *vocabulary {
	if provider != "" {
		if v := g.names[strings.ToLower(provider)]; v != nil {
			return v
		}
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if v := g.hosts[host]; v != nil {
		return v
	}
	for _, end := range g.ends {
		if strings.HasSuffix(host, end.suffix) {
			return end.vocabulary
		}
	}
	return nil
}

// ofService is the vocabulary that a gRPC method's package belongs to; nil: none.
func (g *registry) ofService(method string) *vocabulary {
	for _, v := range g.grpc {
		for _, folder := range v.services {
			if strings.HasPrefix(method, folder) {
				return v
			}
		}
	}
	return nil
}

// shaped is the vocabulary whose unmistakable shape the body has; nil: none.
func (g *registry) shaped(r *reading) *vocabulary {
	if r.root == nil && r.text == "" {
		return nil
	}
	for _, v := range g.shapes {
		if anyHolds(v.shape, r) {
			return v
		}
	}
	return nil
}
