// Resolves every call of Kotlin sources with the compiler's own analysis, and prints one
// JSON object a line, as java.java does: the files, the functions with a body, and the calls.
//
//	java -cp KOTLIN-COMPILER-EMBEDDABLE... kotlin.java ROOT CLASSPATH FILE...
//
// It needs the compiler's first frontend, so a version before 2.1, and runs nothing of what
// it reads. Files of Java among FILE are read for what the others need of them.

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.*;
import org.jetbrains.kotlin.analyzer.AnalysisResult;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.PsiElement;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.descriptors.*;
import org.jetbrains.kotlin.descriptors.impl.TypeAliasConstructorDescriptor;
import org.jetbrains.kotlin.psi.*;
import org.jetbrains.kotlin.resolve.*;
import org.jetbrains.kotlin.resolve.calls.model.*;
import org.jetbrains.kotlin.resolve.scopes.DescriptorKindFilter;
import org.jetbrains.kotlin.resolve.scopes.MemberScope;

class Calls {
	final Path root;
	final BindingContext context;
	final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
	final Map<CallableDescriptor, Set<CallableDescriptor>> below = new HashMap<>();
	final Map<KtFile, int[]> starts = new HashMap<>();

	public static void main(String[] args) throws IOException {
		CompilerConfiguration conf = new CompilerConfiguration();
		conf.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
		conf.put(CommonConfigurationKeys.MODULE_NAME, "sources");
		List<String> kotlin = new ArrayList<>();
		for (String f : Arrays.copyOfRange(args, 2, args.length)) {
			if (f.endsWith(".java")) JvmContentRootsKt.addJavaSourceRoots(conf, List.of(new File(f)));
			else kotlin.add(f);
		}
		ContentRootsKt.addKotlinSourceRoots(conf, kotlin);
		for (String jar : (args[1] + File.pathSeparator + System.getProperty("java.class.path")).split(File.pathSeparator)) {
			if (!jar.isEmpty()) JvmContentRootsKt.addJvmClasspathRoot(conf, new File(jar));
		}
		conf.put(CommonConfigurationKeys.LANGUAGE_VERSION_SETTINGS, new LanguageVersionSettingsImpl(LanguageVersion.KOTLIN_1_9, ApiVersion.KOTLIN_1_9, Map.of(), Map.of(LanguageFeature.MultiPlatformProjects, LanguageFeature.State.ENABLED)));
		conf.put(JVMConfigurationKeys.JDK_HOME, new File(System.getProperty("java.home")));
		JvmContentRootsKt.configureJdkClasspathRoots(conf);
		KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(Disposer.newDisposable(), conf, EnvironmentConfigFiles.JVM_CONFIG_FILES);
		AnalysisResult result = KotlinToJVMBytecodeCompiler.INSTANCE.analyze(environment);
		if (result == null) throw new IOException("the sources cannot be analysed");
		new Calls(Path.of(args[0]).toRealPath(), result.getBindingContext()).print(environment.getSourceFiles());
		System.out.flush();
		System.exit(0);
	}

	Calls(Path root, BindingContext context) {
		this.root = root;
		this.context = context;
	}

	void print(List<KtFile> files) {
		for (KtFile f : files) f.accept(new Definitions());
		for (KtFile f : files) {
			out.printf("{\"file\":%s}%n", quote(path(f)));
			f.accept(new Visit());
		}
		out.flush();
	}

	String path(KtFile f) {
		return root.relativize(Path.of(f.getVirtualFilePath())).toString();
	}

