package methods

import (
	"encoding/json"
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/rawjson"
)

// at reads a schema at a JSON Pointer.
func at(t *testing.T, schema, pointer string) string {
	t.Helper()
	if !json.Valid([]byte(schema)) {
		t.Fatalf("no JSON: %s", schema)
	}
	found, ok := rawjson.Find([]byte(schema), pointer)
	if !ok {
		t.Fatalf("nothing at %s in %s", pointer, schema)
	}
	return string(found)
}

func TestASchemaSaysWhatTheDescriptorsSay(t *testing.T) {
	for _, c := range []struct{ method, pointer, want string }{
		{"ListOrders", "/properties/page_size", `{"type":"integer","maximum":100,"exclusiveMinimum":0,"description":"How many at most."}`},
		{
			"ListOrders", "/properties/status",
			`{"type":"string","enum":["STATUS_UNSPECIFIED","STATUS_PAID","STATUS_SENT"],"description":"Only those. STATUS_PAID: Paid for. STATUS_SENT: On its way."}`,
		},
		{"ListOrders", "/additionalProperties", "false"},
		{"PlaceOrder", "/required", `["order"]`},
		{"PlaceOrder", "/properties/card/description", `"A card's number. Only one of card, account, cash."`},
		{"PlaceOrder", "/properties/account/properties/iban", `{"type":"string","maxLength":34,"pattern":"^[A-Z]{2}[0-9]+$"}`},
		{"PlaceOrder", "/properties/account/properties/mail", `{"type":"string","description":"Where the receipt goes."}`},
		{"PlaceOrder", "/properties/order/properties/items", `{"type":"array","items":{"$ref":"#/$defs/Item"},"minItems":1,"maxItems":50}`},
		{
			"PlaceOrder", "/properties/order/properties/labels",
			`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{"type":"string"},"maxProperties":8}`,
		},
		{"PlaceOrder", "/properties/order/properties/status/enum", `["STATUS_PAID","STATUS_SENT"]`},
		{"PlaceOrder", "/$defs/Item/required", `["sku"]`},
		{"PlaceOrder", "/$defs/Item/properties/wrapping", `{"$ref":"#/$defs/Item","description":"What it is packed into."}`},
		{"Everything", "/required", `["must"]`},
		{"Everything", "/properties/signed", `{"type":"integer","minimum":-5}`},
		{"Everything", "/properties/fixed", `{"type":"integer","minimum":0}`},
		{"Everything", "/properties/real", `{"type":"number","exclusiveMaximum":1.5}`},
		{"Everything", "/properties/data", `{"type":"string","contentEncoding":"base64","description":"In base64."}`},
		{"Everything", "/properties/by_truth/propertyNames", `{"enum":["true","false"]}`},
		{"Everything", "/properties/by_number/additionalProperties/properties/largest", `{"type":"integer","minimum":0}`},
		{"Everything", "/properties/at", `{"type":"string","format":"date-time"}`},
		{"Everything", "/properties/anything", `{}`},
		{"Everything", "/properties/boxed", `{"type":"integer"}`},
		{"Everything", "/properties/null", `{"type":"null"}`},
		{"Everything", "/properties/word/enum", `["a","b"]`},
		{"Everything", "/properties/zero_or_more_than_five", `{"type":"integer"}`},
		{"Everything", "/properties/anything_at_all", `{"type":"integer"}`},
		{"Everything", "/properties/bounded", `{"type":"integer","maximum":9,"exclusiveMinimum":5}`},
		{"Everything", "/properties/names", `{"type":"array","items":{"type":"string","maxLength":3},"uniqueItems":true}`},
		{
			"Everything", "/$defs/Node/oneOf",
			`[{"required":["count"]},{"required":["label"]},{"not":{"anyOf":[{"required":["count"]},{"required":["label"]}]}}]`,
		},
	} {
		if got := at(t, shop(t, c.method).Schema(), c.pointer); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.method, c.pointer, got, c.want)
		}
	}
}

