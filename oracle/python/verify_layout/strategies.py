"""For Hypothesis: layouts of each family with tensors that they fit, right by construction.

    from hypothesis import given
    from verify_layout.strategies import layouts

    @given(layouts("spyre"))
    def test_my_packer(case):
        text, tensor = case
        …

A strategy gives pairs of texts, as check and Layout take them. Elements have whole bytes, and a tensor has at most
`most` elements (by default 4096). FAMILIES has the names.
"""
import math

from hypothesis import strategies as st

__all__ = ["FAMILIES", "layouts"]

_TORCH = {"f16": "float16", "f32": "float32", "i8": "int8"}


def _shape(draw, rank, most):
    """Extents of a tensor of that rank; small ones are drawn more often."""
    shape, left = [], most
    for _ in range(rank):
        extent = draw(st.integers(1, max(1, min(left, 130))))
        shape.append(extent)
        left //= extent
    return shape


def _tensor(type, shape):
    return f"{type}[{','.join(map(str, shape))}]"


@st.composite
def _spyre(draw, most):
    type = draw(st.sampled_from(sorted(_TORCH)))
    shape = _shape(draw, draw(st.integers(1, 4)), most)
    order = draw(st.permutations(range(len(shape))))
    sizes = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    return f"SpyreTensorLayout({sizes}, torch.{_TORCH[type]}, {list(order)})", _tensor(type, shape)


@st.composite
def _tirx(draw, most):
    """Strides of a permuted dense array with gaps; sometimes under a swizzle, of which a tile is whole blocks."""
    type = draw(st.sampled_from(["u8", "f16", "f32"]))
    shape = _shape(draw, draw(st.integers(1, 4)), most)
    swizzled = draw(st.booleans())
    if swizzled:
        shape[-1] = 64 * max(1, min(shape[-1], most // 512) // 64)
        shape = [min(extent, 8) for extent in shape[:-1]] + shape[-1:]
    strides = [math.prod(shape[d + 1:]) for d in range(len(shape))] if swizzled else _gapped(draw, shape)
    tile = f"S[({','.join(map(str, shape))}):({','.join(map(str, strides))})]"
    if not swizzled or math.prod(shape) % 512 != 0:
        return tile, _tensor(type, shape)
    return f"ComposeLayout(3, 3, 3, {tile})", _tensor(type, shape)


def _gapped(draw, shape):
    """Strides of a dense array whose dimensions are permuted, with gaps."""
    strides, step = [0] * len(shape), 1
    for d in draw(st.permutations(range(len(shape)))):
        strides[d] = step
        step = step * shape[d] + draw(st.integers(0, 3))
    return strides


@st.composite
def _cute(draw, most):
    shape = _shape(draw, draw(st.integers(1, 4)), most)
    strides = _gapped(draw, shape)
    tuples = ["(" + ",".join(map(str, numbers)) + ")" if len(shape) > 1 else str(numbers[0]) for numbers in (shape, strides)]
    return ":".join(tuples), _tensor("u8", shape)


@st.composite
def _map(draw, most):
    shape = _shape(draw, draw(st.integers(1, 4)), most)
    strides = _gapped(draw, shape)
    size = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    dims = ", ".join(f"x{d}:{extent}" for d, extent in enumerate(shape))
    row = " + ".join(f"{stride}*x{d}" if stride != 1 else f"x{d}" for d, stride in enumerate(strides))
    return f"({dims}) -> affine({row}) -> (m:{size})", _tensor("u8", shape)


def _blocks(draw, most):
    """A matrix, the grid that divides it, and the tiles of a core: of 32 x 32 elements."""
    rows, columns = (draw(st.integers(1, 100)) for _ in range(2))
    grid = [draw(st.integers(1, 4)) for _ in range(2)]
    tiles = [-(-(-(-extent // 32)) // cores) for extent, cores in zip((rows, columns), grid)]
    return (rows, columns), grid, tiles


@st.composite
def _metal(draw, most):
    type = draw(st.sampled_from(["f32", "bf16"]))
    shape, grid, tiles = _blocks(draw, most)
    return (f"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <{grid[0]}x{grid[1]}>, memref<{tiles[0]}x{tiles[1]}x"
            f"!tt.tile<32x32, {type}>, #tt.memory_space<l1>>>"), _tensor(type, shape)


@st.composite
def _ttnn(draw, most):
    type = draw(st.sampled_from(["f32", "bf16"]))
    shape, grid, tiles = _blocks(draw, most)
    return (f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <{grid[0]}x{grid[1]}>, memref<{tiles[0]}x{tiles[1]}x"
            f"!ttcore.tile<32x32, {type}>, #ttnn.buffer_type<l1>>, <block_sharded>>"), _tensor(type, shape)


@st.composite
def _ttmetal(draw, most):
    shape = _shape(draw, draw(st.integers(1, 4)), most)
    where = draw(st.sampled_from(["DRAM", "L1"]))
    order = draw(st.sampled_from(["TILE", "ROW_MAJOR"]))
    return (f"layout={order}, banks={draw(st.integers(1, 12))}: ttnn.MemoryConfig("
            f"ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.{where})"), _tensor("bf16", shape)


_OF = {"spyre": _spyre, "tirx": _tirx, "cute": _cute, "map": _map, "metal": _metal, "ttnn": _ttnn, "ttmetal": _ttmetal}
FAMILIES = tuple(_OF)


def layouts(family=None, *, most=4096):
    """Pairs (layout, tensor) of a family, or of all."""
    if most < 1:
        raise ValueError(f"most: a tensor has at least 1 element, and not at most {most}")
    if family is None:
        return st.one_of(*(make(most) for make in _OF.values()))
    if family not in _OF:
        raise ValueError(f"{family!r} is no family; expected one of {', '.join(FAMILIES)}")
    return _OF[family](most)
