"""The CuTe DSL of nvidia-cutlass-dsl, on static layouts: its operations are evaluated on the host, while one function
is traced."""
import ast, itertools
from importlib.metadata import version
from layout_gate import Unsupported, colex, op, serve
import cutlass.cute as cute
from cutlass._mlir.ir import MLIRError
def layout(text):
    if " o " in text: raise Unsupported("a swizzle")
    shape, stride = (ast.literal_eval(part) for part in text.split(":"))
    return cute.make_layout(shape, stride=stride)
def place(c):  # the gate counts row-major, CuTe with the first coordinate fastest
    made, shape = layout(c["layout"]), c["tensor"]["shape"]
    steps = [*itertools.accumulate([1, *shape[:-1]], lambda a, b: a * b)]
    numbers = (sum(a * b for a, b in zip(x, steps)) for x in itertools.product(*map(range, shape)))
    return ["m"], [[int(made(number))] for number in numbers]
def derived(name, made):
    op("derive." + name, "cute")(lambda c: str(made(layout(c["layout"]), c)))
@cute.jit
def main():
    serve("nvidia-cutlass-dsl", version("nvidia-cutlass-dsl"), refuses=(MLIRError, ValueError), conventions={
        "place.replicas": "all", "cosize.swizzle": "tile"}, issues="https://github.com/NVIDIA/cutlass/issues")
op("place", "cute")(place)
op("place.at", "cute")(lambda c: (
    ["m"], [[int(layout(c["layout"])(colex(i, c["tensor"]["shape"])))] for i in c["elements"]]))
derived("compose", lambda a, c: cute.composition(a, layout(c["inner"])))
derived("coalesce", lambda a, c: cute.coalesce(a))
derived("left-inverse", lambda a, c: cute.left_inverse(a))
derived("right-inverse", lambda a, c: cute.right_inverse(a))
derived("complement", lambda a, c: cute.complement(a, c["cotarget"]))
derived("divide", lambda a, c: cute.logical_divide(a, layout(c["tiler"])))
derived("product", lambda a, c: cute.logical_product(a, layout(c["by"])))
op("print", "cute")(lambda c: str(layout(c["layout"])))
op("measure.size", "cute")(lambda c: int(cute.size(layout(c["layout"]))))
op("measure.cosize", "cute")(lambda c: int(cute.cosize(layout(c["layout"]))))
main()
