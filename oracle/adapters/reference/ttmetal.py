"""tt-metal's printed TensorLayout: ttnn/core/tensor/layout/tensor_layout.cpp and page_config.cpp.

From the innermost dimension outwards the width, and then the height times each further extent, is rounded up to that
dimension's alignment: of tiles, the tile; of rows, 1, or the shard's width. Pages are tiles, or rows; shards are dealt
to cores, in the text's order, and pages of interleaved tensors to banks. Example: 5x4x3x2 in tiles of 32x32 is 640x32.
What the runtime rejects has no places."""
import re

import layout_gate
from iters import points
from tenstorrent import Table, ceil_div, in_shard, in_tile, numbers, round_up, serve
from tensors import flat, volume


def pair(text, name):
    found = re.search(r"\b%s=\{(\d+), *(\d+)\}" % name, text)
    return [int(found.group(1)), int(found.group(2))]


def ranges(text):
    """Core ranges as (x, y, x, y)."""
    out = re.findall(r'\{"start":\{"x":(\d+),"y":(\d+)\},"end":\{"x":(\d+),"y":(\d+)\}\}', text)
    return [tuple(map(int, r)) for r in out]


def cores_of(some, by_rows):
    """(y, x) of the cores in the order in which shards are dealt: range by range, each row by row or column by
    column."""
    out = []
    for x0, y0, x1, y1 in some:
        if by_rows:
            out += [(y, x) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
        else:
            out += [(y, x) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)]
    return out


# Tiles of the hardware, and their faces: tt_metal/impl/tile/tile.cpp.
TILES = {(h, w): (min(h, 16), 16) for h in (1, 2, 4, 8, 16, 32) for w in (16, 32)}
FLAGS = ("transpose_of_faces", "transpose_within_face")  # of which each turns by itself


class Spec:
    """What a text says."""

    def __init__(self, text):
        found = re.match(r"^(?:banks=(\d+): )?TensorLayout\(dtype=DataType::(\w+),page_config=PageConfig\(config="
                         r"(Tile|RowMajor)PageConfig\((.*?)\)\)\),?memory_config=MemoryConfig\((.*?)\)"
                         r"(?:,alignment=Alignment\(\[([\d, ]*)\]\))?\)$", text)
        if found is None:
            raise layout_gate.Unsupported("another notation")
        banks, self.dtype, page, tile, memory, alignment = found.groups()
        self.banks = banks and int(banks)
        self.tiled = page == "Tile"
        self.tile, self.face = pair(tile, "tile_shape"), pair(tile, "face_shape")
        self.flags = [name + "=1" in tile for name in FLAGS]
        self.alignment = None if alignment is None else numbers(alignment)
        self.memory = re.search(r"memory_layout=TensorMemoryLayout::(\w+)", memory).group(1)
        self.buffer = re.search(r"buffer_type=BufferType::(\w+)", memory).group(1)
        self.shard = self.strategy = None
        nd = re.search(r'nd_shard_spec=\{"shard_shape":\[([\d, ]*)\],"grid":\[(.*?\})\],"orientation":'
                       r'"ShardOrientation::(\w+)","shard_distribution_strategy":'
                       r'"ShardDistributionStrategy::(\w+)"\}', memory)
        flat_ = re.search(r"shard_spec=ShardSpec\{grid=\[(.*?\})\], *shape=\[(\d+), *(\d+)\], *"
                          r"orientation=ShardOrientation::(\w+)\}", memory)
        if flat_ is not None:
            self.cores, self.shard = ranges(flat_.group(1)), [int(flat_.group(2)), int(flat_.group(3))]
            self.by_rows = flat_.group(4) == "ROW_MAJOR"
        elif nd is not None:
            self.cores, self.shard, self.strategy = ranges(nd.group(2)), numbers(nd.group(1)), nd.group(4)
            self.by_rows = nd.group(3) == "ROW_MAJOR"

    def text(self):
        two = nd = "std::nullopt"
        if self.shard:
            cores = ", ".join('{"start":{"x":%d,"y":%d},"end":{"x":%d,"y":%d}}' % r for r in self.cores)
            order = "ShardOrientation::" + ("ROW_MAJOR" if self.by_rows else "COL_MAJOR")
            if self.strategy is None:
                two = "ShardSpec{grid=[%s], shape=%s, orientation=%s}" % (cores, self.shard, order)
            else:
                nd = ('{"shard_shape":%s,"grid":[%s],"orientation":"%s","shard_distribution_strategy":'
                      '"ShardDistributionStrategy::%s"}' % (self.shard, cores, order, self.strategy))
        tile = "tile=Tile(tile_shape={%d, %d},face_shape={%d, %d},num_faces=%d%s)" % (
            *self.tile, *self.face, volume(self.tile) // volume(self.face),
            "".join(",%s=1" % name for name, on in zip(FLAGS, self.flags) if on))
        return ("%sTensorLayout(dtype=DataType::%s,page_config=PageConfig(config=%sPageConfig(%s)),memory_config="
                "MemoryConfig(memory_layout=TensorMemoryLayout::%s,buffer_type=BufferType::%s,shard_spec=%s,"
                "nd_shard_spec=%s,created_with_nd_shard_spec=%d)%s)" % (
                    "" if self.banks is None else "banks=%d: " % self.banks, self.dtype,
                    "Tile" if self.tiled else "RowMajor", tile, self.memory, self.buffer, two, nd,
                    self.strategy is not None,
                    "" if self.alignment is None else ",alignment=Alignment(%s)" % self.alignment))

    def aligned(self):
        """The alignment of the last dimensions: the tile's, or the shard's width, and what the text gives is rounded up
        to that (initialize_alignment; versions up to the middle of 2025 except row-major HEIGHT_SHARDED)."""
        least = self.tile if self.tiled else [self.shard[-1] if self.shard else 1]
        given = self.alignment or []
        rank = max(len(given), len(least))
        given, least = ([1] * (rank - len(some)) + list(some) for some in (given, least))
        return [round_up(a, b) for a, b in zip(given, least)]