	static String quote(String s) {
		return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	// spot is a place: the file, the line and the column, in bytes, from 1.
	String spot(PsiElement e) {
		KtFile f = (KtFile) e.getContainingFile();
		String text = f.getText();
		int[] lines = starts.computeIfAbsent(f, k -> java.util.stream.IntStream.concat(java.util.stream.IntStream.of(0),
			java.util.stream.IntStream.range(0, text.length()).filter(i -> text.charAt(i) == '\n').map(i -> i + 1)).toArray());
		int at = e.getTextRange().getStartOffset();
		int line = Arrays.binarySearch(lines, at);
		if (line < 0) line = -line - 2;
		int column = text.substring(lines[line], at).getBytes(StandardCharsets.UTF_8).length + 1;
		return String.format("[%s,%d,%d]", quote(path(f)), line + 1, column);
	}

	// written is the name of what declares something in the sources, null for what is not theirs.
	static PsiElement written(DeclarationDescriptor d) {
		PsiElement e = DescriptorToSourceUtils.descriptorToDeclaration(d);
		if (e instanceof KtPrimaryConstructor c) e = c.getContainingClassOrObject();
		if (e instanceof KtSecondaryConstructor c) return c.getConstructorKeyword();
		if (e instanceof KtNamedDeclaration n && e.getContainingFile() instanceof KtFile) return n.getNameIdentifier() == null ? e : n.getNameIdentifier();
		return null;
	}

	static CallableDescriptor declared(CallableDescriptor d) {
		if (d instanceof TypeAliasConstructorDescriptor a) d = a.getUnderlyingConstructorDescriptor();
		if (d instanceof CallableMemberDescriptor m) d = DescriptorUtils.unwrapFakeOverride(m);
		return (CallableDescriptor) d.getOriginal();
	}

	static boolean runs(CallableDescriptor d) {
		return DescriptorToSourceUtils.descriptorToDeclaration(d) instanceof KtDeclarationWithBody b && b.hasBody();
	}

	// Definitions notes the functions, and which one runs where a class has one from above.
	class Definitions extends KtTreeVisitorVoid {
		@Override
		public void visitNamedFunction(KtNamedFunction f) {
			if (f.hasBody() && f.getNameIdentifier() != null) {
				out.printf("{\"function\":%s,\"name\":%s}%n", spot(f.getNameIdentifier()), quote(f.getName()));
			}
			super.visitNamedFunction(f);
		}

		@Override
		public void visitClassOrObject(KtClassOrObject k) {
			ClassDescriptor c = context.get(BindingContext.CLASS, k);
			if (c != null) {
				for (DeclarationDescriptor d : c.getUnsubstitutedMemberScope().getContributedDescriptors(DescriptorKindFilter.FUNCTIONS, MemberScope.Companion.getALL_NAME_FILTER())) {
					if (!(d instanceof FunctionDescriptor f) || f.getModality() == Modality.ABSTRACT) continue;
					CallableDescriptor run = declared(f);
					if (!runs(run)) continue;
					for (CallableDescriptor up : DescriptorUtils.getAllOverriddenDescriptors(f)) {
						if ((up = declared(up)) != run) below.computeIfAbsent(up, x -> new LinkedHashSet<>()).add(run);
					}
				}
			}
			super.visitClassOrObject(k);
		}
	}

	// Visit prints the calls of a file.
	class Visit extends KtTreeVisitorVoid {
		final Set<String> said = new HashSet<>();

		@Override
		public void visitAnnotationEntry(KtAnnotationEntry a) {} // runs nothing

		@Override
		public void visitKtElement(KtElement e) {
			Call call = context.get(BindingContext.CALL, e);
			if (call != null && !(e.getParent() instanceof KtCallableReferenceExpression r && r.getCallableReference() == e)) {
				ResolvedCall<?> resolved = context.get(BindingContext.RESOLVED_CALL, call);
				if (resolved instanceof VariableAsFunctionResolvedCall v) resolved = v.getFunctionCall();
				PsiElement name = nameOf(e);
				if (name == null) { // a range of a loop, an argument list
				} else if (resolved == null) line(spot(name), "", List.of(), List.of());
				else call(resolved, name);
			}
			if (e instanceof KtForExpression f && f.getLoopRange() != null) {
				implicit(e, context.get(BindingContext.LOOP_RANGE_ITERATOR_RESOLVED_CALL, f.getLoopRange()));
				implicit(e, context.get(BindingContext.LOOP_RANGE_HAS_NEXT_RESOLVED_CALL, f.getLoopRange()));
				implicit(e, context.get(BindingContext.LOOP_RANGE_NEXT_RESOLVED_CALL, f.getLoopRange()));
			}
			if (e instanceof KtDestructuringDeclarationEntry d) implicit(e, context.get(BindingContext.COMPONENT_RESOLVED_CALL, d));
			if (e instanceof KtProperty p && p.hasDelegate() && context.get(BindingContext.VARIABLE, p) instanceof VariableDescriptorWithAccessors v) {
				for (VariableAccessorDescriptor a : Arrays.asList(v.getGetter(), v.getSetter())) {
					if (a != null) implicit(e, context.get(BindingContext.DELEGATED_PROPERTY_RESOLVED_CALL, a));
				}
				implicit(e, context.get(BindingContext.PROVIDE_DELEGATE_RESOLVED_CALL, v));
			}
			super.visitKtElement(e);
		}

		// nameOf is what a call is written as: a name, an operator, a bracket; null of the rest.
		PsiElement nameOf(KtElement e) {
			if (e instanceof KtArrayAccessExpression a) return a.getIndicesNode().getFirstChild();
			if (e instanceof KtConstructorDelegationReferenceExpression r) return r.getTextLength() > 0 ? r : null;
			if (e instanceof KtConstructorCalleeExpression c) return c.getConstructorReferenceExpression() == null ? null : nameOf(c.getConstructorReferenceExpression());
			if (e instanceof KtSimpleNameExpression s) return s.getReferencedNameElement();
			return null;
		}

		void implicit(KtElement e, ResolvedCall<?> resolved) {
			if (resolved == null) return;
			CallableDescriptor d = declared(resolved.getResultingDescriptor());
			if (!runs(d)) return;
			for (PsiElement p = e; p != null; p = p.getParent()) {
				if (p instanceof KtNamedFunction f && f.getNameIdentifier() != null) {
					line(spot(f.getNameIdentifier()), "implicit", List.of(d), List.of());
					return;
				}
			}
		}

		void call(ResolvedCall<?> resolved, PsiElement name) {
			CallableDescriptor d = resolved.getResultingDescriptor();
			if (!(d instanceof FunctionDescriptor)) return; // a variable
			String at = spot(name);
			CallableDescriptor to = declared(d);
			PsiElement there = written(to);
			Set<CallableDescriptor> under = below.getOrDefault(to, Set.of());
			boolean exact = resolved.getDispatchReceiver() instanceof org.jetbrains.kotlin.resolve.scopes.receivers.SuperCallReceiverValue;
			if (to instanceof ConstructorDescriptor) line(at, there == null ? "external" : "direct", there == null ? List.of() : List.of(to), List.of());
			else if (there != null && runs(to)) line(at, "direct", List.of(to), exact ? List.of() : under);
			else if (!under.isEmpty()) {
				if (there != null) line(at, "interface", under, List.of(to));
				else line(at, "external", List.of(), under);
			} else if (there != null || ((FunctionDescriptor) to).getModality() == Modality.ABSTRACT) line(at, "", List.of(), List.of());
			else line(at, "external", List.of(), List.of());
		}

		String spots(Collection<CallableDescriptor> list) {
			StringJoiner all = new StringJoiner(",", "[", "]");
			for (CallableDescriptor d : list) if (written(d) != null) all.add(spot(written(d)));
			return all.toString();
		}

		void line(String at, String kind, Collection<CallableDescriptor> to, Collection<CallableDescriptor> under) {
			String text = String.format("{\"at\":%s,\"kind\":\"%s\",\"to\":%s,\"below\":%s}", at, kind, spots(to), spots(under));
			if (said.add(text)) out.println(text);
		}
	}
}
