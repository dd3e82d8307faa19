"""jax on the CPU: device_put with a Format, whose Layout has a major_to_minor, and the bytes behind the pointer of its
buffer. Its documents: docstrings of jax.experimental.layout and jax.numpy. On the CPU it leaves a tiling out of
account, and takes subnormal numbers for 0: neither is asked."""
import ctypes
from math import prod
from layout_gate import Unsupported, op, serve
from on_memory import strided
import jax, numpy as np
from jax.experimental.layout import Format, Layout
jax.config.update("jax_enable_x64", True)
DEVICE = jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
TYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8"}
def dense(c):  # the extents of the iters, and the order of their strides from the outermost one
    extents, strides, _, _ = strided(c, moved=False)
    order = sorted(range(len(extents)), key=lambda k: (-strides[k], extents[k]))
    steps = [prod(extents[e] for e in order[k + 1:]) for k in range(len(order))]
    if any(extents[d] > 1 and strides[d] != step for d, step in zip(order, steps)): raise Unsupported("not dense")
    return extents, order
@op("image.pack", "tirx")
def pack(c):
    extents, order = dense(c)
    data = np.frombuffer(c["data"], TYPES[c["tensor"]["dtype"]]).reshape(extents)
    made = jax.device_put(data, Format(Layout(tuple(order)), DEVICE)).block_until_ready()
    image = ctypes.string_at(made.unsafe_buffer_pointer(), data.nbytes)
    return image + bytes(prod(c["image"]["extents"]) * data.itemsize - len(image))
@op("neutral", "tirx")
def neutral(c):
    extents, order = dense(c)
    image = np.frombuffer(c["data"], TYPES[c["tensor"]["dtype"]])[:prod(extents)]
    image = image.reshape([extents[d] for d in order]).transpose(np.argsort(order)).reshape(c["tensor"]["shape"])
    step = {"sum": np.add, "prod": np.multiply}.get(c["reduction"], np.maximum)
    for seen in [image, *(step.accumulate(np.flip(image, k), c["over"]) for k in ((), c["over"]))]:
        if image.dtype.kind == "f" and np.any((seen != 0) & (abs(seen) < np.finfo(image.dtype).tiny)):
            raise Unsupported("a subnormal number")
    if image.dtype.kind == "f" and step is not np.maximum and image.shape[c["over"]] > 7:
        raise Unsupported("sums and products in an order that no document says")
    typed = {"dtype": image.dtype} if c["reduction"] in ("sum", "prod") else {}
    return np.asarray(getattr(jax.numpy, c["reduction"])(image, axis=c["over"], **typed)).tobytes()
serve("jax", jax.__version__, parts=["tirx"], dtypes={"tirx": [*TYPES]}, issues="https://github.com/jax-ml/jax/issues")
