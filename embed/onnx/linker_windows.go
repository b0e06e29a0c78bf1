package onnx

// linkerKnows is never asked: plainLibraryNames has none for Windows.
func linkerKnows(string) bool { return false }
