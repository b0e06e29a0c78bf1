# Proves slices by running them: what is not in the slice of a line and a variable is taken out
# of the text, and both texts have to see the same values there.
#
#	python slices.py generate DIR LANGUAGE NUMBER SEED   functions made by lot, one a file
#	python slices.py real DIR NUMBER SEED                functions of the standard library
#	python slices.py check GRAPHS [--small] [--more] [--verbose]  runs them
#
# GRAPHS is what TestDump of index/internal/flow writes of the files in DIR. The criterion
# is the line that prints. With --small each slice is made smaller as long as the values stay,
# and with --more there are inputs for branches that the first ones do not take: what looks as if
# it could be left out may be there for these.
import ast
import collections
import contextlib
import copy
import importlib
import inspect
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

_r = random.Random(7)
# More of them are used with --more: branches that the first ones do not take.
MORE = [(_r.randint(-20, 40), _r.randint(-20, 40), [_r.randint(-3, 20) for _ in range(_r.randint(1, 7))]) for _ in range(96)]
_r = random.Random(7)
INPUTS = [(_r.randint(-3, 12), _r.randint(-3, 12), [_r.randint(0, 9) for _ in range(_r.randint(1, 4))]) for _ in range(24)]


class Node:
    """A statement: its text by language, and its blocks. The head is given with each block."""

    def __init__(self, py, go=None, blocks=(), heads=(), declares=None, tail="", whole=False, js=None):
        self.py, self.go = py, py if go is None else go
        self.js = js
        self.blocks = list(blocks)  # lists of nodes
        self.heads = list(heads)  # (Python, Go) of the second block and those after it
        self.declares = declares  # Go: what stands for it where it is not kept but its variable is
        self.whole = whole  # it is kept with all that is in it


