package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

func list(t testing.TB, entries ...string) List {
	t.Helper()
	l, err := Parse(entries)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestWhatHandsOutCredentialsIsRefusedUnlessListed(t *testing.T) {
	for _, address := range []string{
		"169.254.169.254", "169.254.170.2", "169.254.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe",
		"2002:a9fe:a9fe::1", "::169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254",
		"100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "ff02::1", "255.255.255.255",
	} {
		addr := netip.MustParseAddr(address)
		if List("").Permits(addr) {
			t.Errorf("%s is permitted", address)
		}
		if list(t, Public).Permits(addr) {
			t.Errorf("%s is permitted as public", address)
		}
		if !list(t, "::/0", "0.0.0.0/0").Permits(addr) {
			t.Errorf("%s is refused where it is listed", address)
		}
	}
}

func TestPrivateAddressesArePermittedUnlessTheListSaysPublic(t *testing.T) {
	for address, private := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "172.31.0.1": true, "192.168.1.1": true, "fc00::1": true, "fd12::1": true,
		"100.64.0.1": true, "::ffff:10.0.0.1": true, "64:ff9b::10.0.0.1": true, "0.0.0.0": true, "::": true, "2002:7f00:1::": true,
		"8.8.8.8": false, "2606:4700::1111": false, "172.32.0.1": false, "64:ff9b::8.8.8.8": false, "169.253.255.255": false, "fec0::1": true,
	} {
		addr := netip.MustParseAddr(address)
		if !List("").Permits(addr) || !list(t, "169.254.169.254").Permits(addr) {
			t.Errorf("%s is refused", address)
		}
		if list(t, Public).Permits(addr) == private {
			t.Errorf("%s: permitted by %q is %v", address, Public, private)
		}
		if !list(t, Public, "0.0.0.0/0", "::/0").Permits(addr) {
			t.Errorf("%s is refused where it is listed", address)
		}
	}
}

func TestAListNamesAddressesAndNetworks(t *testing.T) {
	if a, b := list(t, "10.0.0.7/8", Public, "::1"), list(t, "::1", "10.0.0.0/8", "public", "10.0.0.0/8"); a != b {
		t.Errorf("%q and %q are not equal", a, b)
	}
	for _, entry := range []string{"", "metadata", "10.0.0.0/33", "fe80::1%eth0", "http://10.0.0.1", "10.0.0", "Public"} {
		if _, err := Parse([]string{entry}); err == nil {
			t.Errorf("%q is taken", entry)
		}
	}
}

func TestADialerConnectsToNoAddressThatIsRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	dialer := net.Dialer{Control: List("").Control}
	conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("loopback: %v", err)
	}
	_ = conn.Close()

	dialer.Control = list(t, Public).Control
	var refused *RefusedError
	if _, err := dialer.DialContext(context.Background(), "tcp", listener.Addr().String()); !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
	dialer.Control = List("").Control
	if _, err := dialer.DialContext(context.Background(), "tcp", "169.254.169.254:80"); !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := dialer.DialContext(context.Background(), "unix", "/run/docker.sock"); !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestOfAHostInAURLOnlyAddressesAreJudgedBeforehand(t *testing.T) {
	for host, want := range map[string]bool{
		"api.example.com": true, "10.0.0.1": true, "169.254.169.254": false, "[fe80::1]": false, "fd00:ec2::254": false, "": true,
	} {
		if got := List("").PermitsHost(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// No writing of an address gets past: what its bytes say decides.
func FuzzPermits(f *testing.F) {
	for _, seed := range []string{"169.254.169.254", "::ffff:169.254.1.1", "fe80::2%lo", "8.8.8.8", "64:ff9b::a9fe:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return
		}
		linkLocal := addr.IsLinkLocalUnicast() || addr.Unmap().IsLinkLocalUnicast() || addr.IsMulticast()
		if linkLocal && List("").Permits(addr) {
			t.Errorf("%s is permitted", addr)
		}
	})
}
