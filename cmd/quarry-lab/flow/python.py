# Compares the graphs of Python functions with what other programs know of them.
#
#	python python.py arcs GRAPHS        coverage.py's static arcs
#	python python.py observe RUNS TEST... writes which line ran after which one in tests
#	python python.py ran GRAPHS RUNS    compares those
#	python python.py uses GRAPHS        beniget's chains of definitions and uses
#
# GRAPHS is what TestDump of index/internal/flow writes. It needs coverage and beniget.
import ast
import bisect
import collections
import dis
import json
import os
import random
import sys
import threading
import unittest

JUMPS = {"break", "continue", "return"}


class Text:
    """The lines of a file, with those of its statements that have several."""

    def __init__(self, path):
        self.path = path
        self.bytes = open(path, "rb").read()
        self.starts = [0] + [i + 1 for i, c in enumerate(self.bytes) if c == 10]
        self.tree = ast.parse(self.bytes)
        from coverage.parser import PythonParser
        self.parser = PythonParser(text=self.bytes.decode("utf-8-sig"), filename=path)
        self.parser.parse_source()
        self.first = self.parser.multiline_map
        self.heads = {}  # the line of a definition: that of its first decorator
        for n in ast.walk(self.tree):
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.decorator_list:
                self.heads[n.lineno] = n.decorator_list[0].lineno

    def raw(self, at):
        return bisect.bisect_right(self.starts, at)

    def line(self, at):
        return self.of(self.raw(at))

    def of(self, line):
        return self.first.get(line, line)


def graphs(path):
    """Yields files with their graphs."""
    files = collections.defaultdict(list)
    for line in open(path):
        g = json.loads(line)
        files[g["file"]].append(g)
    for name, list_ in files.items():
        yield name, list_


def lines_of(t, g):
    lines = [t.line(s["start"]) for s in g["steps"]]
    head = 1 if g.get("module") else t.raw(g["start"])
    exit_ = -t.of(t.heads.get(head, head))
    lines[1] = lines[2] = exit_
    lines[0] = exit_
    return lines


def joined(g, drop):
    """The edges between steps, without those steps that drop: their ways in and out go
    together where they are of one kind."""
    steps = g["steps"]
    edges = {(i, e["to"], e["kind"]) for i, s in enumerate(steps) for e in s["next"] or ()}
    for d in [i for i, s in enumerate(steps) if drop(s)]:
        ins = [e for e in edges if e[1] == d]
        outs = [e for e in edges if e[0] == d]
        edges -= set(ins) | set(outs)
        for a, _, k in ins:
            jump = k if k in JUMPS | {"raise"} else None
            if jump not in {o[2] for o in outs}:
                jump = None  # of a loop within
            for _, b, k2 in outs:
                if (k2 if k2 in JUMPS | {"raise"} else None) == jump:
                    edges.add((a, b, k))
    return edges


def static(t, list_):
    """Our edges between lines as coverage.py has them, and the lines left out."""
    arcs, apart = set(), set()
    for g in list_:
        if g["name"] == "" and not g.get("module"):
            continue
        lines = lines_of(t, g)
        steps = g["steps"]
        for a, b, kind in joined(g, lambda s: s["kind"] == "leave"):
            if a == 0 or kind == "raise" or steps[a]["kind"] == "catch" and kind == "false":
                continue
            if kind in JUMPS and steps[a]["kind"] not in ("jump", "return"):
                continue  # from a "finally": coverage.py has jumps go past it
            if lines[a] != lines[b]:
                arcs.add((lines[a], lines[b]))
    return arcs


def theirs(t):
    """The arcs of coverage.py without errors and without the lines of "try"."""
    arcs = set(t.parser.arcs())
    tries, finals, raises = set(), set(), set()
    for n in ast.walk(t.tree):
        if isinstance(n, (ast.Try, getattr(ast, "TryStar", ast.Try))):
            tries.add(n.lineno)
            if n.finalbody:
                for part in n.body + n.handlers + n.orelse:
                    for j in ast.walk(part):
                        if isinstance(j, (ast.Break, ast.Continue, ast.Return)):
                            finals.add(t.of(j.lineno))
        if isinstance(n, ast.Raise):
            raises.add(t.of(n.lineno))
    for line in tries:
        ins = [a for a in arcs if a[1] == line]
        outs = [a for a in arcs if a[0] == line]
        arcs -= set(ins) | set(outs)
        arcs |= {(a, b) for a, _ in ins for _, b in outs if a != b}
    return {a for a in arcs if a[0] not in raises}, finals, raises