class Generator:
    def __init__(self, rnd, language):
        self.r, self.language = rnd, language
        self.count = 0
        self.closures = []
        self.ints = ["x", "y", "z", "w"]

    def value(self, deep=0):
        r = self.r
        pick = r.random()
        if pick < 0.4 or deep > 1:
            return self.variable()
        if pick < 0.5:
            return str(r.randint(0, 9))
        if pick < 0.7:
            return f"{self.value(deep + 1)} {r.choice('+-*')} {self.value(deep + 1)}"
        if pick < 0.76:
            return f"len({self.list()})"
        if pick < 0.82:
            return f"{self.list()}[0]"
        if pick < 0.88:
            return f"{r.choice('oq')}.{r.choice('fg')}"
        if pick < 0.94:
            return f"twice({self.value(deep + 1)})"
        return f"total({self.list()})"

    def variable(self):
        return self.r.choice(self.ints + ["a", "b"])

    def list(self):
        return self.r.choice(["xs", "ys", "zs"])

    def condition(self):
        r = self.r
        def test():
            if r.random() < 0.5:
                return f"{self.variable()} % {r.randint(2, 3)} == {r.randint(0, 1)}"
            return f"{self.variable()} {r.choice(['<', '>'])} {r.choice(['a', 'b', str(r.randint(0, 9)), self.variable()])}"
        one = test()
        if r.random() < 0.2:
            word = r.choice([("and", "&&"), ("or", "||")])
            two = test()
            return f"{one} {word[0]} {two}", f"{one} {word[1]} {two}"
        return one, one

    def fresh(self):
        self.count += 1
        return f"i{self.count}"

    def block(self, depth, loop, size=4):
        return [n for _ in range(self.r.randint(1, size)) for n in self.statement(depth, loop)]

    def statement(self, depth, loop):
        r = self.r
        pick = r.random()
        if depth < 3 and pick < 0.16:
            c = self.condition()
            blocks = [self.block(depth + 1, loop)]
            heads = []
            if r.random() < 0.25:
                c2 = self.condition()
                heads.append((f"elif {c2[0]}:", f"}} else if {c2[1]} {{"))
                blocks.append(self.block(depth + 1, loop, 3))
            if r.random() < 0.5:
                heads.append(("else:", "} else {"))
                blocks.append(self.block(depth + 1, loop, 3))
            return [Node(f"if {c[0]}:", f"if {c[1]} {{", blocks, heads)]
        if depth < 3 and pick < 0.24:
            i = self.fresh()
            self.ints.append(i)
            if r.random() < 0.5:
                n = r.randint(1, 4)
                body = self.block(depth + 1, True)
                self.ints.remove(i)
                return [Node(f"for {i} in range({n}):", f"for {i} := range {n} {{ _ = {i}", [body])]
            seq = self.list()
            body = self.block(depth + 1, True)
            self.ints.remove(i)
            return [Node(f"for {i} in list({seq}):", f"for _, {i} := range {seq} {{ _ = {i}", [body])]
        if depth < 3 and pick < 0.29:
            i = self.fresh()
            step = Node(f"{i} += 1")
            self.ints.append(i)
            body = [step] + self.block(depth + 1, True)
            c = self.condition()
            self.ints.remove(i)
            return [Node(f"{i} = 0", f"{i} := 0; _ = {i}", declares=f"var {i} int; _ = {i}"),
                    Node(f"while {i} < {r.randint(2, 5)} and ({c[0]} or {i} < 2):", f"for {i} < {r.randint(2, 5)} && ({c[1]} || {i} < 2) {{", [body])]
        if loop and pick < 0.34:
            word = r.choice(["break", "continue"])
            c = self.condition()
            return [Node(f"if {c[0]}:", f"if {c[1]} {{", [[Node(word)]])]
        if pick < 0.35 or pick < 0.37 and depth > 1:
            c = self.condition()
            return [Node(f"if {c[0]}:", f"if {c[1]} {{", [[Node(f"return {r.choice(self.ints)}", None)]])]
        if depth < 3 and pick < 0.43:
            if self.language == "python":
                return [self.trying(depth, loop)]
            return [self.switch(depth, loop)]
        if pick < 0.66:
            v = r.choice(["x", "y", "z", "w"])
            if r.random() < 0.3:
                return [Node(f"{v} {r.choice(['+=', '-='])} {self.value(1)}")]
            if self.language == "go" and depth > 0 and r.random() < 0.12:
                return [Node("", f"{v} := {self.value()}; _ = {v}", declares=f"var {v} int; _ = {v}")]
            return [Node(f"{v} = {self.value()}")]
        if pick < 0.72:
            v = self.value(1)
            name = r.choice(["ys", "zs"])
            return [Node(f"{name}.append({v})", f"{name} = append({name}, {v})")]
        if pick < 0.77:
            return [Node(f"{r.choice(['ys', 'zs'])}[0] = {self.value(1)}")]
        if pick < 0.82:
            return [Node(f"{r.choice('oq')}.{r.choice('fg')} = {self.value(1)}")]
        if pick < 0.85:
            return [Node(r.choice(["zs = ys", "ys = zs", "q = o", "o = q"]))]
        if pick < 0.88:
            return [Node(f"set_f({r.choice('oq')}, {self.value(1)})", f"setF({r.choice('oq')}, {self.value(1)})")]
        if pick < 0.91:
            return [Node(f"{r.choice(['ys', 'zs'])} = [{self.value(1)}, {self.value(1)}]", f"{r.choice(['ys', 'zs'])} = []int{{{self.value(1)}, {self.value(1)}}}")]
        if pick < 0.93:
            return [Node(f"o = Box({self.value(1)}, {self.value(1)})", f"o = &Box{{{self.value(1)}, {self.value(1)}}}")]
        if pick < 0.96 and self.closures:
            name, gives = r.choice(self.closures)
            return [Node(f"{r.choice('xyzw')} = {name}()" if gives else f"{name}()")]
        if pick < 0.98:
            return [Node(f"d[{self.value(2)}] = {self.value(1)}")]
        if self.language == "python":
            return [Node(f"{r.choice('xyzw')} = d.get({self.value(2)}, 0)")]
        return [Node("", f"{r.choice('xyzw')} = d[{self.value(2)}]")]

    def trying(self, depth, loop):
        r = self.r
        body = self.block(depth + 1, loop, 2)
        risky = r.choice([f"x = d[{self.value(2)}]", f"check({self.value(2)})", f"y = 7 // ({self.value(2)})", f"raise ValueError({self.value(2)})"])
        inner = Node(risky)
        if risky.startswith("raise"):
            inner = Node(f"if {self.condition()[0]}:", blocks=[[inner]])
        body.insert(r.randint(0, len(body)), inner)
        blocks, heads = [body], []
        shape = r.random()
        if shape < 0.85:
            heads.append((r.choice(["except (KeyError, ValueError, ZeroDivisionError):", "except Exception:", "except KeyError:"]), ""))
            blocks.append(self.block(depth + 1, loop, 2))
            if r.random() < 0.2:
                heads.append(("else:", ""))
                blocks.append(self.block(depth + 1, loop, 2))
        if shape > 0.7:
            heads.append(("finally:", ""))
            blocks.append(self.block(depth + 1, False, 2))
        return Node("try:", "", blocks, heads)

    def switch(self, depth, loop):
        r = self.r
        heads = [("", f"case {i}:") for i in r.sample(range(6), r.randint(1, 3))]
        if r.random() < 0.6:
            heads.append(("", "default:"))
        blocks = [[]] + [self.block(depth + 1, loop, 2) for _ in heads]
        if r.random() < 0.3 and len(heads) > 1:
            blocks[1].append(Node("", "fallthrough"))
        return Node("", f"switch {self.value(1)} {{", blocks, heads)

    def function(self, name):
        r = self.r
        top = []
        for v in "xyzw":
            e = r.choice(["a", "b", str(r.randint(0, 5)), "a + b"])
            top.append(Node(f"{v} = {e}", f"{v} := {e}; _ = {v}", declares=f"var {v} int; _ = {v}"))
        top.append(Node("ys = list(xs)", "ys := append([]int{}, xs...); _ = ys", declares="var ys []int; _ = ys"))
        top.append(Node("zs = [b, a]", "zs := []int{b, a}; _ = zs", declares="var zs []int; _ = zs"))
        top.append(Node("o = Box(a, b)", "o := &Box{a, b}; _ = o", declares="var o *Box; _ = o"))
        top.append(Node(*r.choice([("q = o", "q := o; _ = q"), ("q = Box(1, 2)", "q := &Box{1, 2}; _ = q")]), declares="var q *Box; _ = q"))
        top.append(Node("d = {1: a}", "d := map[int]int{1: a}; _ = d", declares="var d map[int]int; _ = d"))
        if r.random() < 0.5:
            v, e = r.choice("xyzw"), self.value(1)
            top.append(Node("def bump():", f"bump := func() {{", [[Node(f"nonlocal {v}", ""), Node(f"{v} += {e}")]], declares="var bump func(); _ = bump", whole=True))
            top.append(Node("", "_ = bump", whole=True))
            self.closures.append(("bump", False))
        if r.random() < 0.4:
            e = self.value()
            top.append(Node(f"get = lambda: {e}", f"get := func() int {{ return {e} }}; _ = get", declares="var get func() int; _ = get"))
            self.closures.append(("get", True))
        body = self.block(0, False, 6) + self.block(0, False, 4)
        # The criterion: somewhere, most often at the end.
        at = body
        while r.random() < 0.25:
            inner = [b for n in at if not n.whole for b in n.blocks if b]
            if not inner:
                break
            at = r.choice(inner)
        v = r.choice(["x", "y", "z", "w", "x", "y", "ys", "o.f", "q.g"])
        probe = Node(f"print({v})", f"fmt.Println({v})")
        at.insert(r.randint(len(at) // 2, len(at)) if at and not at[-1].py.startswith(("break", "continue", "return")) and at[-1].go != "fallthrough" else 0, probe)
        return top + body


class Render:
    """The text of a function of nodes, and what of it is kept."""

    def __init__(self, language, nodes, name):
        self.language, self.nodes, self.name = language, nodes, name

    def text(self, node):
        return node.py if self.language == "python" else node.go

    def full(self):
        """Returns lines, and numbers the nodes by line, from 1."""
        return self.lines(None)

    def lines(self, keep):
        out = [f"def {self.name}(a: int, b: int, xs):" if self.language == "python" else f"func {self.name}(a, b int, xs []int) (out int) {{"]
        self.mentioned = ""
        if keep is not None and self.language == "go":
            self.mentioned = "\n".join(self.block(self.nodes, keep, 1, None))
        out += self.block(self.nodes, keep, 1, self)
        if self.language == "go":
            out += ["\treturn out", "}"]
        elif len(out) == 1:
            out.append("    pass")
        return out

    def kept(self, node, keep):
        return keep is None or node.line in keep or any(self.kept(n, keep) for b in node.blocks for n in b)

    def block(self, nodes, keep, depth, place):
        tab = "    " * depth if self.language == "python" else "\t" * depth
        out = []
        for n in nodes:
            text = self.text(n)
            if not text and not n.blocks:
                n.line = 0
                continue
            if keep is None:
                self.at += 1
                n.line = self.at
            elif n.whole and not n.blocks:  # "_ = name"
                if place is not None and self.has(text.split()[-1]):
                    out.append(tab + text)
                continue
            elif not self.kept(n, keep):
                if n.declares and self.language == "go" and (place is not None and self.has(n.declares.split()[1])):
                    out.append(tab + n.declares)
                continue
            out.append(tab + text)
            inner = None if n.whole and n.line in (keep or ()) else keep
            saved = getattr(self, "at", 0)
            for i, b in enumerate(n.blocks):
                if i > 0:
                    head = n.heads[i - 1][0 if self.language == "python" else 1]
                    if keep is None:
                        self.at += 1
                        n.lines = getattr(n, "lines", {})
                        n.lines[i] = self.at
                    elif not any(self.kept(c, keep) for c in b) and n.lines[i] not in keep:
                        # An empty handler stays: without it an error would go elsewhere.
                        if not (head.startswith("except") or head == "finally:" and len(n.blocks) == 2) and not head.startswith(("case", "default")):
                            continue
                    out.append(tab + head)
                if inner is None and keep is not None:
                    lines = self.again(b, depth + 1)
                else:
                    lines = self.block(b, keep, depth + 1, place)
                if not lines and self.language == "python":
                    lines = [tab + "    pass"]
                out += lines
            if n.blocks and self.language == "go":
                if keep is None:
                    self.at += 1
                out.append(tab + "}")
        return out

    def closed(self, keep):
        """What is kept, with the heads of the statements that it stands in: they are in the text."""
        keep = set(keep)

        def visit(nodes):
            for n in nodes:
                if n.blocks and self.kept(n, keep) and not self.text(n).startswith("try"):
                    keep.add(n.line)
                for i, b in enumerate(n.blocks):
                    if i > 0 and n.heads[i - 1][0].startswith("elif") and any(self.kept(c, keep) for c in b):
                        keep.add(n.lines[i])
                    visit(b)
        visit(self.nodes)
        return keep

    def has(self, name):
        return re.search(rf"\b{name}\b", self.mentioned)

    def again(self, nodes, depth):
        tab = "    " * depth if self.language == "python" else "\t" * depth
        return [tab + self.text(n) for n in nodes if self.text(n)]


PYTHON = '''class Box:
    def __init__(self, f, g):
        self.f = f
        self.g = g
def twice(v):
    return v + v
def total(vs):
    return sum(vs)
def check(v):
    if v % 3 == 1:
        raise ValueError(v)
def set_f(box, v):
    box.f = v
'''
GO = '''package main
import ("fmt"; "os")
type Box struct { f, g int }
func twice(v int) int { return v + v }
func total(vs []int) (n int) { for _, v := range vs { n += v }; return n }
func setF(box *Box, v int) { box.f = v }
func run(name string, f func(int, int, []int) int) {
	inputs := []struct{ a, b int; xs []int }{INPUTS}
	for _, in := range inputs {
		fmt.Println("#", name)
		func() {
			defer func() { if e := recover(); e != nil { fmt.Println("#panic") } }()
			f(in.a, in.b, in.xs)
		}()
	}
}
var _ = os.Args
'''


def made(language, seed, i):
    g = Generator(random.Random(f"{language} {seed} {i}"), language)
    return Render(language, g.function(f"f{i}"), f"f{i}")


def javascript(node, depth, known):
    """The lines of a node in JavaScript, from its text in Python."""
    tab = "  " * depth

    def value(t):
        t = re.sub(r"\blen\((\w+)\)", r"\1.length", t)
        t = re.sub(r"\blist\((\w+)\)", r"\1.slice()", t)
        t = re.sub(r"\bd\.get\((.*), 0\)$", r"(d.get(\1) || 0)", t)
        t = re.sub(r"(?<![\w.])d\[(.+)\]", r"d.get(\1)", t)
        t = t.replace(" and ", " && ").replace(" or ", " || ").replace(" == ", " === ").replace(" // ", " / ").replace("Box(", "new Box(")
        return re.sub(r"\bnonlocal \w+", "", t)

    def statement(t):
        if t.startswith("print("):
            return f"__print({value(t[6:-1])});"
        if m := re.fullmatch(r"(\w+)\.append\((.*)\)", t):
            return f"{m[1]}.push({value(m[2])});"
        if m := re.fullmatch(r"d\[(.*)\] = (.*)", t):
            return f"d.set({value(m[1])}, {value(m[2])});"
        if m := re.fullmatch(r"raise ValueError\((.*)\)", t):
            return f"throw new ValueError({value(m[1])});"
        if m := re.fullmatch(r"d = \{1: a\}", t):
            return "let d = new Map([[1, a]]);"
        if m := re.fullmatch(r"(\w+) = (lambda: )?(.*)", t):
            let = "" if m[1] in known else "let "
            known.add(m[1])
            return f"{let}{m[1]} = {'() => ' if m[2] else ''}{value(m[3])};"
        return value(t) + ";" if t != "pass" else ""

    def head(t):
        if m := re.fullmatch(r"for (\w+) in range\((\d+)\):", t):
            return f"for (const {m[1]} of [...Array({m[2]}).keys()]) {{"
        if m := re.fullmatch(r"for (\w+) in (.*):", t):
            return f"for (const {m[1]} of {value(m[2])}) {{"
        if m := re.fullmatch(r"(if|while|elif) (.*):", t):
            return ("} else if" if m[1] == "elif" else m[1]) + f" ({value(m[2])}) {{"
        if t.startswith("def "):
            return f"function {t[4:-1]} {{"
        if t.startswith("except"):
            return "} catch (e) {"
        return {"try:": "try {", "else:": "} else {", "finally:": "} finally {"}[t]

    if not node.blocks:
        return [tab + t for t in [statement(node.py)] if t.strip(" ;")] if node.py else []
    out = []
    for i, block in enumerate(node.blocks):
        t = node.py if i == 0 else node.heads[i - 1][0]
        if t == "else:" and node.py == "try:":
            break  # it has none in JavaScript
        out.append(tab + head(t))
        inner = set(known)
        for n in block:
            out += javascript(n, depth + 1, inner)
    if node.py == "try:" and not any(re.search(r"\} (catch|finally)", t) and t.startswith(tab + "}") for t in out):
        out.append(tab + "} finally {")
    return out + [tab + "}"]


JAVASCRIPT = '''class Box { constructor(f, g) { this.f = f; this.g = g; } }
class ValueError extends Error {}
function twice(v) { return v + v; }
function total(vs) { let n = 0; for (const v of vs) n += v; return n; }
function check(v) { if (v % 3 === 1) throw new ValueError(v); }
function set_f(box, v) { box.f = v; }
'''


def generate(directory, language, number, seed):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "list"), "w") as names:
        for i in range(int(number)):
            r = made("python" if language == "javascript" else language, seed, i)
            if language == "javascript":
                name = os.path.join(os.path.abspath(directory), f"{seed}-{i}.js")
                lines, known = ["function sliced(a, b, xs) {"], {"a", "b", "xs"}
                for n in r.nodes:
                    lines += javascript(n, 1, known)
                text = "\n".join(lines + ["}"]) + "\n"
                with open(name, "w") as f: # what it calls is known in its file, and is not sliced
                    f.write(text + JAVASCRIPT)
                with open(name + ".json", "w") as f:
                    json.dump({"own": len(text), "prelude": JAVASCRIPT, "inputs": [repr(x)[1:-1] for x in INPUTS], "more": [repr(x)[1:-1] for x in MORE]}, f)
                names.write(f"{language}\t{name}\n")
                continue
            r.at = 1
            name = os.path.join(os.path.abspath(directory), f"{seed}-{i}." + {"python": "py", "go": "go"}[language])
            with open(name, "w") as f:
                f.write("package main\n" * (language == "go") + "\n".join(r.full()) + "\n")
            names.write(f"{language}\t{name}\n")


