package protobuf

import "testing"

// TestMaskProtobuf hides ranges of extensions, over several lines too, and no prose that
// begins with the word.
func TestMaskProtobuf(t *testing.T) {
	for src, want := range map[string]string{
		"message A {\n  extensions 4,\n    9 to max;\n  optional B b = 1;\n}\n": "message A {\n               \n             \n           B b = 1;\n}\n",
		"/*\n extensions are taken\n */\nmessage A {\n  string a = 1;\n}\n":     "/*\n extensions are taken\n */\nmessage A {\n  string a = 1;\n}\n",
		"extensions ": "extensions ",
	} {
		if got := string(maskProtobuf([]byte(src))); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}
