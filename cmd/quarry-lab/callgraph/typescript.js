// Resolves every call of a TypeScript project with the compiler's own checker, and
// prints one JSON object a line: where the call's name stands, of what kind it is, and
// where the names of the functions and classes stand that it runs.
//
//	node typescript.js ROOT TSCONFIG...
//
// The compiler is the package "typescript", version 5, found by NODE_PATH.
"use strict";
const ts = require("typescript");
const path = require("path");

const root = path.resolve(process.argv[2]);
const program = open(process.argv.slice(3));
const checker = program.getTypeChecker();

function open(configs) {
	const files = new Set();
	let options = {};
	for (const name of configs) {
		const file = path.resolve(root, name);
		const read = ts.readConfigFile(file, ts.sys.readFile);
		if (read.error) throw new Error(ts.flattenDiagnosticMessageText(read.error.messageText, "\n"));
		const config = ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(file));
		options = { ...config.options, ...options };
		config.fileNames.forEach((f) => files.add(f));
	}
	return ts.createProgram([...files], { ...options, noEmit: true, skipLibCheck: true });
}

const own = (sf) => !sf.isDeclarationFile && sf.fileName.startsWith(root + "/") && !sf.fileName.includes("/node_modules/");

// at is a place: the file, the line and the column, in bytes, from 1.
function at(sf, pos) {
	const { line, character } = sf.getLineAndCharacterOfPosition(pos);
	const start = sf.getPositionOfLineAndCharacter(line, 0);
	return [path.relative(root, sf.fileName), line + 1, Buffer.byteLength(sf.text.slice(start, start + character)) + 1];
}

// called is the place of a call's name, or where the called expression begins.
function called(sf, e) {
	while (ts.isNonNullExpression(e) || ts.isExpressionWithTypeArguments(e)) e = e.expression;
	if (ts.isPropertyAccessExpression(e)) return at(sf, e.name.getStart(sf));
	if (ts.isElementAccessExpression(e)) return at(sf, e.argumentExpression.getStart(sf));
	return at(sf, e.getStart(sf));
}

const isFunction = (d) =>
	ts.isFunctionDeclaration(d) || ts.isMethodDeclaration(d) || ts.isConstructorDeclaration(d) || ts.isArrowFunction(d) ||
	ts.isFunctionExpression(d) || ts.isGetAccessorDeclaration(d) || ts.isSetAccessorDeclaration(d);

const isWrapper = (e) =>
	ts.isParenthesizedExpression(e) || ts.isAsExpression(e) || ts.isNonNullExpression(e) ||
	ts.isTypeAssertionExpression(e) || ts.isSatisfiesExpression(e);

// strip takes parentheses and assertions off an expression.
function strip(e) {
	while (e && isWrapper(e)) e = e.expression;
	return e;
}

// place is where the name of a function or class stands: its own, or that of what it
// is the value of. A function without a name stands for the one that it is written in.
function place(d) {
	const sf = d.getSourceFile();
	const around = isLiteral(d) && enclosing(d);
	if (around) return place(around);
	if (ts.isConstructorDeclaration(d)) {
		const word = d.getChildren(sf).find((c) => c.kind === ts.SyntaxKind.ConstructorKeyword);
		return at(sf, (word || d).getStart(sf));
	}
	return at(sf, (d.name && !holder(d) ? d.name : holder(d) || d).getStart(sf));
}

// holder is the name of what a function or class is the value of.
function holder(d) {
	if (!ts.isArrowFunction(d) && !ts.isFunctionExpression(d) && !ts.isClassExpression(d)) return undefined;
	let value = d;
	while (isWrapper(value.parent)) value = value.parent;
	const p = value.parent;
	const holds = ts.isVariableDeclaration(p) || ts.isPropertyDeclaration(p) || ts.isPropertyAssignment(p);
	if (holds && p.initializer === value) return p.name;
	return isAssignment(p) && p.right === value ? p.left.name : undefined;
}

