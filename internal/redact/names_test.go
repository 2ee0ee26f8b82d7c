package redact_test

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/redact"
)

func TestNamesOfSecretsAreKnownHoweverTheyAreWritten(t *testing.T) {
	for name := range strings.FieldsSeq(`password Password user_password DB_PASSWORD passwd pwd passphrase secret client_secret clientSecret
		secret_key SecretAccessKey aws_secret_access_key api_key apiKey apikey API-Key X-Api-Key MCP_API_KEY token access_token accessToken
		refresh_token id_token authToken bearer Authorization Proxy-Authorization cookie Set-Cookie sessionId session_id csrf_token X-CSRF-Token
		private_key privateKey ssh_key signing_key encryption_key account_key SharedAccessKey connection_string connectionString dsn DATABASE_URL
		psk pre_shared_key otp totp pin cvv cvc ssn credentials creds jwt deviceToken X-Vault-Token auth.token card_number security_code`) {
		if !redact.SecretName(name) {
			t.Errorf("%s is taken for no secret", name)
		}
	}
}

func TestNamesThatOnlyReadLikeSecretsAreNone(t *testing.T) {
	for name := range strings.FieldsSeq(`key Key keys primary_key foreign_key partition_key keyword key_name idempotency_key Idempotency-Key
		max_tokens maxTokens tokens token_count total_tokens token_type next_page_token nextToken pageToken continuation_token SyncToken
		page_token cursor passenger compass bypass author authority authorized secretary pinned spin option monkey keyboard tokenize
		start_date amount path url uri code status session name id passed`) {
		if redact.SecretName(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestFieldsForOperatorsAreKnown(t *testing.T) {
	for name := range strings.FieldsSeq(`request_id requestId RequestId requestID RequestID request-id x-request-id X-Amzn-RequestId x-amz-request-id x-ms-request-id
		client-request-id trace_id traceId traceparent fbtrace_id span_id correlation_id correlationId x-correlation-id ActivityId HostId ray_id
		servingData stack stackTrace stack_trace trace debug debugInfo debug_info arequestid x-arequestid`) {
		if !redact.NoiseName(name) {
			t.Errorf("%s is taken for a field of the caller", name)
		}
	}
	for name := range strings.FieldsSeq(`id request message detail code error_id instance instanceId field path order_id transaction_id event_id host name traces_limit`) {
		if redact.NoiseName(name) {
			t.Errorf("%s is taken for noise", name)
		}
	}
}
