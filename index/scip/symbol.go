package scip

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	pb "github.com/scip-code/scip/bindings/go/scip"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// scheme is the first part of the symbols that this program makes.
const scheme = "quarry"

// kinds are the kinds and the suffixes that symbols have.
var kinds = map[syntax.Kind]struct {
	kind   pb.SymbolInformation_Kind
	suffix pb.Descriptor_Suffix
}{
	syntax.Function:    {pb.SymbolInformation_Function, pb.Descriptor_Method},
	syntax.Method:      {pb.SymbolInformation_Method, pb.Descriptor_Method},
	syntax.Constructor: {pb.SymbolInformation_Constructor, pb.Descriptor_Method},
	syntax.Class:       {pb.SymbolInformation_Class, pb.Descriptor_Type},
	syntax.Struct:      {pb.SymbolInformation_Struct, pb.Descriptor_Type},
	syntax.Interface:   {pb.SymbolInformation_Interface, pb.Descriptor_Type},
	syntax.Trait:       {pb.SymbolInformation_Trait, pb.Descriptor_Type},
	syntax.Enum:        {pb.SymbolInformation_Enum, pb.Descriptor_Type},
	syntax.Type:        {pb.SymbolInformation_Type, pb.Descriptor_Type},
	syntax.Module:      {pb.SymbolInformation_Module, pb.Descriptor_Namespace},
	syntax.Namespace:   {pb.SymbolInformation_Namespace, pb.Descriptor_Namespace},
	syntax.Constant:    {pb.SymbolInformation_Constant, pb.Descriptor_Term},
	syntax.Variable:    {pb.SymbolInformation_Variable, pb.Descriptor_Term},
	syntax.Field:       {pb.SymbolInformation_Field, pb.Descriptor_Term},
	syntax.Macro:       {pb.SymbolInformation_Macro, pb.Descriptor_Macro},
	syntax.Heading:     {pb.SymbolInformation_UnspecifiedKind, pb.Descriptor_Meta},
	syntax.Rule:        {pb.SymbolInformation_UnspecifiedKind, pb.Descriptor_Meta},
	syntax.Key:         {pb.SymbolInformation_Key, pb.Descriptor_Meta},
}

// languageOf is the name that SCIP has for a language, or ours.
func languageOf(lang string) string {
	switch lang {
	case "tsx":
		return pb.Language_TypeScriptReact.String()
	case "jsx":
		return pb.Language_JavaScriptReact.String()
	case "bash", "shell", "sh":
		return pb.Language_ShellScript.String()
	}
	for _, name := range pb.Language_name {
		if strings.EqualFold(name, lang) {
			return name
		}
	}
	return lang
}

// name gives the symbols of all files their names. What is defined several times in one file
// has one name, but for functions and methods, which are told apart by the number in the order of the
// files; what several files of a package of Go define has the file in its name from the second on.
func (e *exporter) name() {
	owner := map[string]*store.Record{} // of a name, the first file that has it
	count := map[string]int{}           // of the functions of a name
	for _, r := range e.files {
		d := &document{names: make([]string, len(r.Symbols)), doubts: map[int]bool{}, kin: make([][]relation, len(r.Symbols))}
		e.documents[r] = d
		m := e.manifests.of(r)
		for i := range r.Symbols {
			s := pb.Symbol{Scheme: scheme, Package: m.Package, Descriptors: append(m.namespace(r, false), descriptors(r, int32(i))...)}
			last := s.Descriptors[len(s.Descriptors)-1]
			if last.Name == "" || last.Name == "_" { // the blank name is none
				e.report.Unplaced++
				continue
			}
			name := pb.VerboseSymbolFormatter.FormatSymbol(&s)
			switch {
			case last.Suffix == pb.Descriptor_Method:
				if n := count[name]; n > 0 {
					last.Disambiguator = "+" + strconv.Itoa(n)
				}
				count[name]++
			case owner[name] == nil:
				owner[name] = r
			case owner[name] != r:
				s.Descriptors = append(m.namespace(r, true), descriptors(r, int32(i))...)
			}
			d.names[i] = pb.VerboseSymbolFormatter.FormatSymbol(&s)
		}
	}
}

// descriptors are the names of what a symbol is in, and its own.
func descriptors(r *store.Record, i int32) []*pb.Descriptor {
	s := &r.Symbols[i]
	around := map[string]pb.Descriptor_Suffix{}
	for up := r.Around(i); up >= 0; up = r.Around(up) {
		around[r.Symbols[up].Name] = kinds[r.Symbols[up].Kind()].suffix
	}
	var list []*pb.Descriptor
	if s.Parent != "" {
		for part := range strings.SplitSeq(s.Parent, ".") {
			if part != "" {
				list = append(list, &pb.Descriptor{Name: part, Suffix: cmp.Or(around[part], pb.Descriptor_Type)})
			}
		}
	}
	return append(list, &pb.Descriptor{Name: s.Name, Suffix: kinds[s.Kind()].suffix})
}

// namespace is where the names of a file live: the package for Go, else the file itself. file
// says that it is the file for Go, too.
func (m *manifest) namespace(r *store.Record, file bool) []*pb.Descriptor {
	inside := strings.TrimPrefix(strings.TrimPrefix(r.Path, m.dir), "/")
	if r.Lang != "go" {
		return []*pb.Descriptor{{Name: inside, Suffix: pb.Descriptor_Namespace}}
	}
	list := []*pb.Descriptor{{Name: cmp.Or(path.Join(m.Name, source.Dir(inside)), "."), Suffix: pb.Descriptor_Namespace}}
	if file {
		list = append(list, &pb.Descriptor{Name: path.Base(r.Path), Suffix: pb.Descriptor_Namespace})
	}
	return list
}