def slice_of(graphs, text, is_probe):
    """The lines of the backward slice of the line that prints."""
    starts = [0] + [i + 1 for i, c in enumerate(text) if c == 10]
    import bisect
    for g in graphs:
        if g.get("module"):
            continue
        line = [bisect.bisect_right(starts, s["start"]) for s in g["steps"]]
        asked = [i for i, s in enumerate(g["steps"]) if i > 2 and is_probe(text[s["start"]:s["end"]].decode())]
        if not asked:
            continue
        near = collections.defaultdict(set)
        for a, b, *_ in g["deps"] or ():
            near[a].add(b)
        seen, todo = set(asked), list(asked)
        while todo:
            for b in near[todo.pop()]:
                if b not in seen:
                    seen.add(b)
                    todo.append(b)
        return {line[i] for i in seen if i > 2}
    return None


class Late(BaseException):
    pass


def late(*_):
    raise Late


def values_python(source, name, inputs, scope=None, limit=0.3):
    """What is printed for each input, and whether it ended by an error: "own" is before that of
    one that the function raised itself."""
    result, raises = [], None
    for args in inputs:
        seen = []
        names = dict(scope or {})

        def record(*v):
            if len(seen) < 2000:
                try:
                    seen.append(repr(v[0])[:200])
                except Exception:
                    seen.append("?")
        names["print"] = record
        end = "ok"
        signal.signal(signal.SIGALRM, late)
        try:
            try:
                exec(compile(source, "<slice>", "exec"), names)
                signal.setitimer(signal.ITIMER_REAL, limit)
                out = names[name](*copy.deepcopy(args))
                if inspect.isgenerator(out):
                    for _, _ in zip(out, range(100)):
                        pass
            except Late:
                end = "late"
            except RecursionError:
                end = "late"
            except BaseException as e:
                end, at = type(e).__name__, e.__traceback__
                while at and at.tb_next:
                    at = at.tb_next
                if at and at.tb_frame.f_code.co_filename == "<slice>" and at.tb_frame.f_code.co_name == name:
                    if raises is None:
                        raises = {n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Raise, ast.Assert))}
                    end = ("own " if at.tb_lineno in raises else "") + end
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Late:  # on the way out
            signal.setitimer(signal.ITIMER_REAL, 0)
            end = "late"
        result.append((seen, end))
    return result


