"""Trains the reranker: train.py DATA OUT, with what prepare.py made in the folder DATA.

Four steps, each for some seconds (TA, TB, TC, TD; on one H200 60, 180, 180 and 60):
A  bge-small becomes an encoder of questions and functions, to find functions that are hard to tell apart;
B  a cross-encoder of 12 layers learns from it, from what a search gave and from those functions;
C  six of its layers learn from it: the model that is built in;
D  three of these.
A tenth of the repositories is only validated on. SCALE shortens all steps; on a processor batches are small,
which is enough to see that it runs. Steps end by the clock, so two runs give two models.
"""

import os, sys, time, math, json, numpy as np, torch, torch.nn as nn, torch.nn.functional as F

T0 = time.time()
HERE, OUT = sys.argv[1:3]
dev = "cuda" if torch.cuda.is_available() else "cpu"
SC = float(os.environ.get("SCALE", "1"))
SMALL = dev == "cpu"


def log(*a):
    print(f"{time.time()-T0:6.1f}", *a, flush=True)


torch.manual_seed(1)
np.random.seed(1)
g = torch.Generator(device=dev)
g.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = True
D = np.load(f"{HERE}/data.npz")
W = np.load(f"{HERE}/weights.npz")
log("loaded", dev, torch.cuda.get_device_name() if dev == "cuda" else "")
PAD, UNK, CLS, SEP = 0, 1, 2, 3
keep = list(D["keep"])
PAD, UNK, CLS, SEP = [keep.index(x) for x in (0, 100, 101, 102)]
assert PAD == 0


def matrix(n, width):
    flat = D[n].astype(np.int64)
    off = D[n + "_off"]
    N = len(off) - 1
    L = np.minimum(np.diff(off), width)
    m = np.zeros((N, width), np.int32)
    col = np.arange(width)[None]
    mask = col < L[:, None]
    m[mask] = flat[(off[:-1, None] + col)[mask]]
    return torch.from_numpy(m).to(dev)


HEAD, DOC, BODY, Qm = matrix("head", 14), matrix("doc", 32), matrix("body", 160), matrix("q", 24)
repo = torch.from_numpy(D["repo"].astype(np.int64)).to(dev)
path = torch.from_numpy(D["path"].astype(np.int64)).to(dev)
name = torch.from_numpy(D["name"].astype(np.int64)).to(dev)
qf = torch.from_numpy(D["qf"].astype(np.int64)).to(dev)
kind = torch.from_numpy(D["kind"].astype(np.int64)).to(dev)
NR = int(repo.max()) + 1
NF = len(repo)
NQ = len(qf)
vrep = torch.zeros(NR, dtype=torch.bool, device=dev)
vrep[torch.from_numpy(np.random.RandomState(7).permutation(NR)[:8]).to(dev)] = True
CAND = torch.from_numpy(D["cand"].astype(np.int64)).to(dev)
RIGHT = torch.from_numpy(D["right"]).bool().to(dev)
ND = NQ - len(CAND)
isval = vrep[repo[qf]] & (kind == 1)
trainq = torch.nonzero(~vrep[repo[qf]])[:, 0]
valq = torch.nonzero(isval)[:, 0]
written = trainq[kind[trainq] == 1]
docs = trainq[kind[trainq] == 0]
log(
    NF,
    "functions",
    NQ,
    "questions",
    len(written),
    "written",
    len(docs),
    "docs",
    len(valq),
    "validate",
    NR,
    "repositories",
)
# the functions of each repository, and of each file
order = torch.argsort(repo, stable=True)
rstart = torch.searchsorted(repo[order].contiguous(), torch.arange(NR + 1, device=dev))
forder = torch.argsort(path, stable=True)
fstart = torch.searchsorted(path[forder].contiguous(), torch.arange(int(path.max()) + 2, device=dev))


