package schema

// limits are what the loader checks beside the types, by field or message. A test
// holds each of them against the loader.
var limits = map[string]object{
	"Tool.name":        {{"pattern", `^[A-Za-z0-9_.-]{1,64}$`}},
	"Tool.description": {{"maxLength", 1024}},
	"Tool.fallbacks":   {{"maxItems", 3}},
	"Fallback.label":   {{"minLength", 1}, {"maxLength", 80}},
	"Fallback.tool":    {{"minLength", 1}},

	"Upstream.url":    {{"pattern", `^([hH][tT][tT][pP]|[gG][rR][pP][cC])[sS]?://[^{}?#]+$`}},
	"Proxy.url":       {{"pattern", `^(direct|environment|(https?|socks5)://.+)$`}},
	"Secret.from":     {{"pattern", `^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$`}},
	"HttpCall.method": {{"enum", []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}}},
	"HttpCall.url":    {{"pattern", `^(/|[hH][tT][tT][pP][sS]?://)`}},
	"Result.items":    {{"pattern", `^(/.*)?$`}},
	"Result.matched":  {{"pattern", `^(/.*)?$`}},

	"ErrorRule":            {{"dependencies", object{{"unblock_with", []string{"blocked_by"}}}}},
	"ErrorRule.when":       {{"minLength", 1}, {"maxLength", 4096}},
	"ErrorRule.code":       {{"maxLength", 64}},
	"ErrorRule.field":      {{"maxLength", 64}},
	"ErrorRule.blocked_by": {{"maxLength", 64}},
	"ErrorRule.message":    {{"maxLength", 512}},

	"ApiKey.id":            {{"pattern", `^[A-Za-z0-9]+$`}},
	"ApiKey.sha256":        {{"pattern", `^[A-Fa-f0-9]{64}$`}},
	"ApiKey.not_after":     {{"pattern", `^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?$`}},
	"CertificateRule.name": {{"pattern", `^(uri|dns|email|cn):.+$`}},
	"Issuer.algorithms": {{"items", object{{"enum", []string{
		"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
	}}}}},
	"Issuer.audiences":  {{"minItems", 1}},
	"Limits.per_second": {{"minimum", 0}, {"maximum", 1000000}},
	"Limits.burst":      {{"minimum", 0}, {"maximum", 1000000}},
	"Limits.in_flight":  {{"minimum", 0}, {"maximum", 1000000}},

	"HttpTransport.max_connections": {{"minimum", 1}, {"maximum", 65535}},

	"OpenApiImport.document":         {{"minLength", 1}},
	"OpenApiImport.max_schema_bytes": {{"minimum", 512}, {"maximum", 256 << 10}},

	"Policy.max_arguments_bytes": {{"minimum", 1}, {"maximum", 3 << 20}},
	"Policy.max_result_bytes":    {{"minimum", 1}, {"maximum", 3 << 20}},
	"Policy.max_attempts":        {{"minimum", 1}, {"maximum", 10}},
	"Policy.retry_budget":        {{"minimum", 0}, {"maximum", 1}},
	"Policy.retry_budget_floor":  {{"minimum", 0}, {"maximum", 1000000}},
}

// loose are texts that are often written as bare numbers.
var loose = map[string]bool{
	"ErrorRule.code": true, "ErrorRule.accepted": true,
	"Upstream.headers": true, "HttpCall.headers": true, "HttpCall.query": true,
}

// asYAML are texts that the file writes as YAML.
var asYAML = map[string]object{
	"Tool.input_schema": {{"anyOf", []any{
		object{{"allOf", []any{object{{"type", "object"}}, object{{"$ref", "http://json-schema.org/draft-07/schema#"}}}}},
		object{{"type", "string"}},
	}}},
	"Fallback.arguments": {{"type", []string{"object", "string"}}},
}
