package redact_test

import (
	"testing"

	"toolgate.dev/toolgate/internal/redact"
)

// kinds are texts as upstreams write them, what the caller sent, and what may
// be shown. No arguments: the caller sent nothing.
var kinds = map[string]struct{ in, sent, want string }{
	// secrets
	"a key that a 401 echoes":            {"Incorrect API key provided: sk-abc123def456ghi789jkl. See https://platform.openai.com/account/api-keys.", "", "Incorrect API key provided: [secret]. See https://platform.openai.com/account/api-keys."},
	"a key that looks like a word":       {"Invalid API Key provided: badkey", "", "Invalid API Key provided: [secret]"},
	"a masked key":                       {"Invalid API Key: sk_test_************1234", "", "Invalid API Key: [secret]"},
	"a password in quotes":               {`password "letmein" is too short`, "", "password [secret] is too short"},
	"a passphrase of words":              {`{"password":"correct horse battery staple"}`, "", `{"password":"[secret]"}`},
	"an object under a secret's name":    {`{"psk":{"a":"CANARY","b":[1,2]},"x":1}`, "", `{"psk":[secret],"x":1}`},
	"an assignment":                      {"MCP_API_KEY=abc123def456 not valid", "", "MCP_API_KEY=[secret] not valid"},
	"an assignment in quotes":            {"DB_PASSWORD='p@ss w0rd' && run", "", "DB_PASSWORD='[secret]' && run"},
	"a form":                             {"grant_type=refresh_token&client_id=abc&client_secret=shhh&refresh_token=1//0gabc", "", "grant_type=refresh_token&client_id=abc&client_secret=[secret]&refresh_token=[secret]"},
	"a form, percent-encoded":            {"body password%3Dhunter2%26x%3D1 refused", "", "body [secret] refused"},
	"a bearer token":                     {"Authorization: Bearer abc.def-123456", "", "Authorization: Bearer [secret]"},
	"basic credentials":                  {"-H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='", "", "-H 'Authorization: Basic [secret]'"},
	"a digest":                           {`Authorization: Digest username="u", response="6629fae49393a05397450978507c4ef1"`, "", "Authorization: [secret]"},
	"a header of a key":                  {"x-api-key: 9f8e7d6c5b4a", "", "x-api-key: [secret]"},
	"cookies":                            {"Cookie: sessionid=abc123; csrftoken=def456", "", "Cookie: [secret]"},
	"a JWT":                              {"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N expired", "", "jwt [secret] expired"},
	"a private key":                      {"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY----- is bad", "", "[secret] is bad"},
	"a private key without its end":      {"key -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "", "key [secret]"},
	"a private key without its start":    {"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nab==\n-----END PRIVATE KEY-----\nrefused", "", "[secret] refused"},
	"AWS keys":                           {"AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", "[secret] [id]"},
	"a database URL":                     {"postgres://u:p4ss@db.internal:5432/x refused", "", "[secret] refused"},
	"a JDBC URL":                         {"jdbc:postgresql://db.corp.local:5432/app?user=a&password=b failed", "", "[secret] failed"},
	"an ADO connection string":           {"Server=tcp:sql1.database.windows.net,1433;Initial Catalog=app;User ID=sa;Password=Pa$$w0rd;Encrypt=True;", "", "[secret]"},
	"an Azure connection string":         {"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=abc123+/def==;EndpointSuffix=core.windows.net", "", "[secret]"},
	"a libpq string":                     {"host=db user=app password=secret dbname=x", "", "[secret]"},
	"a webhook's address":                {"POST https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXXXXXX failed", "", "POST https://hooks.slack.com/… failed"},
	"a bot's token":                      {"bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw is blocked", "", "bot [secret] is blocked"},
	"base64 of readable text":            {"auth cGFzc3dvcmQ9aHVudGVyMg== refused", "", "auth [id] refused"},
	"the caller's own password":          {"login ana / hunter-two failed", `{"user":"ana","password":"hunter-two"}`, "login ana / [secret] failed"},
	"the caller's own password, encoded": {"body: aHVudGVyLXR3bw== or hunter%2dtwo", `{"password":"hunter-two"}`, "body: [secret] or hunter%2dtwo"},
	"a password that is part of a word":  {"the tests failed; test was wrong", `{"password":"test"}`, "the tests failed; [secret] was wrong"},
	"words about a password":             {"password: must be at least 8 characters", "", "password: must be at least 8 characters"},
	"sentences under a secret's name":    {`{"password":["This field is required."],"token":"expired"}`, "", `{"password":["This field is required."],"token":"expired"}`},
	"the name of a missing key":          {"Missing required parameter: 'api_key'", "", "Missing required parameter: 'api_key'"},
	"a parser's token":                   {`Unexpected token '}', "{"a":1,}" is not valid JSON at position 12`, "", `Unexpected token '}', "{"a":1,}" is not valid JSON at position 12`},
	"counts of tokens":                   {"max_tokens: 5000 is too large, tokens per min (TPM): Limit 10000", "", "max_tokens: 5000 is too large, tokens per min (TPM): Limit 10000"},
	"a page's token":                     {"next_page_token: CAUQAA is not valid; SyncToken=3 is stale", "", "next_page_token: CAUQAA is not valid; SyncToken=3 is stale"},
	"a secret as a resource":             {`secrets "settings" already exists; secret "db-creds" not found`, "", `secrets "settings" already exists; secret "db-creds" not found`},
	// URLs
	"user-info and query":        {"https://user:pa55@api.example.com/v1/x?api_key=abc&y=1 refused", "", "https://api.example.com/v1/x refused"},
	"a link that a person needs": {"Visit https://github.com/login/device and enter ABCD-1234", "", "Visit https://github.com/login/device and enter ABCD-1234"},
	"a heading of a manual":      {"see https://docs.example.com/rate-limits/#new-certificates-per-set.", "", "see https://docs.example.com/rate-limits/#new-certificates-per-set."},
	"an opaque segment":          {"https://management.azure.com/subscriptions/00000000-1111-2222-3333-444444444444/x?api-version=2", "", "https://management.azure.com/subscriptions/…"},
	"internal URLs":              {"http://localhost:3000/a, http://10.0.0.3/x and http://inventory:8080/items", "", "[host], [host] and [host]"},
	"the caller's own URL":       {"cannot fetch https://shop.example.com/items/7", `{"url":"https://shop.example.com/items/7"}`, "cannot fetch https://shop.example.com/items/7"},
	// places
	"an address with a port":          {"dial tcp 10.96.14.7:50051: connect: connection refused", "", "dial tcp [host]: connect: connection refused"},
	"IPv6 loopback":                   {"connect ECONNREFUSED ::1:5432; [fe80::1%eth0]:80; fd12:3456::1", "", "connect ECONNREFUSED [host]; [host]; [host]"},
	"the caller's own address":        {"10.96.14.7 does not answer", `{"host":"10.96.14.7"}`, "10.96.14.7 does not answer"},
	"networks and public addresses":   {"10.1.2.0/24 overlaps 10.1.0.0/16; your IP 203.0.113.7 is not allowed; version 10.0.0.1", "", "10.1.2.0/24 overlaps 10.1.0.0/16; your IP [host] is not allowed; version 10.0.0.1"},
	"a service's name":                {"getaddrinfo ENOTFOUND payments.svc.cluster.local", "", "getaddrinfo ENOTFOUND [host]"},
	"a database's host":               {"Connection to db-core-02.corp.invalid:5432 refused", "", "Connection to [host] refused"},
	"a host by its word":              {`connection to server at "db-core-1" (10.0.0.5), port 5432 failed`, "", `connection to server at "[host]" ([host]), port 5432 failed`},
	"hosts with a service's name":     {"Internal error: db.internal gone, REDIS.CORP too; postgres.prod.internal", "", "Internal error: [host] gone, [host] too; [host]"},
	"a service's name in a field":     {"database.private must be bool", "", "database.private must be bool"},
	"fields that read like hosts":     {"field spec.internal is required; metadata.private must be bool", "", "field spec.internal is required; metadata.private must be bool"},
	"regions, zones and public hosts": {"region us-central1 of compute.googleapis.com: zone us-east1-a lacks resources", "", "region us-central1 of compute.googleapis.com: zone us-east1-a lacks resources"},
	"file paths":                      {"/var/www/html/app/Kernel.php:120 failed to open /etc/ssl/key.pem", "", "[path] failed to open [path]"},
	"a path of Windows":               {`Could not find file 'C:\inetpub\wwwroot\data.xml'.`, "", "Could not find file '[path]'."},
	"paths of an API":                 {"path /v2/bookings not found; see /data/attributes/title", "", "path /v2/bookings not found; see /data/attributes/title"},
	"the caller's own path":           {"Insufficient space in /home/ana, 734003200 required", `{"path":"/home/ana/trip.mp4"}`, "Insufficient space in /home/ana, 734003200 required"},
	// persons
	"e-mail, phone and card":     {"User ana@example.com (phone +1 415 555 0100, card 4111 1111 1111 1111) exists", "", "User [email] (phone [phone], card [card]) exists"},
	"the caller's own":           {"User Ana@example.com (phone +1 415 555 0100, card 4111 1111 1111 1111) exists", `{"email":"ana@example.com","to":"+14155550100","card":"4111111111111111"}`, "User Ana@example.com (phone +1 415 555 0100, card 4111 1111 1111 1111) exists"},
	"a bank account":             {"IBAN DE89 3704 0044 0532 0130 00 is blocked", "", "IBAN [id] is blocked"},
	"numbers that are no cards":  {"banned until 1568942400000, id 41771983423143937, time 577.3751831054688", "", "banned until 1568942400000, id 41771983423143937, time 577.3751831054688"},
	"numbers that are no phones": {"2026-03-12T14:30:00+02:00 total 150.00 of 42.10, +1555 is short", "", "2026-03-12T14:30:00+02:00 total 150.00 of 42.10, +1555 is short"},
	// identifiers
	"a request id in a sentence": {"Quote request ID B1C2:55D0:1A2B3C:9F8E7D:62A7217B to support.", "", "Quote request ID [id] to support."},
	"request ids in pairs":       {"Denied (Request ID: 4442587FB7D0A2F9; S3 Extended Request ID: ab1/ef+z=; trace_id=4bf92f35)", "", "Denied"},
	"a request id in JSON":       {`{"error":"x","request_id":"HNT0shFEW","code":5}`, "", `{"error":"x","code":5}`},
	"words about a request id":   {"request id is missing", "", "request id is missing"},
	"a trace context":            {"failed, traceparent: 00-f6ff49391c14db4f9e4ca1921e000000-aa1b6f7a40f40000-00", "", "failed"},
	"a user's id":                {"rate limit exceeded for user ID 90210077.", "", "rate limit exceeded for user ID [id]."},
	"the caller's own id":        {"no user ID 90210077.", `{"user_id":90210077}`, "no user ID 90210077."},
	"an organization":            {"Rate limit reached in organization org-Invented000 on RPM", "", "Rate limit reached in organization [id] on RPM"},
	"a UUID":                     {"eb1884a7-0000-42db-ac95-26c49c84a5c2 is locked", "", "[id] is locked"},
	"the caller's own UUID":      {"EB1884A7-0000-42db-ac95-26c49c84a5c2 is locked", `{"id":"eb1884a7-0000-42db-ac95-26c49c84a5c2"}`, "EB1884A7-0000-42db-ac95-26c49c84a5c2 is locked"},
	"an opaque token":            {"token AhjINVxyz01ENxyz0123456789== refused", "", "token [secret] refused"},
	"long names are no tokens":   {"GenerateRequestsPerDayPerProjectPerModel-FreeTier, projects/orchard-77/locations/europe-west1/keyRings/Main1", "", "GenerateRequestsPerDayPerProjectPerModel-FreeTier, projects/orchard-77/locations/europe-west1/keyRings/Main1"},
	// noise
	"an object's identity":                {"rejected execution of org.elasticsearch.transport.TransportService$7@19a5cf02 on Pool@389297ad[Running, pool size = 2]", "", "rejected execution of TransportService on Pool"},
	"class names":                         {"com.acme.exc.InvalidFormatException: not a `java.time.LocalDate`; System.Data.SqlClient.SqlException; Sabre\\DAV\\Exception\\InsufficientStorage", "", "InvalidFormatException: not a `LocalDate`; SqlException; InsufficientStorage"},
	"codes with dots are no classes":      {"InvalidInstanceID.Malformed, inventory.v1.Inventory, deployments.apps \"web\"", "", "InvalidInstanceID.Malformed, inventory.v1.Inventory, deployments.apps \"web\""},
	"banners":                             {"502 Bad Gateway nginx/1.25.3", "", "502 Bad Gateway"},
	"a banner with its host":              {"Not Found. Apache/2.4.41 (Ubuntu) Server at api.example.com Port 80", "", "Not Found."},
	"the protocol is no banner":           {"HTTP/1.1 404 Not Found", "", "HTTP/1.1 404 Not Found"},
	"SQL with parameters":                 {"duplicate key \"users_email_key\"\nDETAIL:  Key (email)=(ana@example.com) already exists.\n\n[SQL: INSERT INTO users (email) VALUES (%(email)s)]\n[parameters: {'email': 'ana@example.com'}]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)", "", "duplicate key \"users_email_key\" DETAIL: Key (email)=([email]) already exists."},
	"SQL in brackets":                     {"SQLSTATE[23000]: 1062 Duplicate entry '7' for key 'users.id' (SQL: insert into `users` (`id`) values (7))", "", "SQLSTATE[23000]: 1062 Duplicate entry '7' for key 'users.id'"},
	"SQL with a caret":                    {"ERROR: relation \"usrs\" does not exist\nLINE 1: SELECT * FROM usrs WHERE id = 1\n                      ^\nHINT: Perhaps you meant \"users\".", "", "ERROR: relation \"usrs\" does not exist HINT: Perhaps you meant \"users\"."},
	"SQL at the end":                      {"Query failed: SELECT a FROM b WHERE c = 'x'", "", "Query failed: [sql]"},
	"a fragment of SQL":                   {"syntax to use near 'FROM users WHERE id=1' at line 1", "", "syntax to use near [sql]"},
	"a row":                               {"null value in column \"name\"\nDETAIL: Failing row contains (1, null, ana).", "", "null value in column \"name\"."},
	"the caller's own SQL":                {"bad query: SELECT a FROM b", `{"query":"SELECT a FROM b"}`, "bad query: SELECT a FROM b"},
	"sentences are no SQL":                {"Please select a value from the list, update the record and set it.", "", "Please select a value from the list, update the record and set it."},
	"HTML":                                {"<!doctype html><html><head><title>502 Bad Gateway</title><style>h1{color:red}</style></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.25.3</center></body></html>", "", "502 Bad Gateway"},
	"a tag in a sentence":                 {`exceeded your <a href="/quota">quota</a>.`, "", "exceeded your quota."},
	"XML with names of noise":             {"<Error><Code>SlowDown</Code><RequestId>INV1R3Q</RequestId><c:requestToken>AhjI</c:requestToken></Error>", "", "SlowDown"},
	"angle brackets are no markup":        {"List<String> expected; must be > 0.0 and < 1.0; <name> is missing", "", "List<String> expected; must be > 0.0 and < 1.0; <name> is missing"},
	"entities":                            {"&quot;To&quot; is &lt;b&gt;not&lt;/b&gt; valid", "", "\"To\" is not valid"},
	"colours, direction and broken bytes": {"\x1b[31mError\x1b[0m: \u202ebad\u200b \xff\\u001b[1mend\a", "", "Error: bad end"},
	"white space":                         {"Invalid request.\n\n9 must be\tless than or equal to 6. ", "", "Invalid request. 9 must be less than or equal to 6."},
	"nothing":                             {"", "", ""},
	// facts
	"accepted values":          {"Value must be one of ('desktop', 'android', 'ios').", "", "Value must be one of ('desktop', 'android', 'ios')."},
	"numbers, codes and dates": {"Quota 'CPUS' exceeded. Limit: 24.0, retry after 2025-03-05 18:02:00 UTC (168h0m0s), code (#4), SQLSTATE 40001", "", "Quota 'CPUS' exceeded. Limit: 24.0, retry after 2025-03-05 18:02:00 UTC (168h0m0s), code (#4), SQLSTATE 40001"},
	"paths of arguments":       {"spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive", "", "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"},
	"names of resources":       {"pod payments-api-7d4b9c6f5b-x2x9p not found; image registry.example.com/team/app:v1.2.3; model tiiuae/falcon-7b-instruct", "", "pod payments-api-7d4b9c6f5b-x2x9p not found; image registry.example.com/team/app:v1.2.3; model tiiuae/falcon-7b-instruct"},
}

func TestEachKindOfTextShowsItsFactsAlone(t *testing.T) {
	for name, tc := range kinds {
		t.Run(name, func(t *testing.T) {
			r, keep := redact.New(nil), redact.KeepFrom([]byte(tc.sent))
			got := r.Text(tc.in, keep)
			if got != tc.want {
				t.Errorf("\n  of %s\n got %s\nwant %s", tc.in, got, tc.want)
			}
			if again := r.Text(got, keep); again != got {
				t.Errorf("redacting again made %s", again)
			}
		})
	}
}
