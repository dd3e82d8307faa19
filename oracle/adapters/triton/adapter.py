"""Triton's LinearLayout: maps that are linear over GF(2). Its document: include/triton/Tools/LinearLayout.h."""
from functools import reduce
from math import prod
from operator import or_
from layout_gate import Refused, Unsupported, op, serve
import triton
from triton._C.libtriton.linear_layout import LinearLayout
def bits(n): return n.bit_length() - 1 if n > 0 and not n & (n - 1) else None
def layout(c, key="parts", whole=False):  # from i, the element's row-major number, to the axes; `whole`: to the box
    tree = c[key]
    shard = tree["shard"] or [[prod(c["tensor"]["shape"]), 1, "m"]] * (tree["shard"] is None)
    axes, z = sorted({i[2] for i in shard}), tree["swizzle"]
    if not axes or tree["replica"] or tree["offset"] or any(bits(n) is None or s < 0 for n, s, _ in shard):
        raise Unsupported("not linear")
    vectors = [[(s << b) * (a == axis) for a in axes] for n, s, axis in shard[::-1] for b in range(bits(n))]
    tops = [(sum(v), reduce(or_, v, 0)) for v in zip(*vectors)] or [(0, 0)] * len(axes)
    if any(a != b or a >> 30 for a, b in tops): raise Unsupported("sums that carry, or more than 30 bits")
    box = dict(c["tensor"].get("box", ()))
    sizes = [box.get(a, top + 1) if whole else 1 << top.bit_length() for a, (top, _) in zip(axes, tops)]
    if z is not None and "m" in axes:
        low, mask, k = z["per_element"], (1 << z["swizzle_len"]) - 1, axes.index("m")
        far = low + z["atom_len"]
        reads, writes = (far, low) if z["swizzle_inner"] else (low, far)
        for v in vectors: v[k] ^= (v[k] >> reads & mask) << writes
        if whole and "m" not in box: raise Unsupported("a box that the layout does not say")
        if not whole: sizes[k] = 1 << max(sizes[k].bit_length() - 1, *(v[k].bit_length() for v in vectors), 0)
    if any(bits(n) is None or n >> 31 for n in sizes) or any(x >= n for v in vectors for x, n in zip(v, sizes)):
        raise Unsupported("box")
    return LinearLayout.from_bases([("i", vectors)], axes, sizes, False)
def parts(made):  # a layout whose bases have one bit each: iters of extent 2, the highest bit first
    names, vectors = [a for a, _ in made.out_dims], [v for _, some in made.bases for v in some]
    if any(sum(map(int.bit_count, v)) > 1 for v in vectors): raise Unsupported("a sum of bits is no TIRx layout")
    shard = [[2, *next(((n, a) for n, a in zip(v, names) if n), (0, names[0]))] for v in vectors[::-1]]
    return {"parts": {"shard": shard or [[1, 1, names[0]]], "replica": [], "offset": [], "swizzle": None}}
def inverse(c):
    made = layout(c, whole=True)
    if not made.is_invertible(): raise Refused("not invertible", "not-invertible")  # its invert() ends the process
    made = made.invert()
    if made.get_in_dim_names() != ["m"]: raise Unsupported("the order of axes")
    return parts(LinearLayout.from_bases([("i", dict(made.bases)["m"])], ["m"], [made.out_dims[0][1]], False))
@op("back", "tirx")
def back(c):
    made = layout(c, whole=True)
    if not made.is_invertible() or sorted(c["axes"]) != made.get_out_dim_names(): raise Unsupported("not invertible")
    sizes, inverse = dict(made.out_dims), made.invert()
    slots = [dict(zip(c["axes"], slot)) for slot in c["slots"]]
    return [inverse.apply(slot)["i"] if all(0 <= n < sizes[a] for a, n in slot.items()) else -1 for slot in slots]
def tile(c):  # the outer layout counts spans of the inner one, of row-major numbers only where there is one dimension
    inner, outer = layout(c, whole=True), layout({"tensor": {"shape": c["outer_shape"]}, "parts": c["outer_parts"]})
    if len(c["tensor"]["shape"]) > 1 or "box" in c["tensor"] or inner.get_out_dim_names() != outer.get_out_dim_names():
        raise Unsupported("dimensions")
    return parts(inner * outer)
def decided(name, said, whole=False): op("decide." + name, "tirx")(lambda c: said(layout(c, whole=whole), c))
def places(c, elements):
    made = layout(c)
    rows = [made.apply({"i": i}) for i in elements]
    return made.get_out_dim_names(), [[row[a] for a in made.get_out_dim_names()] for row in rows]
op("place", "tirx")(lambda c: places(c, range(prod(c["tensor"]["shape"]))))
op("place.at", "tirx")(lambda c: places(c, c["elements"]))
op("derive.inverse", "tirx", "bijective")(inverse)
op("derive.tile", "tirx")(tile)
decided("injective", lambda l, c: l.is_injective())
@op("decide.onto", "tirx")
def onto(c):
    made, known = layout(c, whole=True), {"m", *dict(c["tensor"].get("box", ()))}
    if not known.issuperset(made.get_out_dim_names()): raise Unsupported("extents of hardware axes")
    return made.is_surjective()
decided("bijective", lambda l, c: l.is_invertible(), whole=True)
@op("decide.equal", "tirx")
def equal(c):
    one, other = layout(c), layout(c, "with_parts")
    if one.get_out_dim_names() != other.get_out_dim_names(): raise Unsupported("an axis that one of them leaves out")
    return one.bases == other.bases
serve("triton", triton.__version__, parts=["tirx"], issues="https://github.com/triton-lang/triton/issues")