def compare_arcs(path):
    total = collections.Counter()
    for name, list_ in graphs(path):
        try:
            t = Text(name)
        except Exception as e:
            print("left out", name, repr(e)[:80])
            continue
        want, finals, raises = theirs(t)
        got = static(t, list_)
        code = t.parser.statements
        drop = finals | raises | t.parser.raw_docstrings
        want = {a for a in want if a[0] not in drop}
        got = {a for a in got if a[0] not in drop}
        total["both"] += len(want & got)
        total["ours"] += len(got)
        total["theirs"] += len(want)
        text = t.bytes.decode("utf-8-sig").split("\n")
        for word, diff in (("only ours", got - want), ("only theirs", want - got)):
            for a, b in sorted(diff):
                print(f"{word}\t{name}:{a} -> {b}\t{text[abs(a)-1].strip()[:50]}\t{text[abs(b)-1].strip()[:50]}\t{'' if a in code else 'no code'}{'' if b in code or b<0 else ' to no code'}")
    print(f"precision {total['both']/max(1,total['ours']):.4f} recall {total['both']/max(1,total['theirs']):.4f} {dict(total)}")


def observe(out, *tests):
    """Runs tests and writes which line of the standard library ran after which one."""
    root = os.path.dirname(os.__file__) + os.sep
    ran = collections.defaultdict(set)
    own = {}

    def wanted(code):
        name = code.co_filename
        if name.startswith(root) and "/test/" not in name and "/unittest/" not in name and "site-packages" not in name:
            if not code.co_name.startswith("<") or code.co_name == "<module>":
                return ran[name]
        return None

    def call(frame, event, arg):
        code = frame.f_code
        if code not in own:
            own[code] = wanted(code)
        arcs = own[code]
        if arcs is None:
            return None
        lazy = code.co_flags & 0x2A0
        body = not code.co_flags & 1 and code.co_name != "<module>"
        last = [frame.f_lineno if lazy and frame.f_lineno != code.co_firstlineno else 0, False]

        def local(frame, event, arg):
            if event == "line":
                if body and frame.f_lineno == code.co_firstlineno:
                    return local  # __module__ and __qualname__ are set
                if last[0]:
                    arcs.add((last[0], frame.f_lineno))
                last[:] = frame.f_lineno, False
            elif event == "exception":
                last[1] = True
            elif event == "return" and not last[1] and dis.opname[code.co_code[frame.f_lasti]] == "RETURN_VALUE":
                if last[0]:
                    arcs.add((last[0], -code.co_firstlineno))
            return local
        return local

    random.seed(1)
    sys.settrace(call)
    threading.settrace(call)
    for t in tests:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + t)
        with open(os.devnull, "w") as null:
            unittest.TextTestRunner(null, verbosity=0).run(suite)
    sys.settrace(None)
    with open(out, "w") as f:
        json.dump({k: sorted(v) for k, v in ran.items() if v}, f)


def compare_ran(path, runs):
    """Which arcs that ran are not among our edges, those of errors included."""
    ran = json.load(open(runs))
    total = collections.Counter()
    for name, list_ in graphs(path):
        t = Text(name)
        text = t.bytes.decode("utf-8-sig").split("\n")
        arcs = set()
        for g in list_:
            lines = lines_of(t, g)
            for i, s in enumerate(g["steps"]):
                for e in s["next"] or ():
                    if i != 0:
                        arcs.add((lines[i], lines[e["to"]]))
        heads = {}  # decorators are called once more when what they decorate is made: one line
        for n in ast.walk(t.tree):
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.decorator_list:
                for d in n.decorator_list:
                    heads[t.of(d.lineno)] = t.of(n.lineno)

        def at(line):
            return heads.get(t.of(line), t.of(line)) if line > 0 else -t.of(-line)

        arcs = {(at(a), at(b)) for a, b in arcs}
        got = {(at(a), at(b)) for a, b in ran[name]}
        known = {a for arc in arcs for a in arc}
        for line in {a for arc in got for a in arc if a > 0} - known:  # "try", a text alone
            ins = [a for a in got if a[1] == line]
            outs = [a for a in got if a[0] == line]
            got -= set(ins) | set(outs)
            got |= {(a, b) for a, _ in ins for _, b in outs}
        for a, b in sorted(got):
            if a == b:
                continue
            total["ran"] += 1
            if (a, b) in arcs:
                total["ours"] += 1
            else:
                print(f"missing\t{name}:{a} -> {b}\t{text[abs(a)-1].strip()[:50]}\t{text[abs(b)-1].strip()[:50]}")
    print(f"{total['ours'] / max(1, total['ran']):.5f} {dict(total)}")


