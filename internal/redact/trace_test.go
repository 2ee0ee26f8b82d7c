package redact_test

import (
	"testing"

	"toolgate.dev/toolgate/internal/redact"
)

// The right answers are what a person would keep of each trace.
func TestATraceKeepsItsCauseAndLosesItsFrames(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"Python, with a preface": {
			"Error executing tool list_invoices:\nTraceback (most recent call last):\n  File \"/app/tools/billing.py\", line 88, in run\n    return client.get(url, token=self.token)\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/usr/lib/python3.12/site-packages/requests/api.py\", line 73, in get\n    return request(\"get\", url)\n  [Previous line repeated 996 more times]\nKeyError: 'region'",
			"Error executing tool list_invoices: KeyError: 'region'",
		},
		"Python, while another was handled": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nValueError: bad region 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line 3, in g\n    raise RuntimeError(\"config failed\")\nRuntimeError: config failed",
			"RuntimeError: config failed; caused by ValueError: bad region 'x'",
		},
		"Python, a cause without words": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x\nasyncio.exceptions.TimeoutError\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"b.py\", line 3, in g\n    y\ntools.ToolError",
			"ToolError; caused by TimeoutError",
		},
		"Python, a group of one": {
			"  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 10, in main\n  |     async with asyncio.TaskGroup() as tg:\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"b.py\", line 5, in t\n    |     raise ValueError(\"unknown status bogus\")\n    | ValueError: unknown status bogus\n    +------------------------------------",
			"ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception); caused by ValueError: unknown status bogus",
		},
		"Python, a syntax error with its caret": {
			"Traceback (most recent call last):\n  File \"run.py\", line 2\n    foo bar\n        ^^^\nSyntaxError: invalid syntax",
			"SyntaxError: invalid syntax",
		},
		"JVM, a chain with suppressed ones": {
			"org.springframework.web.client.ResourceAccessException: I/O error on GET request\n\tat org.springframework.web.client.RestTemplate.doExecute(RestTemplate.java:785)\n\tat com.acme.X.y(X.java:12) ~[app.jar:?]\n\t... 12 more\nCaused by: java.net.SocketTimeoutException: Read timed out\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)\n\tat java.lang.Thread.run(Unknown Source)\n\t... 50 common frames omitted\nCaused by: com.acme.RegionException: region 'eu-9' is unknown\n\tat com.acme.R.z(R.java)\n\tSuppressed: java.lang.Exception: close\n\t\tat a.B.c(B.java:1)",
			"ResourceAccessException: I/O error on GET request; caused by RegionException: region 'eu-9' is unknown",
		},
		"JVM, one of a page's own lines": {
			"java.sql.SQLException: refused\n\tcom.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)\n\tcom.acme.export.ExportServlet.doGet(ExportServlet.java:88)",
			"SQLException: refused",
		},
		"JVM, on one line": {
			"java.lang.IllegalStateException: outer at com.acme.A.b(A.java:1) at com.acme.C$D.e(C.kt:2)",
			"IllegalStateException: outer",
		},
		"JavaScript, with its cause": {
			"TypeError: Cannot read properties of undefined (reading 'id')\n    at getUser (/srv/app/dist/user.js:12:34)\n    at async Promise.all (index 0)\n    at async handler (file:///srv/app/dist/h.mjs:3:5)\n    at new Foo (<anonymous>)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5) {\n  [cause]: Error: region is required\n      at x (/srv/a.js:1:2)\n}\n\nNode.js v20.11.0",
			"TypeError: Cannot read properties of undefined (reading 'id'); caused by Error: region is required",
		},
		"JavaScript, uncaught": {
			"/srv/app/index.js:10\n    throw new Error('bad region');\n    ^\n\nError: bad region\n    at Object.<anonymous> (/srv/app/index.js:10:11)",
			"Error: bad region",
		},
		"JavaScript, on one line": {
			"Error: Cannot find module 'express' at Function.Module._resolveFilename (node:internal/modules/cjs/loader:933:15) at /srv/app/index.js:3:17",
			"Error: Cannot find module 'express'",
		},
		"JavaScript, of another engine": {
			"Error: bad region\ngetUser@https://app.acme.com/static/app.js:12:34\n@https://app.acme.com/static/app.js:1:2",
			"Error: bad region",
		},
		"Go": {
			"panic: runtime error: index out of range [3] with length 2\n\ngoroutine 17 [running]:\nmain.(*Server).handle(0xc0000b4000, {0x1, 0x2})\n\t/home/ana/src/app/main.go:42 +0x1d\nmain.main()\n\t/home/ana/src/app/main.go:10 +0x25\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:3285 +0x4b4\nexit status 2",
			"panic: runtime error: index out of range [3] with length 2",
		},
		"Ruby": {
			"app/models/invoice.rb:12:in `find': Couldn't find Invoice with 'id'=99 (ActiveRecord::RecordNotFound)\n\tfrom app/controllers/invoices_controller.rb:8:in `show'\n\tfrom /usr/local/bundle/gems/actionpack-7.0/lib/x.rb:6:in `block in y'",
			"ActiveRecord::RecordNotFound: Couldn't find Invoice with 'id'=99",
		},
		"Ruby, newer quotes": {
			"invoice.rb:12:in 'Invoice.find': no id (ArgumentError)\n\tfrom show.rb:8:in 'Show#run'",
			"ArgumentError: no id",
		},
		"PHP": {
			"PHP Fatal error:  Uncaught InvalidArgumentException: region missing in /var/www/html/src/R.php:12\nStack trace:\n#0 /var/www/html/src/App.php(40): App\\R->check()\n#1 {main}\n  thrown in /var/www/html/src/R.php on line 12",
			"PHP Fatal error: Uncaught InvalidArgumentException: region missing in [path]",
		},
		"PHP, a chain": {
			"PDOException: Connection refused\nStack trace:\n#0 /app/db.php(3): PDO->__construct()\n#1 {main}\n\nNext App\\DbException: cannot open database\nStack trace:\n#0 {main}",
			"DbException: cannot open database; caused by PDOException: Connection refused",
		},
		".NET": {
			"System.InvalidOperationException: Could not book slot\n ---> System.ArgumentException: slot 'x' is taken (Parameter 'slot')\n   at Acme.Slots.Take(String slot) in C:\\src\\Slots.cs:line 12\n   --- End of inner exception stack trace ---\n   at Acme.Api.Book(Request r, CancellationToken ct) in C:\\src\\Api.cs:line 88\n   at System.Threading.Tasks.Task.<>c.<.cctor>b__271_0(Object obj)",
			"InvalidOperationException: Could not book slot; caused by ArgumentException: slot 'x' is taken (Parameter 'slot')",
		},
		".NET, on one line": {
			"System.Exception: a ---> System.IO.IOException: b\n   at X.Y.Z()\n   --- End of inner exception stack trace ---\n   at X.Y.W()",
			"Exception: a; caused by IOException: b",
		},
		"Rust, a panic": {
			"thread 'main' panicked at src/main.rs:4:10:\ncalled `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:645:5\n   1: core::panicking::panic_fmt\n             at /rustc/abc/library/core/src/panicking.rs:72:14\nnote: run with `RUST_BACKTRACE=full` for a verbose backtrace.",
			"called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }",
		},
		"Rust, an older panic": {
			"thread 'tokio-runtime-worker' panicked at 'no region', src/lib.rs:9:5\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
			"no region",
		},
		"Rust, a report with causes": {
			"Error: failed to read config\n\nCaused by:\n    0: invalid region\n    1: unknown variant `eu-9`, expected `eu-1`\n\nStack backtrace:\n   0: anyhow::error::<impl core::convert::From<E>>::from",
			"Error: failed to read config; caused by unknown variant `eu-9`, expected `eu-1`",
		},
		"Elixir": {
			"** (Ecto.NoResultsError) expected one result but got none\n    (ecto 3.9.0) lib/ecto/repo/queryable.ex:158: Ecto.Repo.Queryable.one!/3\n    lib/app.ex:12: App.get/1",
			"** (NoResultsError) expected one result but got none",
		},
		"line breaks that an encoder wrote out": {
			`boom\nTraceback (most recent call last):\n  File \"/srv/app/x.py\", line 3, in f\n    connect('x')\nValueError: no region`,
			"boom ValueError: no region",
		},
		"no trace: a sentence that begins with at": {
			"Send\nat least one of (a, b)\nat most 3 items (got 5)",
			"Send at least one of (a, b) at most 3 items (got 5)",
		},
		"no trace: numbered steps": {
			"Steps:\n1: open the form\n2: choose a region",
			"Steps: 1: open the form 2: choose a region",
		},
		"no trace: a file by name": {
			"Validation failed:\n  File \"x\" is too large",
			"Validation failed: File \"x\" is too large",
		},
		"a message of several lines": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x\npydantic_core._pydantic_core.ValidationError: 1 validation error for Invoice\nstart_date\n  Input should be a valid date [type=date_parsing, input_value='03/14/2026', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.5/v/date_parsing",
			"ValidationError: 1 validation error for Invoice start_date Input should be a valid date [type=date_parsing, input_value='03/14/2026', input_type=str]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := redact.New(nil).Text(tc.in, redact.Keep{})
			if got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
			if again := redact.New(nil).Text(got, redact.Keep{}); again != got {
				t.Errorf("redacting again made %s", again)
			}
		})
	}
}
