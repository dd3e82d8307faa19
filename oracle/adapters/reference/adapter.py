"""The reference adapter: TIRx and Spyre layouts from their documents alone, by tables of every element. It shares no
code and no idea with the verifier: it is what the gate is tried on. With --plant OP:FEATURE it answers one operation
wrongly wherever its layout has the feature, and the gate has to find that; --faults lists all of them.

Documents: TVM's docs/tirx/layout.rst (TileLayout, SwizzleLayout, ComposeLayout), Torch-Spyre's "Tensor Layouts".
"""
import base64
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import layout_gate
from iters import fitted, points, printed
from layout_gate import op

CAPACITY = {"laneid": 32, "tid_in_wg": 128, "wid_in_wg": 4, "TLane": 128, "P": 128}  # on every chip


def volume(shape):
    out = 1
    for n in shape:
        out *= n
    return out


def flat(shape, point):
    out = 0
    for n, x in zip(shape, point):
        out = out * n + x
    return out


class Tirx:
    """Tables of a TIRx layout: `base` has a place, a dict of coordinates, for each element before swizzle and replicas."""

    def __init__(self, parts, shape):
        self.swizzle, self.shape = parts["swizzle"], list(shape)
        self.replica = [tuple(r) for r in parts["replica"]]
        self.offset = {axis: n for n, axis in parts["offset"]}
        self.shard = parts["shard"]
        if self.shard is None:
            self.shard = [[volume(shape), 1, "m"]]
        self.base = []
        for digits in points([e for e, _, _ in self.shard]):
            place = dict(self.offset)
            for c, (_, stride, axis) in zip(digits, self.shard):
                place[axis] = place.get(axis, 0) + c * stride
            self.base.append(place)
        named = [a for _, _, a in self.shard] + [a for _, _, a in self.replica] + list(self.offset)
        self.axes = list(dict.fromkeys(named))

    def swizzled(self, m):
        if self.swizzle is None:
            return m
        low, bits, shift = (self.swizzle[k] for k in ("per_element", "swizzle_len", "atom_len"))
        x, mask = m >> low, (1 << bits) - 1
        x ^= (x >> shift) & mask if self.swizzle["swizzle_inner"] else (x & mask) << shift
        return x << low | m & ((1 << low) - 1)

    def places(self, element):
        """All places of an element, over the replicas, as tuples in the order of self.axes."""
        out = []
        for digits in points([e for e, _, _ in self.replica]):
            place = dict(self.base[element])
            for r, (_, stride, axis) in zip(digits, self.replica):
                place[axis] = place.get(axis, 0) + r * stride
            if self.swizzle is not None:
                place["m"] = self.swizzled(place.get("m", 0))
            out.append(tuple(place.get(axis, 0) for axis in self.axes))
        return out

    def table(self):
        return [self.places(i) for i in range(len(self.base))]

    def span(self, axis):
        """The smallest and largest coordinate of shard and replica, without the offset."""
        steps = [(e - 1) * s for e, s, a in self.shard + list(self.replica) if a == axis]
        return sum(min(0, s) for s in steps), sum(max(0, s) for s in steps)

    def box(self, declared):
        out = {}
        for axis in self.axes:
            end = self.span(axis)[1] + self.offset.get(axis, 0) + 1
            out[axis] = declared.get(axis) or CAPACITY.get(axis) or max(1, end)
        return out


def tirx(c, key="parts", shape=None):
    return Tirx(c[key], c["tensor"]["shape"] if shape is None else shape)


def result(values, replica, swizzle, shape=None):
    iters, origin = fitted(values, [len(values)] if shape is None else shape)
    offset = [[n, a] for a, n in origin.items() if n]
    parts = {"shard": iters, "replica": [list(r) for r in replica], "offset": offset, "swizzle": swizzle}
    return {"parts": parts}


def added(*places):
    out = {}
    for place in places:
        for axis, n in place.items():
            out[axis] = out.get(axis, 0) + n
    return out


def declared(c):
    return dict(c["tensor"].get("box", []))


@op("place", family="tirx", contract="any")
def place(c):
    t = tirx(c)
    return t.axes, t.table()


@op("place.map", family="tirx", contract="any")
def place_map(c):
    t = tirx(c)
    return result(t.base, t.replica, t.swizzle)


@op("print", family="tirx", contract="any")
def print_(c):
    return printed(c["parts"])


