"""apache-tvm's TileLayout and ComposeLayout. Documents: docs/tirx/layout.rst and the docstrings of tvm.tirx.layout."""
from layout_gate import Refused, Undecided, Unsupported, op, serve
import tvm
from tvm.tirx.layout import ComposeLayout, Iter, S, TileLayout
WORDS = "per_element", "swizzle_len", "atom_len", "swizzle_inner"
def layout(c, key="parts"):
    p, iters, z = c[key], lambda some: [Iter(*one) for one in some], c[key]["swizzle"]
    axes = {i[-1] for k in c if k.endswith("parts") for i in (c[k]["shard"] or []) + c[k]["replica"] + c[k]["offset"]}
    if axes & {"bx", "by", "bz"} and axes & {"tx", "laneid", "tid_in_wg"}:
        raise Undecided("verify_well_formed would not return")
    tile = TileLayout(S[tuple(c["tensor"]["shape"])]) if p["shard"] is None else TileLayout.from_iters(
        iters(p["shard"]), iters(p["replica"]), {axis: number for number, axis in p["offset"]})
    return tile if z is None else ComposeLayout(z[WORDS[0]], z[WORDS[1]], z[WORDS[2]], tile, z[WORDS[3]])
def parts(made):
    if made is None: raise Refused("None", "none")
    tile, iters = getattr(made, "tile_layout", made), lambda i: [int(i.extent), int(i.stride), i.axis.name]
    return {"parts": {"shard": [*map(iters, tile.shard)], "replica": [*map(iters, tile.replica)],
                      "swizzle": {w: getattr(made, w) for w in WORDS} if tile is not made else None,
                      "offset": [[int(number), axis.name] for axis, number in tile.offset.items()]}}
def places(made, elements):
    rows = [{str(a): int(n) for a, n in made.apply(i).items()} for i in elements]
    return sorted({a for row in rows for a in row}), [[row[a] for a in sorted(row)] for row in rows]
op("place", "tirx")(lambda c: places(layout(c), range(int(layout(c).size()))))
op("place.at", "tirx")(lambda c: places(layout(c), c["elements"]))
def derived(name, made): op("derive." + name, "tirx")(lambda c: parts(made(layout(c), c, c["tensor"]["shape"])))
derived("slice", lambda l, c, shape: l.slice(shape, [tuple(r) for r in c["region"]]))
derived("canonical", lambda l, c, shape: l.canonicalize())
derived("group", lambda l, c, shape: l.group(c["shape"])[0])
derived("tile", lambda l, c, shape: l.tile(layout(c, "outer_parts"), c["outer_shape"], shape))
derived("direct-sum", lambda l, c, shape: l.direct_sum(layout(c, "left_parts"), c["left_shape"], shape))
derived("pack", lambda l, c, shape: l.pack(c["factor"]))
derived("unpack", lambda l, c, shape: l.unpack(c["factor"]))
@op("derive.broadcast", "tirx")
def broadcast(c):
    grouped, starts = layout(c).group(c["tensor"]["shape"])
    return parts(grouped.broadcast(c["extent"], int(starts[c["at"]])))
@op("construct", "tirx")
def construct(c):
    given = (c["given_parts"]["shard"] or []) + c["given_parts"]["replica"]
    if any(extent < 1 for extent, _, _ in given): raise Unsupported("no document says what such extents mean")
    return bool(layout(c, "given_parts").verify_well_formed())
op("print", "tirx")(lambda c: str(layout(c)))
op("decide.well-formed", "tirx")(lambda c: bool(layout(c).verify_well_formed()))
op("measure.size", "tirx")(lambda c: int(layout(c).size()))
serve("apache-tvm", tvm.__version__, parts=["tirx"], refuses=(tvm.error.InternalError, AssertionError, AttributeError),
      issues="https://github.com/apache/tvm/issues", conventions={"place.replicas": "base-only"})
