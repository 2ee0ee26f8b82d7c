package tokens

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	maxAnswerBytes = 64 << 10
	maxTokenBytes  = 16 << 10
	maxLife        = 30 * 24 * time.Hour
	maxPatience    = 3600 // seconds
)

// answer is a token endpoint's (RFC 6749 section 5).
type answer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   number `json:"expires_in"`
	Error       string `json:"error"`
}

// number is written as text by some endpoints.
type number float64

// UnmarshalJSON implements json.Unmarshaler. What is no number says nothing.
func (n *number) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err == nil {
		*n = number(value)
	}
	return nil
}

func (a answer) life() time.Duration {
	if a.ExpiresIn <= 0 {
		return unsaidLife
	}
	return time.Duration(min(float64(a.ExpiresIn), maxLife.Seconds()) * float64(time.Second))
}

// ask asks for a token. A client is named in the header (RFC 6749 section 2.3.1),
// and where that is not accepted in the body, which some endpoints want.
func (s *Source) ask(ctx context.Context) (answer, *failure) {
	s.mu.Lock()
	inBody := s.inBody
	s.mu.Unlock()
	got, failed := s.try(ctx, inBody)
	if failed == nil || !failed.client || inBody {
		return got, failed
	}
	got, other := s.try(ctx, true)
	if other != nil {
		return answer{}, failed
	}
	s.mu.Lock()
	s.inBody = true
	s.mu.Unlock()
	return got, nil
}

func (s *Source) try(ctx context.Context, inBody bool) (got answer, failed *failure) {
	req, err := s.request(ctx, inBody)
	if err != nil {
		return got, terminal("the request for a token could not be made")
	}
	resp, err := s.settings.Transport.RoundTrip(req)
	if err != nil {
		return got, unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return got, unreachable(err)
	}
	unread := json.Unmarshal(text, &got) != nil || len(text) > maxAnswerBytes
	switch {
	case resp.StatusCode/100 == 5, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout:
		return got, busy(fmt.Sprintf("the token endpoint answered %d", resp.StatusCode), patience(resp.Header))
	case resp.StatusCode/100 != 2:
		failed = terminal(strings.TrimSpace(fmt.Sprintf("the token endpoint answered %d %s", resp.StatusCode, shortCode(got.Error))))
		failed.client = resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnauthorized
		return got, failed
	case unread || !usable(got):
		return got, terminal("the token endpoint's answer holds no bearer token")
	}
	return got, nil
}

func (s *Source) request(ctx context.Context, inBody bool) (*http.Request, error) {
	form := url.Values{}
	for name, value := range s.settings.Parameters {
		form.Set(name, value)
	}
	form.Set("grant_type", "client_credentials")
	if len(s.settings.Scopes) > 0 {
		form.Set("scope", strings.Join(s.settings.Scopes, " "))
	}
	if inBody {
		form.Set("client_id", s.settings.ClientID)
		form.Set("client_secret", s.settings.ClientSecret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.settings.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if !inBody {
		req.SetBasicAuth(url.QueryEscape(s.settings.ClientID), url.QueryEscape(s.settings.ClientSecret))
	}
	return req, nil
}

func usable(got answer) bool {
	bearer := got.TokenType == "" || strings.EqualFold(got.TokenType, "bearer")
	return bearer && got.AccessToken != "" && len(got.AccessToken) <= maxTokenBytes && httpguts.ValidHeaderFieldValue(got.AccessToken)
}

var codes = regexp.MustCompile(`^[a-z_]{1,64}$`)

// shortCode passes on what is one of OAuth's codes by its looks, and nothing else that
// an endpoint says.
func shortCode(code string) string {
	if !codes.MatchString(code) {
		return ""
	}
	return code
}

// patience reads how long to wait, in seconds or as a date (RFC 9110 section 10.2.3).
func patience(header http.Header) *float64 {
	text := header.Get("Retry-After")
	seconds, err := strconv.ParseFloat(text, 64)
	if at, wrong := http.ParseTime(text); wrong == nil {
		seconds, err = time.Until(at).Seconds(), nil
	}
	if err != nil || !(seconds > 0 && seconds <= maxPatience) {
		return nil
	}
	return &seconds
}