// isLiteral reports whether a function has no name.
const isLiteral = (d) => (ts.isArrowFunction(d) || ts.isFunctionExpression(d)) && !d.name && !holder(d);

// enclosing is the function with a name that a node is written in.
function enclosing(node) {
	for (let d = node.parent; d; d = d.parent) if (isFunction(d) && !isLiteral(d)) return d;
	return undefined;
}

const isAssignment = (e) =>
	ts.isBinaryExpression(e) && e.operatorToken.kind === ts.SyntaxKind.EqualsToken && ts.isPropertyAccessExpression(e.left);

const follow = (s) => (s && s.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(s) : s);

// withBody are the functions with a body that a declaration stands for: itself, or
// what implements its overloads.
function withBody(d) {
	if (!d || !isFunction(d)) return [];
	if (d.body) return [d];
	return ((d.symbol && d.symbol.declarations) || []).filter((x) => isFunction(x) && x.body && x.kind === d.kind);
}

// valueOf are the functions that a symbol is made with.
function valueOf(symbol) {
	const out = [];
	for (const d of (symbol && symbol.declarations) || []) {
		if (isFunction(d) && d.body) out.push(d);
		const fixed = ts.isVariableDeclaration(d) && ts.getCombinedNodeFlags(d) & ts.NodeFlags.Const;
		if (fixed || ts.isPropertyDeclaration(d) || ts.isPropertyAssignment(d)) {
			const value = d.initializer && strip(d.initializer);
			if (value && isFunction(value)) out.push(value);
		}
	}
	return out;
}

// What stands for a member of an interface or base class, by the member: members of
// classes, of objects where the type is expected, and what is assigned to it.
const implementations = new Map();

function implement(member, functions) {
	for (const d of (member && member.declarations) || []) {
		if (!implementations.has(d)) implementations.set(d, new Set());
		functions.forEach((f) => f !== d && implementations.get(d).add(f));
	}
}

function bases(type, seen) {
	if (!type || seen.has(type)) return seen;
	seen.add(type);
	if (type.isUnionOrIntersection()) type.types.forEach((t) => bases(t, seen));
	for (const d of (type.symbol && type.symbol.declarations) || []) {
		for (const clause of d.heritageClauses || []) clause.types.forEach((t) => bases(checker.getTypeAtLocation(t), seen));
	}
	return seen;
}

function collect(node) {
	if (ts.isClassLike(node)) {
		const type = checker.getTypeAtLocation(node);
		for (const base of bases(type, new Set())) {
			if (base === type) continue;
			for (const member of checker.getPropertiesOfType(base)) {
				implement(member, valueOf(checker.getPropertyOfType(type, member.name)));
			}
		}
	} else if (ts.isObjectLiteralExpression(node)) {
		const type = checker.getContextualType(node);
		for (const p of type ? node.properties : []) {
			if (!p.name || ts.isComputedPropertyName(p.name)) continue;
			let functions = valueOf(checker.getSymbolAtLocation(p.name));
			if (ts.isShorthandPropertyAssignment(p)) functions = valueOf(follow(checker.getShorthandAssignmentValueSymbol(p)));
			else if (ts.isPropertyAssignment(p) && ts.isIdentifier(p.initializer)) functions = named(p.initializer);
			implement(checker.getPropertyOfType(checker.getNonNullableType(type), p.name.text), functions);
		}
	} else if (isAssignment(node)) {
		const value = strip(node.right);
		implement(checker.getSymbolAtLocation(node.left.name), isFunction(value) ? [value] : ts.isIdentifier(value) ? named(value) : []);
	}
	ts.forEachChild(node, collect);
}

const named = (identifier) => valueOf(follow(checker.getSymbolAtLocation(identifier)));

// made is what new runs: the constructor, or else the class itself stands for it.
function made(signature, callee, symbol) {
	const constructors = withBody(signature && signature.declaration).filter(ts.isConstructorDeclaration);
	if (constructors.length > 0) return constructors;
	if (callee.kind !== ts.SyntaxKind.SuperKeyword) {
		const type = signature && checker.getReturnTypeOfSignature(signature);
		symbol = type && type.symbol;
	}
	return ((symbol && symbol.declarations) || []).filter(ts.isClassLike);
}

