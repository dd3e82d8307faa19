"""tt-mlir's metal_layout: the layouts with a map (until June 2025), and those with logical_shape since then."""
import re

import layout_gate
from affine import MAP, Affine, extents
from iters import points
from tenstorrent import Table, ceil_div, in_shard, numbers, round_up, serve
from tensors import volume

SHAPED = re.compile(r"^((?:\d+x)*)(?:!tt(?:core)?\.tile<\s*(\d+)\s*x\s*(\d+)\s*,\s*(\w+)\s*>|(\w+))$")


def shaped(text):
    """2x3x!ttcore.tile<32x32, f32> as its extents, the tile (None: scalars) and the type of an element."""
    found = SHAPED.match(text.strip())
    if found is None:
        raise layout_gate.Unsupported("the type " + text)
    tile = None if found.group(2) is None else [int(found.group(2)), int(found.group(3))]
    return numbers(found.group(1).rstrip("x"), "x"), tile, found.group(4) or found.group(5)


def face_of(tile):
    """A tile's faces are 16x16; what is no larger is one face. Sizes between are in no document."""
    if any(n > 16 and n % 16 for n in tile):
        raise layout_gate.Unsupported("a tile of %dx%d" % tuple(tile))
    return [min(n, 16) for n in tile]


def shape_text(shape, tile, dtype):
    return "".join("%dx" % n for n in shape) + (dtype if tile is None else "!ttcore.tile<%dx%d, %s>" % (*tile, dtype))


def in_elements(shard, tile):
    """A shard's extents, in elements."""
    if tile is None:
        return list(shard)
    return list(shard[:-2]) + [n * t for n, t in zip(shard[-2:], tile)]


def share(physical, grid, tile):
    """Of a core, in elements: the grid divides first, and then tiles round up the last two dimensions."""
    out = [ceil_div(n, g) for n, g in zip(physical, grid)]
    if tile is not None:
        out[-2:] = [round_up(n, t) for n, t in zip(out[-2:], tile)]
    return out


