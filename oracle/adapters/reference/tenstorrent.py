"""What the Tenstorrent families share: tables of an element's slot, the operations on them, and the inside of tiles.

A layout is read into a Table: the extents of its device image, and for each element the one slot that it has, or the
reason why no document says it. The columns are the cores (`c0`, `c1`, …; of the runtime `y`, `x`; or `bank`) and `m`,
elements in one memory."""
import layout_gate
from layout_gate import op
from tensors import device_loops, flat, host_loops, moved, reduced, unit, volume


class Table:
    """extents: of the image, one a column. text: the layout, printed from what was read. broken: the first rule of the
    document that the layout breaks, or None; rejected: whether it has no places for that. unsettled: why no
    document says the places, or None. held: the slot of each element; None where it has
    no cell in the memory of the text. memory: which one the text names, or None; two memories share no place. covered:
    the slots of the image that the text names; None where that is all."""

    def __init__(self, axes, extents, text):
        self.axes, self.extents, self.text = axes, extents, text
        self.broken = self.unsettled = self.covered = self.memory = None
        self.rejected, self.held = False, []

    def reject(self, why):
        self.broken, self.rejected = why, True
        return self

    def known(self):
        if self.rejected:
            raise layout_gate.Refused(self.broken, "rejected")
        if self.unsettled is not None:
            raise layout_gate.Unsupported(self.unsettled)
        return self.held

    def named(self):
        """The slots by the names of their axes: one that a layout does not have is 0."""
        by_axis = lambda slot: frozenset((a, x) for a, x in zip(self.axes, slot) if x)
        return [None if slot is None else by_axis(slot) for slot in self.known()]

    def box(self):
        self.known()
        return self.extents

    def slot_count(self):
        self.known()
        return volume(self.extents) if self.covered is None else self.covered

    def slots(self):
        if None in self.known():
            raise layout_gate.Unsupported("an element without a cell")
        return self.held

    def cells(self):
        """The slots in the image, each once."""
        return {s for s in self.known() if self.has(s)}

    def has(self, slot):
        return slot is not None and all(0 <= x < n for x, n in zip(slot, self.extents))

    def numbers(self):
        """Of each element's slot in the image; an image holds nothing that lies outside."""
        if not all(map(self.has, self.slots())):
            raise layout_gate.Unsupported("an element outside of the image")
        return [flat(self.extents, slot) for slot in self.held]