class Layer(nn.Module):
    def __init__(s, h=384, i=1536, heads=12):
        super().__init__()
        s.heads = heads
        s.q = nn.Linear(h, h)
        s.k = nn.Linear(h, h)
        s.v = nn.Linear(h, h)
        s.o = nn.Linear(h, h)
        s.n1 = nn.LayerNorm(h, eps=1e-12)
        s.i = nn.Linear(h, i)
        s.d = nn.Linear(i, h)
        s.n2 = nn.LayerNorm(h, eps=1e-12)
        s.p = 0.1

    def forward(s, x, mask):
        B, L, H = x.shape
        r = lambda t: t.view(B, L, s.heads, -1).transpose(1, 2)
        a = (
            F.scaled_dot_product_attention(r(s.q(x)), r(s.k(x)), r(s.v(x)), attn_mask=mask)
            .transpose(1, 2)
            .reshape(B, L, H)
        )
        x = s.n1(x + F.dropout(s.o(a), s.p, s.training))
        return s.n2(x + F.dropout(s.d(F.gelu(s.i(x))), s.p, s.training))


class Enc(nn.Module):
    def __init__(s, layers, h=384):
        super().__init__()
        s.word = nn.Embedding(len(keep), h)
        s.pos = nn.Embedding(192, h)
        s.typ = nn.Embedding(2, h)
        s.norm = nn.LayerNorm(h, eps=1e-12)
        s.layers = nn.ModuleList(Layer() for _ in range(layers))
        s.score = nn.Linear(h, 1)

    def forward(s, tok, typ):
        L = tok.shape[1]
        x = s.norm(s.word(tok) + s.pos.weight[:L] + s.typ(typ))
        x = F.dropout(x, 0.1, s.training)
        m = (tok != PAD)[:, None, None, :]
        for l in s.layers:
            x = l(x, m)
        return x

    def cross(s, tok, typ):
        return s.score(s(tok, typ)[:, 0]).float()[:, 0]

    def embed(s, tok):
        x = s(tok, torch.zeros_like(tok))
        m = (tok != PAD)[..., None]
        return F.normalize(((x * m).sum(1) / m.sum(1)).float(), dim=-1)


def w(k):
    return (
        torch.from_numpy(W[k + "|q"].astype(np.float32) * W[k + "|s"])
        if k + "|q" in W.files
        else torch.from_numpy(W[k])
    )


def bge(which):
    e = Enc(len(which))
    sd = e.state_dict()
    sd["word.weight"] = w("embeddings.word_embeddings.weight")
    sd["pos.weight"] = w("embeddings.position_embeddings.weight")
    t = w("embeddings.token_type_embeddings.weight")
    sd["typ.weight"] = torch.stack([t[0], t[0] + 0.02 * torch.randn(384)])
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
    sd["score.weight"] = 0.02 * torch.randn(1, 384)
    sd["score.bias"] = torch.zeros(1)
    e.load_state_dict(sd)
    return e.to(dev)


def shrink(e, which):
    s = Enc(len(which)).to(dev)
    sd = e.state_dict()
    t = {k: v for k, v in sd.items() if not k.startswith("layers.")}
    for n, l in enumerate(which):
        for k, v in sd.items():
            if k.startswith(f"layers.{l}."):
                t[f"layers.{n}." + k.split(".", 2)[2]] = v
    s.load_state_dict(t)
    return s


