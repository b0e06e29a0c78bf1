//go:build !linux

package machine

// UseProcessors does nothing here: no call binds a whole process. Go's own bound holds,
// and threads that parse or compute vectors in C come on top of it.
func UseProcessors(int) (restore func(), err error) { return func() {}, nil }
