"""The equation of a number comes out at the number, whatever the run and the tensor."""

from math import exp, fsum, inf, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, attend, embed
from explorer.core.explain import TERMS, element, explain
from explorer.core.trace import PARAM_AXES, lookup, tensors
from tests.core import configs, runs


def worked_out(run, it):
    """An explanation evaluated: what its terms, its rest and its numbers come to."""
    total = fsum(term.value for term in it.terms) + it.rest
    if it.how == "lookup":
        factor = sqrt(run.config.d_model) if run.config.scale_embedding else 1
        return it.terms[-1].value * factor
    if it.how == "hidden":
        _, _, query, key = it.element.index
        hidden = run.config.mask == "causal" and key > query
        return -inf if hidden or it.terms[0].value == 0 else 0.0
    if it.how == "scaled":
        return total / sqrt(run.config.d_k or run.config.d_model / run.config.h)
    if it.how == "softmax":
        own = run.masked_scores[it.element.index].item()
        return exp(own - it.numbers["top"]) / total
    if it.how == "standardized":
        own = run.residual[it.element.index].item()
        return (own - it.numbers["mean"]) / it.numbers["deviation"]
    return total


@runs(60)
@given(configs(), st.integers(0, 10**9))
def test_an_explanation_comes_out_at_its_number(config, spot):
    run = attend(config)
    for name in tensors():
        shape = lookup(run, name).shape
        index = torch.unravel_index(torch.tensor(spot % shape.numel()), shape)
        it = explain(run, name, tuple(map(int, index)))
        assert it.element == element(run, name, it.element.index)
        if it.how not in ("hash", "wave"):
            assert worked_out(run, it) == pytest.approx(it.element.value, rel=1e-4, abs=1e-5), name
        for term in it.terms:
            for factor in term.factors:
                assert lookup(run, factor.name)[factor.index].item() == factor.value


def test_a_score_is_the_products_of_its_query_and_key_over_the_root_of_d_k():
    run = attend(Config(h=2))
    it = explain(run, "scores", (0, 1, 3, 2))
    assert [[f.name for f in term.factors] for term in it.terms] == [["q_heads", "k_heads"]] * 4
    assert [[f.index for f in term.factors] for term in it.terms] == [
        [(0, 1, 3, i), (0, 1, 2, i)] for i in range(4)
    ]
    assert fsum(term.value for term in it.terms) / 2 == pytest.approx(it.element.value)


def test_a_long_sum_shows_its_largest_terms_and_the_rest_as_one_number():
    run = attend(Config(d_model=64, h=4, bias=True))
    it = explain(run, "q", (0, 2, 33))
    products = run.x[0, 2].double() * run.params.W_Q[:, 33].double()
    every = [*products.tolist(), run.params.b_Q[33].item()]
    largest = sorted(every, key=abs, reverse=True)
    assert [term.value for term in it.terms] == pytest.approx(largest[:TERMS])
    assert (it.left, it.rest) == (65 - TERMS, pytest.approx(sum(largest[TERMS:])))


def test_a_masked_key_has_no_part_in_a_softmax():
    it = explain(attend(Config()), "attn", (0, 0, 1, 3))
    assert [term.value for term in it.terms][2:] == [0.0, 0.0]
    assert it.element.value == 0.0


def test_what_was_drawn_or_made_from_the_text_has_no_terms():
    run = attend(Config(bias=True))
    for name in ("ids", "position", *PARAM_AXES):
        it = explain(run, name, (0,) * lookup(run, name).dim())
        assert (it.terms, it.left) == ((), 0)


def test_what_needs_no_heads_is_explained_without_them():
    run = embed(Config(d_model=8, h=3))
    it = explain(run, "embedding", (0, 1, 5))
    assert [term.factors[0].name for term in it.terms] == ["ids", "W_E"]
