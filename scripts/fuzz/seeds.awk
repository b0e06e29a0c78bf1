# Writes texts that grammars and parsers have failed on, or would if they were careless,
# below the folder dir: those of the language lang, and what is the same for all.

function rep(text, n,    all) {
	for (; n > 0; n = int(n / 2)) {
		if (n % 2) all = all text
		text = text text
	}
	return all
}

function put(name, text,    file) {
	file = dir "/" name
	printf "%s", text >file
	close(file)
}

BEGIN {
	split("( [ { < \" ' ` /* a+ a, a( {[( if(a) ){ \\ $ # - :\n", marks, " ")
	for (i in marks) {
		put("many-" i, rep(marks[i], 100000 / length(marks[i])))
		put("some-" i, rep(marks[i], 200))
	}
	put("lines", rep(rep("a ", 10000) "\n", 5))
	put("bytes", rep("a \377\340\200 \303\251 \360\237\230\200 \000\n", 500))
	put("indent", "")
	for (i = 1; i <= 600; i++) deep = deep rep(" ", i) "if a:\n"
	put("indent", deep)
	if (lang == "ruby") {
		for (i = 254; i <= 258; i++) put("heredoc-" i, "x = <<~" rep("W", i) "\n  a\n" rep("W", i) "\n")
		for (i = 1017; i <= 1023; i++) put("heredoc-" i, "x = <<~" rep("W", i) "\n  a\n" rep("W", i) "\n")
		for (i = 254; i <= 258; i++) put("heredocs-" i, "f(" rep("<<A, ", i) "1)\n" rep("a\nA\n", i))
		for (i = 200; i <= 210; i++) put("open-" i, rep("\"#{", i))
	}
	if (lang == "bash") {
		for (i = 1009; i <= 1018; i++) put("heredoc-" i, "cat <<" rep("W", i) "\na $b\n" rep("W", i) "\n")
		for (i = 254; i <= 258; i++) put("heredocs-" i, "cat " rep("<<A ", i) "\n" rep("a\nA\n", i))
		put("column", "cat <<A\n" rep(rep("a ", 10000) "\n", 50) "A\n")
		put("column-2", "cat <<A\n" rep(rep("a $b ", 4000) "\n", 50) "A\n")
	}
	if (lang == "php") for (i = 253; i <= 258; i++) {
		put("heredoc-" i, "<?php f(<<<" rep("W", i) "\n a\n" rep("W", i) "\n);\n")
		put("heredocs-" i, "<?php f(" rep("<<<A\n{$a[", i))
	}
	if (lang == "kotlin") for (i = 1020; i <= 1030; i++) put("strings-" i, rep("\"${", i))
	if (lang == "java") for (i = 100; i <= 140; i += 20) put("nested-" i, rep("{[(", i * 1000))
	if (lang == "sql") {
		tag = "$" rep("a", 1000) "$"
		put("tag", "CREATE FUNCTION f() AS " tag rep(" a$b $$ c\n", 2000) tag ";\n")
		put("tag-1030", "SELECT $" rep("a", 1030) "$ a $" rep("a", 1030) "$;\n")
	}
	if (lang == "yaml") for (i = 505; i <= 515; i++) put("levels-" i, rep("- ", i) "a\n")
	if (lang == "elm") put("in", rep("in ", 300) "\n" rep("a =\n let\n  b = c\n in\n", 20))
	if (lang == "hcl") for (i = 125; i <= 130; i++) {
		put("open-" i, "a = " rep("\"${", i))
		put("heredoc-" i, "a = <<" rep("W", i) "\nb\n" rep("W", i) "\n")
	}
	if (lang == "ocaml") for (i = 1020; i <= 1026; i++) put("string-" i, "let a = {" rep("a", i) "|b|" rep("a", i) "}\n")
	if (lang == "cpp") put("raw", "auto a = R\"" rep("a", 20) "(b)" rep("a", 20) "\";\n")
	if (lang == "csharp") for (i = 253; i <= 258; i++) put("open-" i, rep("$\"{", i))
	if (lang == "dockerfile") for (i = 507; i <= 514; i++) put("heredoc-" i, "RUN <<" rep("W", i) " <<" rep("V", i) " <<" rep("U", i) "\na\n")
	if (lang == "python") for (i = 253; i <= 258; i++) put("open-" i, rep("f\"{'", i))
	if (lang == "swift") {
		put("generic", rep("a<b<c>(d) -> { e in ", 27))
		put("raw", rep("#", 300) "\"a\"" rep("#", 300))
	}
	if (lang == "groovy") put("calls", rep("a b, { c -> d [e: f] ", 26))
	if (lang == "scala") put("indent", rep("def a =\n ", 600))
}
