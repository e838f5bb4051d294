"""Prints what `attend` costs beside nn.MultiheadAttention with the same weights, in one run.

python -m tests.bench.attend_cost
"""

import statistics
import time

import torch
from torch import nn

from explorer.core import Config, attend, make_params

SENTENCE = " ".join(f"word{i}" for i in range(64))
ROUNDS = 200


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@torch.no_grad()
def main() -> None:
    config = Config(sentences=(SENTENCE,), d_model=512, h=8)
    params = make_params(config)
    trace = attend(config, params)
    layer = nn.MultiheadAttention(512, 8, bias=False, batch_first=True).eval()
    layer.in_proj_weight.copy_(torch.cat([params.W_Q.T, params.W_K.T, params.W_V.T]))
    layer.out_proj.weight.copy_(params.W_O.T)
    mask = trace.mask[0, 0]

    def ours():
        attend(config, params)

    def theirs():
        layer(
            trace.x,
            trace.x,
            trace.x,
            attn_mask=mask,
            need_weights=True,
            average_attn_weights=False,
        )

    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    ratio = statistics.median(a / b for a, b in pairs)
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"d_model 512, h 8, T {trace.x.shape[1]}, median of {ROUNDS} pairs")
    print(f"attend {mine * 1e3:.2f} ms, nn.MultiheadAttention {other * 1e3:.2f} ms")
    print(f"ratio {ratio:.2f} (at most 1.3)")


if __name__ == "__main__":
    main()
