"""Makes what train.py learns from: data.npz, weights.npz and vocab.txt in a folder.

usage: prepare.py --tokenizer FILE --encoder FILE --functions FILE --candidates FILE --questions DIR --out DIR
                  [--vocabulary FILE] [--once --pairs FILE]

--tokenizer and --encoder are those of bge-small-en-v1.5 (tokenizer.json and the fp32 ONNX file).
--functions is what `quarry-lab train functions` wrote, --candidates what `quarry-lab train candidates`
wrote for a suite of the written questions, --questions the folder fitting/questions. --vocabulary is a list
of sub-words to keep, without it those are kept that occur. The encoder wants --once, with which a word
is taken once in each part, and --pairs, what `quarry-lab train pairs` wrote, which makes pairs.npz. It needs
numpy, onnx and tokenizers.
"""

import argparse, glob, json, os, re

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer

ap = argparse.ArgumentParser()
for flag in ("tokenizer", "encoder", "functions", "candidates", "questions", "out"):
    ap.add_argument("--" + flag, required=True)
ap.add_argument("--vocabulary")
ap.add_argument("--once", action="store_true")
ap.add_argument("--pairs")
ap.add_argument("--most", type=int, default=1000, help="functions of a repository")
ap.add_argument("--top", type=int, default=20, help="candidates of a question")
o = ap.parse_args()

# The parts of a row and their lengths in sub-words, as package embed/rerank has them, and embed/contextual, of
# whose texts so many different words are read.
QUESTION, NAMES, DOC, TEXT = (24, 14, 24, 88) if o.once else (24, 14, 32, 160)
ONCE = {NAMES: 16, DOC: 40, TEXT: 100} if o.once else {}
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}")

tok = Tokenizer.from_file(o.tokenizer)
tok.no_truncation()
tok.no_padding()
vocab = tok.get_vocab()
inverse = {i: t for t, i in vocab.items()}


def words(text, limit):
    found = [w.lower() for w in WORD.findall(text)]
    if limit in ONCE:
        return " ".join(list(dict.fromkeys(found))[: ONCE[limit]])
    return " ".join(found)[: limit * 12]


def encode(texts, limit):
    out = []
    for i in range(0, len(texts), 4096):
        batch = [words(t, limit) for t in texts[i : i + 4096]]
        out += [e.ids[:limit] for e in tok.encode_batch(batch, add_special_tokens=False)]
    return out


def stem(path):
    return re.sub(r"\..*", "", os.path.basename(path)) or os.path.basename(path)


# The written questions, by the place of the function that each is about.
questions, wanted = [], set()
for name in sorted(glob.glob(o.questions + "/*.tsv")):
    repository = None
    for line in open(name):
        line = line.rstrip("\n")
        if line.startswith("#"):
            repository = line[1:].split()[0]
            continue
        place, *asked = line.split("\t")
        path, lines = place.rsplit(":", 1)
        key = (repository, path, int(lines.split("-")[0]))
        wanted.add(key)
        questions += [(key, q) for q in asked]

functions, index, count = [], {}, {}
for line in open(o.functions):
    e = json.loads(line)
    key = (e["repository"], e["path"], e["line"])
    n = count.get(key[0], 0)
    if n >= o.most and key not in wanted:
        continue
    count[key[0]] = n + 1
    index[key] = len(functions)
    functions.append(e)
questions = [(k, q) for k, q in questions if k in index]

names = encode([stem(e["path"]) + " " + e["name"] for e in functions], NAMES)
docs = encode([e.get("doc", "")[:500] for e in functions], DOC)
texts = encode([e["text"][:1500] for e in functions], TEXT)
documented = [(i, e["question"]) for i, e in enumerate(functions) if e.get("question")]
asked = encode([q for _, q in documented] + [q for _, q in questions], QUESTION)
answer = [i for i, _ in documented] + [index[k] for k, _ in questions]

# What a search gave for each written question.
passages, lists = [], {}
for line in open(o.candidates):
    r = json.loads(line)
    rows = {}
    for q in r["questions"]:
        kept = [c for n, c in enumerate(q["candidates"]) if n < o.top or c.get("right")][: o.top + 8]
        for c in kept:
            if c["passage"] not in rows:
                rows[c["passage"]] = len(passages)
                passages.append(r["passages"][c["passage"]])
        lists[(r["repository"], q["query"])] = [(rows[c["passage"]], c.get("right", False)) for c in kept]
