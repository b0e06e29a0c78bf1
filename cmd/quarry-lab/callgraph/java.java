// Resolves every call of Java sources with the compiler's own attribution, and prints one
// JSON object a line: the files, the functions with a body, and the calls, each with where
// its name stands, of what kind it is, and where the names of what it runs stand.
//
//	java --add-exports jdk.compiler/com.sun.tools.javac.{code,tree,util}=ALL-UNNAMED \
//		java.java ROOT CLASSPATH FILE...
//
// It needs a JDK of version 17 or later and runs nothing of what it reads.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.tree.JCTree;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.*;
import javax.tools.*;

class Calls {
	final Path root;
	final Trees trees;
	final com.sun.tools.javac.code.Types types;
	final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

	// A Def is where the name of a method or class of the sources stands.
	record Def(CompilationUnitTree unit, int pos) {}

	final Map<Symbol, Def> defs = new HashMap<>();
	final List<ClassSymbol> classes = new ArrayList<>();
	final Map<Symbol, Set<Symbol>> implementations = new HashMap<>();

	public static void main(String[] args) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
		List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-Xmaxerrs", "20"));
		if (!args[1].isEmpty()) options.addAll(List.of("-classpath", args[1]));
		JavacTask task = (JavacTask) compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(Arrays.copyOfRange(args, 2, args.length)));
		List<CompilationUnitTree> units = new ArrayList<>();
		task.parse().forEach(units::add);
		task.analyze();
		new Calls(Path.of(args[0]).toRealPath(), task).print(units);
	}

	Calls(Path root, JavacTask task) {
		this.root = root;
		trees = Trees.instance(task);
		types = com.sun.tools.javac.code.Types.instance(((com.sun.tools.javac.api.BasicJavacTask) task).getContext());
	}

	void print(List<CompilationUnitTree> units) throws IOException {
		for (CompilationUnitTree unit : units) new Definitions(unit).scan(unit, null);
		for (ClassSymbol c : classes) implement(c);
		for (CompilationUnitTree unit : units) {
			out.printf("{\"file\":%s}%n", quote(path(unit)));
			new Visit(unit).scan(unit, null);
		}
		out.flush();
	}

	// implement notes, for each method that a class has from its types above, which one runs.
	void implement(ClassSymbol c) {
		if ((c.flags() & (Flags.INTERFACE | Flags.ABSTRACT)) != 0) return;
		for (Type up : types.closure(c.type)) {
			for (Symbol s : up.tsym.members().getSymbols()) {
				if (!(s instanceof MethodSymbol m) || m.isConstructor() || m.isStatic()) continue;
				MethodSymbol runs = m.implementation(c, types, true);
				if (runs != null && runs != m && defs.containsKey(runs)) implementations.computeIfAbsent(m, k -> new LinkedHashSet<>()).add(runs);
			}
		}
	}

	String path(CompilationUnitTree unit) {
		try {
			return root.relativize(Path.of(unit.getSourceFile().toUri()).toRealPath()).toString();
		} catch (IOException e) {
			throw new java.io.UncheckedIOException(e);
		}
	}

	static String text(CompilationUnitTree unit) {
		try {
			return unit.getSourceFile().getCharContent(true).toString();
		} catch (IOException e) {
			throw new java.io.UncheckedIOException(e);
		}
	}

	// spot is a place: the file, the line and the column, in bytes, from 1.
	String spot(CompilationUnitTree unit, String text, int pos) {
		int line = (int) unit.getLineMap().getLineNumber(pos);
		int start = (int) unit.getLineMap().getStartPosition(line);
		int column = text.substring(start, pos).getBytes(StandardCharsets.UTF_8).length + 1;
		return String.format("[%s,%d,%d]", quote(path(unit)), line, column);
	}

	String spots(Collection<Symbol> list) {
		StringJoiner all = new StringJoiner(",", "[", "]");
		for (Symbol s : list) {
			Def d = defs.get(s);
			if (d != null) all.add(spot(d.unit, text(d.unit), d.pos));
		}
		return all.toString();
	}

	static String quote(String s) {
		return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	// word is where a word stands at or after a position.
	static int word(String text, String word, int from) {
		for (int i = text.indexOf(word, from); i >= 0; i = text.indexOf(word, i + 1)) {
			int end = i + word.length();
			boolean before = i > 0 && Character.isJavaIdentifierPart(text.charAt(i - 1));
			boolean after = end < text.length() && Character.isJavaIdentifierPart(text.charAt(end));
			if (!before && !after) return i;
		}
		return from;
	}

	// Definitions notes the classes and methods that are written in the sources.
	class Definitions extends TreePathScanner<Void, Void> {
		final CompilationUnitTree unit;
		final String text;

		Definitions(CompilationUnitTree unit) {
			this.unit = unit;
			text = text(unit);
		}

		@Override
		public Void visitClass(ClassTree tree, Void v) {
			ClassSymbol c = ((JCTree.JCClassDecl) tree).sym;
			if (c != null) {
				classes.add(c);
				int pos = ((JCTree) tree).pos;
				String name = tree.getSimpleName().toString();
				defs.put(c, new Def(unit, name.isEmpty() ? pos : word(text, name, pos)));
			}
			return super.visitClass(tree, v);
		}

		@Override
		public Void visitMethod(MethodTree tree, Void v) {
			MethodSymbol m = ((JCTree.JCMethodDecl) tree).sym;
			if (m != null) {
				Def owner = defs.get(m.owner);
				boolean written = !generated(m);
				if (written || owner != null) defs.put(m, written ? new Def(unit, ((JCTree) tree).pos) : owner);
				if (written && tree.getBody() != null) {
					String name = m.isConstructor() ? m.owner.name.toString() : m.name.toString();
					out.printf("{\"function\":%s,\"name\":%s}%n", spot(unit, text, ((JCTree) tree).pos), quote(name));
				}
			}
			return super.visitMethod(tree, v);
		}
	}

	static boolean generated(MethodSymbol m) {
		return (m.flags() & (Flags.GENERATEDCONSTR | Flags.SYNTHETIC | Flags.MANDATED | Flags.GENERATED_MEMBER)) != 0;
	}

	// Visit prints the calls of a file.
	class Visit extends TreePathScanner<Void, Void> {
		final CompilationUnitTree unit;
		final String text;

		Visit(CompilationUnitTree unit) {
			this.unit = unit;
			text = text(unit);
		}

		@Override
		public Void visitMethod(MethodTree tree, Void v) {
			MethodSymbol m = ((JCTree.JCMethodDecl) tree).sym;
			return m == null || generated(m) ? null : super.visitMethod(tree, v);
		}

		@Override
		public Void visitMethodInvocation(MethodInvocationTree tree, Void v) {
			JCTree called = (JCTree) tree.getMethodSelect();
			Symbol s = called instanceof JCTree.JCIdent i ? i.sym : called instanceof JCTree.JCFieldAccess f ? f.sym : null;
			int pos = called.pos;
			if (called instanceof JCTree.JCFieldAccess f) {
				pos = (int) trees.getSourcePositions().getEndPosition(unit, (Tree) called) - f.name.length();
			}
			if (s instanceof MethodSymbol m) {
				boolean base = called instanceof JCTree.JCIdent i && i.name.contentEquals("super");
				if (base && !text.startsWith("super", pos)) implicit(m);
				else call(m, pos, called instanceof JCTree.JCFieldAccess f && f.selected.toString().endsWith("super"));
			} else {
				line(pos, "", List.of(), List.of());
			}
			return super.visitMethodInvocation(tree, v);
		}

		@Override
		public Void visitNewClass(NewClassTree tree, Void v) {
			JCTree.JCNewClass made = (JCTree.JCNewClass) tree;
			if (made.constructor instanceof MethodSymbol m && generated(m) && (m.owner.flags() & Flags.ENUM) != 0) {
				return super.visitNewClass(tree, v); // a constant of an enum without a constructor
			}
			int pos = made.clazz.pos;
			JCTree name = made.clazz;
			while (name instanceof JCTree.JCTypeApply a) name = a.clazz;
			while (name instanceof JCTree.JCAnnotatedType a) name = a.underlyingType;
			pos = name.pos;
			if (name instanceof JCTree.JCFieldAccess f) {
				pos = (int) trees.getSourcePositions().getEndPosition(unit, (Tree) name) - f.name.length();
			}
			Symbol s = made.constructor;
			if (made.def != null && s != null) s = baseOf(made.def);
			if (s instanceof MethodSymbol m) call(m, pos, true);
			else line(pos, "", List.of(), List.of());
			return super.visitNewClass(tree, v);
		}

		// baseOf is the constructor that the one of an anonymous class calls.
		Symbol baseOf(JCTree.JCClassDecl def) {
			for (JCTree member : def.defs) {
				if (!(member instanceof JCTree.JCMethodDecl m) || m.sym == null || !m.sym.isConstructor() || m.body == null) continue;
				for (JCTree.JCStatement st : m.body.stats) {
					if (st instanceof JCTree.JCExpressionStatement e && e.expr instanceof JCTree.JCMethodInvocation i) {
						return i.meth instanceof JCTree.JCIdent id ? id.sym : i.meth instanceof JCTree.JCFieldAccess f ? f.sym : null;
					}
				}
			}
			return null;
		}

		// implicit prints a call that is not written: of the constructor of the base.
		void implicit(MethodSymbol m) {
			for (TreePath p = getCurrentPath(); p != null; p = p.getParentPath()) {
				if (p.getLeaf() instanceof JCTree.JCMethodDecl d && d.sym != null && defs.containsKey(m)) {
					line(d.pos, "implicit", List.of(m), List.of());
					return;
				}
			}
		}

		void call(MethodSymbol m, int pos, boolean exact) {
			m = (MethodSymbol) m.baseSymbol();
			Collection<Symbol> below = implementations.getOrDefault(m, Set.of());
			boolean inside = defs.containsKey(m);
			if (m.isConstructor() || m.isStatic() || exact) {
				line(pos, inside ? "direct" : "external", inside ? List.of(m) : List.of(), List.of());
			} else if (inside && (m.flags() & Flags.ABSTRACT) == 0) {
				line(pos, "direct", List.of(m), below);
			} else if (!below.isEmpty()) {
				// What the library declares may be of the library's own classes, too.
				if (inside) line(pos, "interface", below, List.of(m));
				else line(pos, "external", List.of(), below);
			} else if (inside || functional(m)) {
				line(pos, "", List.of(), List.of());
			} else {
				line(pos, "external", List.of(), List.of());
			}
		}

		// functional reports whether a method may be that of a function literal.
		boolean functional(MethodSymbol m) {
			try {
				return types.isFunctionalInterface((Symbol.TypeSymbol) m.owner) && (m.flags() & Flags.ABSTRACT) != 0;
			} catch (com.sun.tools.javac.code.Types.FunctionDescriptorLookupError e) {
				return false;
			}
		}

		void line(int pos, String kind, Collection<Symbol> to, Collection<Symbol> below) {
			out.printf("{\"at\":%s,\"kind\":\"%s\",\"to\":%s,\"below\":%s}%n", spot(unit, text, pos), kind, spots(to), spots(below));
		}
	}
}
