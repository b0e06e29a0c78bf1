package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A model is the protocol's meta model, by which messages are checked. It is not part of this
// repository: the module of the protocol's types was made from it, and has it.
type model struct {
	requests      map[string]modelMethod
	notifications map[string]modelMethod
	structures    map[string]modelStructure
	enumerations  map[string]modelEnumeration
	aliases       map[string]modelType
}

type modelMethod struct {
	Method string
	Params *modelType // may be a list of types in the model; the protocol has none
	Result *modelType
}

type modelStructure struct {
	Name            string
	Extends, Mixins []modelType
	Properties      []modelProperty
}

type modelProperty struct {
	Name     string
	Type     modelType
	Optional bool
}

type modelEnumeration struct {
	Name                 string
	SupportsCustomValues bool
	Values               []struct{ Value any }
}

type modelType struct {
	Kind    string
	Name    string
	Element *modelType
	Key     *modelType
	Items   []modelType
	Value   json.RawMessage // a type of a map, a literal, or a value of that
}

func readModel(t *testing.T) *model {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "go.lsp.dev/protocol").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal", "genlsp", "testdata", "metaModel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Requests, Notifications []modelMethod
		Structures              []modelStructure
		Enumerations            []modelEnumeration
		TypeAliases             []struct {
			Name string
			Type modelType
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	m := &model{map[string]modelMethod{}, map[string]modelMethod{}, map[string]modelStructure{}, map[string]modelEnumeration{}, map[string]modelType{}}
	for _, r := range all.Requests {
		m.requests[r.Method] = r
	}
	for _, n := range all.Notifications {
		m.notifications[n.Method] = n
	}
	for _, s := range all.Structures {
		m.structures[s.Name] = s
	}
	for _, e := range all.Enumerations {
		m.enumerations[e.Name] = e
	}
	for _, a := range all.TypeAliases {
		m.aliases[a.Name] = a.Type
	}
	if len(m.requests) < 50 || len(m.structures) < 300 {
		t.Fatalf("the model has %d requests and %d structures", len(m.requests), len(m.structures))
	}
	return m
}

// request says what is wrong with the parameters of a request or a notification.
func (m *model) request(method string, params any, call bool) error {
	of := m.notifications
	if call {
		of = m.requests
	}
	def, ok := of[method]
	switch {
	case !ok:
		return fmt.Errorf("there is no %s", method)
	case def.Params == nil && params != nil:
		return fmt.Errorf("%s has no parameters", method)
	case def.Params == nil:
		return nil
	}
	return m.check(def.Params, params, method)
}

// result says what is wrong with that of a request.
func (m *model) result(method string, result any) error {
	return m.check(m.requests[method].Result, result, method)
}

// check says what is wrong with a value of a type.
func (m *model) check(t *modelType, v any, at string) error {
	wrong := fmt.Errorf("%s: %.80v is no %s %s", at, v, t.Kind, t.Name)
	switch t.Kind {
	case "base":
		return m.base(t.Name, v, wrong)
	case "reference":
		return m.reference(t.Name, v, at, wrong)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return wrong
		}
		for i := range list {
			if err := m.check(t.Element, list[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	case "map":
		object, ok := v.(map[string]any)
		var of modelType
		if !ok || json.Unmarshal(t.Value, &of) != nil {
			return wrong
		}
		for k, one := range object {
			if err := m.check(&of, one, at+"."+k); err != nil {
				return err
			}
		}
		return nil
	case "or":
		var errs []string
		for i := range t.Items {
			err := m.check(&t.Items[i], v, at)
			if err == nil {
				return nil
			}
			errs = append(errs, err.Error())
		}
		return fmt.Errorf("%s is none of: %s", at, strings.Join(errs, " | "))
	case "and":
		for i := range t.Items {
			if err := m.check(&t.Items[i], v, at); err != nil {
				return err
			}
		}
		return nil
	case "tuple":
		list, ok := v.([]any)
		if !ok || len(list) != len(t.Items) {
			return wrong
		}
		for i := range list {
			if err := m.check(&t.Items[i], list[i], at); err != nil {
				return err
			}
		}
		return nil
	case "literal":
		var s modelStructure
		if json.Unmarshal(t.Value, &s) != nil {
			return wrong
		}
		return m.structure(&s, v, at, wrong)
	case "stringLiteral", "integerLiteral", "booleanLiteral":
		var want any
		if json.Unmarshal(t.Value, &want) != nil || want != v {
			return wrong
		}
		return nil
	}
	return fmt.Errorf("%s: the model has a kind %q", at, t.Kind)
}

func (m *model) base(name string, v any, wrong error) error {
	ok := false
	switch name {
	case "null":
		ok = v == nil
	case "boolean":
		_, ok = v.(bool)
	case "string", "URI", "DocumentUri", "RegExp":
		_, ok = v.(string)
	case "integer", "uinteger":
		n, number := v.(float64)
		ok = number && n == float64(int64(n)) && (name == "integer" || n >= 0)
	case "decimal":
		_, ok = v.(float64)
	}
	if !ok {
		return wrong
	}
	return nil
}

func (m *model) reference(name string, v any, at string, wrong error) error {
	switch {
	case name == "LSPAny", name == "LSPObject", name == "LSPArray":
		return nil
	case m.aliases[name].Kind != "":
		t := m.aliases[name]
		return m.check(&t, v, at)
	case m.enumerations[name].Name != "":
		e := m.enumerations[name]
		for _, one := range e.Values {
			if one.Value == v {
				return nil
			}
		}
		if _, text := v.(string); e.SupportsCustomValues && text {
			return nil
		}
		return wrong
	}
	s, ok := m.structures[name]
	if !ok {
		return fmt.Errorf("%s: the model has no %s", at, name)
	}
	return m.structure(&s, v, at, wrong)
}

// structure says what is wrong with an object: what is missing, what is of another type, and what
// the structure does not have.
func (m *model) structure(s *modelStructure, v any, at string, wrong error) error {
	object, ok := v.(map[string]any)
	if !ok {
		return wrong
	}
	known := map[string]bool{}
	for _, p := range m.properties(s) {
		known[p.Name] = true
		one, given := object[p.Name]
		switch {
		case !given && !p.Optional:
			return fmt.Errorf("%s has no %s", at, p.Name)
		case given:
			if err := m.check(&p.Type, one, at+"."+p.Name); err != nil {
				return err
			}
		}
	}
	for name := range object {
		if !known[name] {
			return fmt.Errorf("%s: %s has no property %s", at, s.Name, name)
		}
	}
	return nil
}

func (m *model) properties(s *modelStructure) []modelProperty {
	out := slices.Clone(s.Properties)
	for _, t := range slices.Concat(s.Extends, s.Mixins) {
		of := m.structures[t.Name]
		for _, p := range m.properties(&of) {
			if !slices.ContainsFunc(out, func(q modelProperty) bool { return q.Name == p.Name }) {
				out = append(out, p)
			}
		}
	}
	return out
}