candidates = np.full((len(questions), o.top + 8), -1, np.int32)
right = np.zeros(candidates.shape, np.uint8)
for n, (key, q) in enumerate(questions):
    for j, (p, r) in enumerate(lists.get((key[0], q), [])):
        candidates[n, j], right[n, j] = len(functions) + p, r
names += encode([p["Names"] for p in passages], NAMES)
docs += encode([p["Doc"][:500] for p in passages], DOC)
texts += encode([p["Text"][:2000] for p in passages], TEXT)

# The vocabulary: what occurs, plain words and single letters.
used = np.zeros(len(vocab), np.int64)
for part in (names, docs, texts, asked):
    for ids in part:
        used[ids] += 1
special = [vocab[t] for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
plain = lambda t: len(t.replace("##", "")) == 1 or re.fullmatch(r"[a-z]+", t)
keep = [i for i in range(len(vocab)) if used[i] >= 3 or i in special or plain(inverse[i])]
if o.vocabulary:
    keep = [vocab[t] for t in open(o.vocabulary).read().splitlines()]
remap = np.full(len(vocab), keep.index(vocab["[UNK]"]), np.int32)
remap[keep] = np.arange(len(keep))


def flat(part):
    offsets = np.zeros(len(part) + 1, np.int32)
    offsets[1:] = np.cumsum([len(x) for x in part])
    return remap[np.concatenate([np.array(x, np.int32) for x in part if len(x)])].astype(np.uint16), offsets


def number(keys, ids=None):
    ids = {} if ids is None else ids
    return np.array([ids.setdefault(k, len(ids)) for k in keys], np.int32)


repositories = {}


data = {
    "repo": number((e["repository"] for e in functions), repositories).astype(np.uint8),
    "path": number((e["repository"], e["path"]) for e in functions),
    "name": number((e["repository"], e["name"].split(".")[-1]) for e in functions),
    "qf": np.array(answer, np.int32),
    "kind": np.array([0] * len(documented) + [1] * len(questions), np.uint8),
    "keep": np.array(keep, np.int32),
    "cand": candidates,
    "right": right,
}
data["repos"] = np.array(list(repositories))
for n, part in (("head", names), ("doc", docs), ("body", texts), ("q", asked)):
    data[n], data[n + "_off"] = flat(part)
os.makedirs(o.out, exist_ok=True)
np.savez_compressed(o.out + "/data.npz", **data)
open(o.out + "/vocab.txt", "w").write("\n".join(inverse[i] for i in keep) + "\n")

# The pairs, of each kind a share: commits are many, and the loosest.
if o.pairs:
    share = {"doc": 0.75, "remark": 0.6, "commit": 0.28}
    rng = np.random.default_rng(5)
    found = []
    for line in open(o.pairs):
        p = json.loads(line)
        if rng.random() < share[p["kind"]]:
            named = stem(p["path"]) + " " + p.get("names", "")
            parts = words(p["query"], QUESTION), words(named, NAMES), words(p["text"][:2000], TEXT)
            found.append((p["repository"], *parts))
    repositories = {}
    pairs = {"repo": number((p[0] for p in found), repositories).astype(np.uint8)}
    pairs["repos"] = np.array(list(repositories))
    for k, (n, limit) in enumerate((("q", QUESTION), ("head", NAMES), ("body", TEXT)), 1):
        pairs[n], pairs[n + "_off"] = flat(encode([p[k] for p in found], limit))
    np.savez_compressed(o.out + "/pairs.npz", **pairs)
    print(len(found), "pairs")

model = onnx.load(o.encoder)
init = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
weights = {k: v for k, v in init.items() if k.startswith(("embeddings.", "encoder."))}
for n in model.graph.node:
    if n.op_type == "MatMul" and n.input[1] in init:
        weights[n.name.strip("/").replace("/", ".").replace(".MatMul", ".weight")] = np.ascontiguousarray(
            init[n.input[1]].T
        )
weights["embeddings.word_embeddings.weight"] = weights["embeddings.word_embeddings.weight"][keep]
weights["embeddings.position_embeddings.weight"] = weights["embeddings.position_embeddings.weight"][:192]
rows = {}
for k, v in weights.items():
    if v.ndim == 2:
        scale = np.abs(v).max(1, keepdims=True) / 127
        rows[k + "|q"], rows[k + "|s"] = np.round(v / scale).astype(np.int8), scale.astype(np.float32)
    else:
        rows[k] = v.astype(np.float32)
np.savez_compressed(o.out + "/weights.npz", **rows)
print(
    len(functions), "functions", len(questions), "written questions", len(passages), "passages", len(keep), "sub-words"
)
