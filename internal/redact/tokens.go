package redact

import "strings"

// tokenForm is how a provider's credentials begin and how long they are at
// least, in bytes, the beginning included.
type tokenForm struct {
	prefix string
	min    int
}

// tokenForms are the beginnings that providers document so that scanners may
// know them. A kept rule set was measured before: see the package's history.
var tokenForms = []tokenForm{
	// payments
	{"sk_live_", 12}, {"sk_test_", 12}, {"rk_live_", 12}, {"rk_test_", 12}, {"pk_live_", 12}, {"pk_test_", 12}, {"whsec_", 12},
	{"sq0atp-", 20}, {"sq0csp-", 20}, {"sq0idp-", 20}, {"EAAAE", 40}, {"shpat_", 20}, {"shpss_", 20}, {"shpca_", 20}, {"shppa_", 20},
	{"access_token$", 30}, {"access-sandbox-", 30}, {"access-production-", 30}, {"access-development-", 30},
	// models
	{"sk-", 16}, {"hf_", 20}, {"gsk_", 30}, {"r8_", 30}, {"pplx-", 30}, {"xai-", 30}, {"tvly-", 20}, {"nvapi-", 30}, {"fc-", 32},
	// code hosts, packages, builds
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 24}, {"glpat-", 16}, {"gldt-", 16},
	{"glrt-", 16}, {"glptt-", 16}, {"glcbt-", 16}, {"npm_", 30}, {"pypi-", 30}, {"rubygems_", 30}, {"dckr_pat_", 20},
	{"bkua_", 20}, {"PMAK-", 20}, {"sntrys_", 20}, {"sntryu_", 20}, {"NRAK-", 20}, {"glsa_", 20}, {"glc_", 30}, {"figd_", 20},
	{"phc_", 30}, {"phx_", 30}, {"lin_api_", 20}, {"lin_oauth_", 20}, {"secret_", 36}, {"ntn_", 30}, {"CFPAT-", 20},
	{"ATATT3x", 30}, {"ATCTT3x", 30}, {"pat-na", 20}, {"pat-eu", 20}, {"sbp_", 30}, {"sb_secret_", 20}, {"tfp_", 30},
	// clouds
	{"AKIA", 20}, {"ASIA", 20}, {"ABIA", 20}, {"ACCA", 20}, {"AIza", 35}, {"ya29.", 20}, {"1//0", 30}, {"GOCSPX-", 20}, {"LTAI", 16},
	{"dop_v1_", 20}, {"doo_v1_", 20}, {"dor_v1_", 20}, {"dapi", 36}, {"pul-", 30}, {"FlyV1", 30}, {"fo1_", 30}, {"hvs.", 20},
	{"hvb.", 20}, {"hvr.", 20}, {"ops_ey", 40}, {"dp.pt.", 30}, {"dp.st.", 30}, {"AGE-SECRET-KEY-1", 40}, {"amzn1.oa2-cs.", 30},
	{"Atza|", 30}, {"rnd_", 28}, {"v1.0-", 60}, {"vault:v1:", 20},
	// messages
	{"xoxb-", 12}, {"xoxp-", 12}, {"xoxa-", 12}, {"xoxr-", 12}, {"xoxs-", 12}, {"xoxe-", 12}, {"xoxe.", 12}, {"xapp-", 12},
	{"xoxc-", 12}, {"xoxd-", 12}, {"SG.", 40}, {"key-", 36}, {"xkeysib-", 30}, {"xsmtpsib-", 30}, {"EAA", 60}, {"EAC", 60},
	{"mlsn.", 30}, {"re_", 30}, {"AAAA", 120},
	// signed
	{"eyJ", 20}, {"gAAAAA", 40},
}

// tokenPrefixes are the first bytes of all forms, as words of a rule.
func tokenPrefixes() (words []string) {
	for _, form := range tokenForms {
		words = append(words, strings.ToLower(form.prefix))
	}
	return words
}

// tokens removes credentials that show by their beginning.
func (t *text) tokens(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		if at > 0 && isWord(s[at-1]) && s[at-1] != '_' {
			return 0, 0, ""
		}
		return at, tokenEnd(s, at), secretMark
	})
}

// maxToken is how far a credential is looked at before it is known to be one, in
// bytes.
const maxToken = 256

// tokenEnd returns where the credential that begins at a place ends; 0: there is
// none.
func tokenEnd(s string, at int) int {
	end := at
	for end < len(s) && end-at < maxToken && isToken(s[end]) {
		end++
	}
	for end > at && strings.IndexByte(".:=", s[end-1]) >= 0 {
		end--
	}
	for _, form := range tokenForms {
		if end-at >= form.min && strings.HasPrefix(s[at:], form.prefix) && looksRandom(s[at+len(form.prefix):end]) {
			for end < len(s) && isToken(s[end]) && end-at >= maxToken {
				end++
			}
			return end
		}
	}
	return 0
}

// isToken reports the bytes that credentials are made of.
func isToken(c byte) bool {
	return isBase64(c) || strings.IndexByte(".=~:%", c) >= 0
}

// looksRandom tells a credential from a hyphenated name behind the same
// beginning: it holds a digit, or rises and falls in case.
func looksRandom(s string) bool {
	rises := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
		if i > 0 && isUpper(s[i]) && isLower(s[i-1]) {
			rises++
		}
	}
	return rises >= 2
}
