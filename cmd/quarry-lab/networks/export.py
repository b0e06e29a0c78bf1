"""Writes a network as ONNX with weights of 8 bits: export.py reranker OUT/six.npz OUT/six.onnx."""

import sys

import onnxruntime as ort
import torch
import torch.nn as nn
from onnxruntime.quantization import QuantType, quantize_dynamic

from network import Encoder, Layer, Reranker, load

what, source, target = sys.argv[1:4]


class Unit(nn.Module):
    """The vector of a row, of unit length, and those of its words."""

    def __init__(s, encoder):
        super().__init__()
        s.encoder = encoder

    def forward(s, tok):
        v, w = s.encoder.both(tok)
        return v / (v * v).sum(1, keepdim=True).sqrt(), w


Layer.plain = True
e = load({"reranker": Reranker, "encoder": Encoder}[what], source)
tok = torch.randint(4, len(e.word.weight), (3, 40))
tok[0, 30:] = 0
given, output, quantized = {"tokens": tok}, ["scores"], ["MatMul", "Gather"]
if what == "reranker":
    given["types"] = (torch.arange(40)[None].expand(3, 40) > 10).long()
else:
    e, output, quantized = Unit(e).eval(), ["vectors", "words"], quantized + ["Gemm"]
torch.onnx.export(
    e,
    tuple(given.values()),
    target + ".f32",
    input_names=list(given),
    output_names=output,
    dynamic_axes={n: {0: "b", 1: "l"} for n in given} | {n: {0: "b", 1: "l"} if n == "words" else {0: "b"} for n in output},
    opset_version=17,
    dynamo=False,
)
quantize_dynamic(
    target + ".f32", target, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=quantized
)
want = e(*given.values())
want = [w.detach().numpy() for w in (want if isinstance(want, tuple) else [want])]
for file in (target + ".f32", target):
    found = ort.InferenceSession(file).run(None, {n: t.numpy() for n, t in given.items()})
    for name, w, got in zip(output, want, found):
        print(file, name, "differs by", abs(got - w).max(), "of", abs(w).max())
