package expression

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	maxExpressionSize   = 4096
	maxRangeItems       = 1000
	costLimitOfRule     = 100_000
	costLimitOfLookup   = 1_000_000
	maxListedByProvider = 16
)

// Compiler compiles expressions. It is safe for concurrent use and may be kept
// for as long as the program runs.
type Compiler struct {
	rules, lookupArguments, lookupItems, verification *cel.Env

	failed func(Failure)
}

// Option changes a Compiler.
type Option func(*Compiler)

// WithFailureHook has each failure at run time reported to hook, which must be
// safe for concurrent use and fast.
func WithFailureHook(hook func(Failure)) Option {
	return func(c *Compiler) { c.failed = hook }
}

// New makes a compiler. An error means that the CEL library refuses its own
// options.
func New(options ...Option) (*Compiler, error) {
	c := &Compiler{failed: func(Failure) {}}
	for _, option := range options {
		option(c)
	}
	base, err := cel.NewEnv(
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(maxExpressionSize),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals()),
		ext.Strings(), ext.Math(), ext.Sets(), ext.Lists(ext.ListsMaxRangeSize(maxRangeItems)),
	)
	if err != nil {
		return nil, fmt.Errorf("expression: %w", err)
	}
	for env, variables := range map[**cel.Env][]cel.EnvOption{
		&c.rules: {
			cel.Variable("status", cel.IntType), cel.Variable("headers", cel.MapType(cel.StringType, cel.StringType)),
			cel.Variable("body", cel.DynType), cel.Variable("arguments", cel.DynType),
		},
		&c.lookupArguments: {cel.Variable("arguments", cel.DynType), cel.Variable("error", cel.DynType)},
		&c.lookupItems: {
			cel.Variable("result", cel.DynType), cel.Variable("arguments", cel.DynType), cel.Variable("error", cel.DynType),
		},
		&c.verification: {
			cel.Variable("result", cel.DynType), cel.Variable("error", cel.DynType),
			cel.Variable("arguments", cel.DynType), cel.Variable("unknown", cel.DynType),
		},
	} {
		if *env, err = base.Extend(variables...); err != nil {
			return nil, fmt.Errorf("expression: %w", err)
		}
	}
	return c, nil
}

// CompileRules compiles the error rules of one tool on their own; see
// Compiler.Rules.
func CompileRules(tool string, rules []*catalogv1.ErrorRule) (interceptors.Rules, error) {
	c, err := New()
	if err != nil {
		return nil, err
	}
	return c.Rules(tool, rules)
}
