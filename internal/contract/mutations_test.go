package contract

// changesOfProtos are changes that break a caller, of a compiled client or of one
// that reads JSON, and changes that only a reader of the comments would notice.
var changesOfProtos = []mutation{
	// Numbers, names, types.
	{name: "a field's number", file: errorProto, old: "string code = 2;", new: "string code = 25;", lint: `"2" with name "code"`, meanings: "field toolgate.v1.ToolError.code means"},
	{name: "two numbers change places", file: errorProto, old: "string blocked_by = 10;", new: "string blocked_by = 11;", also: &mutation{
		file: errorProto, old: "string unblock_with = 11;", new: "string unblock_with = 10;"}, lint: `"10"`, meanings: "ToolError.unblock_with means"},
	{name: "a field's name", file: errorProto, old: "string blocked_by = 10;", new: "string blocker = 10;", lint: `"blocked_by" to "blocker"`, meanings: "ToolError.blocked_by is gone"},
	{name: "a field's name, its JSON name kept", file: errorProto, old: "string blocked_by = 10;", new: `string blocker = 10 [json_name = "blockedBy"];`, lint: `"blocker"`, meanings: "ToolError.blocker is new"},
	{name: "the class's JSON name", file: errorProto, old: `[json_name = "class"]`, new: `[json_name = "kind"]`, lint: `"kind"`, meanings: "ToolError.error_class means"},
	{name: "the class's JSON name is left to default", file: errorProto, old: ` [json_name = "class"]`, new: "", lint: `"errorClass"`, meanings: "ToolError.error_class means"},
	{name: "a JSON name where there was none", file: errorProto, old: "string note = 16;", new: `string note = 16 [json_name = "remark"];`, lint: `"remark"`, meanings: "ToolError.note means"},
	{name: "the JSON name of a request's field", file: callProto, old: "string arguments_json = 3;", new: `string arguments_json = 3 [json_name = "arguments"];`, lint: `"arguments"`, meanings: "ToolCall.arguments_json means"},
	{name: "a type of the same wire", file: errorProto, old: "uint32 attempts = 17;", new: "uint64 attempts = 17;", lint: `"uint64"`, meanings: "ToolError.attempts means"},
	{name: "text that becomes bytes", file: errorProto, old: "string facts_json = 13;", new: "bytes facts_json = 13;", lint: `"bytes"`, meanings: "ToolError.facts_json means"},
	{name: "fewer digits", file: errorProto, old: "optional double retry_after = 4;", new: "optional float retry_after = 4;", lint: `"float"`, meanings: "ToolError.retry_after means"},
	{name: "a field of another message", file: gatewayProto, old: "repeated ClassCount errors = 6;", new: "repeated FailureCount errors = 6;", lint: "FailureCount", meanings: "RunSummary.errors means"},

	// Presence, cardinality, membership.
	{name: "zero that reads as unset", file: errorProto, old: "optional double retry_after = 4;", new: "double retry_after = 4;", lint: `"retry_after"`, meanings: "ToolError.retry_after means"},
	{name: "unset that reads as zero", file: callProto, old: "uint64 returned = 5;", new: "optional uint64 returned = 5;", lint: `"returned"`, meanings: "ToolResult.returned means"},
	{name: "one violation in place of a list", file: errorProto, old: "repeated Violation violations = 8;", new: "Violation violations = 8;", lint: `"violations"`, meanings: "ToolError.violations means"},
	{name: "a list in place of one text", file: errorProto, old: "string message = 3;", new: "repeated string message = 3;", lint: `"message"`, meanings: "ToolError.message means"},
	{name: "an error beside the oneof", file: callProto, old: "    // The call failed.\n    ToolError error = 2;\n  }\n", new: "  }\n  // The call failed.\n  ToolError error = 2;\n", lint: `"error"`, meanings: "CallToolResponse.error means"},
	{name: "a oneof's name", file: callProto, old: "oneof outcome {", new: "oneof answer {", lint: `"outcome"`, meanings: "oneof toolgate.v1.CallToolResponse.outcome is gone"},

	// What goes and what comes.
	{name: "a field goes", file: errorProto, old: "  bool partial = 15;\n", new: "  reserved 15;\n  reserved \"partial\";\n", lint: `"partial"`, meanings: "ToolError.partial is gone"},
	{name: "a field comes", file: errorProto, old: "string observation = 24;", new: "string observation = 24;\n  // A day.\n  string until = 25;", meanings: "field toolgate.v1.ToolError.until is new"},
	{name: "a message goes", file: callProto, old: "message Coercion {", new: "message Change {", also: &mutation{
		file: callProto, old: "repeated Coercion coercions", new: "repeated Change coercions"}, lint: `"Coercion"`, meanings: "message toolgate.v1.Coercion is gone"},
	{name: "an rpc's name", file: gatewayProto, old: "rpc GetRun(", new: "rpc ReadRun(", lint: `"GetRun"`, meanings: "ToolGatewayService.GetRun is gone"},
	{name: "an rpc that no longer streams", file: gatewayProto, old: "returns (stream CallToolsResponse)", new: "returns (CallToolsResponse)", lint: `"CallTools"`, meanings: "ToolGatewayService.CallTools means"},
	{name: "an rpc's response", file: gatewayProto, old: "returns (EndRunResponse)", new: "returns (GetRunResponse)", lint: `"EndRun"`, meanings: "ToolGatewayService.EndRun means"},
	{name: "the service's name", file: gatewayProto, old: "service ToolGatewayService {", new: "service ToolsService {", lint: `"ToolGatewayService"`, meanings: "service toolgate.v1.ToolGatewayService is gone"},
	{name: "the package of Go", file: toolProto, old: "gen/go/toolgate/v1;toolgatev1", new: "gen/go/toolgate/v1;contract", lint: "go_package"},
	{name: "the package of Java", file: toolProto, old: `"dev.toolgate.v1"`, new: `"dev.toolgate.contract"`, lint: "java_package"},

	// Values.
	{name: "two classes change numbers", file: errorProto, old: "ERROR_CLASS_TRANSIENT = 1;", new: "ERROR_CLASS_TRANSIENT = 3;", also: &mutation{
		file: errorProto, old: "ERROR_CLASS_TERMINAL = 3;", new: "ERROR_CLASS_TERMINAL = 1;"}, lint: `"ERROR_CLASS_T`, meanings: "ERROR_CLASS_TRANSIENT means"},
	{name: "a class's name", file: errorProto, old: "ERROR_CLASS_TERMINAL = 3;", new: "ERROR_CLASS_PERMANENT = 3;", lint: `"ERROR_CLASS_PERMANENT"`, meanings: "ERROR_CLASS_TERMINAL is gone"},
	{name: "a fifth class", file: errorProto, old: "ERROR_CLASS_TERMINAL = 3;", new: "ERROR_CLASS_TERMINAL = 3;\n  // Slow down.\n  ERROR_CLASS_LIMITED = 4;", meanings: "ERROR_CLASS_LIMITED is new"},
	{name: "a value goes", file: callProto, old: "    PHASE_QUEUED = 3;\n", new: "    reserved 3;\n", lint: `"3"`, meanings: "PHASE_QUEUED is gone"},
	{name: "a value of who decided", file: errorProto, old: "CLASSIFIED_BY_STATUS = 7;", new: "CLASSIFIED_BY_GUESS = 7;", lint: `"CLASSIFIED_BY_GUESS"`, meanings: "CLASSIFIED_BY_STATUS is gone"},
	{name: "an effect's number", file: toolProto, old: "EFFECT_WRITE = 3;", new: "EFFECT_WRITE = 4;", lint: `"3"`, meanings: "EFFECT_WRITE means"},

	// Meanings: the wire is the same, and the caller does the wrong thing.
	{name: "a unit", file: errorProto, old: "// Seconds to wait before", new: "// Milliseconds to wait before", meanings: "ToolError.retry_after means"},
	{name: "a bound", file: errorProto, old: "has any, at most 512 bytes.", new: "has any, at most 2,048 bytes.", meanings: "ToolError.message means"},
	{name: "what zero means", file: gatewayProto, old: "0 when the cap is off.", new: "0 when the cap is one.", meanings: "RunTool.rejection_cap means"},
	{name: "what a class asks for", file: errorProto, old: "// The arguments are wrong: change them.", new: "// The arguments are wrong: give up.", meanings: "ERROR_CLASS_INVALID_REQUEST means"},
	{name: "what a code says", file: errorProto, old: "too many calls in flight for this run or tool", new: "the upstream is overloaded", meanings: "message toolgate.v1.ToolError means"},
	{name: "a code's spelling in the protos", file: errorProto, old: "//   run_budget   ", new: "//   run_quota    ", meanings: "message toolgate.v1.ToolError means"},
	{name: "what a request asks for", file: callProto, old: "limits and permissions stay.", new: "limits and permissions are lifted.", meanings: "ToolCall.fresh means"},
	{name: "which status the rpc has", file: gatewayProto, old: "// INVALID_ARGUMENT (no run id", new: "// NOT_FOUND (no run id", meanings: "service toolgate.v1.ToolGatewayService means"},
	{name: "what a reason says", file: gatewayProto, old: "UNAVAILABLE: another replica takes the call", new: "UNAVAILABLE: nobody takes the call", meanings: "service toolgate.v1.ToolGatewayService means"},
	{name: "what an rpc does", file: gatewayProto, old: "Ending an unknown run is not an", new: "Ending an unknown run is an", meanings: "ToolGatewayService.EndRun means"},
	{name: "where a text is shown", file: errorProto, old: "// TRANSIENT: append only on giving up.", new: "// TRANSIENT: append at once.", meanings: "ToolError.observation means"},
}

