"""Ways to mask scores, each as it is found written, really run: who leaks, who is NaN, who raises.

A way of `WAYS` takes scores (query, key) and makes the causal mask itself; one of `PADDED` takes
the scores (batch, head, query, key) of a whole batch, and pad (batch, key), True where a key is
padding.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import skip_init

from explorer.core.wrong import error_of

# Row 2 of the worked example: its last key is the one that the causal mask hides. Here every query
# has these scores, so that rows differ by the mask alone.
ROW = (2.1, 1.3, 0.7, 4.9)
WORKED = torch.tensor([ROW] * len(ROW))  # query, key
LENGTHS = (2, 3, 4, 1)  # of four sentences, padded to four tokens


def right(scores: Tensor) -> Tensor:
    """scores (query, key) → weights, as this app does it: −∞ before the softmax."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)


def multiplied(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: the scores times a mask of 1 and 0."""
    may = torch.ones_like(scores).tril()
    return torch.softmax(scores * may, dim=-1)


def added(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: a float mask of 1 and 0, which torch adds to the scores."""
    may = torch.ones_like(scores).tril()
    return sdpa(scores, attn_mask=may)  # F.scaled_dot_product_attention


def after(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: masked only after the softmax."""
    may = torch.ones_like(scores).tril()
    return torch.softmax(scores, dim=-1) * may


def zero_times_inf(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: a mask of 0 and −∞ by multiplication, but 0·∞ is NaN."""
    may = torch.ones_like(scores).tril()
    return torch.softmax(scores + (1 - may) * -math.inf, dim=-1)


def diagonal(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: triu without its 1 hides the token itself as well."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu()
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)


def axis(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: the softmax runs over the queries."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-2)


def large(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: −10⁹ instead of −∞, in float32."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(blocked, -1e9), dim=-1)


def half(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: −10⁹ in float16, whose lowest number is −65504."""
    scores = scores.half()
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(blocked, -1e9), dim=-1)


def half_min(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: the lowest number that float16 has."""
    scores = scores.half()
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(blocked, torch.finfo(scores.dtype).min), dim=-1)


def mha(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: nn.MultiheadAttention takes True for blocked."""
    may = torch.ones_like(scores, dtype=torch.bool).tril()
    return multihead(scores, attn_mask=may)  # nn.MultiheadAttention


def sdpa_blocked(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: scaled_dot_product_attention takes True for may attend."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return sdpa(scores, attn_mask=blocked)  # F.scaled_dot_product_attention


def integer(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: a mask of whole numbers."""
    may = torch.ones_like(scores, dtype=torch.long).tril()
    return sdpa(scores, attn_mask=may)  # F.scaled_dot_product_attention


def left_padded(scores: Tensor) -> Tensor:
    """scores (query, key) → blocked: causal, and the first key is padding: query 0 has no key."""
    blocked = torch.ones_like(scores, dtype=torch.bool).triu(1)
    blocked[:, 0] = True
    return blocked


def no_key(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: a row of nothing but −∞ is 0 ÷ 0 in the softmax."""
    mask = torch.zeros_like(scores).masked_fill(left_padded(scores), -math.inf)
    return torch.softmax(scores + mask, dim=-1)


def no_key_min(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: with the lowest number instead, all keys are equal again."""
    lowest = torch.finfo(scores.dtype).min
    mask = torch.zeros_like(scores).masked_fill(left_padded(scores), lowest)
    return torch.softmax(scores + mask, dim=-1)


def no_key_twice(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: in float16, the lowest number added twice is −∞."""
    scores = scores.half()
    lowest = torch.finfo(scores.dtype).min
    mask = torch.zeros_like(scores).masked_fill(left_padded(scores), lowest)
    return torch.softmax(scores + mask + mask, dim=-1)


def no_key_zeroed(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: NaN replaced by 0 after the softmax, not in the gradient."""
    mask = torch.zeros_like(scores).masked_fill(left_padded(scores), -math.inf)
    return torch.softmax(scores + mask, dim=-1).nan_to_num(0.0)


def no_key_sdpa(scores: Tensor) -> Tensor:
    """scores (query, key) → weights: scaled_dot_product_attention gives such a row 0."""
    mask = torch.zeros_like(scores).masked_fill(left_padded(scores), -math.inf)
    return sdpa(scores, attn_mask=mask)  # F.scaled_dot_product_attention


def padding_right(scores: Tensor, pad: Tensor) -> Tensor:
    """scores (batch, head, query, key), pad (batch, key) → weights: every axis has its place."""
    blocked = pad[:, None, None, :]  # batch, 1, 1, key
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)


def key_mask(scores: Tensor, pad: Tensor) -> Tensor:
    """scores (batch, head, query, key), pad (batch, key) → weights: batch taken for query."""
    blocked = pad  # batch, key
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)


def query_mask(scores: Tensor, pad: Tensor) -> Tensor:
    """scores (batch, head, query, key), pad (batch, key) → weights: batch taken for head."""
    blocked = pad[:, :, None]  # batch, query, 1
    return torch.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)


def dropped(scores: Tensor, pad: Tensor) -> Tensor:
    """scores (batch, head, query, key), pad (batch, key) → weights as dropout 0.5 leaves them."""
    attn = padding_right(scores, pad)
    kept = torch.rand(attn.shape, generator=torch.Generator().manual_seed(0)) > 0.5
    return attn * kept / (1 - 0.5)


def averaged(scores: Tensor, pad: Tensor) -> Tensor:
    """scores (batch, head, query, key), pad (batch, key) → weights as nn.MultiheadAttention tells.

    Unless it is asked not to, it returns their mean over the heads, (batch, query, key).
    """
    attn = padding_right(scores, pad)
    return attn.mean(1, keepdim=True).expand_as(attn)


def sdpa(scores: Tensor, attn_mask: Tensor) -> Tensor:
    """scores (query, key) → the weights that F.scaled_dot_product_attention makes of them.

    With the identity for keys and values, scores are both what it computes and what it mixes.
    """
    one = torch.eye(scores.shape[-1])
    return F.scaled_dot_product_attention(scores, one, one, attn_mask=attn_mask, scale=1.0)


def multihead(scores: Tensor, attn_mask: Tensor) -> Tensor:
    """scores (query, key) → the weights that nn.MultiheadAttention makes of them, by identities."""
    T = scores.shape[-1]
    one = torch.eye(T)
    layer = skip_init(nn.MultiheadAttention, T, 1, bias=False, batch_first=True).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([one * math.sqrt(T), one, one]))
        layer.out_proj.weight.copy_(one)
    return layer(scores, one, one, attn_mask=attn_mask)[1]


WAYS: dict[str, Callable[[Tensor], Tensor]] = {
    way.__name__: way
    for way in (
        multiplied,
        added,
        after,
        zero_times_inf,
        large,
        half,
        half_min,
        mha,
        sdpa_blocked,
        integer,
        diagonal,
        axis,
        no_key,
        no_key_min,
        no_key_twice,
        no_key_zeroed,
        no_key_sdpa,
    )
}
PADDED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    way.__name__: way for way in (key_mask, query_mask, averaged, dropped)
}


@dataclass(frozen=True)
class Outcome:
    """What a way gives beside what is right: weights (query, key), or torch's error instead."""

    right: Tensor
    weights: Tensor | None
    error: str | None
    gradient: bool  # finite everywhere

    @property
    def leak(self) -> float:
        """The largest weight on a key that the right weights leave without any."""
        hidden = self.weights[(self.right == 0) & ~self.weights.isnan()]
        return float(hidden.max()) if len(hidden) else 0.0

    @property
    def nan_rows(self) -> list[int]:
        """The queries with a weight that is no number."""
        return self.weights.isnan().any(-1).nonzero().flatten().tolist()

    @property
    def sums(self) -> tuple[float, float]:
        """The smallest and the largest sum of a row; NaN where no row has one."""
        sums = self.weights.sum(-1)
        sums = sums[~sums.isnan()]
        return (float(sums.min()), float(sums.max())) if len(sums) else (math.nan, math.nan)

    @property
    def difference(self) -> float:
        """The largest difference from the right weights; NaN where any weight is NaN."""
        return float((self.weights - self.right).abs().max())


def one_by_one(name: str, scores: Tensor) -> Outcome:
    """What a way of `WAYS` does with scores (query, key)."""
    reference = no_key_sdpa if name.startswith("no_key") else right
    return _outcome(WAYS[name], reference, (scores,), ())


def in_batch(name: str, scores: Tensor, pad: Tensor, item: int, head: int) -> Outcome:
    """What a way of `PADDED` does with scores (batch, head, query, key), for one item and head."""
    return _outcome(PADDED[name], padding_right, (scores, pad), (item, head))


def _outcome(
    way: Callable[..., Tensor],
    reference: Callable[..., Tensor],
    operands: tuple[Tensor, ...],
    at: tuple[int, ...],
) -> Outcome:
    scores, *pad = operands
    expected = reference(scores, *pad)[at]
    error = error_of(lambda: way(scores, *pad))
    if error:
        return Outcome(expected, None, error, False)
    scores = scores.clone().requires_grad_()
    weights = way(scores, *pad)[at].float()
    # Any loss whose gradient is not zero by itself: a weight of its own for every key.
    (weights * torch.arange(weights.shape[-1])).sum().backward()
    return Outcome(expected, weights.detach(), None, bool(scores.grad.isfinite().all()))


def worked_batch() -> tuple[Tensor, Tensor]:
    """Scores (batch, head, query, key) and pad (batch, key) of 4 sentences, 4 heads, 4 tokens.

    Here every size is 4, as small examples go: a mask with its axes mixed up raises no error.
    Head 0 has the row of the worked example; in every other head it is moved on by one key.
    """
    heads = torch.stack([WORKED.roll(head, dims=-1) for head in range(len(ROW))])
    pad = torch.arange(len(ROW)) >= torch.tensor(LENGTHS)[:, None]  # batch, key
    return heads.expand(len(LENGTHS), *heads.shape), pad