def same(full, cut):
    """Whether a slice sees what the whole saw: where that ended by an error that it did not raise
    itself, at least that."""
    for (a, end), (b, end2) in zip(full, cut):
        if a != b and not (end != "ok" and not end.startswith("own ") and a == b[:len(a)]):
            return False
    return True


def check_generated(files, language, small, verbose):
    total, good, sizes, ratios, raw, never = 0, 0, [], [], [], 0
    gofull, gocut = [], []
    for name, graphs in files:
        seed, i = re.fullmatch(r"(\w+)-(\d+)\.\w+", os.path.basename(name)).groups()
        r = made(language, seed, int(i))
        r.at = 1
        full = r.full()
        text = open(name, "rb").read()
        offset = 1 if language == "go" else 0
        lines = slice_of(graphs, text, lambda s: s.startswith(("print(", "fmt.Println(")))
        keep = {n - offset for n in lines or ()}
        cut = r.lines(keep)
        if language == "go":
            gofull.append((r.name, full))
            gocut.append((r.name, cut, keep, name))
            continue
        want = values_python(PYTHON + "\n".join(full), r.name, INPUTS)
        if not any(v for v, _ in want):
            never += 1
            continue
        total += 1
        got = values_python(PYTHON + "\n".join(cut), r.name, INPUTS)
        if not same(want, got):
            if verbose:
                print("DIFFERS", name)
                show(full, keep)
                print(want, got)
            continue
        good += 1
        if small:
            least = smaller(keep - {1}, lambda k: same(want, values_python(PYTHON + "\n".join(r.lines(k)), r.name, INPUTS, limit=0.05)))
            above = PYTHON.count("\n")
            judged = {n - above for n in seen_both(PYTHON + "\n".join(full), ast.parse(PYTHON + "\n".join(full)), INPUTS, {}, r.name)}
            keep, least = r.closed(keep), r.closed(least)
            sizes.append(len(keep - {1}))
            raw.append(sizes[-1] / max(1, len(least)))
            ratios.append(len(keep & judged) / max(1, len(least & judged)))
            if verbose and raw[-1] > 2:
                print("LARGE", name, len(keep), len(least))
                show(full, keep, least)
    if language == "go":
        total, good, never = check_go(gofull, gocut, verbose)
    print(f"generated {language}: {good} of {total} hold: {good / max(1, total):.4f}; {never} never print", end="")
    if ratios:
        print(f"; size median {statistics.median(sizes)}, against the smallest median {statistics.median(raw):.3f}, mean {statistics.mean(raw):.3f}, of lines that runs can judge {statistics.median(ratios):.3f}", end="")
    print()


