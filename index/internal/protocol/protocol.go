// Package protocol says what a language or its library calls without naming it: the members
// that an operator, a loop or the end of a scope runs, the methods that something outside of
// the index may ask for, and the attributes that have a function called. It knows names and
// the text of heads, and neither scopes nor types.
package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What calls a member, for a reader.
const (
	loop       = "a loop"
	scopeEnd   = "the end of a scope"
	text       = "what makes a text of a value"
	comparison = "a comparison, a sort or a map"
	conversion = "a conversion"
	operator   = "an operator"
	missing    = "a use of a member that is not there"
	pattern    = "a pattern"
	hook       = "what the language does by itself"
	waiting    = "what waits for a value"
	literal    = "a literal"
	query      = "a comprehension"
	assignment = "an assignment"
	runner     = "what runs the tests or the program"
)

// members are the members that languages call by themselves, by what calls them. Where the
// definition says so (operators), or the interface is outside of the index, they are not
// listed.
var members = map[string]map[string]string{
	"python": {
		hook: "__init_subclass__ __class_getitem__ _missing_ _generate_next_value_ find_spec find_module create_module exec_module load_module " +
			"_ipython_display_ _ipython_key_completions_ _repr_html_ _repr_javascript_ _repr_jpeg_ _repr_json_ _repr_latex_ _repr_markdown_ _repr_mimebundle_ _repr_pdf_ _repr_png_ _repr_pretty_ _repr_svg_", // IPython's
		runner: "setup_module teardown_module setup_function teardown_function setup_class teardown_class setup_method teardown_method " +
			"load_tests lambda_handler",
	},
	"rust": {
		conversion: "serialize deserialize",
	},
	"javascript": {
		text:       "toString toLocaleString toJSON",
		conversion: "valueOf",
		waiting:    "then",
		loop:       "next return throw",
	},
	"java": {
		text:       "toString",
		comparison: "hashCode equals compareTo",
		scopeEnd:   "close",
		loop:       "iterator hasNext next",
		hook:       "finalize readObject writeObject readObjectNoData readResolve writeReplace premain agentmain",
	},
	"kotlin": {
		text:       "toString",
		comparison: "hashCode equals compareTo",
		scopeEnd:   "close",
		loop:       "iterator hasNext next",
		hook:       "finalize readObject writeObject readObjectNoData readResolve writeReplace premain agentmain",
	},
	"csharp": {
		text:       "ToString",
		scopeEnd:   "Dispose DisposeAsync",
		loop:       "GetEnumerator GetAsyncEnumerator MoveNext MoveNextAsync",
		waiting:    "GetAwaiter GetResult OnCompleted UnsafeOnCompleted",
		pattern:    "Deconstruct",
		literal:    "AppendLiteral AppendFormatted",
		query:      "Select SelectMany Where Join GroupJoin GroupBy OrderBy OrderByDescending ThenBy ThenByDescending Cast",
		operator:   "Slice",
		hook:       "GetPinnableReference PrintMembers",
		comparison: "Equals GetHashCode",
	},
	"cpp": {
		loop:       "begin end",
		pattern:    "get",
		waiting:    "await_ready await_suspend await_resume await_transform get_return_object initial_suspend final_suspend return_void return_value yield_value unhandled_exception",
		hook:       "swap",
		comparison: "hash_value",
	},
	"php": {
		scopeEnd:   "__destruct",
		text:       "__toString",
		assignment: "__set __unset",
		missing:    "__get __isset __call __callStatic",
		operator:   "__invoke",
		hook:       "__clone __sleep __wakeup __serialize __unserialize __set_state __debugInfo __autoload",
	},
	"ruby": {
		loop:       "each each_entry succ",
		text:       "to_s inspect to_str",
		comparison: "hash eql? equal? coerce",
		conversion: "to_proc to_a to_ary to_h to_hash to_sym to_path to_io to_int to_i to_r to_c to_regexp to_open",
		operator:   "call",
		missing:    "method_missing respond_to_missing? const_missing",
		pattern:    "deconstruct deconstruct_keys",
		hook: "included extended prepended inherited method_added method_removed method_undefined singleton_method_added const_added " +
			"initialize_copy initialize_dup initialize_clone marshal_dump marshal_load _dump _load encode_with init_with as_json to_json exception",
	},
	"elixir": {
		hook: "__before_compile__ __after_compile__ __after_verify__ __on_definition__ __using__ __struct__ __info__ __deriving__ child_spec",
	},
	"scala": {
		loop:       "foreach",
		query:      "map flatMap withFilter filter",
		operator:   "apply update",
		pattern:    "unapply unapplySeq",
		missing:    "selectDynamic applyDynamic applyDynamicNamed updateDynamic",
		text:       "toString",
		comparison: "hashCode equals canEqual",
		hook:       "finalize readObject writeObject readObjectNoData readResolve writeReplace premain agentmain",
	},
	"swift": {
		text:       "description debugDescription",
		comparison: "hash",
		loop:       "makeIterator makeAsyncIterator next",
		operator:   "callAsFunction dynamicallyCall",
		literal: "buildBlock buildExpression buildOptional buildEither buildArray buildLimitedAvailability buildFinalResult buildPartialBlock " +
			"appendLiteral appendInterpolation",
		missing: "subscript",
		hook:    "deinit",
	},
	"bash": {
		missing: "command_not_found_handle",
	},
}

