package diagnose_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
)

// The facts are those of botocore 1.44.8 (every error shape of every service
// model, the code lists of its retry modes) and of the client configurations
// that 24 of Google's Node packages publish; docs/judgement.md tells how they
// are read.

// labelled is one error shape: what its model says of it.
type labelled struct {
	code                      string
	status                    int // 0: not modelled
	fault, retryable, limited bool
	protocol                  string
	services                  int
}

// repeated is the label: the model, or a list of a retry mode, lets a client
// repeat it.
func (l labelled) repeated(lists *retryLists) bool {
	return l.fault || l.retryable || l.limited || lists.codes[l.code] || lists.statuses[l.status]
}

// retryLists are the codes and statuses that botocore's retry modes repeat for
// every service.
type retryLists struct {
	codes    map[string]bool
	statuses map[int]bool
}

func readLists(t *testing.T) *retryLists {
	lists := &retryLists{codes: map[string]bool{}, statuses: map[int]bool{}}
	for _, f := range rows(t, "botocore-lists.tsv", 4) {
		switch {
		case f[1] != "*":
		case f[3] != "-":
			lists.codes[f[3]] = true
		default:
			lists.statuses[number(t, f[2])] = true
		}
	}
	return lists
}

func rows(t *testing.T, file string, columns int) [][]string {
	t.Helper()
	f, err := os.Open("testdata/judgement/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out [][]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != columns {
			t.Fatalf("%s: %q has %d columns, not %d", file, lines.Text(), len(fields), columns)
		}
		out = append(out, fields)
	}
	return out
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func shapes(t *testing.T) []labelled {
	var out []labelled
	for _, f := range rows(t, "botocore.tsv", 5) {
		out = append(out, labelled{
			code: f[0], status: number(t, f[1]), protocol: f[3], services: number(t, f[4]),
			fault: strings.Contains(f[2], "f"), retryable: strings.Contains(f[2], "r"), limited: strings.Contains(f[2], "t"),
		})
	}
	return out
}