// resolve says what a call runs. Its kind is "direct", "interface" where any of
// several may run, "external", or "" where the checker does not know.
function resolve(node, callee) {
	const signature = checker.getResolvedSignature(node);
	const declaration = signature && signature.declaration;
	const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
	const symbol = follow(checker.getSymbolAtLocation(name));
	const declarations = (symbol && symbol.declarations) || [];
	let to = [];
	let kind = "direct";
	if (ts.isNewExpression(node) || callee.kind === ts.SyntaxKind.SuperKeyword) {
		to = made(signature, callee, symbol);
	} else {
		to = withBody(declaration);
		if (to.length === 0) to = valueOf(symbol);
		if (to.length === 0) {
			kind = "interface";
			const members = [declaration, ...declarations].filter((d) => d && own(d.getSourceFile()));
			to = [...new Set(members.flatMap((d) => [...(implementations.get(d) || [])]))];
		}
	}
	const mine = to.filter((d) => own(d.getSourceFile()));
	// A literal is a part of the function that it is written in, which calls nothing where it calls that;
	// in none it is code that runs when the file is loaded.
	const inside = mine.filter((d) => !isLiteral(d) || (enclosing(d) && enclosing(d) !== enclosing(node)));
	if (inside.length === 0) kind = mine.length === 0 && outside(to, declaration, declarations, name) ? "external" : "";
	// What overrides it, what is assigned to it later, and what the project has for a member that is declared outside.
	const members = kind === "interface" ? inside : [...inside, declaration, ...declarations];
	const below = [...new Set(members.flatMap((d) => [...(implementations.get(d) || [])]))].filter((d) => own(d.getSourceFile()));
	return { kind, to: inside.map(place), below: below.map(place), ...(inside.some(isLiteral) && { literal: true }) };
}

// outside reports whether a call surely leaves the project. Of function values, and
// of call, apply and bind, the checker only knows a type.
function outside(to, declaration, declarations, name) {
	if (to.length > 0) return true;
	if (declarations.some((d) => own(d.getSourceFile())) || /^(call|apply|bind)$/.test(name.text || "")) return false;
	return declaration ? !own(declaration.getSourceFile()) : declarations.some((d) => d.getSourceFile().isDeclarationFile);
}

// calleeOf is what a node calls, if it does: elements of components do, too.
function calleeOf(sf, node) {
	if (ts.isCallExpression(node)) return node.expression.kind === ts.SyntaxKind.ImportKeyword ? undefined : node.expression;
	if (ts.isNewExpression(node)) return node.expression;
	if (ts.isTaggedTemplateExpression(node)) return node.tag;
	const element = ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node);
	return element && !/^[a-z]/.test(node.tagName.getText(sf)) ? node.tagName : undefined;
}

// nameOf is the name of a function that has one: its own, or that of what it is the value of.
function nameOf(d) {
	if (ts.isConstructorDeclaration(d)) return "constructor";
	if (d.name) return d.name.getText();
	let value = d;
	while (isWrapper(value.parent)) value = value.parent;
	return ts.isVariableDeclaration(value.parent) && value.parent.initializer === value ? value.parent.name.getText() : undefined;
}

function visit(sf, node) {
	const name = isFunction(node) && node.body && nameOf(node);
	if (name) console.log(JSON.stringify({ function: place(node), name }));
	const callee = calleeOf(sf, node);
	if (callee) console.log(JSON.stringify({ at: called(sf, callee), ...resolve(node, callee) }));
	ts.forEachChild(node, (child) => visit(sf, child));
}

const files = program.getSourceFiles().filter(own);
files.forEach(collect);
for (const sf of files) {
	console.log(JSON.stringify({ file: path.relative(root, sf.fileName) }));
	visit(sf, sf);
}
