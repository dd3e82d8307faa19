"""tensor-layouts of Meta. Documents: its docstrings."""
import ast, itertools
from layout_gate import Unsupported, op, serve
import tensor_layouts as tl
from tensor_layouts import analysis
def layout(text, swizzled=True):  # Sw<3,4,3> o 0 o (8,64):(64,1)
    *swizzle, flat = text.split(" o ")
    flat = tl.Layout(*(ast.literal_eval(part) for part in flat.split(":")))
    if swizzle and not swizzled: raise Unsupported("a swizzle")
    return tl.ComposedLayout(tl.Swizzle(*ast.literal_eval(swizzle[0][2:].translate({60: 40, 62: 41}))), flat, offset=int(swizzle[1])) if swizzle else flat
def from_zero(c):  # is_bijective and is_surjective are of [0, cosize)
    if "box" in c["tensor"] or ":-" in c["layout"] or ",-" in c["layout"]: raise Unsupported("another codomain")
    return layout(c["layout"])
@op("place", "cute", "any")
def place(c):  # the gate counts row-major, CuTe with the first coordinate fastest
    made, shape = layout(c["layout"]), tuple(c["tensor"]["shape"])
    return ["m"], [[made(tl.crd2flat(x, shape) if x else 0)] for x in itertools.product(*map(range, shape))]
for name, answer in {"compose": lambda a, c: tl.compose(a, layout(c["inner"], False)), "coalesce": lambda a, c: tl.coalesce(a),
                     "left-inverse": lambda a, c: tl.left_inverse(a), "right-inverse": lambda a, c: tl.right_inverse(a),
                     "complement": lambda a, c: tl.complement(a, c["cotarget"]),
                     "divide": lambda a, c: tl.logical_divide(a, layout(c["tiler"], False)),
                     "product": lambda a, c: tl.logical_product(a, layout(c["by"], False))}.items():
    contract = {"coalesce": "any", "right-inverse": "any", "left-inverse": "injective"}.get(name)
    op("derive." + name, "cute", contract)(lambda c, answer=answer: str(answer(layout(c["layout"], False), c)).replace(",)", ")").replace(" : ", ":"))
op("decide.injective", "cute", "any")(lambda c: analysis.is_injective(layout(c["layout"])))
op("decide.bijective", "cute", "any")(lambda c: analysis.is_bijective(from_zero(c)))
op("decide.onto", "cute", "any")(lambda c: analysis.is_surjective(from_zero(c), tl.cosize(layout(c["layout"]))))
op("decide.equal", "cute", "any")(lambda c: analysis.functionally_equal(layout(c["layout"]), layout(c["with"])))
op("print", "cute", "any")(lambda c: str(layout(c["layout"], False)))  # swizzles have a notation of their own
op("measure.size", "cute", "any")(lambda c: tl.size(layout(c["layout"])))
op("measure.cosize", "cute", "any")(lambda c: tl.cosize(layout(c["layout"])))
serve("tensor-layouts", tl.__version__, refuses=(tl.LayoutError, tl.UnsupportedComposedLayoutError), conventions={
    "place.replicas": "all", "cosize.swizzle": "swizzled"}, issues="https://github.com/facebookresearch/tensor-layouts/issues")