// reply writes the shape as its protocol does, with a message that says
// nothing, so that only the code and the status can tell.
func (l labelled) reply() *interceptors.Reply {
	status := l.status
	if status == 0 {
		status = http.StatusBadRequest
		if l.fault {
			status = http.StatusInternalServerError
		}
	}
	r := &interceptors.Reply{Transport: interceptors.TransportHTTP, Status: status, Sent: true, Header: map[string][]string{}}
	const says = "An invented sentence."
	switch l.protocol {
	case "j":
		r.Body = fmt.Appendf(nil, `{"__type":"com.amazonaws.invented#%s","message":%q}`, l.code, says)
	case "r":
		r.Header["X-Amzn-Errortype"] = []string{l.code + ":http://internal.amazon.com/coral/com.amazonaws.invented/"}
		r.Body = fmt.Appendf(nil, `{"message":%q}`, says)
	case "q":
		r.Body = fmt.Appendf(nil, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>", l.code, says)
	default:
		r.Body = fmt.Appendf(nil, "<Error><Code>%s</Code><Message>%s</Message></Error>", l.code, says)
	}
	return r
}

func judge(e *diagnose.Engine, host string, effect toolgatev1.Effect, reply *interceptors.Reply) *toolgatev1.ToolError {
	tool := &interceptors.Tool{Name: "tool", Effect: effect, Diagnosis: interceptors.DiagnosisHint{Host: host}}
	out, _ := e.Diagnose(diagnose.Input{Tool: tool, Reply: reply})
	return out
}

// tally counts agreement.
type tally struct{ right, all int }

func (c *tally) add(ok bool, weight int) {
	c.all += weight
	if ok {
		c.right += weight
	}
}

func (c *tally) String() string {
	return fmt.Sprintf("%d of %d (%.2f %%)", c.right, c.all, 100*float64(c.right)/float64(max(c.all, 1)))
}

// disagreements are those that stand on purpose, each with its reason.
type disagreements struct {
	why  map[string]string
	seen map[string]bool
}

func kept(t *testing.T) disagreements {
	d := disagreements{why: map[string]string{}, seen: map[string]bool{}}
	for _, f := range rows(t, "kept.tsv", 3) {
		d.why[f[0]+" "+f[1]] = f[2]
	}
	return d
}

// allows reports a disagreement that is kept.
func (d disagreements) allows(key string) bool {
	d.seen[key] = true
	return d.why[key] != ""
}

// stale tells what is kept and is none any more; kind ends the keys.
func (d disagreements) stale(t *testing.T, kind string) {
	t.Helper()
	for key := range d.why {
		_, last, _ := strings.Cut(key, " ")
		_, err := strconv.Atoi(last)
		if !d.seen[key] && (kind == "" && err == nil || kind != "" && strings.HasSuffix(key, kind)) {
			t.Logf("%s is kept as a disagreement but agrees: take it off the list", key)
		}
	}
}

func TestClassesAgreeWithBotocoresModels(t *testing.T) {
	e, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	var all, faults, traits, listed, clients tally
	guessed, lists, onPurpose := 0, readLists(t), kept(t)
	for _, l := range shapes(t) {
		got := judge(e, "service.us-east-1.amazonaws.com", toolgatev1.Effect_EFFECT_READ, l.reply())
		label := l.repeated(lists)
		agrees := (got.GetErrorClass() == interceptors.Transient) == label
		all.add(agrees, l.services)
		switch {
		case l.retryable || l.limited:
			traits.add(agrees, l.services)
		case l.fault:
			faults.add(agrees, l.services)
		case label:
			listed.add(agrees, l.services)
		default:
			clients.add(agrees, l.services)
		}
		if got.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS {
			guessed += l.services
		}
		if key := l.code + " " + strconv.Itoa(l.status); !agrees && !onPurpose.allows(key) {
			t.Errorf("%s (HTTP %d, %d services): %v, repeated=%v (fault %v, retryable %v, throttling %v), by %v",
				l.code, l.status, l.services, got.GetErrorClass(), label, l.fault, l.retryable, l.limited, got.GetClassifiedBy())
		}
	}
	onPurpose.stale(t, "")
	figures(t,
		"| all error shapes | "+all.String()+" |",
		"| shapes with a retryable or throttling trait | "+traits.String()+" |",
		"| other server faults | "+faults.String()+" |",
		"| others whose code or status botocore's retry modes list | "+listed.String()+" |",
		"| all the rest, client faults: anything but transient | "+clients.String()+" |",
		fmt.Sprintf("| decided by more than the status | %v |", &tally{all.all - guessed, all.all}),
	)
}

// TestRefusalsAgreeWithTheStatusOfTheModel compares what nobody repeats: a
// model that says 401, 402 or 403 means that no argument helps, one that says
// 404, 413, 414 or 422 that another one does.
func TestRefusalsAgreeWithTheStatusOfTheModel(t *testing.T) {
	e, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	wants := map[int]toolgatev1.ErrorClass{
		401: interceptors.Terminal, 402: interceptors.Terminal, 403: interceptors.Terminal,
		404: interceptors.InvalidRequest, 413: interceptors.InvalidRequest, 414: interceptors.InvalidRequest, 422: interceptors.InvalidRequest,
	}
	var c tally
	lists, onPurpose := readLists(t), kept(t)
	for _, l := range shapes(t) {
		want, known := wants[l.status]
		if !known || l.repeated(lists) {
			continue
		}
		got := judge(e, "service.us-east-1.amazonaws.com", toolgatev1.Effect_EFFECT_READ, l.reply())
		c.add(got.GetErrorClass() == want, l.services)
		key := l.code + " " + strconv.Itoa(l.status)
		if got.GetErrorClass() != want && !onPurpose.allows(key) && !onPurpose.allows(key+" refusal") {
			t.Errorf("%s (HTTP %d): %v by %v, not %v", l.code, l.status, got.GetErrorClass(), got.GetClassifiedBy(), want)
		}
	}
	onPurpose.stale(t, " refusal")
	figures(t, "| refusals whose status the model gives: invalid_request or terminal | "+c.String()+" |")
}

// TestCodeListsOfBotocoreAreTransient plays what botocore's retry modes repeat.
func TestCodeListsOfBotocoreAreTransient(t *testing.T) {
	e, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	var c tally
	onPurpose := kept(t)
	for _, f := range rows(t, "botocore-lists.tsv", 4) {
		l := labelled{code: f[3], status: number(t, f[2]), protocol: "j", retryable: true}
		reply := l.reply()
		if l.code == "-" {
			reply.Body = nil
		}
		if f[1] == "s3" || f[1] == "ec2" || f[1] == "sqs" || f[1] == "route53" || f[1] == "sts" {
			l.protocol = "q"
			reply = l.reply()
		}
		got := judge(e, "service.us-east-1.amazonaws.com", toolgatev1.Effect_EFFECT_READ, reply)
		agrees := got.GetErrorClass() == interceptors.Transient
		c.add(agrees, 1)
		if !agrees && !onPurpose.allows(f[3]+" list") {
			t.Errorf("%v: %v", f, got.GetErrorClass())
		}
	}
	onPurpose.stale(t, " list")
	figures(t, "| botocore's throttling, transient and legacy lists | "+c.String()+" |")
}

// TestRetryCodesOfGoogleClientsAreTransient plays every code that a published
// client configuration repeats, and every code that none repeats. A method
// whose client repeats it is one that may be repeated.
func TestRetryCodesOfGoogleClientsAreTransient(t *testing.T) {
	e, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	var repeated, never tally
	methods, retried := 0, map[string]bool{}
	for _, f := range rows(t, "google-retry.tsv", 4) {
		methods += number(t, f[1]) + number(t, f[2])
		for part := range strings.FieldsSeq(f[3]) {
			name, counts, _ := strings.Cut(part, ":")
			reads, writes, _ := strings.Cut(counts, "+")
			retried[name] = true
			for effect, n := range map[toolgatev1.Effect]int{
				toolgatev1.Effect_EFFECT_READ: number(t, reads), toolgatev1.Effect_EFFECT_IDEMPOTENT: number(t, writes),
			} {
				repeated.add(googleClass(e, name, effect) == interceptors.Transient, n)
			}
		}
	}
	for code := 1; code <= 16; code++ {
		name := codeNames[code]
		if retried[name] {
			continue
		}
		got := googleClass(e, name, toolgatev1.Effect_EFFECT_READ)
		never.add(got != interceptors.Transient, 1)
		if got == interceptors.Transient {
			t.Errorf("%s is transient, though no client repeats it", name)
		}
	}
	if repeated.right != repeated.all {
		t.Errorf("repeated by clients: %v", &repeated)
	}
	figures(t,
		"| codes that Google's clients repeat, per method | "+repeated.String()+" |",
		"| codes that none of them repeats: anything but transient | "+never.String()+" |",
	)
}

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func googleClass(e *diagnose.Engine, name string, effect toolgatev1.Effect) toolgatev1.ErrorClass {
	reply := &interceptors.Reply{
		Transport: interceptors.TransportGRPC, Status: slices.Index(codeNames[:], name), Message: "An invented sentence.", Sent: true,
	}
	return judge(e, "service.googleapis.com", effect, reply).GetErrorClass()
}

// figures checks that docs/judgement.md does not promise more than what was
// just measured: each line is a table row, "| what | right of all (share) |".
func figures(t *testing.T, lines ...string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/judgement.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		what, measured, _ := strings.Cut(strings.Trim(line, "| "), " | ")
		_, rest, found := strings.Cut(string(page), "| "+what+" | ")
		promised, _, _ := strings.Cut(rest, " |")
		if !found || share(t, measured) < share(t, promised) {
			t.Errorf("docs/judgement.md says %q of %q, measured is\n%s", promised, what, line)
		}
	}
}

// share is "3 of 4 (75 %)" as a number; a bare number is itself.
func share(t *testing.T, s string) float64 {
	t.Helper()
	var right, all float64
	if n, _ := fmt.Sscanf(s, "%f of %f", &right, &all); n == 2 {
		return right / all
	}
	if n, _ := fmt.Sscanf(s, "%f", &right); n != 1 {
		t.Errorf("%q is no figure", s)
	}
	return right
}
