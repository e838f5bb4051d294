"""Small tensors under view, transpose and their like, against torch and worked examples."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.memory import read_at
from explorer.experiments.reading import (
    MAX_AXES,
    MAX_CELLS,
    Operation,
    follow,
    merges,
    numbered,
    offers,
    parse,
)

INCOMPATIBLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)


def last(shape: tuple[int, ...], ops: str):
    steps, refused = follow(numbered(shape), parse(ops)[0])
    assert not refused
    return steps[-1]


def copied(shape: tuple[int, ...], ops: str) -> bool:
    step = last(shape, ops)
    return step.after.untyped_storage().data_ptr() != step.before.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    ("ops", "values", "stride"),
    [
        ("view(3, 2)", [[1, 2], [3, 4], [5, 6]], (2, 1)),
        ("transpose(0, 1)", [[1, 4], [2, 5], [3, 6]], (1, 3)),
        ("permute(1, 0)", [[1, 4], [2, 5], [3, 6]], (1, 3)),
        ("[:, ::2]", [[1, 3], [4, 6]], (3, 2)),
        ("[1:]", [[4, 5, 6]], (3, 1)),
        ("expand(2, 2, 3)", [[[1, 2, 3], [4, 5, 6]]] * 2, (0, 3, 1)),
        ("transpose(0, 1); reshape(6)", [1, 4, 2, 5, 3, 6], (1,)),
        ("transpose(0, 1); contiguous()", [[1, 4], [2, 5], [3, 6]], (2, 1)),
    ],
)
def test_two_by_three_is_read_as_worked_out_by_hand(ops, values, stride):
    step = last((2, 3), ops)
    assert step.error is None
    assert step.after.tolist() == values
    assert step.after.stride() == stride


def test_view_after_transpose_raises_torchs_own_error_and_leaves_the_tensor():
    """E08, on six numbers."""
    step = last((2, 3), "transpose(0, 1); view(6)")
    assert step.error == INCOMPATIBLE
    assert step.after is step.before
    assert last((1, 6), "transpose(0, 1); view(6)").error is None


def test_only_contiguous_and_a_reshape_that_has_to_copy():
    assert not any(copied((2, 3), op) for op in ("view(6)", "transpose(0, 1)", "[:, ::2]"))
    assert not copied((2, 3), "expand(2, 2, 3)")
    assert not copied((2, 3), "reshape(6)")
    assert not copied((2, 3), "contiguous()")
    assert copied((2, 3), "transpose(0, 1); reshape(6)")
    assert copied((2, 3), "transpose(0, 1); contiguous()")


def test_view_works_on_tensors_that_are_not_contiguous():
    """It splits d_k of a transposed tensor, and flattens every second column of an even width."""
    split = last((2, 3, 4), "transpose(0, 1); view(3, 2, 2, 2)")
    assert not split.before.is_contiguous()
    assert split.error is None
    assert split.after.stride() == (4, 12, 2, 1)
    second = last((2, 4), "[:, ::2]; view(4)")
    assert not second.before.is_contiguous()
    assert (second.after.tolist(), second.after.stride()) == ([1, 3, 5, 7], (2,))
    assert last((2, 5), "[:, ::2]; view(6)").error == INCOMPATIBLE


@pytest.mark.parametrize(
    ("op", "says"),
    [
        ("view(5)", "shape '[5]' is invalid for input of size 6"),
        ("transpose(0, 2)", "Dimension out of range"),
        ("expand(2, 4)", "must match the existing size (3)"),
        ("[::0]", "step"),
        ("[:, :, :]", "too many indices"),
        ("permute(0, 0)", "duplicate dims"),
        ("expand(999, 999, 999, 999, 999, 999, 999, 2, 3)", "overflow"),
    ],
)
def test_what_torch_refuses_is_told_in_its_words(op, says):
    assert says in last((2, 3), op).error


def test_an_operation_that_fails_is_skipped_by_the_next():
    steps, _ = follow(numbered((2, 3)), parse("transpose(0, 1); view(6); reshape(6)")[0])
    assert [step.error is None for step in steps] == [True, False, True]
    assert steps[-1].after.tolist() == [1, 4, 2, 5, 3, 6]


@pytest.mark.parametrize("op", ["expand(64, 2, 3)", "[5:]", "view(1, 1, 1, 2, 3)"])
def test_results_too_large_or_empty_are_left_out_and_named(op):
    steps, refused = follow(numbered((2, 3)), parse(f"{op}; view(6)")[0])
    assert [str(operation) for operation in refused] == [op]
    assert [step.before.shape for step in steps] == [(2, 3)]


@pytest.mark.parametrize(
    ("text", "as_written"),
    [
        ("x.view( 3,2 )", "view(3, 2)"),
        (".transpose(-1,0)", "transpose(-1, 0)"),
        ("x[:,1:3]", "[:, 1:3]"),
        ("[ ::2 ]", "[::2]"),
        ("[:-1]", "[:-1]"),
        ("ｖｉｅｗ（３，２）", "view(3, 2)"),
        ("view(6,)", "view(6)"),
    ],
)
def test_operations_are_understood_however_they_are_written(text, as_written):
    assert [str(operation) for operation in parse(text)[0]] == [as_written]
    assert parse(text)[1] == []


@pytest.mark.parametrize(
    "text",
    [
        "view",
        "view()",
        "view(2, 3",
        "transpose(0)",
        "transpose(0, 1, 2)",
        "contiguous(1)",
        "data_ptr()",
        "__class__()",
        "view(__import__('os'))",
        "view(2.0, 3)",
        "view(1000)",
        "[0]",
        "[]",
        "view(2, 3).view(6)",
        "x",
    ],
)
def test_what_is_no_operation_is_given_back(text):
    assert parse(f"{text}; view(6)") == ([Operation("view", (6,))], [text])


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="viewxtransposeexpand.()[]:;,-0123 ", max_size=60))
def test_no_text_makes_the_chain_raise_or_grow_out_of_sight(text):
    steps, _ = follow(numbered((2, 3)), parse(text)[0])
    assert all(0 < step.after.numel() <= MAX_CELLS for step in steps)


shapes = st.lists(st.integers(1, 4), min_size=1, max_size=MAX_AXES).filter(
    lambda shape: math.prod(shape) <= MAX_CELLS
)


@st.composite
def read_tensors(draw):
    """A small tensor after up to three of the operations that are offered for it."""
    x = numbered(tuple(draw(shapes)))
    for _ in range(draw(st.integers(0, 3))):
        steps, _ = follow(x, [draw(st.sampled_from(offers(x)))])
        x = steps[0].after if steps else x
    return x


@settings(max_examples=200, deadline=None)
@given(read_tensors())
def test_view_joins_two_axes_exactly_where_the_strides_say_so(x):
    for pair in merges(x):
        free = 1 in x.shape[pair.axis : pair.axis + 2]
        assert pair.possible == (pair.even or free)
        flat = x.flatten(pair.axis, pair.axis + 1)
        same = flat.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        assert pair.possible == same  # flatten copies only where view cannot


@settings(max_examples=100, deadline=None)
@given(read_tensors())
def test_the_storage_read_in_order_gives_the_numbers(x):
    stored = x.as_strided((len(read_at(x)),), (1,), 0).tolist()
    read = {
        order: value for value, times in zip(stored, read_at(x), strict=True) for order in times
    }
    assert [read[order] for order in range(x.numel())] == x.flatten().tolist()


@settings(max_examples=100, deadline=None)
@given(read_tensors())
def test_what_is_offered_is_understood_as_it_is_written(x):
    offered = offers(x)
    assert parse("; ".join(map(str, offered))) == (offered, [])
    assert len(set(map(str, offered))) == len(offered)


def test_some_of_what_is_offered_fails():
    for ops, failing in (("", {"expand(2, 4)"}), ("transpose(0, 1)", {"view(6)", "view(2, 3)"})):
        before = last((2, 3), ops).after if ops else numbered((2, 3))
        errors = {str(op) for op in offers(before) if follow(before, [op])[0][0].error}
        assert failing <= errors
        assert len(errors) < len(offers(before)) / 2


def test_the_error_of_six_numbers_is_that_of_attention():
    """E08 itself: (1, 4, 5, 8) transposed, then viewed as (1, 5, 32)."""
    with pytest.raises(RuntimeError) as raised:
        torch.zeros(1, 4, 5, 8).transpose(1, 2).view(1, 5, 32)
    assert str(raised.value) == INCOMPATIBLE
