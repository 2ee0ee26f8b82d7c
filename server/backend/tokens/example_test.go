package tokens_test

import (
	"context"
	"fmt"
	"net/http"

	"toolgate.dev/toolgate/server/backend/tokens"
)

func Example() {
	source := tokens.New(tokens.Settings{
		URL: "https://login.example.com/oauth/token", ClientID: "toolgate", ClientSecret: "from the environment",
		Scopes: []string{"invoices.read"}, Transport: http.DefaultTransport,
	})
	token, failed := source.Token(context.Background())
	if failed != nil {
		fmt.Println("nothing was sent:", failed.Cause)
		return
	}
	fmt.Println("Authorization: Bearer " + token)
}
