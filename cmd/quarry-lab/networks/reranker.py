"""Trains the reranker: reranker.py DATA OUT, with what prepare.py made in the folder DATA.

Four steps, each for some seconds (TA, TB, TC, TD; on one H200 60, 180, 180 and 60):
A  bge-small becomes an encoder of questions and functions, to find functions that are hard to tell apart;
B  a cross-encoder of 12 layers learns from it, from what a search gave and from those functions;
C  six of its layers learn from it: the model that is built in;
D  three of these.
Eight repositories are only validated on. SCALE shortens all steps; on a processor batches are small,
which is enough to see that it runs. Steps end by the clock, so two runs give two models.
"""

import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from functions import Functions
from network import Reranker, SMALL, amp, begin, compact, dev, draw, log, save, seconds, shrink, train, uniform

DATA, OUT = sys.argv[1:3]
S = Functions(DATA, doc=32, body=160)
log(S)
# the functions of each file
forder = torch.argsort(S.path, stable=True)
fstart = torch.searchsorted(S.path[forder].contiguous(), torch.arange(int(S.path.max()) + 2, device=dev))


def parts(f, doc, head=None):
    h = S.head[f] if head is None else S.head[f] * head[:, None].int()
    return h, S.doc[f] * doc[:, None].int(), S.body[f]


def pairs(q, f, doc):
    """Tokens and types of questions and passages."""
    cls, sep = S.column(len(f), S.CLS), S.column(len(f), S.SEP)
    return compact([cls, S.q[q], sep, *parts(f, doc), sep], 144, S.SEP, [0, 0, 0, 1, 1, 1, 1])


def alone(*of):
    n = len(of[0])
    return compact([S.column(n, S.CLS), *of, S.column(n, S.SEP)], 144, S.SEP)


# --- A: an encoder of both, for negatives
bi = begin(Reranker, f"{DATA}/weights.npz", range(12))
BA = 32 if SMALL else 1024


