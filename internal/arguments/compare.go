package arguments

// compareNumbers compares two canonical numbers exactly, without computing
// either.
func compareNumbers[A, B string | []byte](a A, b B) int {
	x, y := scan(a), scan(b)
	switch {
	case x.sign != y.sign:
		return order(x.sign - y.sign)
	case x.sign == 0:
		return 0
	case x.magnitude != y.magnitude:
		return x.sign * order(x.magnitude-y.magnitude)
	}
	return x.sign * compareDigits(a[x.first:x.last], b[y.first:y.last])
}

// scanned is a canonical number taken apart: 0.d₁d₂… × 10^magnitude.
type scanned struct {
	sign        int
	magnitude   int
	first, last int // where the significant digits stand, a point among them
}

func scan[T string | []byte](t T) (s scanned) {
	s.sign = 1
	at := 0
	if t[0] == '-' {
		s.sign, at = -1, 1
	}
	s.first, s.last = -1, len(t)
	point := false
	for ; at < len(t); at++ {
		switch c := t[at]; {
		case c == 'e':
			s.last = at
			s.magnitude += saturated(t[at+1:])
			at = len(t)
		case c == '.':
			point = true
		case s.first < 0 && c == '0':
			if point {
				s.magnitude--
			}
		default:
			if s.first < 0 {
				s.first = at
			}
			if !point {
				s.magnitude++
			}
		}
	}
	if s.first < 0 {
		return scanned{}
	}
	return s
}

// saturated reads an exponent; beyond what any schema can name, only its sign
// counts.
func saturated[T string | []byte](t T) int {
	const most = 1 << 40
	n, negative := 0, false
	for i := range len(t) {
		if t[i] == '-' {
			negative = true
			continue
		}
		if n = n*10 + int(t[i]-'0'); n > most {
			n = most
		}
	}
	if negative {
		return -n
	}
	return n
}

// compareDigits compares fractions of the same magnitude; a shorter one goes on
// with zeros.
func compareDigits[A, B string | []byte](a A, b B) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		var x, y byte = '0', '0'
		if i < len(a) && a[i] == '.' {
			i++
			continue
		}
		if j < len(b) && b[j] == '.' {
			j++
			continue
		}
		if i < len(a) {
			x = a[i]
		}
		if j < len(b) {
			y = b[j]
		}
		if x != y {
			return order(int(x) - int(y))
		}
		i++
		j++
	}
	return 0
}

func order(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
