package expression

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// number reads a JSON number. An integer stays one, whatever its size; with a
// point or an exponent it is a double, whose spelling is kept for the way out.
func (r *reader) number(text string) ref.Val {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return types.Int(n)
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return types.Uint(n)
		}
		return wide(text)
	}
	n, _ := strconv.ParseFloat(text, 64) // out of range: an infinity
	if double := types.Double(n); shortest(double) != text {
		if r.digits == nil {
			r.digits = map[types.Double]string{}
		}
		if _, known := r.digits[double]; !known {
			r.digits[double] = text
		}
	}
	return types.Double(n)
}

// spell writes a double as it came in, else as short as may be.
func (r *reader) spell(n types.Double) (text string, ok bool) {
	if math.IsNaN(float64(n)) {
		return "", false
	}
	if text, known := r.digits[n]; known {
		return text, true
	}
	return shortest(n), !math.IsInf(float64(n), 0)
}

func shortest(n types.Double) string {
	format := byte('f')
	if size := math.Abs(float64(n)); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(float64(n), format, -1, 64)
}

// wide is an integer beyond 64 bits, in decimal. It can be compared; arithmetic
// with it fails.
type wide string

var (
	wideType                 = types.NewObjectType("toolgate.WideInt", traits.ComparerType)
	_        traits.Comparer = wide("")
)

func (w wide) negative() bool { return w[0] == '-' }

// Compare implements traits.Comparer.
func (w wide) Compare(other ref.Val) ref.Val {
	switch other := other.(type) {
	case wide:
		return w.compareWide(other)
	case types.Int, types.Uint: // always nearer to zero
		return w.sign()
	case types.Double:
		return w.compareDouble(float64(other))
	}
	return types.MaybeNoSuchOverloadErr(other)
}

func (w wide) sign() ref.Val {
	if w.negative() {
		return types.IntNegOne
	}
	return types.IntOne
}

// compareWide knows that a JSON integer has no leading zeros.
func (w wide) compareWide(other wide) ref.Val {
	switch {
	case w == other:
		return types.IntZero
	case w.negative() != other.negative():
		return w.sign()
	case (len(w) > len(other) || len(w) == len(other) && w > other) != w.negative():
		return types.IntOne
	}
	return types.IntNegOne
}

func (w wide) compareDouble(other float64) ref.Val {
	switch {
	case math.IsNaN(other):
		return types.NewErr("NaN values cannot be ordered")
	case math.IsInf(other, 0) || len(w) > len("-")+309: // beyond every finite double
		if math.IsInf(other, 0) {
			return types.Int(-sign(other))
		}
		return w.sign()
	}
	mine, ok := new(big.Float).SetPrec(2048).SetString(string(w))
	if !ok {
		return types.NewErr("not an integer")
	}
	return types.Int(mine.Cmp(big.NewFloat(other)))
}

func sign(n float64) int {
	if n < 0 {
		return -1
	}
	return 1
}

// Equal implements ref.Val.
func (w wide) Equal(other ref.Val) ref.Val {
	switch other.(type) {
	case wide, types.Double:
		return types.Bool(w.Compare(other) == types.IntZero)
	}
	return types.False
}

// ConvertToNative implements ref.Val.
func (w wide) ConvertToNative(want reflect.Type) (any, error) {
	return types.String(w).ConvertToNative(want)
}

// ConvertToType implements ref.Val.
func (w wide) ConvertToType(want ref.Type) ref.Val {
	switch want {
	case types.StringType:
		return types.String(w)
	case types.DoubleType:
		n, _ := strconv.ParseFloat(string(w), 64)
		return types.Double(n)
	case types.TypeType:
		return wideType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", wideType, want)
}

// Type implements ref.Val.
func (w wide) Type() ref.Type { return wideType }

// Value implements ref.Val.
func (w wide) Value() any { return string(w) }
