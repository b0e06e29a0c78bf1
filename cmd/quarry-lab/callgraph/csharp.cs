// Resolves every call of C# sources with Mono's compiler, and prints one JSON object a line, as
// java.java does: the files, the functions with a body, and the calls.
//
//	mcs -r:mcs.exe -out:calls.exe csharp.cs && mono calls.exe ROOT ARGUMENT-OF-MCS...
//
// The compiler has no interface for that: what it resolved is found in the trees that it leaves
// behind when it has made an assembly, which nobody runs.

using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Mono.CSharp;

class Calls {
	const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

	readonly string root;
	readonly TextWriter output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
	readonly Dictionary<object, HashSet<MemberCore>> below = new Dictionary<object, HashSet<MemberCore>>();
	readonly Dictionary<string, string[]> texts = new Dictionary<string, string[]>();
	readonly HashSet<object> seen = new HashSet<object>(new Same());
	readonly HashSet<string> said = new HashSet<string>();
	readonly Dictionary<MemberCore, ToplevelBlock> code = new Dictionary<MemberCore, ToplevelBlock>();
	MemberCore member; // whose code is walked
	bool failed;
	int resolved;

	class Same : IEqualityComparer<object> {
		bool IEqualityComparer<object>.Equals(object a, object b) { return ReferenceEquals(a, b); }
		int IEqualityComparer<object>.GetHashCode(object o) { return RuntimeHelpers.GetHashCode(o); }
	}

	static int Main(string[] args) {
		var settings = new CommandLineParser(Console.Error).ParseArguments(args.Skip(1).ToArray());
		if (settings == null) return 2;
		var calls = new Calls(args[0]);
		int own = settings.SourceFiles.Count;
		string last = Path.GetTempFileName();
		File.WriteAllText(last, "#warning " + Printer.Parsed + "\n");
		try {
			settings.SourceFiles.Add(new SourceFile(last, last, own + 1));
			var context = new CompilerContext(settings, new Printer { calls = calls });
			var type = typeof(CompilerContext).Assembly.GetType("Mono.CSharp.Driver");
			type.GetMethod("Compile").Invoke(Activator.CreateInstance(type, context), null);
			calls.failed = context.Report.Errors > 0; // of types: then nothing is resolved in a body
		} finally {
			File.Delete(last);
		}
		foreach (var file in settings.SourceFiles.Take(own)) calls.output.WriteLine("{\"file\":" + Quote(calls.Relative(file.OriginalFullPathName)) + "}");
		var types = Types(RootContext.ToplevelTypes).ToList();
		foreach (var t in types) calls.Define(t);
		foreach (var t in types) calls.Walk(t);
		if (calls.resolved == 0 && calls.failed) return 1;
		calls.output.Flush();
		return 0;
	}

	// A Printer shows what the compiler says. When all files are read, the trees of what has code are
	// noted: the compiler lets go of them when it has written what they do.
	class Printer : StreamReportPrinter {
		public const string Parsed = "all files are read";
		public Calls calls;

		public Printer() : base(Console.Error) {}

		public override void Print(AbstractMessage m, bool full) {
			if (m.IsWarning && m.Text.Contains(Parsed)) {
				foreach (var t in Types(RootContext.ToplevelTypes)) calls.Note(t);
				return;
			}
			if (!m.IsWarning) base.Print(m, full);
		}
	}

	// Note keeps the code of what a type has.
	void Note(TypeDefinition t) {
		foreach (var m in t.Members) {
			var method = m as MethodCore;
			if (method != null) code[m] = method.Block;
			foreach (var a in Accessors(m)) code[a] = a.Block;
		}
	}

	static IEnumerable<AbstractPropertyEventMethod> Accessors(MemberCore m) {
		return new[] { "get", "set", "add", "remove" }.Select(part => Field(m, part)).OfType<AbstractPropertyEventMethod>();
	}

	Calls(string root) { this.root = Path.GetFullPath(root).TrimEnd('/') + "/"; }

	static IEnumerable<TypeDefinition> Types(TypeContainer c) {
		foreach (var inner in c.Containers ?? new TypeContainer[0]) {
			var t = inner as TypeDefinition;
			if (t != null && !Made(t)) yield return t;
			foreach (var below in Types(inner)) yield return below;
		}
	}