def compact(parts, types, L):
    tok = torch.cat(parts, 1).long()
    typ = torch.cat([torch.full_like(p, t).long() for p, t in zip(parts, types)], 1)
    o = torch.argsort((tok == PAD).int(), dim=1, stable=True)
    tok, typ = tok.gather(1, o)[:, :L].clone(), typ.gather(1, o)[:, :L]
    n = (tok != PAD).sum(1)
    m = int(n.max())
    tok = tok[:, :m]
    typ = typ[:, :m] * (tok != PAD)
    last = (n - 1).clamp(min=0)[:, None]
    full = (n == L)[:, None]
    cur = tok.gather(1, last)
    tok.scatter_(1, last, torch.where(full, torch.full_like(cur, SEP), cur))
    m8 = -(-m // 8) * 8
    return F.pad(tok, (0, m8 - m)), F.pad(typ, (0, m8 - m))


col = lambda n, t: torch.full((n, 1), t, dtype=torch.int32, device=dev)


def ftoks(f, usedoc, usehead=None):
    d = DOC[f] * usedoc[:, None].int()
    h = HEAD[f] if usehead is None else HEAD[f] * usehead[:, None].int()
    return h, d, BODY[f]


def pairs(q, f, usedoc, L=144):
    h, d, b = ftoks(f, usedoc)
    n = len(f)
    return compact([col(n, CLS), Qm[q], col(n, SEP), h, d, b, col(n, SEP)], [0, 0, 0, 1, 1, 1, 1], L)


def ftok(f, usedoc, usehead=None, L=144):
    h, d, b = ftoks(f, usedoc, usehead)
    n = len(f)
    return compact([col(n, CLS), h, d, b, col(n, SEP)], [0] * 5, L)[0]


def qtok(q):
    n = len(q)
    return compact([col(n, CLS), Qm[q], col(n, SEP)], [0] * 3, 32)[0]


amp = lambda: torch.autocast(dev, dtype=torch.bfloat16)


def run(model, step, seconds, lr, label, mostly=10**9):
    opt = torch.optim.AdamW(
        [
            {"params": [p for n, p in model.named_parameters() if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for n, p in model.named_parameters() if p.ndim == 1], "weight_decay": 0},
        ],
        lr=lr,
        betas=(0.9, 0.98),
        fused=dev == "cuda",
    )
    model.train()
    t = time.time()
    n = 0
    tot = 0.0
    seconds *= SC
    shown = t
    while True:
        el = time.time() - t
        if el >= seconds or n >= mostly:
            break
        f = el / seconds
        r = min(1, n / 100) * max(0.02, 1 - f)
        for gp in opt.param_groups:
            gp["lr"] = lr * r
        with amp():
            loss = step()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        n += 1
        tot = 0.98 * tot + 0.02 * loss.detach()
        if time.time() - shown > 15:
            shown = time.time()
            log(label, n, "steps loss", float(tot) / (1 - 0.98**n))
    model.eval()
    log(label, "done", n, "steps loss", float(tot) / max(1e-9, 1 - 0.98**n))
    return n


rnd = lambda n: torch.rand(n, generator=g, device=dev)


def draw(pool, n):
    return pool[(rnd(n) * len(pool)).long()]


def drawq(n, share):
    k = int(n * share)
    return torch.cat([draw(written, k), draw(docs, n - k)])


def usedoc_of(q):  # a doc comment that is the question is not in the code
    return (kind[q] == 1) & (rnd(len(q)) < 0.75)


def positive(q):
    "a right passage where the candidates hold one, else the function"
    f = qf[q].clone()
    w = kind[q] == 1
    if w.any():
        r = RIGHT[q[w] - ND]
        p = torch.where(r, torch.rand(r.shape, generator=g, device=dev), torch.full(r.shape, -1.0, device=dev)).argmax(
            1
        )
        c = CAND[q[w] - ND].gather(1, p[:, None])[:, 0]
        f[w] = torch.where(r.any(1), c, f[w])
    return f


# --- A: two encoders in one, for negatives and for the vectors of words
bi = bge(list(range(12)))
wrep = [written[repo[qf[written]] == r] for r in range(NR)]
drep = [docs[repo[qf[docs]] == r] for r in range(NR)]
okrep = [r for r in range(NR) if len(drep[r]) + len(wrep[r]) > 64]
BA = 32 if SMALL else 1024


def stepA():
    k = BA // 4
    qs = [drawq(BA - 2 * k, 0.4)]
    for r in np.random.choice(okrep, 2):
        a = wrep[r]
        b = drep[r]
        m = min(k // 2, len(a))
        qs.append(torch.cat([draw(a, m), draw(b, k - m)]) if len(a) and len(b) else draw(a if len(a) else b, k))
    q = torch.cat(qs)
    f = positive(q)
    fn = qf[q]
    a = bi.embed(qtok(q))
    b = bi.embed(ftok(f, usedoc_of(q), rnd(len(q)) < 0.7))
    s = a @ b.T * 20
    same = (name[fn][:, None] == name[fn][None]) & ~torch.eye(len(f), dtype=torch.bool, device=dev)
    s = s.masked_fill(same, -1e4)
    t = torch.arange(len(f), device=dev)
    return (F.cross_entropy(s, t) + F.cross_entropy(s.T, t)) / 2


run(bi, stepA, float(os.environ.get("TA", "60")), 2e-4, "A")


@torch.no_grad()
def embed_all():
    E = torch.zeros(NF, 384, device=dev, dtype=torch.float16)
    one = torch.ones(4096, dtype=torch.bool, device=dev)
    for i in range(0, NF, 4096):
        f = torch.arange(i, min(NF, i + 4096), device=dev)
        with amp():
            E[f] = bi.embed(ftok(f, one[: len(f)])).half()
    return E


@torch.no_grad()
def mine(E, most=48):
    hard = torch.zeros(NQ, most, dtype=torch.int32, device=dev)
    byrepo = repo[qf]
    for r in range(NR):
        q = torch.nonzero(byrepo == r)[:, 0]
        if not len(q):
            continue
        fs = order[rstart[r] : rstart[r + 1]]
        for c in q.split(4096):
            with amp():
                a = bi.embed(qtok(c))
            s = a.half() @ E[fs].T
            s = s.masked_fill(name[fs][None] == name[qf[c]][:, None], -9)
            k = min(most, len(fs))
            top = s.topk(k, 1).indices
            t = fs[top]
            if k < most:
                t = t[:, torch.arange(most, device=dev) % k]
            hard[c] = t.int()
    return hard


if SMALL:
    hard = torch.randint(0, NF, (NQ, 48), dtype=torch.int32)
else:
    E = embed_all()
    log("embedded")
    hard = mine(E)
    log("mined")
    a = bi.embed(qtok(valq))
    rank = []
    for i, q in enumerate(valq.tolist()):
        fs = order[rstart[repo[qf[q]]] : rstart[repo[qf[q]] + 1]]
        s = E[fs].float() @ a[i]
        own = E[qf[q]].float() @ a[i]
        rank.append(int((s > own).sum()))
    rank = np.array(rank)
    log(
        "A: among all functions of a repository: first",
        (rank < 1).mean(),
        "ten",
        (rank < 10).mean(),
        "48",
        (rank < 48).mean(),
        len(rank),
    )
    del E


# --- B: the cross-encoder
def negatives(q, n):
    f = qf[q]
    B = len(q)
    h = hard[q].long().gather(1, (rnd(B * (n - 3)).view(B, n - 3) ** 1.5 * 48).long())
    p = path[f]
    a = fstart[p]
    z = fstart[p + 1]
    same = forder[(a[:, None] + (rnd(B * 2).view(B, 2) * (z - a)[:, None]).long())]
    r = repo[f]
    a = rstart[r]
    z = rstart[r + 1]
    any_ = order[(a[:, None] + (rnd(B).view(B, 1) * (z - a)[:, None]).long())]
    return torch.cat([h, same, any_], 1)


def candidates(q, n):
    "negatives among what a search gave, those in front more often"
    c = CAND[q - ND]
    r = RIGHT[q - ND]
    W = c.shape[1]
    weight = 1 / (torch.arange(W, device=dev) + 6.0)[None].expand_as(c)
    weight = torch.where((c >= 0) & ~r, weight, torch.zeros_like(weight))
    none = weight.sum(1) == 0
    weight[none] = 1
    p = (
        (
            torch.log(weight + 1e-12)
            - torch.log(-torch.log(torch.rand(weight.shape, generator=g, device=dev) + 1e-12) + 1e-12)
        )
        .topk(n, 1)
        .indices
    )
    f = c.gather(1, p)
    bad = (f < 0) | r.gather(1, p)
    return f.clamp(min=0), bad


BB, NN = (4, 6) if SMALL else (64, 15)


def batch(share=0.65):
    k = int(BB * share)
    w = draw(written, k)
    w = w[(CAND[w - ND, 0] >= 0)]
    k = len(w)
    d = draw(docs, BB - k)
    fw = positive(w)
    cw, bw = candidates(w, NN)
    fd = qf[d]
    nd = negatives(d, NN)
    bd = name[nd] == name[fd][:, None]
    q = torch.cat([w, d])
    f = torch.cat([fw, fd])
    all_ = torch.cat([f[:, None], torch.cat([cw, nd])], 1)
    bad = torch.cat([torch.zeros(len(q), 1, dtype=torch.bool, device=dev), torch.cat([bw, bd])], 1)
    ud = torch.cat([rnd(k) < 0.85, torch.zeros(len(d), dtype=torch.bool, device=dev)])
    qq = q[:, None].expand_as(all_).reshape(-1)
    tok, typ = pairs(qq, all_.reshape(-1), ud[:, None].expand_as(all_).reshape(-1))
    return tok, typ, bad


def stepOf(model):
    def step():
        tok, typ, bad = batch()
        s = model.cross(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        return F.cross_entropy(s, torch.zeros(len(s), dtype=torch.long, device=dev))

    return step


def distill(model, teacher):
    def step():
        tok, typ, bad = batch()
        with torch.no_grad():
            t = teacher.cross(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        s = model.cross(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        ce = F.cross_entropy(s, torch.zeros(len(s), dtype=torch.long, device=dev))
        kl = F.kl_div(F.log_softmax(s, 1), F.softmax(t, 1), reduction="batchmean")
        return 0.3 * ce + 0.7 * kl

    return step


@torch.no_grad()
def validate(model, label, most=900):
    model.eval()
    q = valq[(CAND[valq - ND, 0] >= 0)][:most]
    first = []
    m3 = []
    held = []
    base = []
    for c in q.split(4 if SMALL else 32):
        f = CAND[c - ND]
        bad = f < 0
        r = RIGHT[c - ND]
        f = f.clamp(min=0)
        tok, typ = pairs(
            c[:, None].expand_as(f).reshape(-1), f.reshape(-1), torch.ones(f.numel(), dtype=torch.bool, device=dev)
        )
        with amp():
            s = model.cross(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        o = s.argsort(1, descending=True)
        rr = r.gather(1, o)
        first += rr[:, 0].tolist()
        m3 += rr[:, :3].any(1).tolist()
        held += r.any(1).tolist()
        base += r[:, 0].tolist()
        if SMALL:
            break
    log(
        label,
        "alone: first %.3f three %.3f; as searched %.3f; held %.3f of %d"
        % (np.mean(first), np.mean(m3), np.mean(base), np.mean(held), len(first)),
    )


def save(model, n):
    out = {}
    for k, v in model.state_dict().items():
        v = v.float().cpu().numpy()
        if v.ndim == 2 and v.shape[0] > 2:
            s = np.abs(v).max(1, keepdims=True) / 127 + 1e-12
            out[k + "|q"] = np.round(v / s).astype(np.int8)
            out[k + "|s"] = s.astype(np.float32)
        else:
            out[k] = v
    a = {k: v for k, v in out.items() if k.startswith("word.")}
    b = {k: v for k, v in out.items() if not k.startswith("word.")}
    np.savez(f"{OUT}/{n}-words.npz", **a)
    np.savez(f"{OUT}/{n}-layers.npz", **b)
    log("saved", n)


teacher = bge(range(12))
teacher.load_state_dict(bi.state_dict())
del bi
nn.init.normal_(teacher.score.weight, std=0.02)
run(teacher, stepOf(teacher), float(os.environ.get("TB", "180")), 1e-4, "B")
validate(teacher, "teacher of 12 layers")
six = shrink(teacher, [0, 2, 4, 6, 8, 11])
run(six, distill(six, teacher), float(os.environ.get("TC", "130")), 2e-4, "C")
validate(six, "six layers")
save(six, "six")
three = shrink(six, [0, 2, 5])
run(three, distill(three, teacher), float(os.environ.get("TD", "70")), 2e-4, "D")
validate(three, "three layers")
save(three, "three")
log("end")
