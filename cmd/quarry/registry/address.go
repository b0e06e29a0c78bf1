package registry

import (
	"errors"
	"net"
)

// Reachable returns an address under which this machine reaches a listener: one
// on all addresses has none of its own, and one on [::] takes IPv4 too.
func Reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// DialReason is the innermost error, which says it all: "connection refused".
func DialReason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