@op("back", family="tirx", contract="any")
def back(c):
    t, living = tirx(c), {}
    for number, places in enumerate(t.table()):
        for where in places:
            living.setdefault(tuple(dict(zip(t.axes, where)).get(a, 0) for a in c["axes"]), number)
    return [living.get(tuple(slot), -1) for slot in c["slots"]]


def collision(t):
    seen = {}
    for number, places in enumerate(t.table()):
        for where in places:
            if where in seen:
                return seen[where], number
            seen[where] = number
    return None


def element(t, number):
    out = []
    for n in reversed(t.shape):
        out.insert(0, number % n)
        number //= n
    return out


@op("decide.injective", family="tirx", contract="any")
def injective(c):
    t = tirx(c)
    found = collision(t)
    if found is None:
        return True
    return {"answer": "no", "witness": {"a": element(t, found[0]), "b": element(t, found[1])}}


@op("decide.in-bounds", family="tirx", contract="any")
def in_bounds(c):
    t = tirx(c)
    box = t.box(declared(c))
    return all(0 <= x < box[a] for places in t.table() for p in places for a, x in zip(t.axes, p))


def named(t, number):
    return {frozenset((a, x) for a, x in zip(t.axes, p) if x) for p in t.places(number)}


@op("decide.equal", family="tirx", contract="any")
def equal(c):
    a, b = tirx(c), tirx(c, "with_parts")
    return all(named(a, i) == named(b, i) for i in range(len(a.base)))


@op("derive.slice", family="tirx")
def slice_(c):
    t = tirx(c)
    region = c["region"]
    inside = [[b + x for (b, _), x in zip(region, p)] for p in points([e - b for b, e in region])]
    return result([t.base[flat(t.shape, p)] for p in inside], t.replica, t.swizzle)


@op("derive.canonical", family="tirx", contract="any")
def canonical(c):
    return place_map(c)


@op("derive.group", family="tirx")
def group(c):
    t = tirx(c)
    return result(t.base, t.replica, t.swizzle, c["shape"])


@op("derive.permute", family="tirx")
def permute(c):
    t, order = tirx(c), c["order"]
    shape = [t.shape[k] for k in order]
    values = []
    for p in points(shape):
        x = [0] * len(p)
        for k, d in enumerate(order):
            x[d] = p[k]
        values.append(t.base[flat(t.shape, x)])
    return result(values, t.replica, t.swizzle)


@op("derive.broadcast", family="tirx")
def broadcast(c):
    t, at = tirx(c), c["at"]
    shape = t.shape[:at] + [c["extent"]] + t.shape[at:]
    return result([t.base[flat(t.shape, p[:at] + p[at + 1:])] for p in points(shape)], t.replica, t.swizzle)


