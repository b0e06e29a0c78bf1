"""What the reranker and the encoder are made of: layers of BERT, and how they are trained and written."""

import math, os, time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
SMALL = dev == "cpu"  # enough to see that it runs
SCALE = float(os.environ.get("SCALE", "1"))  # of all steps' seconds
began = time.time()
torch.backends.cuda.matmul.allow_tf32 = True
torch.manual_seed(1)
np.random.seed(1)
generator = torch.Generator(device=dev)
generator.manual_seed(1)


WIDTH, KEPT = 32, 32  # numbers of a token's vector, and tokens that are kept of a document


def log(*a):
    print(f"{time.time() - began:6.1f}", *a, flush=True)


def amp():
    return torch.autocast(dev, dtype=torch.bfloat16, enabled=not SMALL)


def seconds(name, default):
    return float(os.environ.get(name, default)) * SCALE


def uniform(*shape):
    return torch.rand(*shape, generator=generator, device=dev)


def draw(pool, n):
    return pool[(uniform(n) * len(pool)).long()]


class Layer(nn.Module):
    plain = False  # attention in the operations that ONNX has

    def __init__(s, h=384, i=1536, heads=12):
        super().__init__()
        s.heads = heads
        s.q, s.k, s.v, s.o = (nn.Linear(h, h) for _ in range(4))
        s.n1 = nn.LayerNorm(h, eps=1e-12)
        s.i = nn.Linear(h, i)
        s.d = nn.Linear(i, h)
        s.n2 = nn.LayerNorm(h, eps=1e-12)

    def forward(s, x, pad):
        B, L, H = x.shape
        q, k, v = (t.view(B, L, s.heads, H // s.heads).transpose(1, 2) for t in (s.q(x), s.k(x), s.v(x)))
        pad = pad[:, None, None, :]
        if s.plain:
            a = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(H // s.heads) + pad.float() * -1e4, -1) @ v
        else:
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=~pad)
        x = s.n1(x + F.dropout(s.o(a.transpose(1, 2).reshape(B, L, H)), 0.1, s.training))
        return s.n2(x + F.dropout(s.d(F.gelu(s.i(x))), 0.1, s.training))


class Network(nn.Module):
    """Token 0 is padding."""

    def __init__(s, words, layers, positions, types, h=384):
        super().__init__()
        s.word = nn.Embedding(words, h)
        s.pos = nn.Embedding(positions, h)
        s.typ = nn.Embedding(types, h)
        s.norm = nn.LayerNorm(h, eps=1e-12)
        s.layers = nn.ModuleList(Layer() for _ in range(layers))

    def read(s, tok, typ=None):
        x = s.word(tok) + s.pos.weight[: tok.shape[1]] + (s.typ.weight[0] if typ is None else s.typ(typ))
        x = F.dropout(s.norm(x), 0.1, s.training)
        for l in s.layers:
            x = l(x, tok == 0)
        return x

    def mean(s, tok, x):
        """The mean of what was read of a row, without its padding."""
        m = (tok != 0)[..., None].to(x.dtype)
        return (x * m).sum(1) / m.sum(1)


class Reranker(Network):
    """A number for a question and a passage."""

    def __init__(s, words, layers):
        super().__init__(words, layers, 192, 2)
        s.score = nn.Linear(384, 1)

    def forward(s, tok, typ):
        return s.score(s.read(tok, typ)[:, 0]).float()[:, 0]


class Encoder(Network):
    """A vector of a question or of a chunk, and one of each of its tokens."""

    def __init__(s, words, layers):
        super().__init__(words, layers, 144, 1)
        s.out = nn.Linear(384, 256)
        s.late = nn.Linear(384, WIDTH + 1)

    def forward(s, tok):
        return s.out(s.mean(tok, s.read(tok))).float()

    def both(s, tok):
        """The vector of each row, and of each token a vector whose length, at most 1, is how much it counts."""
        x = s.read(tok)
        w = s.late(x).float()
        w = F.normalize(w[..., :WIDTH], dim=-1) * torch.sigmoid(w[..., WIDTH:])
        return s.out(s.mean(tok, x)).float(), w


def inner(tok, w):
    """The vectors of words without those of the first, the last and the padding tokens, which are 0 then."""
    n = (tok != 0).sum(1, keepdim=True)
    at = torch.arange(tok.shape[1], device=tok.device)[None]
    return w * ((at > 0) & (at < n - 1))[..., None].to(w.dtype)


def kept(tok, w):
    """The longest vectors of a document's words: those that an index keeps."""
    w = inner(tok, w)
    best = (w * w).sum(-1).topk(min(KEPT, w.shape[1]), 1).indices
    return w.gather(1, best[..., None].expand(-1, -1, w.shape[2]))


def maxsim(q, d):
    """For each question the score of each document, by the nearest of its words to each of the question's."""
    length = (q * q).sum(-1).clamp(min=1e-9).sqrt().sum(1)
    near = [torch.einsum("qid,mjd->qmij", part, d).amax(-1).sum(-1) for part in q.split(64)]
    return torch.cat(near) / length[:, None]


def maxsim_of(q, d):
    """The same where each question has documents of its own: d is [questions, documents, words, numbers]."""
    length = (q * q).sum(-1).clamp(min=1e-9).sqrt().sum(1)
    return torch.einsum("qid,qmjd->qmij", q, d).amax(-1).sum(-1) / length[:, None]


def begin(kind, file, which):
    """A network of layers of bge-small, from the file that prepare.py made; its head is drawn at random."""
    W = np.load(file)

    def w(k):
        if k + "|q" in W.files:
            return torch.from_numpy(W[k + "|q"].astype(np.float32) * W[k + "|s"])
        return torch.from_numpy(W[k])

    words = w("embeddings.word_embeddings.weight")
    e = kind(len(words), len(which))
    sd = e.state_dict()  # what is not in the file stays as it was drawn
    sd["word.weight"] = words
    sd["pos.weight"] = w("embeddings.position_embeddings.weight")[: len(sd["pos.weight"])]
    t = w("embeddings.token_type_embeddings.weight")[:1].repeat(len(sd["typ.weight"]), 1)
    t[1:] += 0.02 * torch.randn(t[1:].shape)
    sd["typ.weight"] = t
    sd["norm.weight"] = w("embeddings.LayerNorm.weight")
    sd["norm.bias"] = w("embeddings.LayerNorm.bias")
    for n, l in enumerate(which):
        for a, b in (
            ("q", "attention.self.query"),
            ("k", "attention.self.key"),
            ("v", "attention.self.value"),
            ("o", "attention.output.dense"),
            ("n1", "attention.output.LayerNorm"),
            ("i", "intermediate.dense"),
            ("d", "output.dense"),
            ("n2", "output.LayerNorm"),
        ):
            for c in ("weight", "bias"):
                sd[f"layers.{n}.{a}.{c}"] = w(f"encoder.layer.{l}.{b}.{c}")
    e.load_state_dict(sd)
    return e.to(dev)


def shrink(e, which):
    """Some of a network's layers."""
    s = type(e)(len(e.word.weight), len(which)).to(dev)
    sd = e.state_dict()
    t = {k: v for k, v in sd.items() if not k.startswith("layers.")}
    for n, l in enumerate(which):
        for k, v in sd.items():
            if k.startswith(f"layers.{l}."):
                t[f"layers.{n}." + k.split(".", 2)[2]] = v
    s.load_state_dict(t)
    return s


def compact(parts, most, sep, types=None):
    """Rows of the parts without the padding between them, at most so long, with [SEP] at the end."""
    tok = torch.cat(parts, 1).long()
    o = torch.argsort((tok == 0).int(), dim=1, stable=True)
    tok = tok.gather(1, o)[:, :most].clone()
    n = (tok != 0).sum(1)
    m = int(n.max())
    tok = tok[:, :m]
    last = (n - 1).clamp(min=0)[:, None]
    cur = tok.gather(1, last)
    tok.scatter_(1, last, torch.where((n == most)[:, None], torch.full_like(cur, sep), cur))
    tok = F.pad(tok, (0, -m % 8))
    if types is None:
        return tok
    typ = torch.cat([torch.full_like(p, t).long() for p, t in zip(parts, types)], 1).gather(1, o)[:, :m]
    return tok, F.pad(typ, (0, -m % 8)) * (tok != 0)


def beside(a, b):
    """Rows of two lengths, one after the other."""
    w = max(a.shape[1], b.shape[1])
    return torch.cat([F.pad(a, (0, w - a.shape[1])), F.pad(b, (0, w - b.shape[1]))])


def train(model, step, seconds, lr, label):
    """Steps until the time is over."""
    params = list(model.parameters())
    opt = torch.optim.AdamW(
        [
            {"params": [p for p in params if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in params if p.ndim == 1], "weight_decay": 0},
        ],
        lr=lr,
        betas=(0.9, 0.98),
        fused=dev == "cuda",
    )
    model.train()
    start = shown = time.time()
    n, mean = 0, 0.0
    while (f := (time.time() - start) / seconds) < 1:
        for group in opt.param_groups:
            group["lr"] = lr * min(1, (n + 1) / 100) * max(0.02, 1 - f)
        with amp():
            loss = step()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        n += 1
        mean = 0.98 * mean + 0.02 * loss.detach()
        if time.time() - shown > 15:
            shown = time.time()
            log(label, n, "steps, loss", float(mean) / (1 - 0.98**n))
    model.eval()
    log(label, "done:", n, "steps, loss", float(mean) / max(1e-9, 1 - 0.98**n))


def save(model, file):
    out = {}
    for k, v in model.state_dict().items():
        v = v.float().cpu().numpy()
        if k == "word.weight":
            s = np.abs(v).max(1, keepdims=True) / 127 + 1e-12
            out[k + "|q"], out[k + "|s"] = np.round(v / s).astype(np.int8), s.astype(np.float32)
        else:
            out[k] = v.astype(np.float16) if v.ndim > 1 else v
    np.savez(file, **out)
    log("saved", file)


def load(kind, file):
    W = np.load(file)
    sd = {k: torch.from_numpy(W[k].astype(np.float32)) for k in W.files if "|" not in k}
    sd["word.weight"] = torch.from_numpy(W["word.weight|q"].astype(np.float32) * W["word.weight|s"])
    layers = 1 + max(int(k.split(".")[1]) for k in sd if k.startswith("layers."))
    e = kind(len(sd["word.weight"]), layers)
    e.load_state_dict(sd, strict=False)  # an encoder of before has no vectors of tokens
    return e.eval()


def read(kind, file):
    """A network from the file with weights of 8 bits that export.py wrote, so that its training can go on."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(file).graph
    given = {i.name: numpy_helper.to_array(i) for i in graph.initializer}

    def whole(name):
        scale, zero = given[name + "_scale"], given[name + "_zero_point"]
        return (given[name + "_quantized"].astype(np.float32) - zero.astype(np.float32)) * scale

    found = {n: v for n, v in given.items() if n.split(".")[0] in ("layers", "norm", "pos", "typ", "out", "late", "score", "word")}
    found = {n: v for n, v in found.items() if n.endswith((".weight", ".bias"))}
    if "typ" in given:
        found["typ.weight"] = given["typ"][None]
    for table in ("word.weight", "pos.weight", "typ.weight"):
        if table + "_quantized" in given:
            found[table] = whole(table)
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.output[0].strip("/").split("/MatMul")[0].split("/Gemm")[0].replace("/", ".")
            found[name + ".weight"] = whole(node.input[1].removesuffix("_quantized")).T
    layers = 1 + max(int(k.split(".")[1]) for k in found if k.startswith("layers."))
    e = kind(len(found["word.weight"]), layers)
    missing, unknown = e.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in found.items()}, strict=False)
    log("read", file, "without", missing, unknown)
    return e.to(dev).eval()
