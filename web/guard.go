package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// doors knows the names under which this program may be reached. A page of a stranger whose domain was pointed at 127.0.0.1 comes with
// the stranger's Host, and is refused before anything else looks at the request.
type doors struct {
	names  map[string]bool // host names without ports, lower case
	open   bool            // listens on every address: any literal address is ours, for no rebinding can forge one
	public string          // scheme://host of the public URL, or ""
	cross  *http.CrossOriginProtection
}

func newDoors(addr string, public *url.URL, more []string) (*doors, error) {
	d := &doors{names: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}, cross: http.NewCrossOriginProtection()}
	host, _, err := net.SplitHostPort(addr)
	if addr != "" && err != nil {
		return nil, fmt.Errorf("listen address %q: %w", addr, err)
	}
	if ip, err := netip.ParseAddr(host); addr != "" && (host == "" || err == nil && ip.IsUnspecified()) {
		d.open = true
	} else if host != "" {
		d.names[strings.ToLower(host)] = true
	}
	for _, name := range more {
		d.names[strings.ToLower(hostname(name))] = true
	}
	if public != nil {
		d.names[strings.ToLower(public.Hostname())] = true
		d.public = public.Scheme + "://" + strings.ToLower(public.Host)
		if err := d.cross.AddTrustedOrigin(d.public); err != nil {
			return nil, fmt.Errorf("public url: %w", err)
		}
	}
	return d, nil
}

// hostname is a Host header's name without the port and without brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// knows reports whether a Host header is one of ours.
func (d *doors) knows(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(hostname(host), "."))
	if d.names[name] {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (d.open || ip.IsLoopback())
}

// check is the middleware: Host, then Origin, then whether a state change comes from our own pages.
func (d *doors) check(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !d.knows(r.Host) {
			return errHost
		}
		if origin := r.Header.Get("Origin"); origin != "" && !d.same(origin, r) {
			return errOrigin
		}
		if err := d.cross.Check(r); err != nil {
			return errOrigin
		}
		return next(c)
	}
}

// same reports whether an Origin is the one this request was sent to. The scheme is not compared with the connection's: a proxy in front
// may speak https for us.
func (d *doors) same(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if u.Scheme+"://"+strings.ToLower(u.Host) == d.public {
		return true
	}
	return strings.EqualFold(withoutDefaultPort(u.Host), withoutDefaultPort(r.Host))
}

func withoutDefaultPort(host string) string {
	return strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
}

// local reports whether a request comes from this machine and was meant for it. A proxy on this machine also connects from loopback, so a
// forwarded request does not count.
func local(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return false
	}
	name := hostname(r.Host)
	if name == "localhost" {
		return true
	}
	to, err := netip.ParseAddr(name)
	return err == nil && to.IsLoopback()
}

// caller is who to count requests for: the address of the connection, or what the proxy on this machine says it was.
func caller(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return host
	}
	hops := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
	if last, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1])); err == nil {
		return last.String()
	}
	return host
}