def scope(gast, f):
    """The names in a function, without those in functions inside; and what is known there, too."""
    names, captured = [], set()

    def visit(n, inner):
        if isinstance(n, gast.Name):
            if inner:
                captured.add(n.id)
            else:
                names.append(n)
        if isinstance(n, (gast.Global, gast.Nonlocal)):
            captured.update(n.names)
        if isinstance(n, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)):
            outside = list(getattr(n, "decorator_list", [])) + list(getattr(n, "bases", []))
            if hasattr(n, "args"):
                outside += n.args.defaults + n.args.kw_defaults
            for c in outside:
                if c is not None:
                    visit(c, inner)
            for c in gast.iter_child_nodes(n):
                if c not in outside:
                    visit(c, True)
            return
        for field, c in gast.iter_fields(n):
            if field in ("annotation", "returns"):
                continue
            for c in c if isinstance(c, list) else [c]:
                if isinstance(c, gast.AST):
                    visit(c, inner)

    for a in f.args.posonlyargs + f.args.args + f.args.kwonlyargs + [f.args.vararg, f.args.kwarg]:
        if a is not None:
            names.append(a)
    for n in f.body:
        visit(n, False)
    return names, captured


def compare_uses(path):
    import beniget
    import gast
    total = collections.Counter()
    for name, list_ in graphs(path):
        try:
            t = Text(name)
            tree = gast.parse(t.bytes.decode("utf-8-sig"))
            with open(os.devnull, "w") as null:
                out, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), null, null
                try:
                    chains = beniget.DefUseChains()
                    chains.visit(tree)
                finally:
                    sys.stdout, sys.stderr = out
        except Exception as e:
            print("left out", name, repr(e)[:80])
            continue
        text = t.bytes.decode("utf-8-sig").split("\n")
        heads = {n.name: n.lineno for n in gast.walk(tree) if isinstance(n, gast.ExceptHandler) and n.name}
        for n in gast.walk(tree):
            if isinstance(n, gast.arguments):
                for a in (n.vararg, n.kwarg):
                    if a is not None:
                        heads[a] = None  # they have no place
        theirs = {}  # by use: the definitions
        for node, d in chains.chains.items():
            if not isinstance(node, (gast.alias, gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)) and not isinstance(getattr(node, "ctx", None), (gast.Store, gast.Param)):
                continue  # a value, not a definition
            at = heads.get(node, getattr(node, "lineno", None))
            for u in d.users():
                theirs.setdefault(u.node, set()).add((at, getattr(node, "id", getattr(node, "name", ""))))
        byplace = {}
        for g in list_:
            if not g.get("module") and g["name"]:
                byplace[t.raw(g["start"]), g["name"]] = g
        for f in gast.walk(tree):
            if not isinstance(f, (gast.FunctionDef, gast.AsyncFunctionDef)):
                continue
            g = byplace.get((f.lineno, f.name))
            if g is None:
                print("no graph", name, f.lineno, f.name)
                continue
            names, captured = scope(gast, f)
            stored = {n.id for n in names if not isinstance(n.ctx, gast.Load)}
            for n in gast.walk(f):
                if isinstance(n, gast.alias):
                    stored.add((n.asname or n.name).split(".")[0])
                elif n is not f and isinstance(n, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
                    stored.add(n.name)
            want, loops = set(), set()
            loops |= {(n.lineno, n.col_offset) for n in names if isinstance(n.ctx, gast.Store) and hasattr(n, "lineno")}
            unplaced = {a.id for a in (f.args.vararg, f.args.kwarg) if a is not None}
            for n in names:
                if n.id in captured or n.id in unplaced or n.id not in stored:
                    continue
                for line, _ in theirs.get(n, ()):
                    if line is None or isinstance(n.ctx, gast.Store) and line == n.lineno:
                        continue  # x += 1 is a user of itself
                    want.add((line, n.id, n.lineno, n.col_offset))
            got = set()
            for a, i, b, j in g["pairs"] or ():
                d, u = g["steps"][a]["access"][i], g["steps"][b]["access"][j]
                if d["Weak"] or d["ByCall"] or d["Inner"] or u["Inner"] or d["Path"] or g["free"][u["Var"]]:
                    continue
                var = g["vars"][u["Var"]]
                if var in captured or var in unplaced:
                    continue
                line = t.raw(u["Start"])
                if t.raw(d["Start"]) == line and (line, u["Start"] - t.starts[line - 1]) in loops:
                    continue
                got.add((t.raw(d["Start"]), var, line, u["Start"] - t.starts[line - 1]))
            total["both"] += len(want & got)
            total["ours"] += len(got)
            total["theirs"] += len(want)
            for word, diff in (("only ours", got - want), ("only theirs", want - got)):
                for a, var, b, col in sorted(diff):
                    print(f"{word}\t{name}:{b}:{col} {var} of {a}\t{text[a-1].strip()[:60]}\t{text[b-1].strip()[:60]}")
    print(f"precision {total['both']/max(1,total['ours']):.4f} recall {total['both']/max(1,total['theirs']):.4f} {dict(total)}")


def main():
    what, path, *rest = sys.argv[1:]
    {"arcs": compare_arcs, "observe": observe, "ran": compare_ran, "uses": compare_uses}[what](path, *rest)


if __name__ == "__main__":
    main()