def ceil_div(a, b):
    return -(-a // b)


def round_up(a, b):
    return ceil_div(a, b) * b


def numbers(text, between=","):
    return [int(n) for n in text.split(between)] if text.strip() else []


def unflat(shape, number):
    out = []
    for n in reversed(shape):
        number, x = divmod(number, n)
        out.insert(0, x)
    return out


def in_tile(r, c, tile, face, turned_faces=False, turned_inside=False):
    """Number of (r, c) in a tile: faces row by row, and row by row in a face; the flags turn the one or the other.
    Of 32x32 with faces of 16x16 (16, 0) is 2*256 = 512, and (17, 3) is 512 + 16 + 3 = 531.
    tt-metal, tech_reports/tensor_layouts; tt-mlir, test/python/golden/d2m/test_tilize.py."""
    (i, y), (j, x) = divmod(r, face[0]), divmod(c, face[1])
    across, down = tile[1] // face[1], tile[0] // face[0]
    f = j * down + i if turned_faces else i * across + j
    return f * face[0] * face[1] + (x * face[0] + y if turned_inside else y * face[1] + x)


def in_shard(o, shape, tile=None, face=None, flags=(False, False)):
    """Number of the element at o in a memory that holds an array of this shape, row by row: of scalars, or of tiles
    in the last two dimensions."""
    if tile is None:
        return flat(shape, o)
    at = list(o[:-2]) + [o[-2] // tile[0], o[-1] // tile[1]]
    count = list(shape[:-2]) + [shape[-2] // tile[0], shape[-1] // tile[1]]
    return flat(count, at) * tile[0] * tile[1] + in_tile(o[-2] % tile[0], o[-1] % tile[1], tile, face, *flags)


def serve(family, read):
    """All operations of a family; read(text, tensor) gives a Table."""
    def operation(name):
        def register(function):
            op(name, family)(lambda c: function(c, read(c["layout"], c["tensor"])))
        return register

    def other(c):
        return read(c["with"], c["tensor"])

    def first_twice(t):
        seen = {}
        for number, slot in enumerate(t.known()):
            if slot in seen:
                return seen[slot], number
            if slot is not None:
                seen[slot] = number
        return None

    @operation("place")
    def place(c, t):
        return t.axes, [list(s) for s in t.slots()]

    @operation("back")
    def back(c, t):
        living = {}
        for number, slot in enumerate(t.known()):
            living.setdefault(slot, number)
        order = [c["axes"].index(a) for a in t.axes]
        asked = [tuple(slot[k] for k in order) for slot in c["slots"]]
        if None in living and not all(s in living or t.has(s) for s in asked):
            raise layout_gate.Unsupported("a slot behind the memory, and an element without a cell")
        return [living.get(s, -1) for s in asked]

    @operation("print")
    def print_(c, t):
        return t.text

    @operation("decide.well-formed")
    def well_formed(c, t):
        return t.broken is None

    def one_to_one(c, t):
        found, shape = first_twice(t), c["tensor"]["shape"]
        if found is None:
            return True
        return {"answer": "no", "witness": {"a": unflat(shape, found[0]), "b": unflat(shape, found[1])}}

    def occupied(t):
        if not t.cells():
            raise layout_gate.Unsupported("no element has a cell")
        return True

    @operation("decide.injective")
    def injective(c, t):
        found = one_to_one(c, t)
        return occupied(t) and bool(t.slots()) if found is True else found

    @operation("decide.onto")
    def onto(c, t):
        return len(t.cells()) == volume(t.box())

    @operation("decide.bijective")
    def bijective(c, t):
        return all(map(t.has, t.known())) and one_to_one(c, t)

    @operation("decide.in-bounds")
    def in_bounds(c, t):
        return all(map(t.has, t.known()))

    def elsewhere(t, u):
        return t.memory is not None and u.memory is not None and t.memory != u.memory

    @operation("decide.equal")
    def equal(c, t):
        u = other(c)
        if elsewhere(t, u):
            return False
        apart = [a != b for a, b in zip(t.named(), u.named()) if a is not None and b is not None]
        return t.text == u.text or not any(apart) and bool(t.slots()) and bool(u.slots())

    @operation("decide.disjoint")
    def disjoint(c, t):
        u = other(c)
        if elsewhere(t, u):
            return True
        if occupied(t) and occupied(u) and (set(t.named()) & set(u.named()) - {None}):
            return False
        return bool(t.slots()) and bool(u.slots())

    @operation("image.pack")
    def pack(c, t):
        return moved([[k] for k in range(len(t.slots()))], [[s] for s in t.numbers()], volume(t.extents), unit(c),
                     c["data"])

    @operation("image.unpack")
    def unpack(c, t):
        slots = t.numbers()
        return moved([[s] for s in slots], [[k] for k in range(len(slots))], len(slots), unit(c), c["data"])

    def slots_of_both(c, t):
        u = read(c["to"], c["tensor"])
        return [[s] for s in t.numbers()], [[s] for s in u.numbers()], volume(u.extents)

    @operation("image.move")
    def move(c, t):  # a reshard, or other tiles
        return moved(*slots_of_both(c, t), unit(c), c["data"])

    @operation("nests.move")
    def nests_between(c, t):
        return device_loops(*slots_of_both(c, t)[:2])

    @operation("nests")
    def nests(c, t):
        return host_loops(c, [[s] for s in t.numbers()])

    @operation("neutral")
    def neutral(c, t):
        return reduced(c, t.numbers())

    @operation("measure.size")
    def size(c, t):
        return volume(c["tensor"]["shape"])

    @operation("measure.padding")
    def padding(c, t):
        return t.slot_count() - len(t.cells())

    @operation("measure.bytes")
    def bytes_(c, t):
        return t.slot_count() * unit(c)

    @operation("measure.cosize")
    def cosize(c, t):
        return 1 + max((s[-1] for s in t.slots()), default=-1)