def on_cores(at, per_core, held, tile):
    """Slots of the elements at these physical coordinates, where a core gets per_core of each and its memory is held,
    both in elements. Rows beyond the memory's first dimension lie behind its end, as its strides say; what does not
    fit into the others has no cell."""
    face = tile and face_of(tile)
    out = []
    for p in at:
        core, inside = [x // n for x, n in zip(p, per_core)], [x % n for x, n in zip(p, per_core)]
        fits = all(x < n for x, n in zip(inside[1:], held[1:]))
        out.append(tuple(core) + (in_shard(inside, held, tile, face),) if fits else None)
    return out


def with_map(text, tensor):
    """The document docs/src/specs/tensor-layout.md: the map gives physical coordinates; its value at the last element
    is the physical size; the grid divides that, rounded up, and tiles divide what a core gets, rounded up. Example:
    53x63 on 3x2 with tiles of 32x32 is 18x32 a core, in one tile; row 20 is row 2 of core 1."""
    found = re.match(r"^#\w+\.(?:metal_)?layout<\s*" + MAP.pattern + r"(\w+)\s*,\s*<([\dx]+)>\s*,\s*memref<(.*?),"
                     r"\s*(#[\w.]+(?:<\w+>)?)>\s*>$", text)
    if found is None:
        raise layout_gate.Unsupported("another notation")
    dims, results, fill, grid, memref, space = found.groups()
    map_, grid = Affine(dims, results), numbers(grid, "x")
    shard, tile, dtype = shaped(memref)
    written = "#ttcore.metal_layout<%s, %s, <%s>, memref<%s, %s>>" % (
        map_, fill, "x".join(map(str, grid)), shape_text(shard, tile, dtype), space)
    table = Table(["c%d" % k for k in range(len(grid))] + ["m"], grid + [volume(shard) * volume(tile or [])], written)
    if not all(grid):
        return table.reject("a grid without cores")
    if len(map_.dims) != len(tensor["shape"]) or not len(map_.factors) == len(grid) == len(shard):
        return table.reject("the ranks of map, grid and memref do not agree")
    if tile is not None and len(shard) < 2:
        table.unsettled = "tiles of one dimension"
        return table
    physical = extents(tensor["shape"], map_)
    per_core = [ceil_div(n, g) for n, g in zip(physical, grid)]
    held = in_elements(shard, tile)
    if any(not any(factors) for factors in zip(*map_.factors)):  # collapsedLinearAffineMap asserts it
        table.broken = "a dimension that is in no result"
    if held != share(physical, grid, tile):
        table.broken = "memref is not what the map and the grid say"
    table.held = on_cores([map_.at(x) for x in points(tensor["shape"])], per_core, held, tile)
    return table


def intervals_of(pairs, rank):
    """Negative bounds count from the end; sorted by start; dimensions behind the last interval stay alone, those in
    gaps are lost. TTCoreOpsTypes.cpp, normalised intervals."""
    out = sorted([b + rank if b < 0 else b, e + rank if e < 0 else e] for b, e in pairs)
    return out + [[d, d + 1] for d in range(max([e for _, e in out], default=0), rank)]


def aligned(text, tensor):
    """include/ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td and its cpp: in an interval from its last dimension outwards,
    the extent so far times the next one is rounded up to that dimension's alignment. Tiles and grid then divide
    exactly. The tensor type has the grid and the shard. Example: 9x43x7 with 1x32x32 is 9*64 x 32, 18x1 tiles."""
    found = re.match(r"^tensor<(.*?),\s*#ttcore\.metal_layout<logical_shape\s*=\s*([\dx]*)\s*,\s*dim_alignments\s*=\s*"
                     r"([\dx]*)\s*,\s*collapsed_intervals\s*=\s*dense<(.*?)>\s*:\s*tensor<\d+x2xi64>\s*,\s*(.*?)>>$",
                     text)
    if found is None:
        raise layout_gate.Unsupported("another notation")
    device, shape, alignment, dense, rest = found.groups()
    shape, alignment = numbers(shape, "x"), numbers(alignment, "x")
    device, tile, dtype = shaped(device)
    cut = [numbers(p) for p in re.findall(r"\[(\s*-?\d+\s*,\s*-?\d+\s*)\]", dense)]
    written = ("tensor<%s, #ttcore.metal_layout<logical_shape = %s, dim_alignments = %s, collapsed_intervals = "
               "dense<%s> : tensor<%dx2xi64>, %s>>" % (
                   shape_text(device, tile, dtype), "x".join(map(str, shape)), "x".join(map(str, alignment)),
                   cut if cut else "", len(cut), rest))
    half, rank = len(device) // 2, len(shape)
    grid, shard = device[:half], device[half:]
    table = Table(["c%d" % k for k in range(half)] + ["m"], grid + [volume(shard) * volume(tile or [])], written)
    if shape != tensor["shape"] or len(alignment) != rank or len(device) % 2:
        return table.reject("the ranks do not agree")
    intervals = intervals_of(cut, rank)
    if any(b < 0 or e > rank or b >= e for b, e in intervals):
        return table.reject("an interval outside of the dimensions")
    if [d for b, e in intervals for d in range(b, e)] != list(range(rank)):
        table.broken = "the intervals have a gap, or overlap"
    if min(alignment, default=1) < 1:
        return table.reject("an alignment below 1")
    physical, steps = [], []
    for b, e in intervals:
        extent, of = 1, {}
        for d in range(e - 1, b - 1, -1):
            of[d] = extent
            extent = round_up(shape[d] * extent, alignment[d])
        physical.append(extent)
        steps.append(of)
    if rank < 2:  # a row of 32, so that there are tiles
        physical, steps = [32] + (physical or [32]), [{}] + (steps or [{}])
    if len(physical) != half:
        return table.reject("the device shape has another rank")
    if tile is not None and half < 2:
        table.unsettled = "tiles of one dimension"
        return table
    per_core = in_elements(shard, tile)
    if [g * n for g, n in zip(grid, per_core)] != physical:
        table.broken = "grid, shard and tile are not the physical shape"
    if not all(per_core):  # no cell anywhere
        table.held = [None] * volume(shape)
        return table
    at = [[sum(x[d] * s for d, s in of.items()) for of in steps] for x in points(shape)]
    table.held = on_cores(at, per_core, per_core, tile)
    return table


def read(text, tensor):
    return aligned(text, tensor) if text.startswith("tensor<") else with_map(text, tensor)


serve("metal", read)
