"""tt-mlir's ttnn_layout, as its compiler builds it: lib/Dialect/TTNN/IR/TTNNOpsAttrs.cpp.

Tiles round up the last two dimensions of the tensor to 32 first; the map collapses what comes out; then the grid divides,
rounded up, and then tiles. Example: 65x65 on 8x8 with tiles of 32x32 is 96x96, 12x12 a core, in one tile."""
import re

import layout_gate
from affine import MAP, Affine, extents
from iters import points
from metal import face_of, in_elements, on_cores, shape_text, share, shaped
from tenstorrent import Table, ceil_div, in_tile, numbers, round_up, serve
from tensors import volume

LAYOUT = re.compile(r"^#ttnn\.ttnn_layout<\s*" + MAP.pattern + r"<([\dx]+)>\s*,\s*memref<(.*?),\s*"
                    r"(#ttnn\.buffer_type<(\w+)>)>\s*(?:,\s*<(\w+)>)?\s*"
                    r"(?:,\s*(exactGrid|ignorePhysicalLayout)\s*=\s*true\s*)?>$")


def padded(shape, tile):
    out = list(shape)
    for d in range(1, min(len(out), 2) + 1):
        out[-d] = round_up(out[-d], tile[-d])
    return out


def built(shape, results):
    """Factors of the compiler's map: the last dimension alone, all others as one, the first of them slowest; zeros in
    front where the grid has more dimensions. A grid of three keeps dimensions that it has collapsed: the minor
    identity of the last ones, the first of which is replaced."""
    rank = len(shape)
    kept = list(range(rank))[-results:] if rank >= results else list(range(rank))
    rows = [[int(d == k) for d in range(rank)] for k in kept]
    if rank > 1:
        rows[0] = [volume(shape[d + 1:rank - 1]) if d < rank - 1 else 0 for d in range(rank)]
    return [[0] * rank for _ in range(results - len(rows))] + rows


def interleaved(at, grid, tile, whole):
    """Tile t of all, row by row, is on core t mod cores as its tile t div cores: as pages of the runtime (tt-metal,
    tech_reports/tensor_layouts) go round the banks; the compiler says ceil(tiles / cores) alone."""
    face, out = face_of(tile), []
    for p in at:
        if len(p) > 2 and any(p[:-2]):
            raise layout_gate.Unsupported("interleaved tiles of more dimensions")
        t = p[-2] // tile[0] * ceil_div(whole[-1], tile[1]) + p[-1] // tile[1]
        slot, core = divmod(t, volume(grid))
        where = []
        for g in reversed(grid):
            core, x = divmod(core, g)
            where.insert(0, x)
        m = slot * volume(tile) + in_tile(p[-2] % tile[0], p[-1] % tile[1], tile, face)
        out.append(tuple(where) + (m,))
    return out


def read(text, tensor):
    found = LAYOUT.match(text)
    if found is None:
        raise layout_gate.Unsupported("another notation")
    dims, results, grid, memref, space, where, memory, flag = found.groups()
    map_, grid, shape = Affine(dims, results), numbers(grid, "x"), tensor["shape"]
    shard, tile, dtype = shaped(memref)
    written = "#ttnn.ttnn_layout<%s, <%s>, memref<%s, %s>%s%s>" % (
        map_, "x".join(map(str, grid)), shape_text(shard, tile, dtype), space, ", <%s>" % memory if memory else "",
        ", %s = true" % flag if flag else "")
    axes = ["c%d" % k for k in range(len(grid))] + ["m"]
    table = Table(axes, grid + [volume(shard) * volume(tile or [])], written)
    if not all(grid):
        return table.reject("a grid without cores")
    if len(map_.dims) != len(shape) or not len(map_.factors) == len(grid) == len(shard):
        return table.reject("the ranks of map, grid and memref do not agree")
    if tile is not None and len(shard) < 2:
        table.unsettled = "tiles of one dimension"
        return table
    table.memory = where
    whole = padded(shape, (32, 32)) if tile else list(shape)  # getTilePaddedShape knows no other tile
    told = built(whole, len(grid))
    if any(a != b for row, other in zip(map_.factors, told) for a, b, n in zip(row, other, whole) if n > 1):
        table.broken = "not the compiler's map"  # a factor of what has one coordinate says nothing
    if len(grid) != 2 and not len(grid) == len(shape) == 1:  # it collapses (0, -1); one dimension is of older texts
        table.broken = "more or fewer results than the compiler's map has"
    physical = extents(whole, map_)
    at = [map_.at(x) for x in points(shape)]
    if memory == "interleaved":
        if where != "l1":
            raise layout_gate.Unsupported("interleaved in another memory than L1")
        if tile is None:
            table.unsettled = "row-major and interleaved: the compiler and the runtime differ"
            return table
        tiles = volume([ceil_div(n, t) for n, t in zip(physical[-2:], tile)]) * volume(physical[:-2])
        if shard != [1] * (len(shard) - 1) + [ceil_div(tiles, volume(grid))]:
            table.broken = "memref is not the tiles of a core"
        table.held = interleaved(at, grid, tile, physical)
        return table
    if memory != "block_sharded":
        raise layout_gate.Unsupported("the memory layout %s" % memory)
    held = in_elements(shard, tile)
    if held != share(physical, grid, tile):
        table.broken = "memref is not what the map and the grid say"
    if flag is None:  # the verifier asks for core ranges, which texts of older IR (exactGrid) do not have
        table.broken = "neither core ranges nor ignorePhysicalLayout"
    table.held = on_cores(at, [ceil_div(n, g) for n, g in zip(physical, grid)], held, tile)
    return table


serve("ttnn", read)
