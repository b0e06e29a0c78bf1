"""The functions and questions that prepare.py wrote, as the programs that train draw from them."""

import numpy as np
import torch

from network import dev, draw, uniform, SMALL


class Rows:
    """Parts of rows in a file of arrays, each padded with 0."""

    def __init__(s, file):
        s.D = np.load(file)

    def part(s, n, width, most=None):
        flat = s.D[n].astype(np.int64)
        off = s.D[n + "_off"].astype(np.int64)
        N = min(len(off) - 1, most or len(off))
        L = np.minimum(np.diff(off)[:N], width)
        m = np.zeros((N, width), np.int32)
        mask = np.arange(width)[None] < L[:, None]
        m[mask] = flat[(off[:N, None] + np.arange(width)[None])[mask]]
        return torch.from_numpy(m).to(dev)

    def numbers(s, n):
        return torch.from_numpy(s.D[n].astype(np.int64)).to(dev)


class Functions(Rows):
    """Functions and then passages, and questions about functions: first those of doc comments, then those
    that were written, which have candidates."""

    def __init__(s, folder, doc, body):
        super().__init__(f"{folder}/data.npz")
        keep = list(s.D["keep"])
        pad, s.CLS, s.SEP = (keep.index(x) for x in (0, 101, 102))
        assert pad == 0
        s.head, s.doc, s.body, s.q = s.part("head", 14), s.part("doc", doc), s.part("body", body), s.part("q", 24)
        s.repo, s.path, s.name, s.qf, s.kind = (s.numbers(n) for n in ("repo", "path", "name", "qf", "kind"))
        s.repositories = [str(r) for r in s.D["repos"]]
        s.NR, s.NF, s.NQ, s.NT = len(s.repositories), len(s.repo), len(s.qf), len(s.head)
        # Eight repositories are only validated on.
        kept_out = np.random.RandomState(7).permutation(s.NR)[:8]
        s.kept_out = {s.repositories[r] for r in kept_out}
        out = torch.zeros(s.NR, dtype=torch.bool, device=dev)
        out[torch.from_numpy(kept_out).to(dev)] = True
        s.candidates, s.right = s.numbers("cand"), s.numbers("right").bool()
        s.first = s.NQ - len(s.candidates)  # of the written questions
        learned = torch.nonzero(~out[s.repo[s.qf]])[:, 0]
        s.valid = torch.nonzero(out[s.repo[s.qf]] & (s.kind == 1))[:, 0]
        s.written, s.docs = learned[s.kind[learned] == 1], learned[s.kind[learned] == 0]
        s.written_of = [s.written[s.repo[s.qf[s.written]] == r] for r in range(s.NR)]
        s.docs_of = [s.docs[s.repo[s.qf[s.docs]] == r] for r in range(s.NR)]
        s.large = [r for r in range(s.NR) if len(s.docs_of[r]) + len(s.written_of[r]) > (4 if SMALL else 64)]
        s.order = torch.argsort(s.repo, stable=True)
        s.start = torch.searchsorted(s.repo[s.order].contiguous(), torch.arange(s.NR + 1, device=dev))

    def __str__(s):
        return (
            f"{s.NF} functions of {s.NR} repositories, {s.NT - s.NF} passages, {s.NQ} questions: {len(s.written)} "
            f"written and {len(s.docs)} of doc comments to learn, {len(s.valid)} to validate"
        )

    def column(s, n, token):
        return torch.full((n, 1), token, dtype=torch.int32, device=dev)

    def of(s, r):
        return s.order[s.start[r] : s.start[r + 1]]

    def some(s, r, n, written):
        """Questions about one repository."""
        a, b = s.written_of[r], s.docs_of[r]
        if not len(a) or not len(b):
            return draw(a if len(a) else b, n)
        k = min(written, len(a))
        return torch.cat([draw(a, k), draw(b, n - k)])

    def with_doc(s, q):
        """A doc comment that is the question is not in the code."""
        return (s.kind[q] == 1) & (uniform(len(q)) < 0.75)

    def positive(s, q):
        """A right passage where the candidates hold one, else the function."""
        f, w = s.qf[q].clone(), s.kind[q] == 1
        if w.any():
            r = s.right[q[w] - s.first]
            p = torch.where(r, uniform(*r.shape), torch.full(r.shape, -1.0, device=dev)).argmax(1)
            f[w] = torch.where(r.any(1), s.candidates[q[w] - s.first].gather(1, p[:, None])[:, 0], f[w])
        return f

    def near(s, E, asked, most=48):
        """The wrong functions that are nearest to each question, by vectors of length 1 of both."""
        hard = torch.zeros(s.NQ, most, dtype=torch.int32, device=dev)
        for r in range(s.NR):
            q, fs = torch.nonzero(s.repo[s.qf] == r)[:, 0], s.of(r)
            for c in q.split(4096) if len(q) else ():
                likeness = (asked[c] @ E[fs].T).masked_fill(s.name[fs][None] == s.name[s.qf[c]][:, None], -9)
                k = min(most, len(fs))
                hard[c] = fs[likeness.topk(k, 1).indices][:, torch.arange(most, device=dev) % k].int()
        return hard

    def ranks(s, E, asked):
        """How many functions of its repository are no farther from a question than its own: of valid."""
        ranks = []
        for i, q in enumerate(s.valid.tolist()):
            likeness = E[s.of(s.repo[s.qf[q]])].float() @ asked[i].float()
            own = E[s.qf[q]].float() @ asked[i].float()
            ranks.append(int((likeness >= own).sum()) - 1)
        return np.array(ranks)
