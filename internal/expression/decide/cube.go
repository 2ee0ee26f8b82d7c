package decide

import "maps"

// bits are cells of a variable.
type bits []bool

func (b bits) empty() bool {
	for _, bit := range b {
		if bit {
			return false
		}
	}
	return true
}

// cube is a combination: which cells each value may be in, and what atoms that
// are not understood come to.
type cube struct {
	cells map[*variable]bits
	atoms map[string]outcome
}

func (c cube) possible() bool { return c.cells != nil }

// with narrows a value; the cube that comes back may be impossible.
func (c cube) with(v *variable, to bits) cube {
	narrowed := to
	if had, ok := c.cells[v]; ok {
		narrowed = make(bits, len(to))
		for i := range to {
			narrowed[i] = had[i] && to[i]
		}
	}
	if narrowed.empty() {
		return cube{}
	}
	cells := maps.Clone(c.cells)
	if cells == nil {
		cells = map[*variable]bits{}
	}
	cells[v] = narrowed
	return cube{cells: cells, atoms: c.atoms}
}

// saying narrows an atom.
func (c cube) saying(key string, to outcome) cube {
	if had, ok := c.atoms[key]; ok {
		to &= had
	}
	if to == 0 {
		return cube{}
	}
	atoms := maps.Clone(c.atoms)
	if atoms == nil {
		atoms = map[string]outcome{}
	}
	atoms[key] = to
	return cube{cells: c.cells, atoms: atoms}
}

// meet narrows combinations to those in which the formula holds; false where
// there are too many to look at.
func (s *Space) meet(cubes []cube, f formula) ([]cube, bool) {
	switch f.kind {
	case allOf:
		for _, part := range f.parts {
			var ok bool
			if cubes, ok = s.meet(cubes, part); !ok || len(cubes) == 0 {
				return cubes, ok
			}
		}
		return cubes, true
	case anyOf:
		var all []cube
		for _, part := range f.parts {
			some, ok := s.meet(cubes, part)
			if all = append(all, some...); !ok || len(all) > maxCubes {
				return nil, false
			}
		}
		return all, true
	case literal:
	}
	var left []cube
	for _, c := range cubes {
		if c = c.narrow(f.atom, f.want); c.possible() {
			left = append(left, c)
		}
	}
	return left, true
}

func (c cube) narrow(a *atom, w want) cube {
	switch {
	case a.fixed != 0:
		if a.fixed&w.outcomes() == 0 {
			return cube{}
		}
		return c
	case a.on == nil:
		return c.saying(a.key, w.outcomes())
	}
	c = c.with(a.on, a.where(w))
	if c.possible() && !a.simple {
		c = c.saying(a.key, w.outcomes())
	}
	return c
}

// all lists the combinations in which a formula holds.
func (s *Space) all(f formula) ([]cube, bool) {
	return s.meet([]cube{{cells: map[*variable]bits{}}}, f)
}
