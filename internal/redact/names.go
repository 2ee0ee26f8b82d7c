package redact

import "strings"

// SecretName reports whether a field, header or variable of that name holds a
// secret. It reads the words of a name, whatever joins them: `api_key`,
// `apiKey`, `X-Api-Key`, `MCP_API_KEY`. Names that only count or page (`max_tokens`,
// `next_page_token`) are no secrets.
func SecretName(name string) bool {
	words := wordsOf(name)
	for i, word := range words {
		if secretWords[word] || word == "pass" && i == len(words)-1 && (i == 0 || passOwners[words[i-1]]) {
			return true
		}
		if i > 0 && secretPairs[words[i-1]+" "+word] {
			return true
		}
		if word == "token" && !harmlessToken(words, i) {
			return true
		}
	}
	return false
}

// harmlessToken reports whether the i-th word, "token", belongs to a name of
// something else: a page, a count, a kind.
func harmlessToken(words []string, i int) bool {
	for j, word := range words {
		if j != i && tokenCompanions[word] {
			return true
		}
	}
	return false
}

var secretWords = setOf(`
	password passwd passwort pwd passphrase passcode passkey userpass
	secret secrets credential credentials creds
	apikey accesskey secretkey privatekey authkey apitoken authtoken accesstoken refreshtoken sessiontoken idtoken
	clientsecret authorization bearer cookie setcookie cookies jwt jwe psk dsn
	pin otp totp hotp mfa cvv cvc cvv2 cvc2 csc ssn
	sessionid sessid phpsessid jsessionid csrf xsrf csrftoken xsrftoken
	connectionstring connstr accountkey sharedaccesskey sharedaccesssignature
	keyfile pem pkcs12 pfx hmac`)

// passOwners are whose "pass" is a password.
var passOwners = setOf(`user db database smtp mail email ftp http proxy auth admin root login my redis pg mysql account wifi basic key`)

var secretPairs = setOf2(`
	api key, access key, secret key, private key, signing key, encryption key, auth key, shared key, master key, account key,
	service key, license key, app key, application key, storage key, ssh key, deploy key, webhook key, host key, function key,
	subscription key, admin key, root key, bot key,
	auth header, session id, session key, session cookie, set cookie, connection string, conn string, conn str, database url,
	db url, redis url, mongo uri, mongodb uri, webhook url, pre shared, preshared key, recovery code, backup code,
	security code, verification code, one time, card number, x amz`)

var tokenCompanions = setOf(`
	read write lex lexer parse parser encode decode max min num number count total limit limits usage type next prev previous page pagination continuation continue cursor sync
	sequence concurrency resume scroll delta change bookmark snapshot revision version
	skip start marker per budget length unexpected kind expires expiry lifetime ttl index position prompt completion input
	output`)

// NoiseName reports whether a field of that name serves whoever runs the
// upstream and no caller: request and trace identifiers, stacks, debug output.
func NoiseName(name string) bool {
	joined := strings.Join(wordsOf(name), " ")
	if noiseNames[strings.TrimPrefix(joined, "x ")] {
		return true
	}
	for _, prefix := range noisePrefixes {
		if rest, found := strings.CutPrefix(strings.TrimPrefix(joined, "x "), prefix); found && noiseNames[rest] {
			return true
		}
	}
	return false
}

var noisePrefixes = []string{"client ", "server ", "amz ", "amzn ", "ms ", "github ", "goog ", "google ", "cf ", "envoy ", "parent ", "root ", "b3 ", "slack "}

var noiseNames = setOf2(`
	request id, requestid, request guid, request uuid, request token, req id, reqid, trace id, traceid, trace, traces, traceparent,
	tracestate, fbtrace id, span id, spanid, correlation id, correlationid, correlation request id, activity id, activityid, ray id, ray, host id,
	hostid, id 2, arequestid, incident id, log id, logid, logref, serving data, request stats, stack, stacktrace, stack trace,
	stack traces, backtrace, call stack, debug, debug info, debug message, debug id, exception trace, inner exception stack,
	request log url`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func setOf2(phrases string) map[string]bool {
	set := map[string]bool{}
	for phrase := range strings.SplitSeq(phrases, ",") {
		set[strings.TrimSpace(phrase)] = true
	}
	return set
}

// wordsOf splits a name into lower-case words at punctuation and where the case
// rises.
func wordsOf(name string) []string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := range len(name) {
		switch {
		case !isWord(name[i]) || name[i] == '_':
			flush(i)
			start = i + 1
		case i > start && isUpper(name[i]) && (!isUpper(name[i-1]) || (i+1 < len(name) && isLower(name[i+1]))):
			flush(i)
		}
	}
	flush(len(name))
	return words
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