// by is members the other way round.
var by = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for language, lists := range members {
		all[language] = map[string]string{}
		for what, names := range lists {
			for name := range strings.FieldsSeq(names) {
				all[language][name] = what
			}
		}
	}
	return all
}()

// Member returns what calls a member of a name by itself in a language; "" for a name that
// only code which says it can call.
func Member(language, name string) string {
	switch language = plain(language); language {
	case "lua":
		if strings.HasPrefix(name, "__") {
			return operator // a metamethod
		}
	case "python":
		if strings.HasPrefix(name, "pytest_") {
			return runner
		}
	case "elixir":
		if strings.HasPrefix(name, "sigil_") {
			return literal
		}
	}
	return by[language][name]
}

// Unnamed reports whether members of a name are called without being named, in a language.
func Unnamed(language, name string) bool {
	return Member(language, name) != "" || plain(language) == "python" && len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// Read reports whether what a name is defined as outside of all functions and classes is read by
// what runs a file of a language.
func Read(language, name string) bool {
	if plain(language) != "python" {
		return false
	}
	switch name {
	case "pytestmark", "pytest_plugins", "collect_ignore", "collect_ignore_glob":
		return true
	}
	return strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// Anywhere reports whether a function outside of all classes may be one that Member knows, in
// a language.
func Anywhere(language string) bool {
	switch language {
	case "lua", "bash", "python", "rust":
		return true
	}
	return false
}

// OfRustPrelude reports whether a path of Rust that leads out of the index begins with a
// package, a module, or a type that needs no import: with no type that nobody knows.
func OfRustPrelude(path string) bool {
	head, _, _ := strings.Cut(path, ".")
	switch head {
	case "", "Vec", "String", "Option", "Result", "Iterator", "Default", "Some", "Ok", "Err":
		return true // not Box, whose methods are those of what is in it
	}
	return head[0] < 'A' || head[0] > 'Z'
}

// OfRustHolder reports whether a path of Rust that leads out of the index is that of a method of
// Option or Result which these do not have: then what they hold was not followed.
func OfRustHolder(path string) bool {
	of, method, ok := strings.Cut(path, ".")
	return ok && (of == "Option" || of == "Result") && !strings.Contains(method, ".") && !ofHolders[method]
}

// ofHolders are the methods of Option and Result, with those that all values have.
var ofHolders = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`Err None Ok Some and and_then as_deref as_deref_mut as_mut as_pin_mut as_pin_ref as_ref as_slice
		borrow borrow_mut by_ref clone clone_from cloned cmp copied default eq err expect expect_err expect_none filter flatten fmt
		from from_iter from_output from_residual ge get_or_insert get_or_insert_default get_or_insert_with gt hash insert inspect
		inspect_err into into_err into_iter into_ok is_err is_err_and is_none is_none_or is_ok is_ok_and is_some is_some_and iter
		iter_mut le lt map map_err map_or map_or_default map_or_else max min ne ok ok_or ok_or_else or or_else partial_cmp product
		replace sum take take_if to_owned to_string transpose try_from try_into type_id unwrap unwrap_err unwrap_none unwrap_or
		unwrap_or_default unwrap_or_else unwrap_unchecked unzip xor zip`) {
		all[name] = true
	}
	return all
}()

// OfRustResult reports whether a path of Rust that leads out of the index may be that of a value
// of any type: what a function of the standard library gives whose result the caller chooses, or
// one of another package.
func OfRustResult(path string) bool {
	parts := strings.Split(path, ".")
	for _, part := range parts[1:] {
		switch part {
		case "parse", "into", "try_into", "from", "try_from", "from_str", "from_iter", "collect", "sum", "product", "default",
			"unwrap_or_default", "deserialize", "downcast", "downcast_ref", "downcast_mut", "cast", "transmute", "zeroed", "read", "assume_init":
			return true
		}
	}
	switch last := parts[len(parts)-1]; parts[0] {
	case "", "std", "core", "alloc", "str", "char", "bool", "list", "map", "tuple", "func",
		"i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64":
		return false
	default:
		return 'a' <= parts[0][0] && parts[0][0] <= 'z' && last != "" && 'a' <= last[0] && last[0] <= 'z' && len(parts) > 1
	}
}

// OfResult reports whether a path outside of the index is that of what a function gives back,
// and no type: Objects.requireNonNull(x) is what x is, and text.parse() what is wanted there.
func OfResult(language, path string) bool {
	if language == "rust" {
		return OfRustResult(path)
	}
	if language != "java" && language != "kotlin" && language != "ruby" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(path[strings.LastIndexByte(path, '.')+1:])
	return unicode.IsLower(r)
}
