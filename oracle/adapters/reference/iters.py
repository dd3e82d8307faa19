"""Texts and iters of TIRx layouts, for the reference adapter, from TVM's docs/tirx/layout.rst."""
import itertools

from layout_gate import Refused


def points(shape):
    return itertools.product(*(range(n) for n in shape))


def fitted(values, shape):
    """Iters with these values: [[extent, stride, axis], …] and the offset. Refused if no digits make them."""
    origin = values[0]
    iters = []

    def take(step, left):  # the extents of one dimension, from its fastest digit outwards; step: in the flat order
        if left == 1:
            return []
        for extent in sorted((e for e in range(2, left + 1) if left % e == 0), reverse=True):
            delta = {a: values[step].get(a, 0) - origin.get(a, 0) for a in {**values[step], **origin}}
            moved = {a: d for a, d in delta.items() if d}
            if len(moved) > 1:
                break
            axis, stride = next(iter(moved.items()), ("m", 0))
            if not all(moved_by(i * step, {axis: i * stride}) for i in range(extent)):
                continue
            rest = take(step * extent, left // extent)
            if rest is not None:
                return [[extent, stride, axis]] + rest
        return None

    def moved_by(number, by):
        here = values[number]
        return all(here.get(a, 0) - origin.get(a, 0) == by.get(a, 0) for a in {**here, **origin, **by})

    step = 1
    for n in reversed(shape):
        digits = take(step, n)
        if digits is None:
            raise Refused("no iters have these places", "no-layout")
        iters = digits[::-1] + iters
        step *= n
    for number, digits in enumerate(points([e for e, _, _ in iters])):  # every element, once more
        place = dict(origin)
        for c, (_, stride, axis) in zip(digits, iters):
            place[axis] = place.get(axis, 0) + c * stride
        if {a: v for a, v in place.items() if v} != {a: v for a, v in values[number].items() if v}:
            raise Refused("no iters have these places", "no-layout")
    return iters, origin


def printed(parts):
    """S[(extents):(strides@axes)] + R[…] + offset; a swizzle alone, or around such a tile."""
    def step(n, axis):
        return str(n) if axis == "m" else "%d@%s" % (n, axis)

    def iters(some):
        return "[(%s):(%s)]" % (",".join(str(e) for e, _, _ in some), ",".join(step(s, a) for _, s, a in some))

    z, tile = parts["swizzle"], None
    if parts["shard"] is not None:
        tile = "S" + iters(parts["shard"]) + (" + R" + iters(parts["replica"]) if parts["replica"] else "")
        tile += "".join(" + " + step(n, a) for n, a in parts["offset"])
    if z is None:
        return tile
    numbers = "%d, %d, %d" % (z["per_element"], z["swizzle_len"], z["atom_len"])
    inner = "" if z["swizzle_inner"] else ", swizzle_inner=False"
    if tile is None:
        return "SwizzleLayout(%s%s)" % (numbers, inner)
    return "ComposeLayout(%s, TileLayout(%s)%s)" % (numbers, tile, inner)
