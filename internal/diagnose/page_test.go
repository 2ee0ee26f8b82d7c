package diagnose_test

import "testing"

// A heading above a trace says nothing, and what stands below it is the trace.
func TestTheHeadingOfATraceIsNoMessage(t *testing.T) {
	e := engine(t)
	for _, c := range []struct{ name, body, want string }{
		{"alone", "<h1>Traceback (most recent call last):</h1>", "HTTP 501 Not Implemented"},
		{"without its colon", "<h1>Traceback (most recent call last)</h1><pre>File \"x.py\", line 1</pre>", "HTTP 501 Not Implemented"},
		{"of another language", "<h2>Stack trace</h2><pre>shop.Orders.find(Orders.java:12)</pre>", "HTTP 501 Not Implemented"},
		{"below a heading that tells", "<h1>The order is closed</h1><h2>Full trace</h2><pre>orders.py:12</pre>", "The order is closed"},
		{"above a sentence", "<h1>Traceback</h1><p>The order is closed for changes.</p>", "The order is closed for changes."},
		{"in a sentence", "<h1>Trace of order 12 is closed</h1>", "Trace of order 12 is closed"},
	} {
		got, _ := e.Diagnose(httpInput("api.example.com", 501, "text/html", "<html><body>"+c.body+"</body></html>"))
		if got.GetMessage() != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.GetMessage(), c.want)
		}
	}
}
