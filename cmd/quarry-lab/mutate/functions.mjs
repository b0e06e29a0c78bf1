// Prints the functions of TypeScript and JavaScript files that a test suite runs, and how to
// break them. Reads {"root", "files", "typescript", "covered": {file: [line, ...]}} from the
// standard input: the lines on which a function that ran begins. Edits are in bytes from the
// start of a file.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const question = JSON.parse(readFileSync(0, "utf8"));
const ts = createRequire(join(question.typescript, "package.json"))("typescript");
const answer = [];
const code = 'throw new Error("mutant")';

function nameOf(node) {
    if (ts.isConstructorDeclaration(node)) return undefined;
    if (node.name) return node.name;
    const up = node.parent;
    if (up && (ts.isVariableDeclaration(up) || ts.isPropertyAssignment(up) || ts.isPropertyDeclaration(up)) && up.initializer === node) return up.name;
    return undefined;
}

function constants(file, node, edit) {
    const found = [];
    const visit = (n) => {
        if (ts.isTypeNode(n) || ts.isImportDeclaration(n) || ts.isExportDeclaration(n)) return;
        const end = n.getEnd();
        if (ts.isNumericLiteral(n) && n.parent.name !== n) found.push(edit(n.getStart(file), end, `(${n.getText(file)} + 1)`));
        else if (ts.isStringLiteral(n) || ts.isNoSubstitutionTemplateLiteral(n)) {
            const directive = ts.isExpressionStatement(n.parent);
            const called = ts.isCallExpression(n.parent) && n.parent.expression.kind === ts.SyntaxKind.ImportKeyword;
            if (n.parent.name !== n && !directive && !called) found.push(edit(end - 1, end - 1, "~"));
        } else if (n.kind === ts.SyntaxKind.TrueKeyword) found.push(edit(n.getStart(file), end, "false"));
        else if (n.kind === ts.SyntaxKind.FalseKeyword) found.push(edit(n.getStart(file), end, "true"));
        else ts.forEachChild(n, visit);
    };
    visit(node.body);
    return found;
}

for (const path of question.files) {
    const text = readFileSync(join(question.root, path), "utf8");
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const lines = new Set(question.covered[path] ?? []);
    const edit = (from, to, by) => {
        const at = Buffer.byteLength(text.slice(0, from));
        return { at, length: Buffer.byteLength(text.slice(from, to)), text: by };
    };
    const lineAt = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
    const visit = (node, names) => {
        let inner = names;
        const id = nameOf(node);
        if (id && (ts.isClassLike(node) || ts.isFunctionLike(node))) inner = [...names, id.getText(file)];
        else if (ts.isConstructorDeclaration(node)) inner = [...names, "constructor"];
        if (ts.isFunctionLike(node) && node.body && inner !== names) {
            const from = lineAt(node.getStart(file)), body = node.body.getStart(file);
            let ran = false;
            for (let n = from; n <= lineAt(body); n++) ran ||= lines.has(n);
            if (ran) {
                const block = ts.isBlock(node.body);
                const first = block && !(ts.isConstructorDeclaration(node) && /\bsuper\s*\(/.test(node.body.getText(file)));
                answer.push({
                    file: path, name: inner.join("."), line: lineAt((id ?? node).getStart(file)),
                    throw: !block ? edit(body, node.body.getEnd(), `{ ${code}; }`) : first ? edit(body + 1, body + 1, ` ${code};`) : null,
                    rename: id && ts.isIdentifier(id) ? edit(id.getStart(file), id.getEnd(), id.text + "_mutant") : null,
                    constants: constants(file, node, edit),
                });
            }
        }
        ts.forEachChild(node, (child) => visit(child, inner));
    };
    visit(file, []);
}
process.stdout.write(JSON.stringify(answer));
