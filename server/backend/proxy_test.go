package backend

import (
	"net/url"
	"testing"
)

func TestAProxyOfTheEnvironmentIsUsedUnlessTheCatalogueSaysDirect(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.test:3128")
	t.Setenv("NO_PROXY", "near.test")
	for _, c := range []struct {
		proxy   Proxy
		address string
		want    string
	}{
		{Proxy{}, "shop.test:443", "http://proxy.test:3128"},
		{Proxy{}, "near.test:443", ""},
		{Proxy{}, "127.0.0.1:443", ""},
		{Proxy{Mode: ProxyNone}, "shop.test:443", ""},
		{Proxy{Mode: ProxyURL, URL: "socks5://socks.test", User: "u", Password: "p"}, "shop.test:443", "socks5://u:p@socks.test"},
	} {
		got, err := c.proxy.Func()(&url.URL{Scheme: "https", Host: c.address})
		text := ""
		if got != nil {
			text = got.String()
		}
		if err != nil || text != c.want {
			t.Errorf("%+v: %q and %v, want %q", c.proxy, text, err, c.want)
		}
	}
}
