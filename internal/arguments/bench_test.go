package arguments

import (
	"fmt"
	"strings"
	"testing"
)

const smallSchema = `{"type":"object","properties":{
	"customer":{"type":"string","minLength":1,"maxLength":64,"pattern":"^cus_[A-Za-z0-9]+$"},
	"start_date":{"type":"string","format":"date"},"limit":{"type":"integer","minimum":1,"maximum":100},
	"status":{"enum":["open","paid","void"]},"amount":{"type":"number","minimum":0},
	"labels":{"type":"array","items":{"type":"string"},"maxItems":10}},
	"required":["customer"],"additionalProperties":false}`

const smallCall = `{"customer":"cus_9aQz81LmPq","start_date":"2026-03-14","limit":25,"status":"open","amount":1499.50,"labels":["quarterly","enterprise","renewal-2026","needs-review","priority-high"],"x":0}`

const rowsSchema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{
	"id":{"type":"integer","minimum":1},"name":{"type":"string","maxLength":80},"price":{"type":"number"},
	"active":{"type":"boolean"},"currency":{"enum":["EUR","USD","GBP"]}},
	"required":["id","name"],"additionalProperties":false}}},"required":["rows"],"additionalProperties":false}`

const textSchema = `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`

func rowsCall(size int) string {
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := 1; b.Len() < size; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"product number %d","price":%d.90,"active":true,"currency":"EUR"}`, i, i, i)
	}
	b.WriteString("]}")
	return b.String()
}

func benchmarkCheck(b *testing.B, schemaJSON, text string, valid bool) {
	schema, err := Compile("tool", []byte(schemaJSON))
	if err != nil {
		b.Fatal(err)
	}
	if checked := schema.Check(text); (checked.Fault == nil) != valid {
		b.Fatal(checked.Fault)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		schema.Check(text)
	}
}

func BenchmarkValid200B(b *testing.B) {
	benchmarkCheck(b, smallSchema, strings.Replace(smallCall, `,"x":0`, "", 1), true)
}

func BenchmarkValid16KiBOfRows(b *testing.B) { benchmarkCheck(b, rowsSchema, rowsCall(16<<10), true) }

func BenchmarkValid16KiBOfText(b *testing.B) {
	benchmarkCheck(b, textSchema, `{"path":"notes/a.md","content":"`+strings.Repeat(`a line of text with a \"quote\"\n`, 480)+`"}`, true)
}

func BenchmarkCoerced200B(b *testing.B) {
	text := strings.NewReplacer(`,"x":0`, "", "2026-03-14", "03/14/2026", "25", `"25"`).Replace(smallCall)
	benchmarkCheck(b, smallSchema, text, true)
}

func BenchmarkRejected200B(b *testing.B) { benchmarkCheck(b, smallSchema, smallCall, false) }

func BenchmarkCoerced16KiBOfRows(b *testing.B) {
	benchmarkCheck(b, rowsSchema, strings.ReplaceAll(rowsCall(16<<10), `"active":true`, `"active":"true"`), true)
}

// The way around the judge costs one copy of the text; under the race detector
// pools forget.
func TestAValidCallAllocatesOnlyItsCopy(t *testing.T) {
	schema, err := Compile("tool", []byte(smallSchema))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(smallCall, `,"x":0`, "", 1)
	if got := testing.AllocsPerRun(200, func() { schema.Check(text) }); got > 10 {
		t.Errorf("%v allocations", got)
	}
}
