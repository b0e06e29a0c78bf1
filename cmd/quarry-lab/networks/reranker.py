"""The reranker: how a cross-encoder learns which of the passages that a search gave answers a question."""

import numpy as np
import torch
import torch.nn.functional as F

from network import SMALL, amp, compact, draw, log, uniform

BATCH, OTHERS = (4, 6) if SMALL else (64, 15)


class Lists:
    """Questions with a right passage and wrong ones. hard has functions near each question, for those that no
    search was asked."""

    def __init__(s, functions, hard):
        s.S, s.hard = functions, hard
        S = functions
        s.order = torch.argsort(S.path, stable=True)  # the functions of each file
        s.start = torch.searchsorted(S.path[s.order].contiguous(), torch.arange(int(S.path.max()) + 2, device=S.path.device))
        w = S.written - S.first
        has = (S.candidates[w, 0] >= 0) & (((S.candidates[w] >= 0) & ~S.right[w]).sum(1) >= OTHERS)
        s.searched, s.others = S.written[has], S.written[~has]

    def rows(s, q, f, doc):
        """Tokens and types of questions and passages."""
        S = s.S
        cls, sep = S.column(len(f), S.CLS), S.column(len(f), S.SEP)
        parts = [cls, S.q[q], sep, S.head[f], S.doc[f] * doc[:, None].int(), S.body[f], sep]
        return compact(parts, 144, S.SEP, [0, 0, 0, 1, 1, 1, 1])

    def near(s, q, n):
        """Functions that are wrong: near the question, of the same file, of the repository."""
        S, f = s.S, s.S.qf[q]
        pick = lambda order, a, z, k: order[(a[:, None] + (uniform(len(q), k) * (z - a)[:, None]).long())]
        found = [s.hard[q].long().gather(1, (uniform(len(q), n - 3) ** 1.5 * s.hard.shape[1]).long())]
        found.append(pick(s.order, s.start[S.path[f]], s.start[S.path[f] + 1], 2))
        found.append(pick(S.order, S.start[S.repo[f]], S.start[S.repo[f] + 1], 1))
        found = torch.cat(found, 1)
        return found, S.name[found] == S.name[f][:, None]

    def given(s, q, n):
        """What a search gave and is wrong, those in front more often."""
        c, r = s.S.candidates[q - s.S.first], s.S.right[q - s.S.first]
        wrong = (c >= 0) & ~r
        weight = torch.where(wrong, 1 / (torch.arange(c.shape[1], device=c.device) + 8.0), torch.zeros_like(c, dtype=torch.float32))
        gumbel = -torch.log(-torch.log(uniform(*weight.shape) + 1e-12) + 1e-12)
        p = (torch.log(weight + 1e-12) + gumbel).topk(n, 1).indices
        return c.gather(1, p).clamp(min=0), ~wrong.gather(1, p)

    def draw(s, n, others=OTHERS):
        """Questions, for each its right passage and then others, and which of these do not count: two fifths that
        a search was asked, as many others that were written, if there are, and doc comments."""
        S = s.S
        w, d = draw(s.searched, n * 2 // 5), draw(s.others, n * 2 // 5 if len(s.others) else 0)
        d = torch.cat([d, draw(S.docs, n - len(w) - len(d))])
        q = torch.cat([w, d])
        (a, bad_a), (b, bad_b) = s.given(w, others), s.near(d, others)
        f = torch.cat([S.positive(q)[:, None], torch.cat([a, b])], 1)
        bad = torch.cat([torch.zeros_like(q, dtype=torch.bool)[:, None], torch.cat([bad_a, bad_b])], 1)
        return q, f, bad

    def judge(s, model, q, f, doc):
        """The scores that a cross-encoder gives to lists."""
        wide = lambda x: x[:, None].expand_as(f).reshape(-1)
        return model(*s.rows(wide(q), f.reshape(-1), wide(doc))).view(f.shape)

    def step(s, model):
        q, f, bad = s.draw(BATCH)
        doc = (s.S.kind[q] == 1) & (uniform(len(q)) < 0.85)
        score = s.judge(model, q, f, doc).masked_fill(bad, -1e4)
        return F.cross_entropy(score, torch.zeros(len(q), dtype=torch.long, device=q.device))

    def to_judge(s, judged):
        """From now on judged() draws of the searched questions whose lists were judged."""
        s.lists = s.searched[judged[s.searched - s.S.first, 0] > -1e3]

    def judged(s, n, most=16):
        """Questions, and of their lists some places with what stands there, and which of these do not count."""
        q = draw(s.lists, n)
        c = s.S.candidates[q - s.S.first]
        at = (uniform(*c.shape) - 2 * s.S.right[q - s.S.first].float() + 9 * (c < 0)).topk(most, 1, largest=False).indices
        f = c.gather(1, at)
        return q, at, f.clamp(min=0), f < 0

    @torch.no_grad()
    def validate(s, model, label, most=900):
        S, first, three, held, base = s.S, [], [], [], []
        model.eval()
        q = S.valid[(S.candidates[S.valid - S.first, 0] >= 0)][: 4 if SMALL else most]
        for c in q.split(4 if SMALL else 32):
            f, r = S.candidates[c - S.first], S.right[c - S.first]
            with amp():
                score = s.judge(model, c, f.clamp(min=0), torch.ones_like(c, dtype=torch.bool)).masked_fill(f < 0, -1e4)
            right = r.gather(1, score.argsort(1, descending=True))
            first += right[:, 0].tolist()
            three += right[:, :3].any(1).tolist()
            held += r.any(1).tolist()
            base += r[:, 0].tolist()
        log(label, "alone: first %.3f three %.3f; as searched %.3f; held %.3f of %d"
            % (*map(np.mean, (first, three, base, held)), len(first)))  # fmt: skip
