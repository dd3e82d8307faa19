"""tensor-layouts of Meta. Documents: its docstrings."""
import ast, itertools
from layout_gate import Unsupported, colex, op, serve
import tensor_layouts as tl
from tensor_layouts import analysis
def layout(text, swizzled=True):  # Sw<3,4,3> o 0 o (8,64):(64,1)
    *swizzle, flat = text.split(" o ")
    flat = tl.Layout(*(ast.literal_eval(part) for part in flat.split(":")))
    if swizzle and not swizzled: raise Unsupported("a swizzle")
    if not swizzle: return flat
    numbers = ast.literal_eval(swizzle[0][2:].translate({60: 40, 62: 41}))
    return tl.ComposedLayout(tl.Swizzle(*numbers), flat, offset=int(swizzle[1]))
def from_zero(c):  # is_bijective and is_surjective are of [0, cosize)
    if "box" in c["tensor"] or ":-" in c["layout"] or ",-" in c["layout"]: raise Unsupported("another codomain")
    return layout(c["layout"])
def numbers(c):  # of the elements: the gate counts row-major, CuTe with the first coordinate fastest
    shape = tuple(c["tensor"]["shape"])
    return [tl.crd2flat(x, shape) if x else 0 for x in itertools.product(*map(range, shape))]
op("place", "cute", "any")(lambda c: (["m"], [[layout(c["layout"])(number)] for number in numbers(c)]))
op("place.at", "cute", "any")(lambda c: (
    ["m"], [[layout(c["layout"])(colex(i, c["tensor"]["shape"]))] for i in c["elements"]]))
@op("back", "cute", "any")
def back(c):
    made, elements = layout(c["layout"]), {number: k for k, number in enumerate(numbers(c))}
    table = analysis.offset_table(made)
    found = lambda x: elements[tl.crd2flat(x, made.shape) if x != () else 0]
    return [found(table[slot[0]][0]) if slot and slot[0] in table else -1 for slot in c["slots"]]
def modes(places):  # a layout with these places
    step = places[1] - places[0] if len(places) > 1 else 0
    run = max(n for n in range(1, len(places) + 1) if len(places) % n == 0 and
              all(places[k] == places[k - k % n] + k % n * step for k in range(len(places))))
    if run == len(places): return [(run, step)]
    if run == 1: raise Unsupported("lanes that are no layout")
    return [(run, step)] + modes(places[::run])
@op("cost", "cute", "any")
def cost(c):  # ways of the lanes of a phase; other lanes are in other groups
    size, memory, most = {"f8e4m3": 1, "f16": 2, "f32": 4, "f64": 8}[c["tensor"]["dtype"]], c["memory"], 0
    places = [layout(c["layout"])(number) for number in numbers(c)]
    for lanes, phase in itertools.product(c["instances"], memory["phases"]):
        at = [places[lanes[k]] for k in phase if k < len(lanes)]
        if not at: continue
        if at[0] * size % memory["bytes_per_bank"]: raise Unsupported("a group that begins inside of a word")
        shape, stride = zip(*modes([place - at[0] for place in at]))
        group = tl.Layout((shape, memory["width"] // size), (stride, 1))
        found = analysis.bank_conflicts(group, element_bytes=size, num_banks=memory["banks"], group_size=len(at),
                                        bank_width_bytes=memory["bytes_per_bank"])
        most = max(most, found["max_ways"])
    return most
for name, answer in {"compose": lambda a, c: tl.compose(a, layout(c["inner"], False)),
                     "coalesce": lambda a, c: tl.coalesce(a),
                     "left-inverse": lambda a, c: tl.left_inverse(a), "right-inverse": lambda a, c: tl.right_inverse(a),
                     "complement": lambda a, c: tl.complement(a, c["cotarget"]),
                     "divide": lambda a, c: tl.logical_divide(a, layout(c["tiler"], False)),
                     "product": lambda a, c: tl.logical_product(a, layout(c["by"], False))}.items():
    contract = {"coalesce": "any", "right-inverse": "any", "left-inverse": "injective"}.get(name)
    op("derive." + name, "cute", contract)(lambda c, answer=answer: str(
        answer(layout(c["layout"], False), c)).replace(",)", ")").replace(" : ", ":"))
op("decide.injective", "cute", "any")(lambda c: analysis.is_injective(layout(c["layout"])))
op("decide.bijective", "cute", "any")(lambda c: analysis.is_bijective(from_zero(c)))
op("decide.onto", "cute", "any")(lambda c: analysis.is_surjective(from_zero(c), tl.cosize(layout(c["layout"]))))
op("decide.equal", "cute", "any")(lambda c: analysis.functionally_equal(layout(c["layout"]), layout(c["with"])))
op("print", "cute", "any")(lambda c: str(layout(c["layout"], False)))  # swizzles have a notation of their own
op("measure.size", "cute", "any")(lambda c: tl.size(layout(c["layout"])))
op("measure.cosize", "cute", "any")(lambda c: tl.cosize(layout(c["layout"])))
serve("tensor-layouts", tl.__version__, refuses=(tl.LayoutError, tl.UnsupportedComposedLayoutError),
      conventions={"place.replicas": "all", "cosize.swizzle": "swizzled", "cost.unit": "ways"},
      issues="https://github.com/facebookresearch/tensor-layouts/issues")
