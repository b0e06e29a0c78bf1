// Proves slices of JavaScript by running them, as slices.py does for Python and Go.
//
//	node slices.js MODULES real DIR NUMBER SEED          functions of the packages in MODULES
//	node slices.js MODULES check GRAPHS [--small] [--more] [--verbose]
//
// MODULES is a node_modules folder, which has acorn and astring. What slices.py generates is
// checked, too: each source has its inputs and what it calls in a file .json next to it.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm'), util = require('util');
const Module = require('module');

const [modules, what, ...rest] = process.argv.slice(/\.js$/.test(process.argv[1]) ? 2 : 1);
const from = Module.createRequire(path.join(path.resolve(modules), 'x.js'));
const acorn = from('acorn'), { generate } = from('astring');

function random(seed) { // mulberry32
  let a = seed >>> 0;
  const next = () => {
    a = a + 0x6D2B79F5 | 0;
    let t = Math.imul(a ^ a >>> 15, 1 | a);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
  next.int = (lo, hi) => lo + Math.floor(next() * (hi - lo + 1));
  next.choice = list => list[Math.floor(next() * list.length)];
  next.shuffle = list => {
    for (let i = list.length - 1; i > 0; i--) {
      const j = next.int(0, i);
      [list[i], list[j]] = [list[j], list[i]];
    }
    return list;
  };
  return next;
}

const parse = (text, options) => acorn.parse(text, { ecmaVersion: 'latest', locations: true, allowReturnOutsideFunction: true, ...options });
const isFunction = n => /Function|Class/.test(n.type);
const isNode = n => n && typeof n.type === 'string';

function* children(n) {
  for (const key of Object.keys(n)) {
    const v = n[key];
    if (Array.isArray(v)) yield* v.filter(isNode);
    else if (isNode(v)) yield v;
  }
}

function* within(n, enter = () => true) {
  yield n;
  if (enter(n)) for (const c of children(n)) yield* within(c, enter);
}

// statements yields those of a function, without those of functions inside.
function* statements(n) {
  for (const c of children(n)) {
    if (c.type.endsWith('Statement') && c.type !== 'BlockStatement' || c.type === 'VariableDeclaration' || c.type === 'FunctionDeclaration') yield c;
    if (!isFunction(c)) yield* statements(c);
  }
}

// simple has each declaration and each statement on a line of its own.
function simple(n) {
  const block = s => s && s.type !== 'BlockStatement' ? { type: 'BlockStatement', body: [s] } : s;
  const each = list => list.flatMap(s => s.type === 'VariableDeclaration' ? s.declarations.map(d => ({ ...s, declarations: [d] })) : s.type === 'EmptyStatement' ? [] : [s]);
  for (const c of within(n)) {
    if (c.type === 'IfStatement') {
      c.consequent = block(c.consequent);
      if (c.alternate && c.alternate.type !== 'IfStatement') c.alternate = block(c.alternate);
    }
    if (/^(For|While|DoWhile|ForIn|ForOf)Statement$/.test(c.type)) c.body = block(c.body);
    if (c.type === 'BlockStatement') c.body = each(c.body);
    if (c.type === 'SwitchCase') c.consequent = each(c.consequent);
  }
  return n;
}

let seen = [];
globalThis.__print = v => {
  if (seen.length >= 2000) return;
  let text;
  try { text = util.inspect(v, { depth: 4, breakLength: Infinity }).slice(0, 200); } catch { text = '?'; }
  seen.push(text);
};
const say = console.log;
for (const name of ['log', 'warn', 'error', 'info', 'debug']) console[name] = () => {}; // what is run says nothing
const runner = new vm.Script('__run()');

// values is what is printed for each input, and how it ended.
function values(load, code, inputs, limit = 300) {
  let f;
  try { f = load('(' + code + ')'); } catch (e) { return inputs.map(() => [[], 'SyntaxError']); }
  return inputs.map(make => one(f, make, limit));
}

let own = false; // an error is on its way that a "throw" in the function raised
globalThis.__own = v => { own = v; };
function one(f, make, limit) {
  seen = [];
  own = false;
  let end = 'ok';
  globalThis.__run = () => f(...make());
  try { runner.runInThisContext({ timeout: limit }); } catch (e) {
    end = e && (e.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'late' : e.name || 'error') || 'error';
    if (own) end = 'own';
  }
  return [seen, end];
}

// same reports whether a slice sees what the whole saw: where that ended by an error that it did
// not throw itself, at least that.
function same([a, end], [b, end2]) {
  if (!a.every((v, i) => v === b[i])) return false;
  return a.length === b.length ? end === end2 || end !== 'ok' : a.length < b.length && end !== 'ok' && end !== 'own';
}

// owned is a function that notes the errors that it throws itself.
function owned(code) {
  const tree = parse(code).body[0];
  const note = value => ({ type: 'ExpressionStatement', expression: { type: 'CallExpression', callee: { type: 'Identifier', name: '__own' }, arguments: [{ type: 'Literal', value }], optional: false } });
  for (const n of [...within(tree.body, c => !isFunction(c))]) {
    if (n.type === 'ThrowStatement') {
      const s = { ...n };
      Object.assign(n, { type: 'BlockStatement', body: [{ type: 'VariableDeclaration', kind: 'const', declarations: [{ type: 'VariableDeclarator', id: { type: 'Identifier', name: '__e' }, init: s.argument }] }, note(true), { type: 'ThrowStatement', argument: { type: 'Identifier', name: '__e' } }] });
    } else if (n.type === 'CatchClause') n.body.body.unshift(note(false));
  }
  return generate(tree);
}

// cut leaves the lines of a function that are kept, and what they need around them.
function cut(tree, keep) {
  const has = n => [...within(n, c => !isFunction(c))].some(c => c.loc && keep.has(c.loc.start.line) && (/(Statement|Declaration)$/.test(c.type)) && c.type !== 'BlockStatement' || c.type === 'SwitchCase' && keep.has(c.loc.start.line));
  const block = n => ({ type: 'BlockStatement', body: n ? list(n.type === 'BlockStatement' ? n.body : [n]) : [] });
  const list = l => l.flatMap(s => {
    if (s.type === 'FunctionDeclaration' || s.type === 'ClassDeclaration') return keep.has(s.loc.start.line) ? [s] : [];
    if (!has(s)) {
      if (s.type !== 'VariableDeclaration') return hoisted(s);
      return [bare(s)];
    }
    const c = { ...s };
    switch (s.type) {
      case 'BlockStatement': return [block(s)];
      case 'IfStatement':
        c.consequent = block(s.consequent);
        c.alternate = s.alternate ? s.alternate.type === 'IfStatement' ? list([s.alternate])[0] || null : has(s.alternate) ? block(s.alternate) : null : null;
        break;
      case 'ForStatement': case 'WhileStatement': case 'DoWhileStatement': case 'ForInStatement': case 'ForOfStatement': case 'WithStatement':
        c.body = block(s.body);
        break;
      case 'LabeledStatement': {
        const [body] = list([s.body]);
        c.body = body || { type: 'BlockStatement', body: [] };
        break;
      }
      case 'TryStatement':
        c.block = block(s.block);
        if (s.handler) c.handler = { ...s.handler, body: block(s.handler.body) };
        c.finalizer = s.finalizer && (!s.handler || has(s.finalizer)) ? block(s.finalizer) : null;
        break;
      case 'SwitchStatement':
        c.cases = s.cases.map(k => ({ ...k, consequent: list(k.consequent) }));
    }
    return [c];
  });
  // The variables that are declared in what is left out: a name must not become a global one.
  const bare = s => ({ type: 'VariableDeclaration', kind: s.kind === 'var' ? 'var' : 'let', declarations: [...new Set(s.declarations.flatMap(d => names(d.id)))].map(name => ({ type: 'VariableDeclarator', id: { type: 'Identifier', name }, init: null })) });
  const hoisted = s => [...within(s, c => !isFunction(c))].filter(c => c.type === 'VariableDeclaration' && c.kind === 'var').map(bare);
  return generate({ ...tree, body: block(tree.body) });
}

function names(p) {
  switch (p && p.type) {
    case 'Identifier': return [p.name];
    case 'ObjectPattern': return p.properties.flatMap(q => names(q.value || q.argument));
    case 'ArrayPattern': return p.elements.flatMap(names);
    case 'AssignmentPattern': return names(p.left);
    case 'RestElement': return names(p.argument);
  }
  return [];
}

// traced is a function that notes its lines and which way its conditions go, in ran.
let ran = new Set();
globalThis.__t = line => { ran.add(String(line)); };
globalThis.__b = (line, v) => { ran.add(line + (v ? '+' : '-')); return v; };
function traced(code) {
  const tree = parse(code, {}).body[0];
  const call = (name, ...args) => ({ type: 'CallExpression', callee: { type: 'Identifier', name }, arguments: args, optional: false });
  const number = value => ({ type: 'Literal', value });
  const visit = n => {
    for (const c of children(n)) if (!isFunction(c)) visit(c);
    if (/^(If|While|DoWhile|For)Statement$/.test(n.type) && n.test) n.test = call('__b', number(n.loc.start.line), n.test);
    if (n.type === 'ForInStatement' || n.type === 'ForOfStatement') n.body.body.unshift({ type: 'ExpressionStatement', expression: call('__b', number(n.loc.start.line), { type: 'Literal', value: true }) });
    for (const key of ['body', 'consequent']) {
      if (Array.isArray(n[key]) && (n.type === 'BlockStatement' || n.type === 'SwitchCase')) {
        n[key] = n[key].flatMap(s => s.loc && s.type !== 'FunctionDeclaration' ? [{ type: 'ExpressionStatement', expression: call('__t', number(s.loc.start.line)) }, s] : [s]);
      }
    }
    if (n.type === 'IfStatement' && n.alternate && n.alternate.type === 'IfStatement') {
      const at = n.alternate.loc.start.line;
      n.alternate = { type: 'BlockStatement', body: [{ type: 'ExpressionStatement', expression: call('__t', number(at)) }, n.alternate] };
    }
  };
  visit(tree.body);
  return generate(tree);
}

// judged are the lines that runs can judge: they ran, and conditions went both ways.
function judged(load, code, inputs) {
  ran = new Set();
  values(load, traced(code), inputs);
  const tree = parse(code).body[0], lines = new Set();
  for (const s of statements(tree.body)) {
    const line = s.loc.start.line;
    if (!ran.has(String(line))) continue;
    if (/^(If|While|DoWhile|For)Statement$/.test(s.type) && s.test && !(ran.has(line + '+') && ran.has(line + '-'))) continue;
    if (/^For(In|Of)Statement$/.test(s.type) && !ran.has(line + '+')) continue;
    lines.add(line);
  }
  return lines;
}

// loader returns what evaluates an expression where a function stands in its module.
function loader(meta) {
  if (meta.prelude !== undefined) return vm.runInThisContext('(function () {' + meta.prelude + '; return function (s) { return eval(s); }; })()');
  const source = fs.readFileSync(meta.module, 'utf8').replace(/^#!.*/, '');
  let found = null;
  const text = source.slice(0, meta.at) + ';__hook(function (s) { return eval(s); });' + source.slice(meta.at);
  globalThis.__hook = f => { found = found || f; };
  const module = { exports: {} };
  const run = vm.runInThisContext('(function (exports, require, module, __filename, __dirname) {' + text + '\n})', { filename: meta.module });
  run.call(module.exports, module.exports, Module.createRequire(meta.module), module, meta.module, path.dirname(meta.module));
  return found;
}

// inputs makes functions that give the arguments anew.
const inputsOf = (load, list) => list.map(text => load('(function () { return [' + text + ']; })'));

function argument(r, words, deep = 0) {
  const pick = r();
  if (pick < 0.25 && words.length) return r.choice(words);
  if (pick < 0.4) return String(r.choice([r.int(-2, 12), r.int(0, 3), r.int(0, 3), 1.5, 1000, -0.25, 2147483648]));
  if (pick < 0.6) return JSON.stringify(r.choice(['', 'abc', 'a/b.c', 'x=1&y=2', 'Hello, world', 'fooBar baz', 'a.b[0].c', 'a,b;c d', '<b>&amp;</b>', '%41+b', '12:30', '2001-02-03T04:05:06Z', '1.5', '1.2.3-beta.1', 'é~', '#ff8800', '**/*.js', 'a@b.org', '10mb']));
  if (pick < 0.8 && deep < 2) {
    const n = r.int(0, 5), kind = r();
    const one = kind < 0.4 ? () => String(r.int(0, 9)) : kind < 0.6 ? () => JSON.stringify(r.choice(['a', 'bb', 'ccc', 'x y', '-1'])) : () => argument(r, words, deep + 1);
    return '[' + Array.from({ length: n }, one).join(', ') + ']';
  }
  if (pick < 0.9 && deep < 2) return '({' + Array.from({ length: r.int(0, 4) }, () => r.choice(['a', 'b', 'c', 'length', 'name', 'value']) + ': ' + argument(r, words, deep + 1)).join(', ') + '})';
  return r.choice(['null', 'undefined', 'true', 'false', 'NaN', 'new Date(Date.UTC(2001, 1, 3, 4, 5, 6))', '/b+/g', '(function (x) { return x; })', '(function (x, y) { return x < y ? -1 : 1; })', '(function (x) { return x > 3; })']);
}

const left = /lodash\/(fp|_|core|lodash\.min)|[.-]min\.js$|\/(dist|test|tests|bin|cli|benchmarks?|examples?|locale|locales|locale-data|esm|es|fp|umd|bundles?|build|min|cjs-browser|browser)\//;

function real(dir, number, seed) {
  const r = random(Number(seed)), root = path.resolve(modules), files = [];
  const visit = (d, pkg) => {
    for (const e of fs.readdirSync(d, { withFileTypes: true })) {
      const p = path.join(d, e.name);
      if (e.isDirectory() && e.name !== 'node_modules' && !e.name.startsWith('.')) visit(p, pkg);
      else if (/\.c?js$/.test(e.name) && !left.test(p.slice(root.length))) files.push([pkg, p]);
    }
  };
  for (const pkg of fs.readdirSync(root).sort()) if (!/^[.@]|^(acorn|astring)$/.test(pkg)) visit(path.join(root, pkg), pkg);
  const functions = [];
  for (const [pkg, file] of files) {
    const text = fs.readFileSync(file, 'utf8').replace(/^#!.*/, '');
    let tree;
    try { tree = parse(text, { sourceType: 'script' }); } catch { continue; }
    const find = (n, at, depth) => {
      for (const c of children(n)) {
        const place = (n.type === 'Program' || n.type === 'BlockStatement') && !/^Import|^Export/.test(c.type) ? c.start : at;
        if (/^Function(Declaration|Expression)$/.test(c.type) && fits(c, text)) functions.push([pkg, file, place, text.slice(c.start, c.end)]);
        if (depth < 60) find(c, place, depth + 1);
      }
    };
    find(tree, 0, 0);
  }
  r.shuffle(functions);
  fs.mkdirSync(dir, { recursive: true });
  let count = 0;
  const of = {}, list = [], limit = Math.max(6, Number(number) / 10);
  for (const [pkg, file, at, text] of functions) {
    if (count >= Number(number)) break;
    if ((of[pkg] = of[pkg] || 0) >= limit) continue;
    let load;
    try { load = loader({ module: file, at }); } catch { continue; }
    if (!load) continue;
    const made = draw(r, load, text);
    if (!made) continue;
    const name = path.join(path.resolve(dir), `real-${count++}.js`);
    of[pkg]++;
    fs.writeFileSync(name, made.code + '\n');
    fs.writeFileSync(name + '.json', JSON.stringify({ module: file, at, inputs: made.inputs, more: made.more }));
    list.push(`javascript\t${name}\n`);
    fs.writeFileSync(path.join(dir, 'list'), list.join(''));
  }
  say(`${functions.length} functions of ${Object.keys(of).length} packages, ${count} drawn`);
  process.exit(0);
}

// fits reports whether a function can be run alone: it has some statements and touches nothing else.
function fits(f, text) {
  if (!text.startsWith('function', f.start) || f.async || f.generator || !f.params.length || f.end - f.start > 8000) return false;
  for (const n of within(f.body)) {
    if (/^(ThisExpression|Super|AwaitExpression|YieldExpression|MetaProperty)$/.test(n.type)) return false;
    if (n.type === 'Identifier' && /^(process|require|fs|console|setTimeout|arguments|eval|globalThis|window|document|module|exports|__print)$/.test(n.name)) return false;
  }
  if (/Math\.random|Date\.now|new Date\(\)/.test(text.slice(f.start, f.end))) return false;
  return [...statements(f.body)].length >= 6;
}

// draw puts a line that prints into a function, and finds arguments with which it does.
function draw(r, load, text) {
  const words = [...new Set([...within(parse('(' + text + ')'))].filter(n => n.type === 'Literal' && !n.regex && n.value !== null).map(n => n.raw))].slice(0, 40);
  for (let tries = 0; tries < 6; tries++) {
    const f = simple(parse('(' + text + ')').body[0].expression);
    f.type = 'FunctionDeclaration';
    f.id = { type: 'Identifier', name: 'sliced' };
    const own = new Set(f.params.flatMap(names));
    for (const n of within(f.body, c => !isFunction(c))) if (n.type === 'VariableDeclarator') names(n.id).forEach(v => own.add(v));
    const places = [];
    for (const b of within(f.body, c => !isFunction(c))) {
      const list = b.type === 'BlockStatement' ? b.body : b.type === 'SwitchCase' ? b.consequent : [];
      for (const s of list) {
        if (isFunction(s)) continue;
        const used = new Set();
        for (const n of within(s, c => !isFunction(c) && c.type !== 'BlockStatement' && c.type !== 'SwitchCase')) {
          if (n.type === 'Identifier' && own.has(n.name)) used.add(n.name);
        }
        if (s.type === 'VariableDeclaration') s.declarations.flatMap(d => names(d.id)).forEach(v => used.delete(v));
        for (const v of used) places.push([list, s, v]);
      }
    }
    if (!places.length) return null;
    const [list, s, v] = r.choice(places);
    list.splice(list.indexOf(s), 0, { type: 'ExpressionStatement', expression: { type: 'CallExpression', callee: { type: 'Identifier', name: '__print' }, arguments: [{ type: 'Identifier', name: v }], optional: false } });
    const code = generate(f);
    let plain, watched;
    try { plain = load('(' + code + ')'); watched = load('(' + traced(code) + ')'); } catch { return null; }
    const inputs = [], more = [], reached = new Set();
    const until = Date.now() + 6000;
    for (let i = 0; i < 1500 && Date.now() < until; i++) {
      const args = Array.from({ length: r.int(Math.max(1, f.params.length - 1), f.params.length) }, () => argument(r, words)).join(', ');
      let make;
      try { [make] = inputsOf(load, [args]); } catch { continue; }
      const [out, end] = one(plain, make, 100);
      if (end === 'late' || out.length >= 1000) continue;
      if (end === 'ok' && out.length && inputs.length < 12) inputs.push(args);
      ran = new Set();
      one(watched, make, 100);
      const fresh = [...ran].filter(k => !reached.has(k));
      fresh.forEach(k => reached.add(k));
      if ((fresh.length || out.length && more.length < 40) && !inputs.includes(args)) more.push(args);
      if (i > 200 && inputs.length < 1) break;
    }
    if (inputs.length >= 2) return { code, inputs, more };
  }
  return null;
}

// sliceOf returns the lines of the backward slice of the line that prints.
function sliceOf(graphs, text) {
  const starts = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === 10) starts.push(i + 1);
  const lineOf = at => { let lo = 0, hi = starts.length; while (lo < hi) { const m = lo + hi >> 1; if (starts[m] <= at) lo = m + 1; else hi = m; } return lo; };
  for (const g of graphs) {
    if (g.module) continue;
    const todo = g.steps.flatMap((s, i) => i > 2 && text.subarray(s.start, s.end).toString().startsWith('__print(') ? [i] : []);
    if (!todo.length) continue;
    const near = new Map();
    for (const [a, b] of g.deps || []) near.has(a) ? near.get(a).push(b) : near.set(a, [b]);
    const found = new Set(todo);
    while (todo.length) for (const b of near.get(todo.pop()) || []) if (!found.has(b)) { found.add(b); todo.push(b); }
    return { asked: lineOf(g.steps[[...found][0]].start), keep: new Set([...found].filter(i => i > 2).map(i => lineOf(g.steps[i].start))) };
  }
  return null;
}

function smaller(keep, holds) {
  keep = new Set(keep);
  for (let changed = true; changed;) {
    changed = false;
    for (const line of [...keep].sort((a, b) => b - a)) {
      const less = new Set(keep);
      less.delete(line);
      if (holds(less)) { keep = less; changed = true; }
    }
  }
  return keep;
}

// closed is what is kept, with the heads of the statements that it stands in: they are in the text.
function closed(tree, keep) {
  const all = new Set(keep);
  for (const s of statements(tree.body)) {
    if (/^(If|While|DoWhile|For|ForIn|ForOf|Switch|With)Statement$/.test(s.type) && [...statements(s)].some(c => keep.has(c.loc.start.line))) all.add(s.loc.start.line);
  }
  return all;
}

const median = list => { const l = [...list].sort((a, b) => a - b), m = l.length >> 1; return l.length % 2 ? l[m] : (l[m - 1] + l[m]) / 2; };
const inBoth = (a, b) => [...a].filter(x => b.has(x)).length;

function check(graphs, ...flags) {
  const files = new Map();
  for (const line of fs.readFileSync(graphs, 'utf8').split('\n')) {
    if (!line) continue;
    const g = JSON.parse(line);
    files.has(g.file) ? files.get(g.file).push(g) : files.set(g.file, [g]);
  }
  for (const kind of ['real', 'generated']) {
    let total = 0, good = 0, never = 0;
    const sizes = [], raw = [], ratios = [];
    for (const [name, list] of [...files].sort()) {
      if (path.basename(name).startsWith('real') !== (kind === 'real') || !name.endsWith('.js')) continue;
      const text = fs.readFileSync(name), meta = JSON.parse(fs.readFileSync(name + '.json', 'utf8'));
      const code = text.subarray(0, meta.own).toString(), tree = parse(code).body[0], s = sliceOf(list, text);
      const load = loader(meta), inputs = inputsOf(load, flags.includes('--more') ? meta.inputs.concat(meta.more || []) : meta.inputs);
      if (!s) { say('no criterion', name); continue; }
      const want = values(load, owned(code), inputs);
      if (!values(load, owned(code), inputs).every((v, i) => same(want[i], v))) continue; // by chance, or by time
      if (!want.some(([v]) => v.length)) { never++; continue; }
      total++;
      const holds = (keep, limit = 100) => {
        let f;
        try { f = load('(' + cut(tree, keep) + ')'); } catch { return false; }
        return inputs.every((make, i) => same(want[i], one(f, make, limit)));
      };
      const show = least => code.trimEnd().split('\n').forEach((t, i) => say((s.keep.has(i + 1) ? '*' : ' ') + (least ? least.has(i + 1) ? '+' : ' ' : '') + ' ' + t));
      if (!holds(s.keep, 300)) {
        if (flags.includes('--verbose')) {
          say('DIFFERS', name, meta.module || '');
          show();
          const got = values(load, cut(tree, s.keep), inputs), at = want.findIndex((v, i) => !same(v, got[i]));
          say(JSON.stringify([want[at], got[at]]).slice(0, 300));
        }
        continue;
      }
      good++;
      if (flags.includes('--small')) {
        const seen = judged(load, code, inputs), least = closed(tree, smaller(s.keep, k => holds(k, 50)));
        s.keep = closed(tree, s.keep);
        sizes.push(s.keep.size);
        raw.push(s.keep.size / Math.max(1, least.size));
        ratios.push(inBoth(s.keep, seen) / Math.max(1, inBoth(least, seen)));
        if (flags.includes('--verbose') && raw[raw.length - 1] > 1.5) {
          say('LARGE', name, meta.module || '', s.keep.size, least.size);
          show(least);
        }
      }
    }
    if (!total) continue;
    let out = `${kind} javascript: ${good} of ${total} hold: ${(good / total).toFixed(4)}; ${never} never print`;
    if (sizes.length) out += `; size median ${median(sizes)}, against the smallest median ${median(raw).toFixed(3)}, mean ${(raw.reduce((a, b) => a + b) / raw.length).toFixed(3)}, of lines that runs can judge ${median(ratios).toFixed(3)}`;
    say(out);
  }
  process.exit(0);
}

({ real, check })[what](...rest);
