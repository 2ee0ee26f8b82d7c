package main

import (
	"fmt"
	"strings"
)

// size is one size of arguments.
type size struct {
	name      string
	arguments string
}

func sizes() []size { return []size{{"small", invoice(200)}, {"16k", invoice(16 << 10)}} }

// invoice makes arguments of just so many bytes.
func invoice(bytes int) string {
	const head = `{"customer":"cus_8f3k2m9q","currency":"EUR","due":"2026-03-14","paid":false,"total":1290.50,"lines":[`
	var lines strings.Builder
	for n := 0; ; n++ {
		line := fmt.Sprintf(`{"sku":"sku_%05d","quantity":%d,"price":%d.25,"note":"as ordered","tags":["a","b"]}`, n, n%40+1, n%900)
		if len(head)+lines.Len()+len(line)+len(`,],"memo":""}`) > bytes {
			break
		}
		if n > 0 {
			lines.WriteByte(',')
		}
		lines.WriteString(line)
	}
	body := head + lines.String() + `],"memo":"`
	return body + strings.Repeat("m", bytes-len(body)-len(`"}`)) + `"}`
}
