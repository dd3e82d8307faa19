"""The reference adapter: layouts of TIRx, Spyre and Tenstorrent from their documents alone, by tables of every element.
It shares no code and no idea with the verifier: it is what the gate is tried on. With --plant OP:FEATURE it answers one
operation of TIRx wrongly wherever its layout has the feature, and the gate has to find that; --faults lists them all.

Documents: TVM's docs/tirx/layout.rst (TileLayout, SwizzleLayout, ComposeLayout), Torch-Spyre's "Tensor Layouts",
tt-mlir's docs/src/specs/tensor-layout.md and the sources that metal.py, ttnn.py and ttmetal.py name.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import layout_gate
from iters import fitted, points, printed
from layout_gate import Refused, op
from tensors import device_loops, flat, host_loops, moved, reduced, strides, unit, volume

CAPACITY = {"laneid": 32, "tid_in_wg": 128, "wid_in_wg": 4, "TLane": 128, "P": 128}  # on every chip


class Tirx:
    """Tables of a TIRx layout: `base` has a place, a dict of coordinates, for each element, before swizzle and
    replicas."""

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


@op("place.at", family="tirx", contract="any")
def place_at(c):  # the digits of each element, so that no table is made
    empty = dict(c["parts"], shard=[])
    t, rows = Tirx(empty, []), []
    shard = c["parts"]["shard"]
    if shard is None:
        shard = [[volume(c["tensor"]["shape"]), 1, "m"]]
    t.axes = list(dict.fromkeys([a for _, _, a in shard] + t.axes))
    for element in c["elements"]:
        place = dict(t.offset)
        for extent, stride, axis in reversed(shard):
            element, digit = divmod(element, extent)
            place[axis] = place.get(axis, 0) + digit * stride
        t.base = [place]
        rows.append(t.places(0))
    return t.axes, rows


@op("place.map", family="tirx", contract="any")
def place_map(c):
    t = tirx(c)
    return result(t.base, t.replica, t.swizzle)


@op("print", family="tirx", contract="any")
def print_(c):
    return printed(c["parts"])


# A thread axis counts units of the second level within one of the first; levels from the outside inwards.
SCOPES = {"bx": "kernel cta", "by": "kernel cta", "bz": "kernel cta", "cbx": "cluster cta", "cby": "cluster cta",
          "cbz": "cluster cta", "tx": "cta thread", "warpid": "cta warp", "laneid": "warp thread",
          "wgid": "cta warpgroup", "tid_in_wg": "warpgroup thread", "wid_in_wg": "warpgroup warp"}
LEVELS = ["kernel", "cluster", "cta", "warpgroup", "warp", "thread"]


@op("construct", family="tirx", contract="any")
def construct(c):
    parts = c["given_parts"]
    iters = (parts["shard"] or []) + parts["replica"]
    if any(e < 1 for e, _, _ in iters):
        raise Refused("an extent below 1", "extent")
    axes = [a for _, _, a in iters] + [a for _, a in parts["offset"]]
    z = parts["swizzle"]
    if z is not None:
        if min(z["per_element"], z["swizzle_len"], z["atom_len"]) < 0 or z["atom_len"] < z["swizzle_len"]:
            raise Refused("atom_len < swizzle_len", "swizzle")
        if any(a != "m" for a in axes):
            raise Refused("a swizzle beside other axes than m", "swizzle")
    if any(a in SCOPES for _, _, a in parts["shard"] or []):
        scopes = {tuple(SCOPES[a].split()) for a in axes if a in SCOPES}
        chain = sorted(scopes, key=lambda scope: -LEVELS.index(scope[1]))
        if any(outer != inner for (outer, _), (_, inner) in zip(chain, chain[1:])):
            raise Refused("the levels of the thread axes do not connect", "scope")
    return True


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


def slot(image, t, where):
    at = dict(zip(t.axes, where))
    return flat(image["extents"], [at.get(a, 0) for a in image["axes"]])


@op("image.pack", family="tirx", contract="any")
def pack(c):
    t, n, data = tirx(c), unit(c), c["data"]
    out = bytearray(volume(c["image"]["extents"]) * n)
    for number, places in enumerate(t.table()):
        for where in places:
            at = slot(c["image"], t, where)
            out[at * n:(at + 1) * n] = data[number * n:(number + 1) * n]
    return bytes(out)


@op("image.unpack", family="tirx", contract="any")
def unpack_image(c):
    t, n, data = tirx(c), unit(c), c["data"]
    first = [slot(c["image"], t, places[0]) for places in t.table()]
    return b"".join(data[at * n:(at + 1) * n] for at in first)


@op("image.move", family="tirx", contract="any")
def move(c):
    return moved(*both_sides(c), volume(c["to_image"]["extents"]), unit(c), c["data"])


def both_sides(c):
    sides = [(tirx(c), c["image"]), (tirx(c, "to_parts"), c["to_image"])]
    return ([[slot(image, t, p) for p in places] for places in t.table()] for t, image in sides)


@op("measure.strides", family="tirx", contract="any")
def tirx_strides(c):
    t = tirx(c)
    return strides(t.shape, [[dict(zip(t.axes, p)).get("m", 0) for p in places] for places in t.table()])


@op("nests", family="tirx", contract="any")
def nests(c):
    t = tirx(c)
    return host_loops(c, [[slot(c["image"], t, p) for p in places] for places in t.table()])


@op("nests.move", family="tirx", contract="any")
def nests_between(c):
    return device_loops(*both_sides(c))


@op("neutral", family="tirx", contract="any")
def neutral(c):
    t = tirx(c)
    return reduced(c, [slot(c["image"], t, places[0]) for places in t.table()])


@op("cost", family="tirx", contract="any")
def cost(c):
    """Wavefronts of the worst instance: in each phase the most words of one bank, lanes with one word sharing it."""
    t, n, memory = tirx(c), unit(c), c["memory"]
    first = [dict(zip(t.axes, places[0])).get("m", 0) * n for places in t.table()]
    return max(sum(wavefronts(memory, [first[lanes[k]] for k in phase if k < len(lanes)]) for phase in memory["phases"])
               for lanes in c["instances"])


def wavefronts(memory, addresses):
    word, banks = memory["bytes_per_bank"], {}
    for at in addresses:
        for w in range(at // word, (at + memory["width"] - 1) // word + 1):
            banks.setdefault(w % memory["banks"], []).append(w)
    return max((len(set(words) if memory["broadcast"] else words) for words in banks.values()), default=0)


@op("measure.size", family="tirx", contract="any")
def size(c):
    return len(tirx(c).base)


@op("measure.cosize", family="tirx", contract="any")
def cosize(c):
    t = tirx(c)
    if "m" not in t.axes:
        raise layout_gate.Unsupported("no memory axis")
    return 1 + max(p[t.axes.index("m")] for places in t.table() for p in places)


import faults  # noqa: E402  after the operations that it spoils
import spyre  # noqa: E402,F401

if "--plant" not in sys.argv:  # no fault is in these
    import metal  # noqa: E402,F401
    import ttmetal  # noqa: E402,F401
    import ttnn  # noqa: E402,F401

if "--faults" in sys.argv:
    print("\n".join(faults.names()))
elif "--plant" in sys.argv:
    faults.plant(sys.argv[sys.argv.index("--plant") + 1])
if "--faults" not in sys.argv:
    layout_gate.serve("reference", "1", parts=["tirx"], issues="https://example.org/issues",
                      conventions={"tile.outer-offset": "scaled", "place.replicas": "all", "cosize.swizzle": "swizzled",
                                  "cost.unit": "wavefronts", "neutral.arithmetic": "seq"})
