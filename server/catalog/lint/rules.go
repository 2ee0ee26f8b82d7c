package lint

// Rule is one kind of finding.
type Rule struct {
	ID       string
	Severity Severity
	Title    string // what it finds, in a line
	Why      string // what it costs to leave it
}

// Rules lists all rules, those of errors first.
func Rules() []Rule { return rules }

var rules = []Rule{
	{refused, Error, "The gateway refuses the file.", "A catalogue with a fault that can't be right is not served at all."},
	{secretInFile, Error, "A secret stands in the file.", "Files are copied, committed and shown; a secret belongs into the environment or a file of its own, named by secret_headers or secret_query."},
	{secretInClear, Error, "A secret is sent over http.", "Whoever stands between reads it."},
	{schemaInvalid, Error, "The schema does not compile.", "The tool is served, but nobody checks or corrects its arguments, and each of its calls is counted in toolgate_unvalidated_calls_total."},
	{ruleNeverMatches, Error, "An error rule can never match.", "What it was written for is diagnosed without it."},
	{ruleShadowed, Error, "An error rule comes after one that always matches first.", "The first rule that matches is the only one that speaks."},
	{headerCase, Error, "An expression names a header with capital letters.", "headers holds lower-case names alone: the expression finds nothing."},
	{unknownArgument, Error, "An expression names an argument that the tool does not have.", "Reading what is not there fails, and an expression that fails is not true."},
	{optionalInURL, Error, "The URL needs an argument that callers may leave out.", "A call without it can't be sent, and the model was never told that it must name it."},
	{requiredUndeclared, Error, "The schema requires an argument that it does not allow.", "No call can ever be valid."},
	{ruleMatchesSuccess, Warning, "An error rule turns every success into a failure.", "Rules are asked on a 2xx as well."},
	{dateAsText, Warning, "A free string is meant as a date or a time.", "Models write dates in many ways; a format lets the gateway correct what has one reading and name the form for the rest."},
	{enumAsText, Warning, "A free string is meant as one of a few values.", "Models guess near misses; an enum shows them the values, and lets the gateway correct or refuse before a call is spent."},
	{numberAsText, Warning, "A free string is meant as a number.", "Models write units, signs and separators into text; a number has one form."},
	{booleanAsText, Warning, "A free string is meant as true or false.", "Models write yes, on and 1 into text; a boolean has two values."},
	{unknownFormat, Warning, "The schema names a format that nobody knows.", "An unknown format is never checked."},
	{exampleInvalid, Warning, "An example or default breaks its own schema.", "Models copy examples, and the copy is refused."},
	{undeclaredArguments, Warning, "The URL or the request uses arguments that no schema declares.", "The model is never told of them."},
	{writeUnprotected, Warning, "A write has neither idempotency_key nor verify_with.", "When its outcome is unknown the gateway may not repeat it and nobody can find out: the run ends there."},
	{readAsWrite, Warning, "A read is treated as a write.", "By its method it counts as a write: it is not repeated when it times out, and its success clears what the run remembers of failures."},
	{waitTooLong, Warning, "A call may take longer than callers wait.", "Most runtimes give a tool call 60 seconds; what comes later nobody hears."},
	{backoffUnused, Warning, "The backoff steps together are longer than max_wait.", "A wait that does not fit is not slept: the last attempts are made only when chance keeps the waits before them short."},
	{attemptCut, Warning, "attempt_timeout is longer than an attempt may take.", "An attempt gets at most its share of call_deadline, (call_deadline - max_wait) / max_attempts."},
	{descriptionMissing, Warning, "A tool has no description.", "Models choose tools by their descriptions."},
	{descriptionTooLong, Warning, "A description is too long.", "Every turn of every run pays for it, and models follow the end of a long text less."},
	{confusingNames, Warning, "Two tools have names that models confuse.", "A call of the wrong one fails, or worse, succeeds."},
	{sameDescription, Warning, "Two tools have the same description.", "Nothing tells a model which one to choose."},
	{confusingArguments, Warning, "Two arguments of a tool differ in case or separators alone.", "Models take one for the other."},
	{verificationSettlesNothing, Warning, "verify_with can never settle an outcome.", "A write whose outcome is unknown stays blocked for the whole run."},
	{lookupArguments, Warning, "An expression makes arguments that the tool's schema refuses.", "The lookup or the alternative is dropped without a word."},
	{unusedUpstream, Warning, "No tool uses an upstream.", "It is a leftover, or its tools name another by mistake."},
	{importIncomplete, Warning, "An import leaves something out.", "What the document, the service or the server describes is no tool, or is called without a part of it."},
	{unusedIgnore, Warning, "A toolgate:ignore comment covers nothing.", "It hides the next fault of that kind."},
	{importVague, Note, "An import says less than it could.", "Models see less of the arguments, or the class of a failure is a guess from its status."},
}

// The ids of the rules.
const (
	refused                    = "refused"
	secretInFile               = "secret-in-file"  //nolint:gosec // the name of a rule
	secretInClear              = "secret-in-clear" //nolint:gosec // likewise
	schemaInvalid              = "schema-invalid"
	ruleNeverMatches           = "rule-never-matches"
	ruleShadowed               = "rule-shadowed"
	headerCase                 = "header-case"
	unknownArgument            = "unknown-argument"
	optionalInURL              = "optional-in-url"
	requiredUndeclared         = "required-undeclared"
	ruleMatchesSuccess         = "rule-matches-success"
	dateAsText                 = "date-as-text"
	enumAsText                 = "enum-as-text"
	numberAsText               = "number-as-text"
	booleanAsText              = "boolean-as-text"
	unknownFormat              = "unknown-format"
	exampleInvalid             = "example-invalid"
	undeclaredArguments        = "undeclared-arguments"
	writeUnprotected           = "write-unprotected"
	readAsWrite                = "read-as-write"
	waitTooLong                = "wait-too-long"
	backoffUnused              = "backoff-unused"
	attemptCut                 = "attempt-cut"
	descriptionMissing         = "description-missing"
	descriptionTooLong         = "description-too-long"
	confusingNames             = "confusing-names"
	sameDescription            = "same-description"
	confusingArguments         = "confusing-arguments"
	verificationSettlesNothing = "verification-settles-nothing"
	lookupArguments            = "lookup-arguments"
	unusedUpstream             = "unused-upstream"
	importIncomplete           = "import-incomplete"
	importVague                = "import-vague"
	unusedIgnore               = "unused-ignore"
)

func ruleOf(id string) Rule {
	for _, rule := range rules {
		if rule.ID == id {
			return rule
		}
	}
	return Rule{ID: id}
}
