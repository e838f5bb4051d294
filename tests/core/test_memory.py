from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import Config, attend
from explorer.core.attention import merge_heads, split_heads, swap_axes
from explorer.core.memory import address, addresses, layout
from tests.core import runs


def test_splitting_and_swapping_move_no_number():
    """facts.md: b=2 s=5 h=4 d_k=8."""
    x = torch.randn(2, 5, 32)
    split = split_heads(x, 4)
    swapped = swap_axes(split)
    copied = swapped.contiguous()
    assert layout(x).stride == (160, 32, 1)
    assert (layout(split).shape, layout(split).stride) == ((2, 5, 4, 8), (160, 32, 8, 1))
    assert (layout(swapped).shape, layout(swapped).stride) == ((2, 4, 5, 8), (160, 8, 32, 1))
    assert layout(swapped.transpose(-2, -1)).stride == (160, 8, 1, 32)
    assert layout(copied).stride == (160, 40, 8, 1)
    assert [layout(t).contiguous for t in (x, split, swapped, copied)] == [True, True, False, True]
    assert layout(x).storage == layout(split).storage == layout(swapped).storage
    assert layout(copied).storage != layout(x).storage
    with pytest.raises(RuntimeError, match="spans across two contiguous subspaces"):
        swapped.view(2, 4 * 5, 8).view(2, 5, 32)


@pytest.mark.parametrize(("T", "h"), [(1, 4), (5, 1)])
def test_with_one_token_or_one_head_the_swapped_tensor_is_still_contiguous(T, h):
    """E08, E09: then .view works, and the direct view gives the right heads."""
    q = torch.randn(2, T, 32)
    swapped = swap_axes(split_heads(q, h))
    assert layout(swapped).contiguous
    assert swapped.view(2, h, T, 32 // h).equal(q.view(2, h, T, 32 // h))


def test_heads_are_columns_and_not_stretches_of_the_sentence():
    """E09: four tokens, two heads, every row filled with its token's number."""
    q = torch.arange(4.0)[None, :, None].expand(1, 4, 6).contiguous()
    heads = swap_axes(split_heads(q, 2))
    assert heads[0, :, :, 0].tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_merging_puts_the_heads_of_a_token_side_by_side():
    """E10: token t becomes [head 0 of t | head 1 of t]."""
    z = torch.arange(2 * 4 * 3).view(1, 2, 4, 3)  # batch, head, seq, d_k
    merged = merge_heads(z.transpose(1, 2))
    assert merged[0, 1].tolist() == [3, 4, 5, 15, 16, 17]
    assert [*merged.shape] == [1, 4, 6]


def test_of_a_run_only_the_merge_copies():
    trace = attend(Config(h=4))
    for base, views in {
        "q": ("q_split", "q_heads"),
        "k": ("k_split", "k_heads"),
        "v": ("v_split", "v_heads"),
        "z": ("z_swapped",),
    }.items():
        for view in views:
            assert layout(getattr(trace, view)).storage == layout(getattr(trace, base)).storage
    assert layout(trace.concat).storage != layout(trace.z).storage
    assert layout(trace.concat).contiguous


@st.composite
def views(draw):
    """A tensor of distinct numbers, seen through a few random slices, swaps and repeats."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    dtype = draw(st.sampled_from([torch.float32, torch.float64, torch.int16]))
    tensor = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=dtype).flip(0).view(shape)
    for _ in range(draw(st.integers(0, 4))):
        dim = draw(st.integers(0, tensor.dim() - 1))
        change = draw(st.sampled_from(["slice", "swap", "select", "repeat"]))
        if change == "slice":
            start = draw(st.integers(0, tensor.shape[dim] - 1))
            step = draw(st.integers(1, 3))
            tensor = tensor.transpose(0, dim)[start::step].transpose(0, dim)
        elif change == "swap":
            tensor = tensor.transpose(0, dim)
        elif change == "select" and tensor.dim() > 1:
            tensor = tensor.select(dim, draw(st.integers(0, tensor.shape[dim] - 1)))
        elif change == "repeat" and tensor.dim() < 4:
            tensor = tensor.unsqueeze(dim)
            tensor = tensor.expand(*(3 if i == dim else -1 for i in range(tensor.dim())))
    return tensor


def storage_of(tensor):
    """The memory itself, in the order it lies in."""
    return torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())


@runs(200)
@given(views())
def test_an_address_is_where_the_storage_holds_the_element(tensor):
    storage, where = storage_of(tensor), addresses(tensor)
    assert storage[where].equal(tensor)
    for index in product(*map(range, tensor.shape)):
        assert address(tensor, index) == where[index]
        assert storage[address(tensor, index)] == tensor[index]


@runs(200)
@given(views())
def test_a_layout_tells_where_every_element_lies(tensor):
    told = layout(tensor)
    where = addresses(tensor)
    assert told.shape == where.shape
    assert told.offset == where[(0,) * tensor.dim()]
    for dim, size in enumerate(told.shape):
        if size > 1:
            first, second = where.select(dim, 0), where.select(dim, 1)
            assert (second - first == told.stride[dim]).all()
    in_a_row = torch.arange(told.offset, told.offset + tensor.numel())
    assert told.contiguous == where.flatten().equal(in_a_row)
    assert told.storage == storage_of(tensor).data_ptr()
    assert told.storage != layout(tensor.clone()).storage


def test_an_index_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="argument"):
        address(torch.zeros(2, 3), (1,))
