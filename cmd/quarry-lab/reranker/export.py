"""Writes a model of train.py as ONNX with weights of 8 bits: export.py OUT six 6."""

import sys, numpy as np, torch, torch.nn as nn, torch.nn.functional as F

folder, name, layers = sys.argv[1], sys.argv[2], int(sys.argv[3])
W = dict(np.load(f"{folder}/{name}-words.npz"))
W.update(np.load(f"{folder}/{name}-layers.npz"))
sd = {}
for k in list(W):
    if k.endswith("|q"):
        b = k[:-2]
        sd[b] = torch.from_numpy(W[k].astype(np.float32) * W[b + "|s"])
    elif not k.endswith("|s"):
        sd[k] = torch.from_numpy(W[k])
V = sd["word.weight"].shape[0]
print(V)


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

    def forward(s, x, mask):
        B, L, H = x.shape
        r = lambda t: t.view(B, L, 12, 32).transpose(1, 2)
        a = torch.softmax(r(s.q(x)) @ r(s.k(x)).transpose(2, 3) / (32**0.5) + mask, -1) @ r(s.v(x))
        a = a.transpose(1, 2).reshape(B, L, H)
        x = s.n1(x + s.o(a))
        return s.n2(x + s.d(F.gelu(s.i(x))))


class Enc(nn.Module):
    def __init__(s, h=384):
        super().__init__()
        s.word = nn.Embedding(V, h)
        s.pos = nn.Embedding(192, h)
        s.typ = nn.Embedding(2, h)
        s.norm = nn.LayerNorm(h, eps=1e-12)
        s.layers = nn.ModuleList(Layer() for _ in range(layers))
        s.score = nn.Linear(h, 1)

    def forward(s, tok, typ):
        L = tok.shape[1]
        x = s.norm(s.word(tok) + s.pos.weight[:L] + s.typ(typ))
        m = (tok == 0)[:, None, None, :].float() * -1e4
        for l in s.layers:
            x = l(x, m)
        return s.score(x[:, 0])[:, 0]


e = Enc()
e.load_state_dict(sd)
e.eval()
tok = torch.randint(4, V, (3, 40))
tok[0, 30:] = 0
typ = (torch.arange(40)[None].expand(3, 40) > 10).long()
torch.onnx.export(
    e,
    (tok, typ),
    f"{folder}/{name}.f32.onnx",
    input_names=["tokens", "types"],
    output_names=["scores"],
    dynamic_axes={"tokens": {0: "b", 1: "l"}, "types": {0: "b", 1: "l"}, "scores": {0: "b"}},
    opset_version=17,
    dynamo=False,
)
from onnxruntime.quantization import quantize_dynamic, QuantType

quantize_dynamic(
    f"{folder}/{name}.f32.onnx",
    f"{folder}/{name}.onnx",
    weight_type=QuantType.QInt8,
    per_channel=True,
    op_types_to_quantize=["MatMul", "Gather"],
)
import onnxruntime as ort

a = ort.InferenceSession(f"{folder}/{name}.f32.onnx")
b = ort.InferenceSession(f"{folder}/{name}.onnx")
f = {"tokens": tok.numpy(), "types": typ.numpy()}
print(e(tok, typ).detach().numpy(), a.run(None, f)[0], b.run(None, f)[0])
