"""How sharply a head looks: two numbers to sort heads by."""

import torch
from torch import Tensor


def mean_entropy(attn: Tensor) -> Tensor:
    """attn (head, query, key) → the entropy of a row in nats, its mean over the queries (head).

    0 where one key gets all; ln n where n keys get the same.
    """
    return torch.special.entr(attn).sum(-1).mean(-1)  # head


def distance_from_uniform(attn: Tensor, seen: Tensor) -> Tensor:
    """attn (head, query, key), seen (query, key) → ½ Σ |row − even shares|, its mean (head).

    Even are the shares of a query that gives every key it may see the same. That is the total
    variation: the part of a row that would have to move to make it even, from 0 to 1.
    """
    even = seen / seen.sum(-1, keepdim=True)  # query, key
    return (attn - even).abs().sum(-1).mean(-1) / 2  # head


def of_real_queries(attn: Tensor, mask: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """What one sentence gives these: attn (head, query, key), mask (query, key), ids (seq).

    Returns attn and which keys are seen without the queries that are padding: nobody asks them.
    """
    real = ids != 0  # query
    return attn[:, real], (mask == 0)[real]