def step():
    k = BA // 4
    n = int((BA - 2 * k) * 0.4)
    some = [S.some(r, k, k // 2) for r in np.random.choice(S.large, 2)]
    q = torch.cat([draw(S.written, n), draw(S.docs, BA - 2 * k - n)] + some)
    a = bi.embed(alone(S.q[q]))
    b = bi.embed(alone(*parts(S.positive(q), S.with_doc(q), uniform(len(q)) < 0.7)))
    s = a @ b.T * 20
    own = torch.arange(len(q), device=dev)
    same = S.name[S.qf[q]][:, None] == S.name[S.qf[q]][None]
    same[own, own] = False
    s = s.masked_fill(same, -1e4)
    return (F.cross_entropy(s, own) + F.cross_entropy(s.T, own)) / 2


train(bi, step, seconds("TA", 60), 2e-4, "A")


@torch.no_grad()
def vectors(n, rows):
    out = []
    for i in torch.arange(n, device=dev).split(4096):
        with amp():
            out.append(bi.embed(rows(i)).half())
    return torch.cat(out)


if SMALL:
    hard = torch.randint(0, S.NF, (S.NQ, 48), dtype=torch.int32)
else:
    E = vectors(S.NF, lambda f: alone(*parts(f, torch.ones(len(f), dtype=torch.bool, device=dev))))
    asked = vectors(S.NQ, lambda q: alone(S.q[q]))
    hard = S.near(E, asked)
    r = S.ranks(E, asked[S.valid])
    log(f"A: among all functions of a repository: first {(r < 1).mean():.3f} ten {(r < 10).mean():.3f} of {len(r)}")
    del E


# --- B: the cross-encoder
def negatives(q, n):
    f = S.qf[q]
    B = len(q)
    h = hard[q].long().gather(1, (uniform(B, n - 3) ** 1.5 * 48).long())
    p = S.path[f]
    a = fstart[p]
    z = fstart[p + 1]
    same = forder[(a[:, None] + (uniform(B, 2) * (z - a)[:, None]).long())]
    r = S.repo[f]
    a = S.start[r]
    z = S.start[r + 1]
    any_ = S.order[(a[:, None] + (uniform(B, 1) * (z - a)[:, None]).long())]
    return torch.cat([h, same, any_], 1)


def candidates(q, n):
    "negatives among what a search gave, those in front more often"
    c = S.candidates[q - S.first]
    r = S.right[q - S.first]
    W = c.shape[1]
    weight = 1 / (torch.arange(W, device=dev) + 6.0)[None].expand_as(c)
    weight = torch.where((c >= 0) & ~r, weight, torch.zeros_like(weight))
    none = weight.sum(1) == 0
    weight[none] = 1
    gumbel = -torch.log(-torch.log(uniform(*weight.shape) + 1e-12) + 1e-12)
    p = (torch.log(weight + 1e-12) + gumbel).topk(n, 1).indices
    f = c.gather(1, p)
    bad = (f < 0) | r.gather(1, p)
    return f.clamp(min=0), bad


BB, NN = (4, 6) if SMALL else (64, 15)


def batch(share=0.65):
    k = int(BB * share)
    w = draw(S.written, k)
    w = w[(S.candidates[w - S.first, 0] >= 0)]
    k = len(w)
    d = draw(S.docs, BB - k)
    fw = S.positive(w)
    cw, bw = candidates(w, NN)
    fd = S.qf[d]
    nd = negatives(d, NN)
    bd = S.name[nd] == S.name[fd][:, None]
    q = torch.cat([w, d])
    f = torch.cat([fw, fd])
    all_ = torch.cat([f[:, None], torch.cat([cw, nd])], 1)
    bad = torch.cat([torch.zeros(len(q), 1, dtype=torch.bool, device=dev), torch.cat([bw, bd])], 1)
    ud = torch.cat([uniform(k) < 0.85, torch.zeros(len(d), dtype=torch.bool, device=dev)])
    qq = q[:, None].expand_as(all_).reshape(-1)
    tok, typ = pairs(qq, all_.reshape(-1), ud[:, None].expand_as(all_).reshape(-1))
    return tok, typ, bad


def stepOf(model):
    def step():
        tok, typ, bad = batch()
        s = model(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        return F.cross_entropy(s, torch.zeros(len(s), dtype=torch.long, device=dev))

    return step


def distill(model, teacher):
    def step():
        tok, typ, bad = batch()
        with torch.no_grad():
            t = teacher(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        s = model(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
        ce = F.cross_entropy(s, torch.zeros(len(s), dtype=torch.long, device=dev))
        kl = F.kl_div(F.log_softmax(s, 1), F.softmax(t, 1), reduction="batchmean")
        return 0.3 * ce + 0.7 * kl

    return step


@torch.no_grad()
def validate(model, label, most=900):
    model.eval()
    q = S.valid[(S.candidates[S.valid - S.first, 0] >= 0)][:most]
    first = []
    m3 = []
    held = []
    base = []
    for c in q.split(4 if SMALL else 32):
        f = S.candidates[c - S.first]
        bad = f < 0
        r = S.right[c - S.first]
        f = f.clamp(min=0)
        tok, typ = pairs(
            c[:, None].expand_as(f).reshape(-1), f.reshape(-1), torch.ones(f.numel(), dtype=torch.bool, device=dev)
        )
        with amp():
            s = model(tok, typ).view(bad.shape).masked_fill(bad, -1e4)
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


teacher = begin(Reranker, f"{DATA}/weights.npz", range(12))
teacher.load_state_dict(bi.state_dict())
del bi
nn.init.normal_(teacher.score.weight, std=0.02)
train(teacher, stepOf(teacher), seconds("TB", 180), 1e-4, "B")
validate(teacher, "teacher of 12 layers")
six = shrink(teacher, [0, 2, 4, 6, 8, 11])
train(six, distill(six, teacher), seconds("TC", 180), 2e-4, "C")
validate(six, "six layers")
save(six, f"{OUT}/six.npz")
three = shrink(six, [0, 2, 5])
train(three, distill(three, teacher), seconds("TD", 60), 2e-4, "D")
validate(three, "three layers")
save(three, f"{OUT}/three.npz")
log("end")