def seen_both(text, f, inputs, scope, name="sliced"):
    """The lines that runs can judge: they ran, and conditions went both ways."""
    after = collections.defaultdict(set)

    def call(frame, event, arg):
        if frame.f_code.co_filename != "<slice>" or frame.f_code.co_name != name:
            return None
        last = [None]

        def local(frame, event, arg):
            if event in ("line", "return"):
                if last[0] is not None:
                    after[last[0]].add(frame.f_lineno if event == "line" else -1)
                last[0] = frame.f_lineno
            return local
        return local
    sys.settrace(call)
    values_python(text, name, inputs, scope)
    sys.settrace(None)
    branches = {n.lineno for n in ast.walk(f) if isinstance(n, (ast.If, ast.While, ast.For))}
    return {line for line, to in after.items() if line not in branches or len(to) > 1}


def smaller(keep, holds):
    """Takes lines out as long as the values stay."""
    keep = set(keep)
    changed = True
    while changed:
        changed = False
        for line in sorted(keep, reverse=True):
            if holds(keep - {line}):
                keep.discard(line)
                changed = True
    return keep


def show(lines, keep, least=None):
    for i, text in enumerate(lines, 1):
        print(" *"[i in keep] + ("" if least is None else " +"[i in least]), text)


def check_go(full, cut, verbose):
    def values(functions):
        bad = set()
        with tempfile.TemporaryDirectory() as d:
            while True:
                inputs = ", ".join(f"{{{a}, {b}, []int{{{', '.join(map(str, xs))}}}}}" for a, b, xs in INPUTS)
                out, where = GO.replace("INPUTS", inputs).split("\n"), {}
                for name, lines in functions:
                    if name in bad:
                        continue
                    for text in lines:
                        out.append(text)
                        where[len(out)] = name
                out += ["func main() {"] + [f'\trun("{n}", {n})' for n, _ in functions if n not in bad] + ["}"]
                with open(os.path.join(d, "main.go"), "w") as f:
                    f.write("\n".join(out))
                p = subprocess.run(["go", "build", "-gcflags=-e -N", "-o", "m", "main.go"], cwd=d, capture_output=True, text=True, env={**os.environ, "GO111MODULE": "off", "GOFLAGS": ""})
                if p.returncode == 0:
                    break
                found = {where.get(int(m)) for m in re.findall(r"main\.go:(\d+):", p.stderr)} - {None}
                if not found - bad:
                    print(p.stderr[:2000])
                    break
                for m in re.findall(r"main\.go:(\d+):.*", p.stderr)[:3]:
                    if verbose:
                        print("does not build:", [l for l in p.stderr.split("\n") if f":{m}:" in l][:1], out[int(m) - 1])
                bad |= found
            result = collections.defaultdict(list)
            run = subprocess.run([os.path.join(d, "m")], capture_output=True, text=True, timeout=60)
            at = None
            for line in run.stdout.split("\n"):
                if line.startswith("# "):
                    at = line[2:]
                    result[at].append([[], "ok"])
                elif line == "#panic":
                    result[at][-1][1] = "panic"
                elif line:
                    result[at][-1][0].append(line)
            return result, bad
    whole, bad = values(full)
    parts, broken = values([(n, c) for n, c, _, _ in cut if n not in bad])
    total = good = never = 0
    for (name, lines), (_, text, keep, path) in zip(full, cut):
        if name in bad:
            continue
        if not any(v for v, _ in whole[name]):
            never += 1
            continue
        total += 1
        if name not in broken and same(whole[name], parts[name]):
            good += 1
        elif verbose:
            print("DIFFERS", path, "does not build" if name in broken else "")
            show(lines, keep)
            print(whole[name], parts[name])
    if bad:
        print(len(bad), "functions do not build")
    return total, good, never


