package onnx

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// The binding keeps one environment, and one loaded library, for the whole
// process. So the count of its users must be shared by the whole process too:
// this is the one mutable global of the package. The first session loads the
// library and the last one closed unloads it.
var environment struct {
	sync.Mutex
	users   int
	library string
}

// acquire loads the library unless it is loaded. Each acquire that succeeds
// needs a release.
func acquire(library string) error {
	environment.Lock()
	defer environment.Unlock()
	if environment.users > 0 {
		if environment.library != library {
			return fmt.Errorf("%s cannot be loaded alongside %s, which is in use", library, environment.library)
		}
		environment.users++
		return nil
	}
	if err := checkWhole(library); err != nil {
		return err
	}
	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("%s is no ONNX Runtime library of version 1.24 or later: %w", library, err)
	}
	environment.users, environment.library = 1, library
	return nil
}

func release() error {
	environment.Lock()
	defer environment.Unlock()
	environment.users--
	if environment.users > 0 {
		return nil
	}
	return ort.DestroyEnvironment()
}

// A session is a loaded model. Its run is safe for concurrent use.
type session struct {
	inner *ort.DynamicAdvancedSession
	close sync.Once
}

// A source is a model file, or its content.
type source struct {
	path string
	data []byte // if not nil, instead of path
}

// newSession loads the library and the model. Threads is the number of threads
// one call may use, at least 1.
func newSession(library string, src source, inputs, outputs []string, threads int) (_ *session, err error) {
	if err := acquire(library); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, release())
		}
	}()
	opt, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer opt.Destroy()
	err = errors.Join(
		opt.SetIntraOpNumThreads(threads),
		opt.SetInterOpNumThreads(1),
		opt.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
	)
	if err != nil {
		return nil, err
	}
	var inner *ort.DynamicAdvancedSession
	if src.data != nil {
		inner, err = ort.NewDynamicAdvancedSessionWithONNXData(src.data, inputs, outputs, opt)
	} else {
		inner, err = ort.NewDynamicAdvancedSession(src.path, inputs, outputs, opt)
	}
	if err != nil {
		return nil, err
	}
	return &session{inner: inner}, nil
}

// run runs the model on tensors that the caller made and destroys.
func (s *session) run(inputs, outputs []ort.Value) error {
	return s.inner.Run(inputs, outputs)
}

// Close frees the model and, with the last session, the library. Closing again
// does nothing.
func (s *session) Close() (err error) {
	s.close.Do(func() { err = errors.Join(s.inner.Destroy(), release()) })
	return err
}

// destroy frees tensors, of which some may be missing.
func destroy(values []ort.Value) {
	for _, v := range values {
		if v != nil {
			v.Destroy() // always nil for tensors
		}
	}
}