	// Made reports whether the compiler has made a member by itself, as it does with classes for lambdas.
	static bool Made(MemberCore m) { return (m.ModFlags & Modifiers.COMPILER_GENERATED) != 0; }

	// Field reads what the compiler keeps to itself; null where there is no such field.
	static object Field(object o, string name) {
		for (var t = o.GetType(); t != null; t = t.BaseType) {
			var f = t.GetField(name, Any);
			if (f != null) return f.GetValue(o);
			var p = t.GetProperty(name, Any);
			if (p != null && p.GetIndexParameters().Length == 0) return p.GetValue(o, null);
		}
		return null;
	}

	string Relative(string path) {
		path = Path.GetFullPath(path);
		return path.StartsWith(root, StringComparison.Ordinal) ? path.Substring(root.Length) : path;
	}

	static string Quote(string s) { return '"' + s.Replace("\\", "\\\\").Replace("\"", "\\\"") + '"'; }

	// Line returns a line of a source.
	string Line(Location l) {
		string[] lines;
		string path = l.SourceFile.OriginalFullPathName;
		if (!texts.TryGetValue(path, out lines)) texts[path] = lines = File.ReadAllText(path).Replace("\r\n", "\n").Split('\n');
		return l.Row <= lines.Length ? lines[l.Row - 1] : "";
	}

	// Stands reports whether a word is written at a place. The compiler keeps no columns beyond 255.
	bool Stands(Location l, string word) {
		if (l.IsNull || l.Row < 1 || l.Column < 1) return false;
		string line = Line(l);
		int at = l.Column - 1;
		if (at < line.Length && line[at] == '@') at++;
		return at + word.Length <= line.Length && string.CompareOrdinal(line, at, word, 0, word.Length) == 0 &&
			(at + word.Length == line.Length || !char.IsLetterOrDigit(line[at + word.Length]) || !char.IsLetter(word[0]));
	}

	// Spot is a place: the file, the line and the column, in bytes, from 1.
	string Spot(Location l) {
		string line = Line(l);
		int column = Encoding.UTF8.GetByteCount(line.Substring(0, Math.Min(l.Column - 1, line.Length))) + 1;
		return "[" + Quote(Relative(l.SourceFile.OriginalFullPathName)) + "," + l.Row + "," + column + "]";
	}

	// Declared is what runs in the sources, or stands there: of an accessor its property. It is null of
	// what is not theirs.
	static MemberCore Declared(MemberSpec s) {
		if (s == null) return null;
		var m = s.MemberDefinition as MemberCore;
		var accessor = m as AbstractPropertyEventMethod;
		if (accessor != null) m = Field(accessor, "method") as MemberCore;
		var method = m as Method;
		if (method != null) m = Field(method, "partialMethodImplementation") as MemberCore ?? m;
		return m != null && !m.Location.IsNull ? m : null;
	}

	// Runs reports whether a member has code. What an automatic property does is none.
	bool Runs(MemberCore m) {
		return m != null && (HasCode(m) || m is PropertyBase && Accessors(m).Any(HasCode));
	}

	bool HasCode(MemberCore m) {
		ToplevelBlock block;
		return code.TryGetValue(m, out block) && block != null;
	}

	// Define notes the functions of a type, and what runs in the place of what is above it.
	void Define(TypeDefinition t) {
		foreach (var m in t.Members) {
			bool made = m is Constructor && m.Location.Equals(t.Location) || Made(m);
			string name = m is Constructor ? t.MemberName.Name : m is Indexer ? "this" : m.MemberName.Name;
			if (Runs(m) && !made && (m is Method || m is Constructor || m is PropertyBase) && Stands(m.Location, name)) {
				output.WriteLine("{\"function\":" + Spot(m.Location) + ",\"name\":" + Quote(name) + "}");
			}
			var member = m as InterfaceMemberBase;
			if (member == null || (m.ModFlags & Modifiers.OVERRIDE) == 0 || t.BaseType == null) continue;
			for (var up = t.BaseType; up != null; up = up.BaseType) Above(Find(up, m, BindingRestriction.DeclaredOnly), m);
		}
		if (t is Mono.CSharp.Interface || t.Definition == null) return;
		for (var up = t.Definition; up != null; up = up.BaseType) {
			foreach (var face in up.Interfaces ?? new TypeSpec[0]) {
				foreach (var wanted in Members(face)) {
					var exact = t.Members.OfType<InterfaceMemberBase>().FirstOrDefault(m => m.IsExplicitImpl && m.InterfaceType == face && m.ShortName == wanted.Name);
					Above(wanted, exact ?? Declared(MemberCache.FindMember(t.Definition, Filter(wanted), BindingRestriction.InstanceOnly)));
				}
			}
		}
	}