// changesOfCode are those that no proto shows.
var changesOfCode = []mutation{
	{name: "a code's spelling", file: codesOfGo, old: `"busy"`, new: `"overloaded"`, tests: "gone: code:busy"},
	{name: "a code's spelling, and the comment follows", file: codesOfGo, old: `"run_budget"`, new: `"run_quota"`, also: &mutation{
		file: errorProto, old: "//   run_budget   ", new: "//   run_quota    "}, tests: "gone: code:run_budget"},
	{name: "a code goes", file: codesOfGo, old: "\tCodeCallIDReused      = \"call_id_reused\"\n", new: "", tests: "gone: code:call_id_reused"},
	{name: "a code comes", file: codesOfGo, old: "\tCodeInternal          = \"internal\"\n", new: "\tCodeInternal          = \"internal\"\n\tCodeLater = \"later\"\n", tests: "new:  code:later"},
	{name: "a key of the observation", file: rendered, old: `"retry_after"`, new: `"wait"`, tests: "gone: observation:retry_after"},
	{name: "the key of the class", file: rendered, old: `w.text("class"`, new: `w.text("kind"`, tests: "gone: observation:class"},
	{name: "the order of the observation", file: rendered, old: "\tw.text(\"blocked_by\", e.GetBlockedBy())\n\tw.text(\"unblock_with\", e.GetUnblockWith())\n", new: "\tw.text(\"unblock_with\", e.GetUnblockWith())\n\tw.text(\"blocked_by\", e.GetBlockedBy())\n", tests: "another order"},
	{name: "a key of a violation", file: violated, old: `"problem"`, new: `"reason"`, tests: "gone: observation:violations[].problem"},
	{name: "a key that is left out", file: rendered, old: "\tw.flag(\"partial\", e.GetPartial())\n", new: "", tests: "gone: observation:partial"},
	{name: "a key that comes", file: rendered, old: "\tw.text(\"note\", note(e))\n", new: "\tw.text(\"note\", note(e))\n\tw.raw(\"attempts\", \"1\")\n", tests: "new:  observation:attempts"},
	{name: "what the class is called", file: rendered, old: `"invalid_request"`, new: `"bad_request"`, tests: "internal/observation"},
	{name: "who may be repeated", file: rendered, old: "e.GetErrorClass() == interceptors.Transient))", new: "e.GetErrorClass() != interceptors.Terminal))", tests: "internal/observation"},
	{name: "the observation's bound", file: "internal/observation/finish.go", old: "maxObservation = 1 << 10", new: "maxObservation = 2 << 10", tests: "internal/observation"},
	{name: "a status's reason", file: "interceptors/status.go", old: `"DRAINING"`, new: `"SHUTTING_DOWN"`, tests: "gone: reason:DRAINING"},
	{name: "a reason that a room gives", file: "interceptors/once/refusals.go", old: `"CALL_ID_REUSED"`, new: `"CALL_ID_TAKEN"`, tests: "gone: reason:CALL_ID_REUSED"},

	// The guards themselves.
	{name: "a baseline that is edited", file: "proto/baseline/v0.2.0.names", old: "code busy", new: "code overloaded", tests: "is not the file that was published"},
	{name: "a meaning that is edited where it was published", file: "proto/baseline/v0.2.0.meanings", old: "Seconds to wait", new: "Milliseconds to wait", tests: "is not the file that was published"},
	{name: "a sample that is edited", file: "proto/baseline/v0.2.0.samples.yaml", old: `"code":"gone"`, new: `"code":"went"`, tests: "is not the file that was published"},
	{name: "a baseline that is forgotten", file: "proto/baseline/SHA256SUMS", old: "v0.2.0.samples.yaml", new: "v0.2.0.sample.yaml", tests: "was published and is gone"},
	{name: "a changelog without its entry", file: "CHANGELOG.md", old: "## Contract 0.2.0", new: "## Contracts", tests: "says nothing about contract v0.2.0"},
}
