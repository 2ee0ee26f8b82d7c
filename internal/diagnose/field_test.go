package diagnose

import (
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

func indexOf(arguments, schema string) *argumentIndex {
	d := &diagnosis{in: &Input{Arguments: []byte(arguments)}, tool: &interceptors.Tool{SchemaJSON: schema}}
	return d.index()
}

func TestFieldsAreMappedFromEverySpelling(t *testing.T) {
	const arguments = `{"start_date":"x","items":[{"sku":"a"},{"sku":"b","qty":0}],"billTo":{"postalCode":"1"},"If-Match":"e","customer":"c","activities":[{"platform":"p"}],"spec":{"ports":[{"port":1}]}}`
	x := indexOf(arguments, `{"properties":{"currency":{"type":"string"},"address":{"type":"object","properties":{"city":{}}}}}`)
	for spelling, want := range map[string]string{
		"start_date":                  "start_date",
		"startDate":                   "start_date",
		"Start-Date":                  "start_date",
		"body.start_date":             "start_date",
		"/data/attributes/start_date": "start_date",
		"#/start_date":                "start_date",
		"$.start_date":                "start_date",
		"request.startDate":           "start_date",
		"items[1].qty":                "items[1].qty",
		"items.1.qty":                 "items[1].qty",
		"/items/1/qty":                "items[1].qty",
		"items[1][qty]":               "items[1].qty",
		"order.items[1].qty":          "items[1].qty",
		"c:billTo/c:postalCode":       "billTo.postalCode",
		"/ns:billTo[1]/ns:postalCode": "billTo.postalCode",
		"postal_code":                 "billTo.postalCode",
		"ifMatch":                     "If-Match",
		"customerId":                  "customer",
		"activities.0.platform":       "activities[0].platform",
		"spec.ports[0].port":          "spec.ports[0].port",
		"currency":                    "currency",
		"address.city":                "address.city",
		"billTo.country":              "billTo.country",
		"body.nowhere":                "nowhere",
		"a.b[0].c":                    "a.b[0].c",
	} {
		if got, _ := x.resolve(spelling); got != want {
			t.Errorf("%s: got %s, want %s", spelling, got, want)
		}
	}
}

func TestFieldsAreFoundInProse(t *testing.T) {
	for _, c := range []struct{ arguments, text, want string }{
		{`{"page":"abc"}`, "Failed to convert 'page' with value: 'abc'", "page"},
		{`{"count":9,"name":"x"}`, "9 must be less than or equal to 6.", "count"},
		{`{"created":"eq.Z"}`, `invalid input syntax for type timestamp: "Z"`, "created"},
		{`{"table":"projectx"}`, "Could not find the table 'test.projectx' in the schema cache", "table"},
		{`{"InstanceId":["foobar"]}`, `Invalid id: "foobar"`, "InstanceId[0]"},
		{`{"user":"u","role":"r"}`, "role name not found", "role"},
		{`{"parameters":{"top_p":1.0}}`, "Input validation error: `top_p` must be > 0.0 and < 1.0", "parameters.top_p"},
		{`{"To":"+1555","From":"+15550"}`, "The 'To' number +1555 is not a valid phone number.", "To"},
		{`{"start_date":"x","end_date":"y"}`, "the end date lies before", "end_date"},
		{`{"a":"same-value","b":"same-value"}`, `unknown "same-value"`, ""},
		{`{"id":"zz"}`, "that didn't work, isn't it", ""},
		{`{}`, "anything", ""},
	} {
		d := &diagnosis{in: &Input{Arguments: []byte(c.arguments)}, tool: &interceptors.Tool{}}
		if got, _ := d.fieldInProse(c.text); got != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.text, c.arguments, got, c.want)
		}
	}
}

func TestWhatIsAcceptedIsReadFromProse(t *testing.T) {
	for _, c := range []struct {
		text, accepted, span, format string
	}{
		{"Value must be one of ('desktop', 'android', 'ios').", "desktop android ios", "", ""},
		{"currency must be one of the following values: usd, eur, gbp", "usd eur gbp", "", ""},
		{"Only the following schemas are exposed: v1, v2", "v1 v2", "", ""},
		{"Input should be 'asc' or 'desc'", "asc desc", "", ""},
		{"Perhaps you meant the table 'test.projects'", "test.projects", "", ""},
		{"Did you mean \"title\"?", "title", "", ""},
		{"PageSize must be between 1 and 100.", "", "between 1 and 100", ""},
		{"must be > 0.0 and < 1.0", "", "> 0.0 and < 1.0", ""},
		{"9 must be less than or equal to 6.", "", "less than or equal to 6", ""},
		{"too long (maximum is 255 characters)", "", "maximum is 255 characters", ""},
		{"Use one of these formats instead: YYYY-MM-DD.", "", "", "YYYY-MM-DD"},
		{"Input should be a valid integer, unable to parse", "", "", "valid integer"},
		{"must match the pattern ^[a-z]+$", "", "", "^[a-z]+$"},
		{"something is off", "", "", ""},
	} {
		var v violation
		readAccepted(&v, c.text)
		got := ""
		for i, s := range v.accepted {
			if i > 0 {
				got += " "
			}
			got += s
		}
		if got != c.accepted || v.span != c.span || v.format != c.format {
			t.Errorf("%s: got %q, %q, %q", c.text, got, v.span, v.format)
		}
	}
}

func FuzzAccepted(f *testing.F) {
	f.Add("must be one of: a, b or c")
	f.Add("between 1 and 5, format YYYY-MM-DD")
	f.Fuzz(func(_ *testing.T, text string) {
		var v violation
		readAccepted(&v, text)
		quoted(text)
		wordsOf(text)
		joinPath(segments(text))
	})
}