	void Above(MemberSpec up, MemberCore runs) {
		if (up == null || !Runs(runs)) return;
		object key = Key(up);
		if (key == runs) return;
		HashSet<MemberCore> under;
		if (!below.TryGetValue(key, out under)) below[key] = under = new HashSet<MemberCore>();
		under.Add(runs);
	}

	static object Key(MemberSpec s) { return (object) Declared(s) ?? s.MemberDefinition; }

	static MemberSpec Find(TypeSpec t, MemberCore m, BindingRestriction how) {
		if (m is MethodCore) return MemberCache.FindMember(t, Filter(((MethodCore) m).Spec), how);
		var indexer = m as Indexer;
		if (indexer != null) return MemberCache.FindMember(t, new Mono.CSharp.MemberFilter(MemberCache.IndexerNameAlias, 0, MemberKind.Indexer, indexer.ParameterInfo, null), how);
		if (!(m is PropertyBase)) return null;
		return MemberCache.FindMember(t, new Mono.CSharp.MemberFilter(((PropertyBase) m).ShortName, 0, MemberKind.Property, null, null), how);
	}

	static Mono.CSharp.MemberFilter Filter(MemberSpec s) {
		var method = s as MethodSpec;
		if (method != null) return new Mono.CSharp.MemberFilter(method);
		var indexer = s as IndexerSpec;
		return new Mono.CSharp.MemberFilter(indexer == null ? s.Name : MemberCache.IndexerNameAlias, 0, s.Kind, indexer == null ? null : indexer.Parameters, null);
	}

	// Members are the methods and properties of an interface.
	static IEnumerable<MemberSpec> Members(TypeSpec face) {
		var all = (Dictionary<string, IList<MemberSpec>>) Field(face.MemberCache, "member_hash");
		return all.Values.SelectMany(x => x).Where(s => s is PropertySpec || s is MethodSpec && !((MethodSpec) s).IsAccessor).Distinct().ToList();
	}

	// Walk goes through the code of a type.
	void Walk(TypeDefinition t) {
		member = t;
		foreach (string fields in new[] { "initialized_fields", "initialized_static_fields" }) Visit(Field(t, fields));
		foreach (var m in t.Members) {
			if (m is TypeContainer) continue;
			member = m;
			var method = m as MethodCore;
			if (method != null) {
				var constructor = m as Constructor;
				if (constructor != null) Visit(constructor.Initializer);
				if (HasCode(m)) Visit(code[m]);
			}
			foreach (var accessor in Accessors(m)) {
				if (HasCode(accessor)) Visit(code[accessor]);
			}
		}
	}

	// Visit goes through statements and expressions, whatever they are made of.
	void Visit(object o) {
		var list = o as IEnumerable;
		if (list != null && !(o is string)) {
			var type = o.GetType();
			if (!type.IsArray && !(o is IList)) return;
			foreach (var one in list) if (IsCode(one)) Visit(one);
			return;
		}
		if (o == null || !seen.Add(o)) return;
		Print(o);
		for (var t = o.GetType(); t != null && t != typeof(object); t = t.BaseType) {
			foreach (var f in t.GetFields(Any)) {
				// What is not resolved: the text of a lambda, of which a copy was.
				if (f.IsStatic || f.FieldType.IsValueType || f.Name == "original" || f.Name == "Parent" || o is AnonymousMethodExpression) continue;
				var v = f.GetValue(o);
				if (IsCode(v) || v is IList) Visit(v);
			}
		}
	}

	static bool IsCode(object o) {
		return o is Statement || o is Expression || o is Arguments || o is Argument || o is SwitchLabel || o is BlockVariableDeclarator || o is IList && !(o is Array && o.GetType().GetElementType().IsValueType);
	}

