# Runs the tests of a Python project with pytest, and prints one JSON object a line: where
# the name of each call that ran stands, and where those of the functions that it ran do.
#
#	python python.py ROOT [ARGUMENT OF PYTEST]...
#
# It needs Python 3.12, for sys.monitoring, and pytest. What the interpreter calls without
# a call in the source is of the kind "implicit"; what other code calls, a library's or the
# interpreter's, is of the kind "foreign", and stands where the project called that code.
import ast
import dis
import inspect
import json
import os
import sys
import types

ROOT = os.path.realpath(sys.argv[1])
LAZY = 0x20 | 0x80 | 0x200  # flags of generators and coroutines: the call does not run them
CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}

names = {}  # by the name that code objects have for a file: its path from ROOT, or None
codes = []  # the code objects that ran: their ids stay theirs
last = {}  # by code and offset of a call that runs: what it calls
called = {}  # by code and offset of a call: what it called: functions, or classes
entered = set()  # what called, offset, what ran, and how


def own(code):
    name = code.co_filename
    if name not in names:
        path = os.path.relpath(os.path.realpath(name), ROOT)
        inside = not path.startswith("..") and path.endswith(".py") and "site-packages" not in path
        names[name] = path if inside and os.path.isfile(name) else None
    return names[name]


def function(of):
    """The code that a call of a value runs, without a call in between; or None."""
    for _ in range(8):
        if isinstance(of, types.MethodType):
            of = of.__func__
        elif isinstance(of, types.FunctionType):
            return of.__code__
        elif isinstance(of, type):
            return None
        elif hasattr(type(of), "cache_clear"):  # of functools
            of = of.__wrapped__
        else:
            of = getattr(type(of), "__call__", None)
    return None


def on_call(code, offset, of, _):
    if own(code) is None:
        return sys.monitoring.DISABLE
    at = id(code), offset
    if at not in called:
        codes.append(code)
    seen = called.setdefault(at, {"code": code, "to": set(), "other": set()})
    if isinstance(of, type):
        seen["other"].add(of)
    to = function(of)
    if to is not None and own(to) is not None:
        codes.append(to)
        seen["to"].add(to)
    elif to is not None and hasattr(of, "__wrapped__"):  # by a decorator of a library
        to = function(inspect.unwrap(of))
        if to is not None and own(to) is not None:
            codes.append(to)
            seen["other"].add(to)
    last[at] = of


def on_return(code, offset, *_):
    last.pop((id(code), offset), None)


def makes(of, code):
    """Reports whether the making of an object of a class runs code by itself."""
    if not isinstance(of, type):
        return False
    for c in type(of).__mro__ + of.__mro__:
        for name in ("__call__", "__new__", "__init__"):
            f = vars(c).get(name)
            if getattr(getattr(f, "__func__", f), "__code__", None) is code:
                return True
    return False


def on_start(code, _):
    if own(code) is None:
        return sys.monitoring.DISABLE
    if not code.co_flags & 0x2:  # of a file or a class
        return
    frame = sys._getframe(1).f_back
    how = "implicit"
    while frame is not None and own(frame.f_code) is None:
        frame, how = frame.f_back, "foreign"
    offset, name = start_of(frame.f_code, frame.f_lasti) if frame else (0, "")
    at = (id(frame.f_code), offset) if frame else (0, 0)
    if how == "implicit" and name in CALLS:
        of = last.get(at)
        if code.co_flags & LAZY or of is not None and function(of) is code:
            return
        # There is no event of f(*args) where f is a function of Python.
        how = "direct" if makes(of, code) or of is None and name == "CALL_FUNCTION_EX" else "foreign"
        if getattr(of, "__name__", "") == "__build_class__":
            how = "implicit"
    elif code.co_flags & LAZY and not code.co_name.startswith("__"):
        return
    codes.append(code)
    entered.add((frame and frame.f_code, at[1], code, how))


