"""The encoder: how vectors of questions and functions, and of their words, come to be near each other."""

import numpy as np
import torch
import torch.nn.functional as F

from functions import Rows
from network import SMALL, amp, beside, compact, dev, draw, inner, kept, log, maxsim, maxsim_of, uniform

DIMS = (256, 128)  # of a vector the first 128 numbers are trained to be one, too


class Texts:
    """What the encoder reads of functions and of pairs."""

    def __init__(s, functions, pairs):
        s.S, P = functions, Rows(pairs)
        most = 20000 if SMALL else None
        s.PH, s.PB, s.PQ = P.part("head", 14, most), P.part("body", 88, most), P.part("q", 24, most)
        s.NP = len(s.PQ)
        repo = P.numbers("repo")[: s.NP]
        out = torch.tensor([str(r) in functions.kept_out for r in P.D["repos"]], device=dev)
        s.pairs = torch.nonzero(~out[repo])[:, 0]
        s.pairs_of = [s.pairs[repo[s.pairs] == r] for r in range(len(out))]
        s.large = [r for r, p in enumerate(s.pairs_of) if len(p) > 256]
        log(len(s.pairs), "pairs,", int(out.sum()), "repositories left out")

    def row(s, *parts):
        n = len(parts[0])
        return compact([s.S.column(n, s.S.CLS), *parts, s.S.column(n, s.S.SEP)], 96, s.S.SEP)

    def functions(s, f, doc, head):
        S = s.S
        return s.row(S.head[f] * head[:, None].int(), S.doc[f] * doc[:, None].int(), S.body[f])

    def codes(s, p, head):
        return s.row(s.PH[p] * head[:, None].int(), s.PB[p])

    def questions(s, q):
        return s.row(s.S.q[q])

    def all_functions(s, f):
        yes = torch.ones(len(f), dtype=torch.bool, device=dev)
        return s.functions(f, yes, yes)

    def all_codes(s, p):
        return s.codes(p, torch.ones(len(p), dtype=torch.bool, device=dev))

    def batch(s, n, hard=None):
        """Tokens of questions and documents and what tells the same from others: half functions and half pairs,
        in blocks of one repository each."""
        S, k = s.S, n // 8
        some = [S.some(r, k, k // 2) for r in np.random.choice(S.large, 3)]
        q = torch.cat([draw(S.written, k // 2), draw(S.docs, k - k // 2)] + some)
        p = torch.cat([draw(s.pairs, k)] + [draw(s.pairs_of[r], k) for r in np.random.choice(s.large, 3)])
        documents = beside(
            s.functions(S.positive(q), S.with_doc(q), uniform(len(q)) < 0.75), s.codes(p, uniform(len(p)) < 0.75)
        )
        key = torch.cat([S.name[S.qf[q]], S.name.max() + 1 + p])
        if hard is not None:
            near = hard[q].long().gather(1, (uniform(len(q), 1) ** 1.5 * hard.shape[1]).long())[:, 0]
            near = near[torch.randperm(len(near), device=dev)]
            documents = beside(documents, s.functions(near, uniform(len(near)) < 0.6, uniform(len(near)) < 0.75))
            key = torch.cat([key, S.name[near]])
        return s.row(torch.cat([S.q[q], s.PQ[p]])), documents, key


def spread(scores, key):
    """The others of a batch are wrong, but for those of the same name."""
    n = len(scores)
    own = torch.arange(n, device=dev)
    same = key[:n, None] == key[None]
    same[own, own] = False
    scores = scores.masked_fill(same, -1e4)
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores[:, :n].T, own)) / 2


def contrast(a, b, key, scale):
    cosines = ((F.normalize(a[:, :d], dim=-1) @ F.normalize(b[:, :d], dim=-1).T) for d in DIMS)
    return sum(spread(c * scale, key) for c in cosines) / len(DIMS)


def agree(scores, judged, bad):
    """How far the order of a list is from that of one who judged it."""
    fill = lambda x: x.masked_fill(bad, -1e4)
    return F.kl_div(F.log_softmax(fill(scores), 1), F.softmax(fill(judged), 1), reduction="batchmean")


@torch.no_grad()
def vectors(model, n, rows, size=4096):
    """Vectors of length 1 of n rows; rows makes tokens of some."""
    out = []
    for i in torch.arange(n, device=dev).split(size):
        with amp():
            out.append(F.normalize(model(rows(i)), dim=-1).half())
    return torch.cat(out)


@torch.no_grad()
def evaluate(label, model, T, late=False):
    """How often the right function of those of its repository is the nearest, by vectors and by words."""
    if SMALL:
        return
    S = T.S
    E, asked = vectors(model, S.NF, T.all_functions), vectors(model, len(S.valid), lambda i: T.questions(S.valid[i]))
    for d in DIMS:
        r = S.ranks(F.normalize(E[:, :d].float(), dim=-1), F.normalize(asked[:, :d].float(), dim=-1))
        log(f"{label}, {d} numbers: first {(r < 1).mean():.3f} ten {(r < 10).mean():.3f} of {len(r)}")
    if not late:
        return
    E, asked = F.normalize(E[:, :128].float(), dim=-1), F.normalize(asked[:, :128].float(), dim=-1)
    found = {}
    for r in sorted(set(S.repo[S.qf[S.valid]].tolist())):
        fs, ask = S.of(r), torch.nonzero(S.repo[S.qf[S.valid]] == r)[:, 0]
        fs = fs[fs < S.NF]
        with amp():
            words = torch.cat([kept(t, model.both(t)[1]) for t in (T.all_functions(x) for x in fs.split(512))])
            t = T.questions(S.valid[ask])
            q = inner(t, model.both(t)[1])
        L = torch.cat([maxsim(q.float(), w.float()) for w in words.split(128)], 1)
        V = asked[ask] @ E[fs].T
        own = (fs[None] == S.qf[S.valid[ask]][:, None]).float().argmax(1)
        for share in (0, 0.3, 0.5, 0.7, 0.85, 1):
            x = V * (1 - share) + L * share
            mine = x.gather(1, own[:, None])
            found.setdefault(share, []).append(((x > mine).sum(1)).cpu().numpy())
    for share, r in found.items():
        r = np.concatenate(r)
        log(f"{label}, words count {share}: first {(r < 1).mean():.3f} three {(r < 3).mean():.3f} ten {(r < 10).mean():.3f}")


class Student:
    """Learns the vectors of a teacher, and the order in which a cross-encoder has lists; judged are its scores
    of what a search gave for the written questions."""

    def __init__(s, T, teacher, lists, judged, hard):
        s.T, s.lists, s.judged, s.hard = T, lists, judged, hard
        S = T.S
        if SMALL:
            random = lambda n: F.normalize(torch.randn(n, 256), dim=-1).half()
            s.EF, s.EP, s.EQ, s.EPQ = random(S.NT), random(T.NP), random(S.NQ), random(T.NP)
        else:
            s.EF, s.EP = vectors(teacher, S.NT, T.all_functions), vectors(teacher, T.NP, T.all_codes)
            s.EQ = vectors(teacher, S.NQ, T.questions)
            s.EPQ = vectors(teacher, T.NP, lambda i: T.row(T.PQ[i]))

    def step(s, model, n):
        T, S, k = s.T, s.T.S, n // 4
        every = lambda m: torch.arange(m, device=dev)
        f, p, q, o = draw(every(S.NT), k), draw(every(T.NP), k), draw(every(S.NQ), k), draw(every(T.NP), k)
        documents = model(beside(T.all_functions(f), T.all_codes(p)))
        questions = model(T.row(torch.cat([S.q[q], T.PQ[o]])))
        dv, qv = torch.cat([s.EF[f].float(), s.EP[p].float()]), torch.cat([s.EQ[q].float(), s.EPQ[o].float()])
        relation = lambda a, b: F.log_softmax(F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T * 20, 1)
        far = lambda x, v: (1 - (F.normalize(x, dim=-1) * v).sum(1)).mean()
        kl = F.kl_div(relation(questions, documents), relation(qv, dv), log_target=True, reduction="batchmean")
        asked, given, key = T.batch(n // 2, s.hard)
        (a, aw), (b, bw) = model.both(asked), model.both(given)
        own = contrast(a, b, key, 25.0) + spread(maxsim(inner(asked, aw), kept(given, bw)) * 25.0, key)
        return 2 * far(documents, dv) + far(questions, qv) + 0.5 * kl + 0.5 * own + judge(model, T, s.lists, s.judged, n // 16, True)


def judge(model, T, lists, judged, n, late):
    """The loss of vectors, and of words, against what a cross-encoder thinks of what a search gave."""
    S = T.S
    q, at, f, bad = lists.judged(n)
    tok, rows = T.questions(q), T.functions(f.reshape(-1), uniform(f.numel()) < 0.85, uniform(f.numel()) < 0.85)
    want = judged[q - S.first].gather(1, at)
    if not late:
        a, b = model(tok), model(rows)
    else:
        (a, aw), (b, bw) = model.both(tok), model.both(rows)
    loss = 0
    for d in DIMS:
        c = (F.normalize(a[:, None, :d], dim=-1) * F.normalize(b[:, :d], dim=-1).view(*f.shape, d)).sum(-1)
        loss = loss + agree(c * 25.0, want, bad) / len(DIMS)
    if late:
        w = kept(rows, bw)
        loss = loss + agree(maxsim_of(inner(tok, aw), w.view(*f.shape, *w.shape[1:])) * 25.0, want, bad)
    return loss