MODULES = '''textwrap string difflib fractions heapq bisect calendar colorsys statistics shlex fnmatch
posixpath ntpath genericpath urllib.parse html html.parser json.decoder json.encoder json.scanner base64
quopri re._parser re._compiler tokenize ast copy email.utils email._parseaddr email.quoprimime
email.base64mime email.header email.charset email.generator email.feedparser email._encoded_words locale gettext pprint reprlib random
_pydecimal datetime _strptime csv configparser types functools operator mimetypes http.cookies http.cookiejar
ipaddress uuid xml.sax.saxutils xmlrpc.client plistlib graphlib tomllib._parser encodings.punycode
encodings.idna stringprep nturl2path netrc opcode dis pickletools pyclbr tabnanny rlcompleter
traceback linecache warnings wsgiref.util wsgiref.headers zipfile inspect typing enum dataclasses
collections contextlib keyword token numbers _pyio _py_abc gzip tarfile imaplib nntplib poplib ftplib
smtplib mailbox cgi sre_parse distutils.util distutils.text_file distutils.version distutils.fancy_getopt
xml.dom.minidom xml.etree.ElementPath xml.etree.ElementTree unittest.util doctest getopt optparse argparse
codeop symtable chunk colorsys aifc sndhdr imghdr binhex
mailcap crypt lib2to3.pgen2.tokenize secrets hmac hashlib struct abc weakref queue sched
modulefinder'''.split()


