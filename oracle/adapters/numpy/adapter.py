"""numpy's strided views. An element of the buffer is its own address, so that the views say where they lie. Its sums of
at least eight numbers go in pairs of blocks, and of f16 in a type that depends on strides: these are not asked."""
from math import prod
from layout_gate import Unsupported, op, serve
from on_memory import answer, strided
import numpy as np
from numpy._core._multiarray_tests import internal_overlap  # may_share_memory's solver, asked about one view
BUFFER, ORIGIN, bounds = np.arange(1 << 23), 1 << 22, np.lib.array_utils.byte_bounds
def view(c, key="parts", item=8):
    shape, strides, offset, _ = strided(c, key)
    if abs(offset) + sum(n * abs(s) for n, s in zip(shape, strides)) > ORIGIN // 8: raise Unsupported("far away")
    memory = BUFFER.view(f"i{item}")[ORIGIN * 8 // item + offset:]
    return np.lib.stride_tricks.as_strided(memory, shape, [s * item for s in strides])
def parts(v):
    start = bounds(v[(slice(0, 1),) * v.ndim + (...,)])[0] - bounds(BUFFER[ORIGIN:])[0]
    if any(n % v.itemsize for n in (start, *v.strides)): raise Unsupported("half an element")
    return answer(v.shape, [s // v.itemsize for s in v.strides], start // v.itemsize)
def derived(name, made):  # from the view in the tensor's shape
    op("derive." + name, "tirx")(lambda c: parts(made(view(c).reshape(c["tensor"]["shape"], copy=False), c)))
derived("slice", lambda v, c: v[(*(slice(*r) for r in c["region"]), ...)])
derived("group", lambda v, c: view(c).reshape(c["shape"], copy=False))
derived("permute", lambda v, c: v.transpose(c["order"]))
derived("broadcast", lambda v, c: np.broadcast_to(
    np.expand_dims(v, c["at"]), (*v.shape[:c["at"]], c["extent"], *v.shape[c["at"]:])))
op("derive.pack", "tirx")(lambda c: parts(view(c, item=1).view(f"i{c['factor']}")))
op("derive.unpack", "tirx")(lambda c: parts(view(c).view(f"i{8 // c['factor']}")))
op("place", "tirx", "any")(lambda c: (["m"], (view(c) - ORIGIN).reshape(-1, 1)))
op("decide.injective", "tirx", "any")(lambda c: {0: True, 1: False}[internal_overlap(view(c), -1)])
op("decide.disjoint", "tirx", "any")(lambda c: not np.shares_memory(view(c), view(c, "with_parts")))
op("measure.size", "tirx", "any")(lambda c: view(c).size)
op("measure.cosize", "tirx")(lambda c: (bounds(view(c))[1] - bounds(BUFFER[ORIGIN:])[0]) // 8)
def strides(c):
    try: return [s // 8 for s in view(c).reshape(c["tensor"]["shape"], copy=False).strides]
    except ValueError: return None  # numpy's document: it cannot be made without a copy
op("measure.strides", "tirx", "any")(strides)
TYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8"}
def window(c, image, key="parts"):  # the elements of an image
    shape, steps, offset, _ = strided(c, key)
    return np.lib.stride_tricks.as_strided(image[offset:], shape, [s * image.itemsize for s in steps])
def data_of(c): return np.frombuffer(c["data"], TYPES[c["tensor"]["dtype"]])
def empty(c, key): return np.zeros(prod(c[key]["extents"]), TYPES[c["tensor"]["dtype"]])
def moved(to, source): to[...] = source.reshape(to.shape)
@op("image.pack", "tirx", "any")
def pack(c):
    image = empty(c, "image")
    moved(window(c, image), data_of(c))
    return image.tobytes()
op("image.unpack", "tirx", "any")(lambda c: window(c, data_of(c)).tobytes())
@op("image.move", "tirx", "any")
def move(c):
    image = empty(c, "to_image")
    moved(window(c, image, "to_parts"), window(c, data_of(c)))
    return image.tobytes()
@op("neutral", "tirx")
def neutral(c):
    name, values = c["reduction"], window(c, data_of(c)).reshape(c["tensor"]["shape"])
    exact = values.dtype.kind != "f" or name in ("max", "min")
    if not exact and (values.itemsize == 2 or values.shape[c["over"]] > 7): raise Unsupported("another order")
    return getattr(values, name)(c["over"], **{"dtype": values.dtype} if name in ("sum", "prod") else {}).tobytes()
serve("numpy", np.__version__, parts=["tirx"], dtypes={"tirx": [*TYPES]}, refuses=(ValueError,),
      issues="https://github.com/numpy/numpy/issues",
      conventions={"place.replicas": "all", "cosize.swizzle": "tile", "neutral.arithmetic": "seq"})