	void Print(object o) {
		var invocation = o as Invocation;
		if (invocation != null) {
			var group = invocation.MethodGroup;
			if (group == null) {
				var named = invocation.Exp as ATypeNameExpression;
				if (named != null && Stands(named.Location, named.Name)) Say(Spot(named.Location), "", new MemberCore[0], new MemberCore[0]);
				return;
			}
			if (group.BestCandidate != null) Call(group.BestCandidate, group.InstanceExpression, group.Location, group.BestCandidate.Name, group.IsBase);
			return;
		}
		var made = o as New;
		if (made != null) {
			var spec = Field(made, "method") as MethodSpec;
			var name = made.TypeExpression as ATypeNameExpression;
			if (spec != null) Call(spec, null, name == null ? Location.Null : name.Location, name == null ? "" : name.Name, true);
			return;
		}
		var initializer = o as ConstructorInitializer;
		if (initializer != null) {
			var spec = Field(initializer, "base_ctor") as MethodSpec;
			string word = Stands(initializer.Location, "this") ? "this" : "base";
			if (spec != null) Call(spec, null, initializer.Location, word, true);
			return;
		}
		if (o is UserOperatorCall || o is UserCast) {
			var spec = (Field(o, "oper") ?? Field(o, "method")) as MethodSpec;
			if (spec != null) Implicit(Declared(spec));
			return;
		}
		var property = Field(o, "best_candidate") as PropertySpec;
		if (property != null && o is Expression) {
			var e = (Expression) o;
			var m = Declared(property);
			if (m == null || Runs(m) || m.Parent is Mono.CSharp.Interface || (m.ModFlags & Modifiers.ABSTRACT) != 0) Call(property, o is MemberExpr ? ((MemberExpr) o).InstanceExpression : null, e.Location, property is IndexerSpec ? "[" : property.Name, o is MemberExpr && ((MemberExpr) o).IsBase);
		}
	}

	// Nearest is what runs of a virtual member for a value of a type itself: the compiler has the one that
	// is declared first.
	static MemberSpec Nearest(MemberSpec s, Expression value) {
		for (var t = value == null ? null : value.Type; t != null && t != s.DeclaringType && !t.IsInterface; t = t.BaseType) {
			var own = MemberCache.FindMember(t, Filter(s), BindingRestriction.DeclaredOnly);
			if (own != null && (own.Modifiers & Modifiers.OVERRIDE) != 0) return own;
		}
		return s;
	}

	void Call(MemberSpec spec, Expression value, Location at, string word, bool exact) {
		spec = Nearest(spec, value);
		var to = Declared(spec);
		if (spec.DeclaringType != null && spec.DeclaringType.IsDelegate) return; // a value
		HashSet<MemberCore> under;
		if (!below.TryGetValue(Key(spec), out under)) under = new HashSet<MemberCore>();
		var all = under.OrderBy(m => Spot(m.Location), StringComparer.Ordinal);
		if (word == "" || !Stands(at, word)) {
			if (Runs(to)) Implicit(to);
			return;
		}
		string place = Spot(at);
		if (to is Constructor || Runs(to)) Say(place, "direct", new[] { to }, exact ? Enumerable.Empty<MemberCore>() : all);
		else if (under.Count > 0 && to != null) Say(place, "interface", all, new[] { to });
		else if (under.Count > 0) Say(place, "external", new MemberCore[0], all);
		else if (to != null) Say(place, "", new MemberCore[0], new MemberCore[0]);
		else Say(place, "external", new MemberCore[0], new MemberCore[0]);
	}

	// Implicit prints a call that is not written, or not where the compiler says.
	void Implicit(MemberCore to) {
		if (to == null || !Runs(to) || member.Location.IsNull) return;
		Say(Spot(member.Location), "implicit", new[] { to }, new MemberCore[0]);
	}

	void Say(string at, string kind, IEnumerable<MemberCore> to, IEnumerable<MemberCore> under) {
		if (kind != "") resolved++;
		string text = "{\"at\":" + at + ",\"kind\":\"" + kind + "\",\"to\":" + Spots(to) + ",\"below\":" + Spots(under) + "}";
		if (said.Add(text)) output.WriteLine(text);
	}

	string Spots(IEnumerable<MemberCore> list) { return "[" + string.Join(",", list.Select(m => Spot(m.Location))) + "]"; }
}
