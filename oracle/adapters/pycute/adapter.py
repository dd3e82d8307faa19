"""pycute of nvidia-cutlass. Documents: its docstrings and comments, media/docs/cpp/cute/02_layout_algebra.md."""
import ast, itertools
from importlib.metadata import version
from layout_gate import Unsupported, colex, op, serve
import pycute
def plain(text):
    if " o " in text: raise Unsupported("a swizzle")
    shape, stride = (ast.literal_eval(part) for part in text.split(":"))
    return pycute.Layout(shape, stride) if shape != () else pycute.Layout(1, 0)
def layout(text):  # Sw<3,4,3> o 0 o (8,64):(64,1)
    if " o " not in text: return plain(text)
    swizzle, offset, flat = text.split(" o ")
    numbers = ast.literal_eval(swizzle[2:].translate({60: 40, 62: 41}))
    return pycute.ComposedLayout(pycute.Swizzle(*numbers), int(offset), plain(flat))
@op("place", "cute")
def place(c):  # the gate counts row-major, CuTe with the first coordinate fastest
    made, shape = layout(c["layout"]), c["tensor"]["shape"]
    numbers = (pycute.crd2idx(x, tuple(shape)) if x else 0 for x in itertools.product(*map(range, shape)))
    return ["m"], [[made(number)] for number in numbers]
op("place.at", "cute")(lambda c: (
    ["m"], [[layout(c["layout"])(colex(i, c["tensor"]["shape"]))] for i in c["elements"]]))
for name, answer in {"compose": lambda a, c: pycute.composition(a, plain(c["inner"])),
                     "coalesce": lambda a, c: pycute.coalesce(a), "left-inverse": lambda a, c: pycute.left_inverse(a),
                     "right-inverse": lambda a, c: pycute.right_inverse(a),
                     "complement": lambda a, c: pycute.complement(a, c["cotarget"]),
                     "divide": lambda a, c: pycute.logical_divide(a, plain(c["tiler"])),
                     "product": lambda a, c: pycute.logical_product(a, plain(c["by"]))}.items():
    op("derive." + name, "cute")(lambda c, answer=answer: str(answer(plain(c["layout"]), c)).replace(",)", ")"))
op("print", "cute")(lambda c: str(plain(c["layout"])))
op("measure.size", "cute")(lambda c: layout(c["layout"]).size())
op("measure.cosize", "cute")(lambda c: plain(c["layout"]).cosize())
serve("pycute", version("nvidia-cutlass"), refuses=(AssertionError,), issues="https://github.com/NVIDIA/cutlass/issues",
      conventions={"place.replicas": "all", "cosize.swizzle": "tile"})