def arguments(r, n, words=()):
    def one(deep=0):
        pick = r.random()
        if pick < 0.3:
            return r.randint(-2, 12)
        if pick < 0.6:
            return r.choice(["", "abc", "a/b.c", "x=1; y='2'", "Hello, world\n  two\n", "/usr//lib/../x", "a,b;c d", "<b>&amp;</b>", "%41+b", "12:30", "ab=20c", "2001-02-03", "1.5", "é~"])
        if pick < 0.68:
            return r.choice([b"", b"abc", b"a=3D\n", b"\x00\xff12"])
        if pick < 0.9 or deep > 1:
            kind = r.random()
            n = r.randint(0, 5)
            if kind < 0.4:
                return [r.randint(0, 9) for _ in range(n)]
            if kind < 0.6:
                return [r.choice(["a", "bb", "ccc\n", "x y", "-1"]) for _ in range(n)]
            return [one(deep + 1) for _ in range(n)]
        if pick < 0.95:
            return {r.choice(["a", "b", "c"]): r.randint(0, 3) for _ in range(3)}
        return r.choice([None, True, 2.5])
    return tuple(copy.deepcopy(r.choice(words)) if words and r.random() < 0.25 else one() for _ in range(n))


@contextlib.contextmanager
def watched(reached):
    """Gives the steps from line to line of the function that are new."""
    fresh = set()

    def call(frame, event, arg):
        if frame.f_code.co_filename != "<slice>" or frame.f_code.co_name != "sliced":
            return None
        last = [None]

        def local(frame, event, arg):
            if event == "line":
                step = last[0], frame.f_lineno
                if step not in reached:
                    reached.add(step)
                    fresh.add(step)
                last[0] = frame.f_lineno
            return local
        return local
    sys.settrace(call)
    try:
        yield fresh
    finally:
        sys.settrace(None)


def own_statements(body):
    for s in body:
        yield s
        if isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from own_statements(getattr(s, field, []) or [])
        for h in getattr(s, "handlers", []):
            yield from own_statements(h.body)


