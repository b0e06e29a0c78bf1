"""Prints the functions of Python files that a test suite runs, and how to break them.

Reads {"root", "files", "covered": [[file, line], ...]} from the standard input. Edits are
in bytes from the start of a file.
"""

import ast
import io
import json
import os
import sys
import tokenize


class File:
    def __init__(self, path, data):
        self.path, self.data = path, data
        self.lines = data.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tokens = []
        for t in tokenize.tokenize(io.BytesIO(data).readline):
            if t.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING):
                self.tokens.append((self.place(t.start), t.start[0], t))

    def place(self, at):
        """The bytes before a place that tokenize counts in characters."""
        line, column = at
        return self.starts[line - 1] + len(self.lines[line - 1].decode()[:column].encode())

    def at(self, node):
        return self.starts[node.lineno - 1] + node.col_offset


def first_line(node):
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])


def throw(file, node):
    code = 'raise RuntimeError("mutant")'
    body = node.body
    doc = is_doc(body[0])
    if doc and len(body) == 1:
        end = file.starts[body[0].end_lineno - 1] + body[0].end_col_offset
        return {"at": end, "length": 0, "text": "; " + code}
    target = body[1 if doc else 0]
    line = first_line(target)
    start = file.starts[line - 1]
    text = file.lines[line - 1]
    indent = text[: len(text) - len(text.lstrip())]
    if start + len(indent) != (file.at(target) if line == target.lineno else start + len(indent)):
        return {"at": file.at(target), "length": 0, "text": code + "; "}
    return {"at": start, "length": 0, "text": indent.decode() + code + "\n"}


def is_doc(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def rename(file, node):
    begin = file.at(node)
    for at, _, t in file.tokens:
        if at > begin and t.type == tokenize.NAME and t.string not in ("async", "def"):
            return {"at": at, "length": len(t.string.encode()), "text": t.string + "_mutant"}


def constants(file, node):
    docs = set()
    for n in ast.walk(node):
        if isinstance(getattr(n, "body", None), list) and n.body and is_doc(n.body[0]):
            docs.add(file.at(n.body[0]))
    begin = file.at(node.body[0])
    last = node.body[-1]
    end = file.starts[last.end_lineno - 1] + last.end_col_offset
    found = []
    for at, _, t in file.tokens:
        if not begin <= at < end or at in docs:
            continue
        length = len(t.string.encode())
        if t.type == tokenize.NUMBER:
            text = "(" + t.string + " + 1)"
        elif t.type == tokenize.STRING:
            prefix = t.string[: min(t.string.find(q) for q in "'\"" if q in t.string)].lower()
            text = t.string + (' b"~"' if "b" in prefix else ' "~"')
        elif t.string in ("True", "False"):
            text = "False" if t.string == "True" else "True"
        else:
            continue
        found.append({"at": at, "length": length, "text": text})
    return found


def functions(file, covered):
    found = []

    def visit(node, names):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = names + [child.name]
                if (file.path, first_line(child)) in covered:
                    found.append({
                        "file": file.path, "name": ".".join(name), "line": child.lineno,
                        "throw": throw(file, child), "rename": rename(file, child), "constants": constants(file, child),
                    })
                visit(child, name)
            elif isinstance(child, ast.ClassDef):
                visit(child, names + [child.name])
            else:
                visit(child, names)

    visit(ast.parse(file.data), [])
    return found


def main():
    question = json.load(sys.stdin)
    covered = {tuple(c) for c in question["covered"]}
    answer = []
    for path in question["files"]:
        with open(os.path.join(question["root"], path), "rb") as f:
            data = f.read()
        try:
            answer += functions(File(path, data), covered)
        except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
            continue  # no Python of this version: nothing there can run
    json.dump(answer, sys.stdout)


main()
