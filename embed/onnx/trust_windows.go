package onnx

// trusted does not judge: Windows has no owner and mode of this kind.
func trusted(string) error { return nil }