starts = {}


def start_of(code, offset):
    """The offset and the name of the instruction that a place in its caches belongs to."""
    table = starts.get(id(code))
    if table is None:
        codes.append(code)
        table = {}
        all = list(dis.get_instructions(code))
        for i, after in zip(all, all[1:] + [None]):
            end = after.offset if after else i.offset + 2
            table.update((n, (i.offset, i.opname)) for n in range(i.offset, end, 2))
        starts[id(code)] = table
    return table.get(offset, (offset, ""))


class Source:
    """What the text of a file says of its calls and functions."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), "rb") as f:
            text = f.read()
        self.lines = [b""] + text.split(b"\n")
        self.calls = {}  # by their ends: the places of their names
        self.applied = {}  # by the range of a decorator: the place of what it decorates
        self.withs = {}  # by their ranges: the places of the calls that they enter
        self.items = set()  # the ends of what they enter
        self.functions = {}  # by first line and name: their places
        self.classes = {}  # by their qualified names
        self.owners = []  # functions' ranges and places
        self.drawn = []
        self.visit(ast.parse(text), "")

    def visit(self, node, outer):
        inner = outer
        if isinstance(node, ast.Call):
            self.calls[node.end_lineno, node.end_col_offset] = self.called(node.func)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            calls = [self.called(i.context_expr.func) for i in node.items if isinstance(i.context_expr, ast.Call)]
            self.items.update((c.end_lineno, c.end_col_offset) for c in (i.context_expr for i in node.items))
            self.withs[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = calls
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            place = self.named(node)
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            for d in node.decorator_list:
                self.applied[d.end_lineno, d.end_col_offset] = place
            inner = outer + node.name + "."
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(outer + node.name, []).append(place)
            else:
                inner += "<locals>."
                self.functions[first, node.name] = place
                self.owners.append((node.lineno, node.end_lineno, place))
                if not any(ast.unparse(d).endswith("overload") for d in node.decorator_list):
                    self.drawn.append((place, node.name))
        for child in ast.iter_child_nodes(node):
            self.visit(child, inner)

    def named(self, node):
        line, at = node.lineno, node.col_offset
        return [self.path, line, self.lines[line].index(node.name.encode(), self.lines[line].index(b" ", at)) + 1]

    def called(self, f):
        if isinstance(f, ast.Attribute):
            return [self.path, f.end_lineno, f.end_col_offset - len(f.attr.encode()) + 1]
        if isinstance(f, ast.Name):
            return [self.path, f.lineno, f.col_offset + 1]
        return [self.path, f.end_lineno, f.end_col_offset + 1]

    def owner(self, line):
        """The place of the function around a line, or of the file."""
        inside = [o for o in self.owners if o[0] <= line <= o[1]]
        return max(inside)[2] if inside else [self.path, 1, 1]


sources = {}


def source(path):
    if path not in sources:
        sources[path] = Source(path)
    return sources[path]


def place(code):
    """The place of a function's name; None of what has none."""
    s = source(own(code))
    return s.functions.get((code.co_firstlineno, code.co_name))


def other_places(of):
    """The places of what a call may be said to lead to, too."""
    if isinstance(of, types.CodeType):
        return [place(of)] if place(of) else []
    name = getattr(sys.modules.get(of.__module__), "__file__", None)
    path = name and own(types.SimpleNamespace(co_filename=name))
    return source(path).classes.get(of.__qualname__, []) if path else []


