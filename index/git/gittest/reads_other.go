//go:build !linux

package gittest

import "testing"

// reads tells nothing here.
type reads struct{}

func watch(testing.TB, string) *reads { return nil }

func (*reads) names(testing.TB) []string { return nil }
