package check_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/catalog/check"
)

func reading(t testing.TB, name, text string) *catalog.Reading {
	t.Helper()
	read, err := catalog.Read(name, []byte(text), catalog.Alone())
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Problems) > 0 {
		t.Fatalf("%s: %v\n%s", name, read.Problems, text)
	}
	t.Cleanup(read.Catalog.Close)
	return read
}

func compare(t testing.TB, old, now string) []check.Change {
	t.Helper()
	return check.Compare(reading(t, "old.yaml", old), reading(t, "new.yaml", now))
}

// told lists changes as `rule field`, breaking ones with a !.
func told(changes []check.Change) (all []string) {
	for _, c := range changes {
		one := strings.TrimSpace(c.Rule + " " + c.Field)
		if c.Breaking {
			one = "!" + one
		}
		all = append(all, one)
	}
	return all
}

func schemaOf(schema string) string {
	return "tools:\n  - name: list_invoices\n    description: Lists invoices.\n    http: {method: GET, url: \"https://example.com/x\"}\n    input_schema: " + schema + "\n"
}

func TestSchemasAreComparedAsSetsOfCalls(t *testing.T) {
	object := func(properties, rest string) string {
		return fmt.Sprintf("{type: object, properties: {%s}%s}", properties, rest)
	}
	for _, tc := range []struct {
		name, old, now string
		want           []string
	}{
		{"nothing", object("a: {type: string}", ""), object("a: {description: New words., type: string, default: x}", ""), nil},
		{"required", object("a: {type: string}", ""), object("a: {type: string}", ", required: [a]"), []string{"!argument-required a"}},
		{"new and required", object("", ", additionalProperties: false"), object("a: {type: string}", ", required: [a], additionalProperties: false"), []string{"!argument-required a"}},
		{"optional", object("a: {type: string}", ", required: [a]"), object("a: {type: string}", ""), []string{"argument-optional a"}},
		{"new", object("", ""), object("a: {type: string}", ""), []string{"argument-added a"}},
		{"gone", object("a: {type: string}, b: {type: integer}", ""), object("b: {type: integer}", ""), []string{"!argument-removed a"}},
		{"renamed", object("a: {type: string, format: date}", ""), object("since: {type: string, format: date}", ""), []string{"!argument-removed a", "argument-added since"}},
		{"closed", object("a: {type: string}", ""), object("a: {type: string}", ", additionalProperties: false"), []string{"!arguments-closed"}},
		{"opened", object("a: {type: string}", ", additionalProperties: false"), object("a: {type: string}", ""), []string{"schema-widened"}},
		{"others typed", object("", ", additionalProperties: true"), object("", ", additionalProperties: {type: string}"), []string{"!type-changed .*"}},
		{"enum narrowed", object("a: {enum: [x, y, 1]}", ""), object("a: {enum: [x, z]}", ""), []string{"!enum-narrowed a", "schema-widened a"}},
		{"enum widened", object("a: {enum: [x]}", ""), object("a: {enum: [y, x]}", ""), []string{"schema-widened a"}},
		{"enum new", object("a: {type: string}", ""), object("a: {type: string, enum: [x]}", ""), []string{"!enum-narrowed a"}},
		{"enum gone", object("a: {type: string, enum: [x]}", ""), object("a: {type: string}", ""), []string{"schema-widened a"}},
		{"const", object("a: {enum: [x, y]}", ""), object("a: {const: x}", ""), []string{"!enum-narrowed a"}},
		{"type", object("a: {type: string}", ""), object("a: {type: integer, maximum: 4}", ""), []string{"!type-changed a"}},
		{"number to integer", object("a: {type: number}", ""), object("a: {type: integer}", ""), []string{"!type-changed a"}},
		{"integer to number", object("a: {type: integer}", ""), object("a: {type: number}", ""), []string{"schema-widened a"}},
		{"null gone", object("a: {type: [string, 'null']}", ""), object("a: {type: string}", ""), []string{"!type-changed a"}},
		{"null new", object("a: {type: string}", ""), object("a: {type: [string, 'null']}", ""), []string{"schema-widened a"}},
		{"typed", object("a: {}", ""), object("a: {type: string}", ""), []string{"!type-changed a"}},
		{"lower maximum", object("a: {type: integer, maximum: 100}", ""), object("a: {type: integer, maximum: 50}", ""), []string{"!bounds-tightened a"}},
		{"higher maximum", object("a: {type: integer, maximum: 50}", ""), object("a: {type: integer, maximum: 100}", ""), []string{"schema-widened a"}},
		{"new minimum", object("a: {type: integer}", ""), object("a: {type: integer, minimum: 0}", ""), []string{"!bounds-tightened a"}},
		{"exclusive", object("a: {type: number, minimum: 0}", ""), object("a: {type: number, exclusiveMinimum: 0}", ""), []string{"!bounds-tightened a"}},
		{"inclusive", object("a: {type: number, exclusiveMinimum: 0}", ""), object("a: {type: number, minimum: 0}", ""), []string{"schema-widened a"}},
		{"digits count", object("a: {type: number, maximum: 0.30000000000000001}", ""), object("a: {type: number, maximum: 0.3}", ""), []string{"!bounds-tightened a"}},
		{"multiple", object("a: {type: integer, multipleOf: 10}", ""), object("a: {type: integer, multipleOf: 5}", ""), nil},
		{"other multiple", object("a: {type: integer, multipleOf: 5}", ""), object("a: {type: integer, multipleOf: 10}", ""), []string{"!bounds-tightened a"}},
		{"length", object("a: {type: string, maxLength: 9}", ""), object("a: {type: string, maxLength: 8, minLength: 1}", ""), []string{"!bounds-tightened a", "!bounds-tightened a"}},
		{"minLength 0", object("a: {type: string}", ""), object("a: {type: string, minLength: 0}", ""), nil},
		{"items", object("a: {type: array, items: {type: string}, maxItems: 5}", ""), object("a: {type: array, items: {type: string, enum: [x]}, maxItems: 4}", ""), []string{"!enum-narrowed a[]", "!bounds-tightened a"}},
		{"unique", object("a: {type: array}", ""), object("a: {type: array, uniqueItems: true}", ""), []string{"!bounds-tightened a"}},
		{"format", object("a: {type: string}", ""), object("a: {type: string, format: date}", ""), []string{"!format-changed a"}},
		{"other format", object("a: {type: string, format: date}", ""), object("a: {type: string, format: date-time}", ""), []string{"!format-changed a"}},
		{"an annotation", object("a: {type: string}", ""), object("a: {type: string, format: password}", ""), nil},
		{"no format", object("a: {type: string, format: date}", ""), object("a: {type: string}", ""), []string{"schema-widened a"}},
		{"pattern", object("a: {type: string, pattern: '^a'}", ""), object("a: {type: string, pattern: '^b'}", ""), []string{"!pattern-changed a"}},
		{"nested", object("a: {type: object, properties: {b: {type: array, items: {type: object, properties: {c: {type: string}}}}}}", ""),
			object("a: {type: object, properties: {b: {type: array, items: {type: object, properties: {c: {type: integer}}}}}}", ""), []string{"!type-changed a.b[].c"}},
		{"references", object("a: {$ref: '#/$defs/x'}, b: {$ref: '#/$defs/x'}", ", $defs: {x: {type: string, enum: [p, q]}}"),
			object("a: {$ref: '#/$defs/x'}, b: {$ref: '#/$defs/x'}", ", $defs: {x: {type: string, enum: [p]}}"), []string{"!enum-narrowed a", "!enum-narrowed b"}},
		{"a reference put in", object("a: {$ref: '#/$defs/x'}", ", $defs: {x: {type: string}}"), object("a: {type: string}", ""), nil},
		{"a tree", object("a: {$ref: '#/$defs/n'}", ", $defs: {n: {type: object, properties: {next: {$ref: '#/$defs/n'}, v: {type: string}}}}"),
			object("a: {$ref: '#/$defs/n'}", ", $defs: {n: {type: object, properties: {next: {$ref: '#/$defs/n'}, v: {type: integer}}}}"), []string{"!type-changed a.v"}},
		{"a branch gone", object("a: {anyOf: [{type: string}, {type: integer}]}", ""), object("a: {anyOf: [{type: string}]}", ""), []string{"!union-narrowed a"}},
		{"a branch new", object("a: {anyOf: [{type: string}]}", ""), object("a: {anyOf: [{type: 'null'}, {type: string}]}", ""), nil},
		{"a union of one", object("a: {type: string}", ""), object("a: {anyOf: [{type: string}, {type: 'null'}]}", ""), []string{"schema-widened a"}},
		{"one more of one", object("a: {oneOf: [{type: string}]}", ""), object("a: {oneOf: [{type: string}, {type: integer}]}", ""), nil},
		{"two at once", object("a: {oneOf: [{type: integer}]}", ""), object("a: {oneOf: [{type: integer}, {type: number}]}", ""), []string{"!schema-changed a"}},
		{"a union gone", object("a: {oneOf: [{type: string}]}", ""), object("a: {}", ""), []string{"schema-widened a"}},
		{"all of", object("a: {allOf: [{type: string}]}", ""), object("a: {allOf: [{type: string}, {minLength: 3}]}", ""), []string{"!bounds-tightened a"}},
		{"not", object("a: {not: {type: string}}", ""), object("a: {not: {type: integer}}", ""), []string{"!schema-changed a"}},
		{"not gone", object("a: {not: {type: string}}", ""), object("a: {}", ""), []string{"schema-widened a"}},
		{"false", object("a: {}", ""), object("a: false", ""), []string{"!argument-removed a"}},
		{"a tuple", object("a: {type: array, prefixItems: [{type: string}]}", ""), object("a: {type: array, prefixItems: [{type: integer}]}", ""), []string{"!schema-changed a"}},
		{"no schema", "{}", object("a: {type: string}", ", required: [a]"), []string{"!argument-required a"}},
		{"to no schema", object("a: {type: string}", ", required: [a], additionalProperties: false"), "{type: object}", []string{"!argument-removed a", "schema-widened"}},
	} {
		got := told(compare(t, schemaOf(tc.old), schemaOf(tc.now)))
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

const before = `
upstreams: {shop: {url: "https://shop.example.com"}}
tools:
  - name: find_orders
    description: Finds orders.
    upstream: shop
    http: {method: GET, url: /orders}
    input_schema: {type: object, properties: {customer: {type: string}}}
  - name: cancel_order
    description: Cancels an order.
    upstream: shop
    http: {method: POST, url: "/orders/{order}/cancel"}
    input_schema: {type: object, properties: {order: {type: string}}, required: [order]}
    idempotency_key: {}
    verify_with: {tool: find_orders, executed: result != null}
    fallbacks: [{tool: find_orders, label: Orders.}]
    alternatives: {tool: find_orders, arguments: '{}', items: '[]'}
    errors:
      - {when: status == 409, class: terminal, code: sent, blocked_by: sent, unblock_with: find_orders}
      - {when: status == 422, class: invalid_request, code: bad_order}
    policy: {rejection_cap: 5, max_calls_per_run: 0}
`

func TestToolsAreComparedByWhatCallersWerePromised(t *testing.T) {
	for _, tc := range []struct {
		name      string
		old, with string // what is replaced
		want      []string
	}{
		{"nothing", "Finds orders.", "Finds orders.", nil},
		{"words", "Finds orders.", "Finds all orders.", []string{"description-changed"}},
		{"a tool gone", "find_orders\n    description: Finds orders.\n    upstream: shop\n    http: {method: GET, url: /orders}", "find_orders2\n    description: Else.\n    upstream: shop\n    http: {method: GET, url: /orders2}",
			[]string{"!tool-removed", "!fallback-removed", "tool-added", "ways-added", "errors-changed"}},
		{"an effect", "idempotency_key: {}", "idempotency_key: {}\n    effect: idempotent", []string{"!effect-changed"}},
		{"an effect by its method", "method: POST", "method: PUT", []string{"!effect-changed", "request-changed"}},
		{"a fallback gone", "    fallbacks: [{tool: find_orders, label: Orders.}]\n", "", []string{"!fallback-removed"}},
		{"a fallback's words", "label: Orders.", "label: All orders.", nil},
		{"no key", "    idempotency_key: {}\n", "", []string{"!idempotency-removed"}},
		{"no verification", "    verify_with: {tool: find_orders, executed: result != null}\n", "", []string{"!verification-removed"}},
		{"no lookup", "    alternatives: {tool: find_orders, arguments: '{}', items: '[]'}\n", "", []string{"!alternatives-removed"}},
		{"a lookup that never runs", "items: '[]'}", "items: '[]', when: never}", []string{"!alternatives-removed"}},
		{"another class", "class: terminal, code: sent", "class: transient, code: sent", []string{"!error-class-changed", "errors-changed"}},
		{"another condition", "status == 409", "status == 409 && body.sent", []string{"errors-changed"}},
		{"another code", "code: bad_order", "code: no_order", []string{"!error-code-removed", "errors-changed"}},
		{"a rule gone", "      - {when: status == 422, class: invalid_request, code: bad_order}\n", "", []string{"!error-code-removed", "errors-changed"}},
		{"no way to unblock", ", blocked_by: sent, unblock_with: find_orders", "", []string{"!unblock-removed", "errors-changed"}},
		{"a lower cap", "rejection_cap: 5", "rejection_cap: 2", []string{"!limit-lowered"}},
		{"no cap", "rejection_cap: 5", "rejection_cap: 0", []string{"numbers-changed"}},
		{"a limit of calls", "max_calls_per_run: 0", "max_calls_per_run: 10", []string{"!limit-lowered"}},
		{"defaults", "tools:\n", "defaults: {max_arguments_bytes: 1000}\ntools:\n", []string{"!limit-lowered", "!limit-lowered"}},
		{"attempts", "rejection_cap: 5", "rejection_cap: 5, max_attempts: 2", []string{"numbers-changed"}},
		{"another path", "/cancel", "/cancellation", []string{"request-changed"}},
		{"another host", "https://shop.example.com", "https://shop.example.org", []string{"request-changed", "request-changed"}},
		{"poll", "description: Finds orders.", "description: Finds orders.\n    poll: true", []string{"result-changed"}},
	} {
		now := strings.Replace(before, tc.old, tc.with, 1)
		if strings.HasPrefix(tc.name, "a tool gone") {
			now = strings.ReplaceAll(now, "tool: find_orders", "tool: find_orders2")
			now = strings.ReplaceAll(now, "unblock_with: find_orders", "unblock_with: find_orders2")
			tc.want = append(tc.want[:2:2], append([]string{"!unblock-removed"}, tc.want[2:]...)...)
		}
		got := told(compare(t, before, now))
		slices.Sort(got)
		slices.Sort(tc.want)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestARenamedToolIsCalledSo(t *testing.T) {
	now := strings.ReplaceAll(before, "find_orders", "search_orders")
	changes := compare(t, before, now)
	if got := told(changes)[0]; got != "!tool-renamed" || !strings.Contains(changes[0].Message, "find_orders is called search_orders now") {
		t.Errorf("got %+v", changes)
	}
	for _, c := range changes {
		if c.Rule == "tool-removed" || c.Rule == "tool-added" {
			t.Errorf("got %+v", c)
		}
	}
}

func TestChangesHaveTheirPlaces(t *testing.T) {
	const old = `tools:
  - name: gone
    description: Goes.
    http: {method: GET, url: "https://example.com/1"}
  - name: stays
    description: Stays.
    http: {method: GET, url: "https://example.com/2"}
    input_schema:
      type: object
      properties:
        lost: {type: string}
        kept: {type: string}
`
	const now = `# moved
tools:
  - name: stays
    description: Stays.
    effect: write
    http: {method: GET, url: "https://example.com/2"}
    input_schema:
      type: object
      properties:
        kept:
          type: string
          enum: [a]
      required: [kept]
`
	var got []string
	for _, c := range compare(t, old, now) {
		got = append(got, fmt.Sprintf("%s:%d:%d %s", c.File, c.Line, c.Column, c.Rule))
	}
	want := []string{
		"new.yaml:5:13 effect-changed", "new.yaml:11:11 argument-required", "new.yaml:12:17 enum-narrowed",
		"old.yaml:2:11 tool-removed", "old.yaml:11:15 argument-removed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTheManualListsEveryRule(t *testing.T) {
	page, err := os.ReadFile("../../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, rule := range check.Rules() {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", rule.ID, map[bool]string{true: "yes", false: "no"}[rule.Breaking], rule.Title)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/lint.md lacks %s", row)
		}
		if seen[rule.ID] || rule.Title == "" {
			t.Errorf("%+v", rule)
		}
		seen[rule.ID] = true
	}
}
