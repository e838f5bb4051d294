import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.distributions import Categorical

from explorer.core import Config, attend
from explorer.core.heads import distance_from_uniform, mean_entropy, of_real_queries
from tests.core import configs, runs


def test_a_worked_example():
    """One query, four keys. Head 0 gives all to one: entropy 0; to be even, ¾ would have to move.

    Head 1 is even: ln 4, nothing to move. Head 2 gives halves to two: ln 2, a half to move.
    """
    attn = torch.tensor([[[1, 0, 0, 0]], [[0.25] * 4], [[0.5, 0.5, 0, 0]]])
    seen = torch.ones(1, 4, dtype=torch.bool)
    assert mean_entropy(attn).tolist() == pytest.approx([0, math.log(4), math.log(2)])
    assert distance_from_uniform(attn, seen).tolist() == [0.75, 0, 0.5]


def test_even_means_over_the_keys_that_a_query_may_see():
    """Under a causal mask, even rows are 1, then ½ ½, then thirds: no head is nearer than that."""
    seen = torch.ones(3, 3, dtype=torch.bool).tril()
    even = seen / torch.tensor([[1.0], [2.0], [3.0]])
    assert distance_from_uniform(even[None], seen).tolist() == pytest.approx([0], abs=1e-7)


@runs(40)
@given(configs())
def test_entropy_is_that_of_torchs_own_distribution(config):
    run = attend(config)
    theirs = Categorical(probs=run.attn[0]).entropy().mean(-1)
    torch.testing.assert_close(mean_entropy(run.attn[0]), theirs, rtol=1e-4, atol=1e-4)


@runs(40)
@given(configs(), st.data())
def test_distance_is_the_total_variation_of_every_row_by_hand(config, data):
    run = attend(config)
    item = data.draw(st.integers(0, len(run.ids) - 1))
    attn, seen = of_real_queries(run.attn[item], run.mask[item, 0], run.ids[item])
    found = distance_from_uniform(attn, seen).tolist()
    for head, rows in enumerate(run.attn[item].tolist()):
        moved = []
        for query, row in enumerate(rows):
            if run.ids[item, query] == 0:
                continue
            allowed = [k for k, m in enumerate(run.mask[item, 0, query].tolist()) if m == 0]
            moved.append(sum(max(0, row[k] - 1 / len(allowed)) for k in allowed))
        assert found[head] == pytest.approx(sum(moved) / len(moved), abs=1e-5)
        assert 0 <= found[head] < 1


def test_queries_that_are_padding_do_not_count():
    """With its padding, the shorter sentence reads as it does alone: padding is hidden as a key."""
    alone, padded = (attend(Config(s)) for s in (("我爱",), ("我爱", "the cat sat on the mat")))
    attn, seen = of_real_queries(padded.attn[0], padded.mask[0, 0], padded.ids[0])
    T = alone.ids.shape[1]
    assert attn.shape[1] == len(seen) == T
    assert not attn[:, :, T:].any()
    torch.testing.assert_close(mean_entropy(attn), mean_entropy(alone.attn[0]))
