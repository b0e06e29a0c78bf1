"""Trains the encoder: encoder.py DATA OUT, with what prepare.py --once --pairs made in the folder DATA.

Three steps, each for some seconds (TA, TB, TC; on one H100 150, 80 and 90):
A  bge-small learns to encode questions and functions: a teacher of 12 layers;
B  it goes on with functions that it found near and that are wrong;
C  its first and last layer learn from it: the model that is built in.
Vectors have 256 numbers, of which the first 128 are trained to be a vector, too. SCALE shortens all steps; on a
processor batches are small, which is enough to see that it runs. Steps end by the clock, so two runs give two
models.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as F

from functions import Functions, Rows
from network import Encoder, SMALL, amp, begin, beside, compact, dev, draw, log, save, seconds, shrink, train, uniform

DATA, OUT = sys.argv[1:3]
DIMS = (256, 128)
S = Functions(DATA, doc=24, body=88)
log(S)

P = Rows(f"{DATA}/pairs.npz")
most = 20000 if SMALL else None
PH, PB, PQ = P.part("head", 14, most), P.part("body", 88, most), P.part("q", 24, most)
NP = len(PQ)
prepo = P.numbers("repo")[:NP]
left_out = torch.tensor([str(r) in S.kept_out for r in P.D["repos"]], device=dev)
pairs = torch.nonzero(~left_out[prepo])[:, 0]
pairs_of = [pairs[prepo[pairs] == r] for r in range(len(left_out))]
large = [r for r, p in enumerate(pairs_of) if len(p) > 256]
log(len(pairs), "pairs,", int(left_out.sum()), "repositories left out")


def row(*parts):
    n = len(parts[0])
    return compact([S.column(n, S.CLS), *parts, S.column(n, S.SEP)], 96, S.SEP)


def functions(f, doc, head):
    return row(S.head[f] * head[:, None].int(), S.doc[f] * doc[:, None].int(), S.body[f])


def codes(p, head):
    return row(PH[p] * head[:, None].int(), PB[p])


def batch(n, hard=None):
    """Tokens of questions and documents and what tells the same from others: half functions and half pairs,
    in blocks of one repository each."""
    k = n // 8
    some = [S.some(r, k, k // 2) for r in np.random.choice(S.large, 3)]
    q = torch.cat([draw(S.written, k // 2), draw(S.docs, k - k // 2)] + some)
    p = torch.cat([draw(pairs, k)] + [draw(pairs_of[r], k) for r in np.random.choice(large, 3)])
    documents = beside(
        functions(S.positive(q), S.with_doc(q), uniform(len(q)) < 0.75), codes(p, uniform(len(p)) < 0.75)
    )
    key = torch.cat([S.name[S.qf[q]], S.name.max() + 1 + p])
    if hard is not None:
        near = hard[q].long().gather(1, (uniform(len(q), 1) ** 1.5 * hard.shape[1]).long())[:, 0]
        near = near[torch.randperm(len(near), device=dev)]
        documents = beside(documents, functions(near, uniform(len(near)) < 0.6, uniform(len(near)) < 0.75))
        key = torch.cat([key, S.name[near]])
    return row(torch.cat([S.q[q], PQ[p]])), documents, key


def contrast(a, b, key, scale):
    """The others of a batch are wrong, but for those of the same name."""
    n, loss = len(a), 0
    own = torch.arange(n, device=dev)
    same = key[:n, None] == key[None]
    same[own, own] = False
    for d in DIMS:
        s = (F.normalize(a[:, :d], dim=-1) @ F.normalize(b[:, :d], dim=-1).T * scale).masked_fill(same, -1e4)
        loss = loss + (F.cross_entropy(s, own) + F.cross_entropy(s[:, :n].T, own)) / (2 * len(DIMS))
    return loss


@torch.no_grad()
def vectors(model, n, rows, size=4096):
    """Vectors of length 1 of n rows; rows makes tokens of some."""
    out = []
    for i in torch.arange(n, device=dev).split(size):
        with amp():
            out.append(F.normalize(model(rows(i)), dim=-1).half())
    return torch.cat(out)


def all_functions(f):
    yes = torch.ones(len(f), dtype=torch.bool, device=dev)
    return functions(f, yes, yes)


def all_codes(p):
    return codes(p, torch.ones(len(p), dtype=torch.bool, device=dev))


def evaluate(label, model):
    if SMALL:
        return
    E, asked = vectors(model, S.NF, all_functions), vectors(model, len(S.valid), lambda i: row(S.q[S.valid[i]]))
    for d in DIMS:
        r = S.ranks(F.normalize(E[:, :d].float(), dim=-1), F.normalize(asked[:, :d].float(), dim=-1))
        log(f"{label}, {d} numbers: first {(r < 1).mean():.3f} ten {(r < 10).mean():.3f} of {len(r)}")


teacher = begin(Encoder, f"{DATA}/weights.npz", range(12))


def step(n, hard=None, scale=20.0):
    q, d, key = batch(n, hard)
    return contrast(teacher(q), teacher(d), key, scale)


train(teacher, lambda: step(32 if SMALL else 1024), seconds("TA", 150), 2e-4, "A")
evaluate("teacher", teacher)
if SMALL:
    hard = torch.randint(0, S.NF, (S.NQ, 48), dtype=torch.int32)
else:
    hard = S.near(vectors(teacher, S.NF, all_functions), vectors(teacher, S.NQ, lambda i: row(S.q[i])))
train(teacher, lambda: step(32 if SMALL else 768, hard, 25.0), seconds("TB", 80), 1e-4, "B")
evaluate("teacher with near ones", teacher)

# What is learned from: the functions and passages, the pairs' code, and the questions of both.
if SMALL:
    random = lambda n: F.normalize(torch.randn(n, 256), dim=-1).half()
    EF, EP, EQ, EPQ = random(S.NT), random(NP), random(S.NQ), random(NP)
else:
    EF, EP = vectors(teacher, S.NT, all_functions), vectors(teacher, NP, all_codes)
    EQ, EPQ = vectors(teacher, S.NQ, lambda i: row(S.q[i])), vectors(teacher, NP, lambda i: row(PQ[i]))
every = lambda n: torch.arange(n, device=dev)


def far(x, v):
    return (1 - (F.normalize(x, dim=-1) * v).sum(1)).mean()


def relation(a, b):
    return F.log_softmax(F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T * 20, 1)


def distill(model, n):
    k = n // 4
    f, p, q, o = draw(every(S.NT), k), draw(every(NP), k), draw(every(S.NQ), k), draw(every(NP), k)
    documents, questions = model(beside(all_functions(f), all_codes(p))), model(row(torch.cat([S.q[q], PQ[o]])))
    dv, qv = torch.cat([EF[f].float(), EP[p].float()]), torch.cat([EQ[q].float(), EPQ[o].float()])
    kl = F.kl_div(relation(questions, documents), relation(qv, dv), log_target=True, reduction="batchmean")
    asked, given, key = batch(n // 2, hard)
    own = contrast(model(asked), model(given), key, 25.0)
    return 2 * far(documents, dv) + far(questions, qv) + 0.5 * kl + 0.5 * own


two = shrink(teacher, [0, 11])
train(two, lambda: distill(two, 64 if SMALL else 1024), seconds("TC", 90), 5e-4, "C")
evaluate("two layers", two)
save(two, f"{OUT}/two.npz")