func TestWhatTheServiceSetsIsNoArgument(t *testing.T) {
	order := at(t, shop(t, "PlaceOrder").Schema(), "/properties/order/properties")
	if strings.Contains(order, `"id"`) {
		t.Errorf("the id of an order is the service's: %s", order)
	}
	if schema := shop(t, "PlaceOrder").Schema("request_id"); strings.Contains(schema, "request_id") {
		t.Errorf("a hidden field is shown: %s", schema)
	}
}

func TestEverySchemaCompilesAndJudges(t *testing.T) {
	for _, c := range []struct{ method, arguments, problem string }{
		{"ListOrders", `{"page_size": 5, "status": "STATUS_PAID"}`, ""},
		{"ListOrders", `{"page_size": "5"}`, ""},
		{"ListOrders", `{"pageSize": 5}`, "did you mean page_size?"},
		{"ListOrders", `{"page_size": 500}`, "too large"},
		{"PlaceOrder", `{}`, "order"},
		{"PlaceOrder", `{"order": {"items": [{"sku": "a", "wrapping": {"sku": "b", "quantity": 1}}]}}`, ""},
		{"PlaceOrder", `{"order": {"items": []}}`, "items"},
		{"PlaceOrder", `{"order": {"items": [{"sku": "a"}], "labels": {"A": "b"}}}`, "A"},
		{"Everything", `{"must": "aa", "many": [9223372036854775807, "-9223372036854775808"]}`, ""},
		{"Everything", `{"must": "aa", "tree": {"count": 1, "label": "x"}}`, "more than one"},
		{"Everything", `{"must": "aa", "tree": {"children": [{"name": "x"}]}, "any": {"@type": "x", "more": 1}}`, ""},
		{"Everything", `{"must": "a"}`, "must"},
	} {
		schema, err := arguments.Compile("tool", []byte(shop(t, c.method).Schema()))
		if err != nil {
			t.Fatal(err)
		}
		fault := schema.Check(c.arguments).Fault
		if (fault == nil) != (c.problem == "") || !strings.Contains(fault.String(), c.problem) {
			t.Errorf("%s %s: %v, want %q", c.method, c.arguments, fault, c.problem)
		}
	}
}

func TestAMethodSaysWhatItDoes(t *testing.T) {
	for name, want := range map[string]struct {
		description string
		effect      catalogv1.Effect
		takes, ends bool
	}{
		"ListOrders":   {"Lists the orders, newest first.", catalogv1.Effect_EFFECT_READ, false, false},
		"PlaceOrder":   {"Places an order.", catalogv1.Effect_EFFECT_UNSPECIFIED, false, false},
		"ReplaceOrder": {"Replaces an order.", catalogv1.Effect_EFFECT_IDEMPOTENT, false, false},
		"CountOrders":  {"", catalogv1.Effect_EFFECT_READ, false, false},
		"FollowOrders": {"Follows the orders.", catalogv1.Effect_EFFECT_UNSPECIFIED, false, true},
		"Upload":       {"", catalogv1.Effect_EFFECT_UNSPECIFIED, true, false},
		"Chat":         {"", catalogv1.Effect_EFFECT_UNSPECIFIED, true, true},
	} {
		m := shop(t, name)
		if m.Description() != want.description || m.Effect() != want.effect || m.TakesStream() != want.takes || m.AnswersStream() != want.ends {
			t.Errorf("%s: %q, %v, %v, %v", name, m.Description(), m.Effect(), m.TakesStream(), m.AnswersStream())
		}
	}
}

func TestALongCommentIsCutBehindASentence(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short",
		"One sentence that is rather long. Another one": "One sentence that is rather long.",
		"no sentence ends within the bytes that it has": "no sentence ends within the bytes…",
	} {
		if got := shorten(text, 38); got != want || len(got) > 38 {
			t.Errorf("%q became %q", text, got)
		}
	}
}