def side_by_side(c, key, scaled):
    """The places of (o, i) in every dimension: outer times the inner's span where scaled, plus inner."""
    inner, outer = tirx(c), tirx(c, key + "_parts", c[key + "_shape"])
    width = lambda a: inner.span(a)[1] - inner.span(a)[0] + 1 if scaled else 1
    times = lambda place: {a: n * width(a) for a, n in place.items()}
    shape = [o * i for o, i in zip(outer.shape, inner.shape)]
    values = []
    for p in points(shape):
        o = [x // i for x, i in zip(p, inner.shape)]
        i = [x % n for x, n in zip(p, inner.shape)]
        values.append(added(times(outer.base[flat(outer.shape, o)]), inner.base[flat(inner.shape, i)]))
    replica = inner.replica + [(e, s * width(a), a) for e, s, a in outer.replica]
    return result(values, replica, inner.swizzle)


@op("derive.tile", family="tirx")
def tile(c):
    return side_by_side(c, "outer", True)


@op("derive.unpack", family="tirx")
def unpack(c):
    t, n = tirx(c), c["factor"]
    wide = lambda place: {a: v * n if a == "m" else v for a, v in place.items()}
    values = [added(wide(place), {"m": j}) for place in t.base for j in range(n)]
    swizzle = t.swizzle and dict(t.swizzle, per_element=t.swizzle["per_element"] + n.bit_length() - 1)
    return result(values, [(e, s * n if a == "m" else s, a) for e, s, a in t.replica], swizzle)


def slot(c, t, where):
    at = dict(zip(t.axes, where))
    return flat(c["image"]["extents"], [at.get(a, 0) for a in c["image"]["axes"]])


def unit(c):
    return {"f8e4m3": 1, "u8": 1, "f16": 2, "f32": 4, "f64": 8}[c["tensor"]["dtype"]]


@op("image.pack", family="tirx", contract="any")
def pack(c):
    t, n, data = tirx(c), unit(c), base64.b64decode(c["data"])
    out = bytearray(volume(c["image"]["extents"]) * n)
    for number, places in enumerate(t.table()):
        for where in places:
            at = slot(c, t, where)
            out[at * n:(at + 1) * n] = data[number * n:(number + 1) * n]
    return bytes(out)


@op("image.unpack", family="tirx", contract="any")
def unpack_image(c):
    t, n, data = tirx(c), unit(c), base64.b64decode(c["data"])
    first = [slot(c, t, places[0]) for places in t.table()]
    return b"".join(data[at * n:(at + 1) * n] for at in first)


@op("measure.size", family="tirx", contract="any")
def size(c):
    return len(tirx(c).base)


@op("measure.cosize", family="tirx", contract="any")
def cosize(c):
    t = tirx(c)
    if "m" not in t.axes:
        raise layout_gate.Unsupported("no memory axis")
    return 1 + max(p[t.axes.index("m")] for places in t.table() for p in places)


# --- Spyre: greedy digits of an element's host offset, "Tensor Layouts" ---------------------------------------------

def integers(text, field):
    found = re.search(r"\b%s\s*=\s*\[([^\]]*)\]" % field, text)
    return None if found is None else [int(n) for n in found.group(1).split(",") if n.strip()]


def spyre_slots(c):
    """For each element the list of its slots, [] if it has none."""
    text, tensor = c["layout"], c["tensor"]
    device, strides, dims = (integers(text, f) for f in ("device_size", "stride_map", "dim_map"))
    if device is None or strides is None or dims is not None:
        raise layout_gate.Unsupported("a constructor, or the older notation")
    shape = tensor["shape"]
    host = tensor.get("strides")
    if host is None:
        host = [volume(shape[k + 1:]) if all(shape) else 0 for k in range(len(shape))]
    order = sorted((k for k, s in enumerate(strides) if s > 0 and device[k] != 1), key=lambda k: -strides[k])
    free = [k for k, s in enumerate(strides) if s == 0]
    out = []
    for x in points(shape):
        rest = tensor.get("view_offset", 0) + sum(a * b for a, b in zip(x, host))
        slot = [0] * len(device)
        for n, k in enumerate(order):
            tied = n > 0 and strides[order[n - 1]] == strides[k]
            slot[k], rest = (0, rest) if tied else divmod(rest, strides[k])
        fits = rest == 0 and all(0 <= d < n for d, n in zip(slot, device))
        copies = points([device[k] if k in free else 1 for k in range(len(device))])
        out.append([tuple(a + b for a, b in zip(slot, copy)) for copy in copies] if fits else [])
    return device, out


@op("place", family="spyre", contract="any")
def spyre_place(c):
    device, slots = spyre_slots(c)
    return ["d%d" % k for k in range(len(device))], [s or None for s in slots]


@op("back", family="spyre", contract="any")
def spyre_back(c):
    living = {}
    for number, slots in enumerate(spyre_slots(c)[1]):
        for slot in slots:
            living.setdefault(slot, number)
    return [living.get(tuple(slot), -1) for slot in c["slots"]]


@op("decide.in-bounds", family="spyre", contract="any")
def spyre_in_bounds(c):
    return all(spyre_slots(c)[1])


@op("decide.injective", family="spyre", contract="any")
def spyre_injective(c):
    slots = [s for all_ in spyre_slots(c)[1] for s in all_]
    return len(slots) == len(set(slots))


@op("measure.padding", family="spyre", contract="any")
def spyre_padding(c):
    device, slots = spyre_slots(c)
    return volume(device) - len({s for all_ in slots for s in all_})


import faults  # noqa: E402  after the operations that it spoils

if "--faults" in sys.argv:
    print("\n".join(faults.names()))
elif "--plant" in sys.argv:
    faults.plant(sys.argv[sys.argv.index("--plant") + 1])
if "--faults" not in sys.argv:
    layout_gate.serve("reference", "1", parts=["tirx"], issues="https://example.org/issues",
                      conventions={"tile.outer-offset": "scaled", "place.replicas": "all", "cosize.swizzle": "swizzled"})