def instructions(code):
    """The range of each instruction, by offset, and whether it is the first call there."""
    if id(code) not in positions:
        table, seen = {}, set()
        at = list(code.co_positions())
        for i in dis.get_instructions(code):
            range = at[i.offset // 2]
            table[i.offset] = range, range not in seen
            if i.opname in CALLS:
                seen.add(range)
        positions[id(code)] = table
    return positions[id(code)]


positions = {}


def sites_of(code, offset):
    """The places of the call at an instruction, and whether it is written there."""
    s = source(own(code))
    range, first = instructions(code).get(offset, (None, True))
    if range in s.withs:
        return s.withs[range], False
    end = range and (range[1], range[3])
    if end in s.applied and (end not in s.calls or not first):
        return [s.applied[end]], True
    return [s.calls[end]] if end in s.calls else [], first or end not in s.items


def by(code, offset):
    """The place of the function that an instruction is in, or of the file."""
    if code is None:
        return "", 0, 0
    range, _ = instructions(code).get(offset, (None, True))
    return tuple(source(own(code)).owner(range and range[0] or code.co_firstlineno))


def report(out, tests):
    sites, implicit, foreign = {}, {}, {}

    def add(code, offset, to, right):
        at, written = sites_of(code, offset)
        for p in at:
            s = sites.setdefault(tuple(p), (set(), set()))
            s[0 if written else 1].update(to)
            s[1].update(right)
        return written

    for (_, offset), seen in called.items():
        code = seen["code"]
        to = {tuple(p) for c in seen["to"] if (p := place(c))}
        right = {tuple(p) for o in seen["other"] for p in other_places(o)}
        right.update(by(c, 0) for c in seen["to"] if c.co_name == "<lambda>")
        if not add(code, offset, to, right) and to:
            implicit.setdefault(by(code, offset), set()).update(to)
    for code, offset, to, how in entered:
        if to.co_name == "<lambda>":  # is part of the function around it
            if code:
                add(code, offset, (), {by(to, 0)})
            continue
        if (p := place(to)) is None:
            continue
        p = {tuple(p)}
        if code:
            add(code, offset, p if how == "direct" else (), () if how == "direct" else p)
        if how != "direct":
            edges = implicit if how == "implicit" and code else foreign
            edges.setdefault(by(code, offset), set()).update(p)

    # A library may run what a call has passed to it later, in another call (map).
    for (path, number, _), (to, right) in sites.items():
        if not to:
            right.update(foreign.get(tuple(source(path).owner(number)), ()))

    def line(**of):
        print(json.dumps(of), file=out)

    for path in sorted({p for p in names.values() if p}):
        line(file=path)
        if path not in tests:
            for at, name in source(path).drawn:
                line(function=at, name=name)
    for at, (to, right) in sorted(sites.items()):
        line(at=at, kind="direct" if to else "external", to=sorted(to), below=sorted(right - to))
    for kind, edges in (("implicit", implicit), ("foreign", foreign)):
        for at, to in sorted(edges.items()):
            line(at=at, kind=kind, to=sorted(to))


class Collected:
    """Notes the files in which there are tests: nothing in the project calls these."""

    def __init__(self):
        self.files = set()

    def pytest_collection_modifyitems(self, items):
        for i in (i for i in items if hasattr(i, "function")):  # not in a docstring
            self.files.add(os.path.relpath(os.path.realpath(str(i.path)), ROOT))


def main():
    if not hasattr(sys, "monitoring"):
        sys.exit("this is Python %s; sys.monitoring came with 3.12" % sys.version.split()[0])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the tests print
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    sys.path[0] = ROOT
    m, events = sys.monitoring, sys.monitoring.events
    m.use_tool_id(4, "calls")
    m.register_callback(4, events.CALL, on_call)
    m.register_callback(4, events.C_RETURN, on_return)
    m.register_callback(4, events.C_RAISE, on_return)
    m.register_callback(4, events.PY_START, on_start)
    m.set_events(4, events.CALL | events.PY_START)
    import pytest

    tests = Collected()
    status = pytest.main(["-q", "--assert=plain", "-p", "no:cacheprovider"] + sys.argv[2:], plugins=[tests])
    m.set_events(4, 0)
    if status not in (0, 1):
        sys.exit("pytest ended with status %d" % status)
    report(out, tests.files)
    out.flush()


main()
