package text

import "testing"

func TestRender(t *testing.T) {
	got, err := Render("/status", []byte(`{"name":"quarry"}`))
	if want := "{\n  \"name\": \"quarry\"\n}"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Render("/status", []byte("{")); err == nil {
		t.Error("half an answer was rendered")
	}
}