def padded(shape, alignment):
    """The tensor's extents with ones in front where there are more alignments, and the physical height and width, and
    for each dimension but the last how many rows a step is."""
    shape = [1] * (max(len(alignment), 2) - len(shape)) + list(shape)
    alignment = [1] * (len(shape) - len(alignment)) + list(alignment)
    width, height, steps = round_up(shape[-1], alignment[-1]), 1, []
    for d in range(len(shape) - 2, -1, -1):
        steps.insert(0, height)
        height = round_up(height * shape[d], alignment[d])
    return shape, height, width, steps


def interleaved(spec, t, at, height, width):
    page = volume(spec.tile) if spec.tiled else width
    out = []
    for r, c in at:
        if spec.tiled:
            number = r // spec.tile[0] * (width // spec.tile[1]) + c // spec.tile[1]
            m = in_tile(r % spec.tile[0], c % spec.tile[1], spec.tile, spec.face, *spec.flags)
        else:
            number, m = r, c
        out.append((number % spec.banks, number // spec.banks * page + m))
    t.axes = ["bank", "m"]
    t.extents = [spec.banks, ceil_div(height * width // page if page else 0, spec.banks) * page]
    t.held = out
    return t


def placed(spec, t, at, shape, cores, core_of, slots):
    """at: (which shard, where in it) of each element; slots: of shards in a core."""
    whole = volume(spec.shard)
    tile = spec.tile if spec.tiled else None
    t.axes = ["y", "x", "m"]
    t.extents = [max(y for y, _ in cores) + 1, max(x for _, x in cores) + 1, slots * whole]
    if len(set(cores)) == len(cores):
        t.covered = len(cores) * slots * whole  # cores of the box that the set does not name have no slots
    for shard, inside in at:
        core, slot = core_of(shard)
        m = in_shard(inside, shape, tile, spec.face, spec.flags)
        t.held.append(core + (slot * whole + m,))
    return t


def blocks(spec, down, across):
    """Which core has a block (row, column): the same row and column of the one range, or exchanged. None: not all have
    one."""
    x0, y0, x1, y1 = spec.cores[0]
    extents = (y1 - y0 + 1, x1 - x0 + 1)
    if len(spec.cores) != 1 or any(n > m for n, m in zip((down, across), extents if spec.by_rows else extents[::-1])):
        return None
    if spec.by_rows:
        return lambda s: ((y0 + s[0], x0 + s[1]), 0)
    return lambda s: ((y0 + s[1], x0 + s[0]), 0)


def two_dimensions(spec, t, at, height, width):
    h, w = spec.shard
    if len(spec.aligned()) > 2:
        return t.reject("an alignment of more than two dimensions, and shards")
    if not spec.tiled and spec.memory != "HEIGHT_SHARDED" and w % spec.aligned()[-1]:
        return t.reject("rows that shards do not divide")
    if spec.tiled and (h % spec.tile[0] or w % spec.tile[1]):
        return t.reject("a shard of parts of tiles")
    down, across = ceil_div(height, h), ceil_div(width, w)
    cores = cores_of(spec.cores, spec.by_rows)
    if spec.memory == "HEIGHT_SHARDED" and w != width:
        return t.reject("shards of another width than the tensor")
    if spec.memory == "WIDTH_SHARDED" and h != height:
        return t.reject("shards of another height than the tensor")
    if spec.memory == "BLOCK_SHARDED":
        core_of = blocks(spec, down, across)
        if core_of is None:
            return t.reject("more blocks than cores, or no rectangle of these")
    elif down * across > len(cores):
        return t.reject("more shards than cores")
    else:
        core_of = lambda s: (cores[s[0] + s[1]], 0)  # one of the two is 0
    return placed(spec, t, [((r // h, c // w), [r % h, c % w]) for r, c in at], spec.shard, cores,
                  core_of, 1)


def many_dimensions(spec, t, tensor):
    """Shards of any rank: a grid of them, rounded up in each dimension, dealt to the cores one by one. Where a shard
    has fewer dimensions than the tensor, the first of the tensor's are joined: 5x3x6 in shards of 2x2 is 15x6."""
    shape, alignment = list(tensor["shape"]), spec.aligned()
    shard, rank = spec.shard, len(spec.shard)
    if spec.tiled and (rank < 2 or shard[-2] % spec.tile[0] or shard[-1] % spec.tile[1]):
        return t.reject("a shard of parts of tiles")
    full = [1] * (len(alignment) - len(shape)) + shape
    if rank > len(full):
        return t.reject("a shard of more dimensions than the tensor")
    align = [1] * (len(full) - len(alignment)) + list(alignment)
    lead = len(full) - len(shape)
    if len(align) > 2 and any(a != 1 for a in align[:-2]):
        t.unsettled = "an alignment of more than two dimensions"
        return t
    full_up = [round_up(n, a) for n, a in zip(full, align)]
    fold = len(full) - rank  # leading dimensions that are joined to the shard's first one
    whole = [volume(full_up[:fold + 1])] + full_up[fold + 1:]
    grid = [ceil_div(n, s) for n, s in zip(whole, shard)]
    count, cores = volume(grid), cores_of(spec.cores, spec.by_rows)
    slots = ceil_div(count, len(cores))
    if spec.strategy == "ROUND_ROBIN_1D":
        deal = lambda s: (cores[flat(grid, s) % len(cores)], flat(grid, s) // len(cores))
    elif spec.strategy == "CONTIGUOUS_1D":
        if count % len(cores):
            t.broken = "shards that the cores do not divide"
        deal = lambda s: (cores[flat(grid, s) // slots], flat(grid, s) % slots)
    else:
        deal, slots = blocks(spec, *grid) if rank == 2 else None, 1
        if deal is None:
            return t.reject("more shards than cores, or no rectangle of these")
    at = []
    for x in points(shape):
        x = [0] * lead + list(x)
        p = [flat(full_up[:fold + 1], x[:fold + 1])] + x[fold + 1:]
        at.append((tuple(v // s for v, s in zip(p, shard)), [v % s for v, s in zip(p, shard)]))
    return placed(spec, t, at, shard, cores, deal, slots)


def read(text, tensor):
    spec = Spec(text)
    t = Table([], [], spec.text())
    t.memory = spec.buffer.lower()
    alignment = spec.aligned()
    if spec.tiled and TILES.get(tuple(spec.tile)) != tuple(spec.face):
        t.broken = "no tile of the hardware"
    cores = cores_of(spec.cores, True) if spec.shard else []
    if len(set(cores)) < len(cores):  # tt_metal/common/core_coord.cpp, CoreRangeSet
        return t.reject("core ranges that overlap")
    if spec.strategy is not None:
        return many_dimensions(spec, t, tensor)
    shape, height, width, steps = padded(tensor["shape"], alignment)
    lead = len(shape) - len(tensor["shape"])
    at = []
    for x in points(tensor["shape"]):
        x = [0] * lead + list(x)
        at.append((sum(a * b for a, b in zip(x, steps)), x[-1]))
    if spec.tiled and height % spec.tile[0]:
        return t.reject("a height that is no multiple of a page's")
    if spec.memory == "INTERLEAVED":
        if spec.banks is None:
            raise layout_gate.Unsupported("the number of banks")
        return interleaved(spec, t, at, height, width)
    if max(len(tensor["shape"]), len(alignment)) < 2 and spec.shard[0] != 1:
        return t.reject("shards of several rows of a tensor of one dimension")
    return two_dimensions(spec, t, at, height, width)


serve("ttmetal", read)