def real(directory, number, seed):
    r = random.Random(seed)
    functions = []
    for m in sorted(set(MODULES)):
        try:
            module = importlib.import_module(m)
            tree = ast.parse(inspect.getsource(module))
        except Exception:
            continue
        for f in tree.body:
            if not isinstance(f, ast.FunctionDef) or f.decorator_list or f.name.startswith("test") or f.name == "main":
                continue
            bad = {n.id for n in ast.walk(f) if isinstance(n, ast.Name)} & {"print", "input", "open", "exec", "eval", "breakpoint", "exit", "locals"}
            if bad or any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Global)) for n in ast.walk(f)) or re.search(r"\b(os\.(remove|unlink|rmdir|system|mk|kill|fork|chdir|rename|exec|popen|link|symlink|chmod|umask|set|close)|subprocess|shutil|rmtree|socket|signal|Popen|webbrowser|sys\.(exit|set)|time\.sleep|tkinter)", ast.unparse(f)):
                continue
            if len(list(own_statements(f.body))) >= 6:
                functions.append((m, f))
    r.shuffle(functions)
    os.makedirs(directory, exist_ok=True)
    count = 0
    drawn = []
    if True:
        for m, f in functions:
            if count >= int(number):
                break
            scope = vars(importlib.import_module(m))
            f = ast.parse(ast.unparse(f)).body[0]
            f.name = "sliced"
            needed = len(f.args.posonlyargs + f.args.args) - len(f.args.defaults)
            optional = min(2, len(f.args.defaults))
            if f.args.kwonlyargs and None in f.args.kw_defaults or needed + optional == 0:
                continue
            locals_ = {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | {a.arg for a in f.args.args}
            found = None
            words = [n.value for n in ast.walk(f) if isinstance(n, ast.Constant) and isinstance(n.value, (int, str, bytes, float))][:40]
            for _ in range(6):
                g = copy.deepcopy(f)
                places = []
                for s in own_statements(g.body):
                    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                        continue
                    head = [c for field, c in ast.iter_fields(s) if field not in ("body", "orelse", "finalbody", "handlers", "cases")]
                    used = sorted({n.id for h in head for c in (h if isinstance(h, list) else [h]) if isinstance(c, ast.AST) for n in ast.walk(c) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} & locals_)
                    places += [(s, v) for v in used]
                if not places:
                    break
                s, v = r.choice(places)
                put(g, s, ast.parse(f"print({v})").body[0])
                source = ast.unparse(ast.fix_missing_locations(g))
                inputs, more, reached = [], [], set()
                until = time.time() + 5
                for i in range(800):
                    if time.time() > until or i > 120 and len(inputs) < 2:
                        break
                    args = arguments(r, needed + r.randint(0, optional), words)
                    try:
                        with watched(reached) as fresh:
                            (seen, end), = values_python(source, "sliced", [args], scope, 0.2)
                    except BaseException:
                        continue
                    if end == "late" or len(seen) >= 1000:
                        continue
                    if end == "ok" and seen and len(inputs) < 12:
                        inputs.append(args)
                    elif fresh or seen and len(more) < 40:
                        more.append(args)
                if len(inputs) >= 2:
                    found = source, inputs, more
                    break
            if found:
                name = os.path.join(os.path.abspath(directory), f"real-{count}.py")
                with open(name, "w") as out:
                    out.write(found[0] + "\n")
                with open(name + ".json", "w") as out:
                    json.dump([m, repr(found[1]), repr(found[2])], out)
                drawn.append(f"python\t{name}\n")
                with open(os.path.join(directory, "list"), "w") as names:
                    names.write("".join(drawn))
                count += 1


def put(tree, before, new):
    for n in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            list_ = getattr(n, field, None)
            if isinstance(list_, list) and any(c is before for c in list_):
                list_.insert([c is before for c in list_].index(True), new)
                return


def cut_tree(f, keep):
    def kept(n):
        return any(getattr(c, "lineno", None) in keep for c in ast.walk(n) if isinstance(c, (ast.stmt, ast.excepthandler)))

    def body(list_, least=True):
        out = []
        for s in list_:
            if isinstance(s, (ast.Nonlocal, ast.Global)):
                out.append(s)
            elif isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                if s.lineno in keep:
                    out.append(s)
            elif kept(s):
                for field in ("body", "orelse", "finalbody"):
                    if getattr(s, field, None):
                        setattr(s, field, body(getattr(s, field), field == "body" or field == "finalbody" and not s.handlers))
                for h in getattr(s, "handlers", []):
                    h.body = body(h.body)
                for c in getattr(s, "cases", []):
                    c.body = body(c.body)
                out.append(s)
        if not out and least:
            out.append(ast.Pass())
        return out
    f = copy.deepcopy(f)
    f.body = body(f.body)
    return ast.unparse(ast.fix_missing_locations(f))


def closed(f, keep):
    """What is kept, with the heads of the statements that it stands in: they are in the text."""
    heads = (ast.If, ast.While, ast.For, ast.With, ast.Match)
    return set(keep) | {n.lineno for n in ast.walk(f) if isinstance(n, heads) and any(getattr(c, "lineno", None) in keep for c in ast.walk(n) if isinstance(c, (ast.stmt, ast.excepthandler)))}


def check_real(files, small, verbose, more=False):
    total, good, sizes, ratios, raw = 0, 0, [], [], []
    for name, graphs in files:
        with open(name, "rb") as source, open(name + ".json") as more_of:
            text = source.read()
            module, inputs, *others = json.load(more_of)
        inputs = eval(inputs) + (eval(others[0]) if others and more else [])
        scope = vars(importlib.import_module(module))
        f = ast.parse(text).body[0]
        keep = slice_of(graphs, text, lambda s: s.startswith("print("))
        if keep is None:
            print("no criterion", name)
            continue
        want = values_python(text, "sliced", inputs, scope)
        if values_python(text, "sliced", inputs, scope) != want:
            continue  # by chance, or by time
        total += 1

        def holds(lines, limit=0.3):
            return same(want, values_python(cut_tree(f, lines), "sliced", inputs, scope, limit))
        if not holds(keep):
            if verbose:
                print("DIFFERS", name, module)
                show(text.decode().split("\n"), keep)
                print(str(want)[:300], str(values_python(cut_tree(f, keep), "sliced", inputs, scope))[:300])
            continue
        good += 1
        if small:
            judged = seen_both(text, f, inputs, scope)
            least = closed(f, smaller(keep - {1}, lambda k: holds(k, 0.1)))
            keep = closed(f, keep)
            sizes.append(len(keep - {1}))
            raw.append(sizes[-1] / max(1, len(least)))
            ratios.append(len(keep & judged) / max(1, len(least & judged)))
            if verbose and raw[-1] > 1.5:
                print("LARGE", name, module, len(keep), len(least))
                show(text.decode().split("\n"), keep, least)
    print(f"real python: {good} of {total} hold: {good / max(1, total):.4f}", end="")
    if ratios:
        print(f"; size median {statistics.median(sizes)}, against the smallest median {statistics.median(raw):.3f}, mean {statistics.mean(raw):.3f}, of lines that runs can judge {statistics.median(ratios):.3f}", end="")
    print()


def check(path, *flags):
    files = collections.defaultdict(list)
    for line in open(path):
        g = json.loads(line)
        files[g["file"]].append(g)
    by = collections.defaultdict(list)
    for name, graphs in sorted(files.items()):
        by["real" if os.path.basename(name).startswith("real") else name.rsplit(".", 1)[1]].append((name, graphs))
    small, verbose = "--small" in flags, "--verbose" in flags
    if "--more" in flags:
        INPUTS.extend(MORE)
    if by["real"]:
        check_real(by["real"], small, verbose, "--more" in flags)
    if by["py"]:
        check_generated(by["py"], "python", small, verbose)
    if by["go"]:
        check_generated(by["go"], "go", small, verbose)


def main():
    what, *rest = sys.argv[1:]
    {"generate": generate, "real": real, "check": check}[what](*rest)


if __name__ == "__main__":
    err = os.fdopen(os.dup(2), "w")  # what is run may close that of sys
    try:
        main()
    except BaseException:
        import traceback
        traceback.print_exc(file=err)
        raise
