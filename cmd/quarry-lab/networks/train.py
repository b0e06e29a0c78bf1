"""Trains the encoder and the reranker: train.py ENCODER RERANKER OUT [FORMER].

ENCODER and RERANKER are the folders that prepare.py made with and without --once. FORMER is a
reranker.onnx of an earlier training, from which the reranker goes on; without it six of bge-small's layers begin. Four steps, each for some seconds (TA, TR, TB, TC; on one H200 95, 125, 65 and 160):
A  bge-small's twelve layers learn to encode questions and functions: a teacher;
R  a cross-encoder of six layers learns from what a search gave and from functions that the teacher found near;
B  the teacher goes on with such functions, and with the cross-encoder's opinion of what a search gave;
C  its first and last layer learn from both: the encoder that is built in.
Eight repositories are only validated on. SCALE shortens all steps; on a processor batches are small, which is
enough to see that it runs. Steps end by the clock, so two runs give two models.
"""

import sys

import torch

from encoder import Student, Texts, contrast, evaluate, judge, vectors
from functions import Functions
from network import Encoder, Reranker, SMALL, amp, begin, dev, log, read, save, seconds, shrink, train
from reranker import Lists

E, R, OUT = sys.argv[1:4]
former = sys.argv[4] if len(sys.argv) > 4 else None
S, SR = Functions(E, doc=24, body=88), Functions(R, doc=32, body=160)
log(S)
log("kept out:", sorted(S.kept_out))
T = Texts(S, f"{E}/pairs.npz")

# A
teacher = begin(Encoder, f"{E}/weights.npz", [0, 11] if SMALL else range(12))
n = 32 if SMALL else 1024


def far_apart(n, hard=None, scale=20.0):
    q, d, key = T.batch(n, hard)
    return contrast(teacher(q), teacher(d), key, scale)


train(teacher, lambda: far_apart(n), seconds("TA", 95), 2e-4, "A")
evaluate("teacher", teacher, T)
if SMALL:
    hard = torch.randint(0, S.NF, (S.NQ, 48), dtype=torch.int32)
else:
    hard = S.near(vectors(teacher, S.NF, T.all_functions), vectors(teacher, S.NQ, T.questions))

# R
lists = Lists(SR, hard)
log(len(lists.searched), "searched questions,", len(lists.others), "others")
if former:
    six = read(Reranker, former)
    lists.validate(six, "the former six layers")
else:
    six = begin(Reranker, f"{R}/weights.npz", [0, 2, 4, 6, 8, 11])
train(six, lambda: lists.step(six), seconds("TR", 125), 1e-4 if former else 2e-4, "R")
lists.validate(six, "six layers")
save(six, f"{OUT}/six.npz")

# What the cross-encoder thinks of what a search gave.
judged = torch.full(S.candidates.shape, -1e4, device=dev)
with torch.no_grad(), amp():
    for q in lists.searched.split(8 if SMALL else 128):
        f = S.candidates[q - S.first]
        yes = torch.ones_like(q, dtype=torch.bool)
        judged[q - S.first] = lists.judge(six, q, f.clamp(min=0), yes).float().masked_fill(f < 0, -1e4)
        if SMALL:
            break
log("judged")

# B
lists.to_judge(judged)
train(
    teacher,
    lambda: far_apart(n * 3 // 4, hard, 25.0) + judge(teacher, T, lists, judged, n // 16, False),
    seconds("TB", 65), 1e-4, "B",
)  # fmt: skip
evaluate("teacher with near ones", teacher, T)

# C
two = shrink(teacher, [0, len(teacher.layers) - 1])
student = Student(T, teacher, lists, judged, hard)
train(two, lambda: student.step(two, 64 if SMALL else 1024), seconds("TC", 160), 5e-4, "C")
save(two, f"{OUT}/two.npz")
evaluate("two layers", two, T, late=True)
log("end")
