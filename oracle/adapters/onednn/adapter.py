"""oneDNN's memory descriptors with strides and its reorders, by its C interface: dnnl.h, dnnl_types.h for numbers."""
import ctypes
from math import prod
import pathlib
import sys
from layout_gate import Refused, Unsupported, op, serve
from on_memory import answer, strided
dnnl = ctypes.CDLL(str(pathlib.Path(sys.prefix) / "lib" / "libdnnl.so.3"))
Dims, STRIDES, DIMS, OFFSET = ctypes.c_int64 * 12, 14, 257, 259
class Version(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int) for n in ("major", "minor", "patch")]
dnnl.dnnl_version.restype = ctypes.POINTER(Version)
def made(create, *arguments):  # a descriptor; they are few and never destroyed
    out = ctypes.c_void_p()
    status = create(ctypes.byref(out), *arguments)
    if status in (2, 3): raise Refused("invalid arguments" if status == 2 else "unimplemented", str(status))
    if status: raise RuntimeError(f"status {status}")
    return out
def asked(md, what, kind):
    out = kind()
    if dnnl.dnnl_memory_desc_query(md, what, ctypes.byref(out)): raise RuntimeError("a query failed")
    return out
TYPES = {"f32": (3, 4), "i32": (4, 4), "i8": (5, 1), "u8": (6, 1)}  # numbers, and bytes; f16 makes its NaNs quiet
def descriptor(c, key="parts"):
    shape, strides, _, _ = strided(c, key, moved=False)
    return with_strides(shape, strides, TYPES[c["tensor"]["dtype"]][0])
def with_strides(shape, strides, kind):
    if len(shape) > 12: raise Unsupported("more than 12 dimensions")
    return made(dnnl.dnnl_memory_desc_create_with_strides, len(shape), Dims(*shape), kind, Dims(*strides))
def parts(md, rank):
    dims, strides = (asked(md, what, ctypes.POINTER(Dims)).contents[:rank] for what in (DIMS, STRIDES))
    return answer(dims, strides, asked(md, OFFSET, ctypes.c_int64).value)
def shaped(c, shape):
    if len(shape) > 12: raise Unsupported("more than 12 dimensions")
    return made(dnnl.dnnl_memory_desc_reshape, descriptor(c), len(shape), Dims(*shape))
@op("derive.slice", "tirx")
def slice_(c):
    begin, extents = [a for a, _ in c["region"]], [b - a for a, b in c["region"]]
    md = shaped(c, c["tensor"]["shape"])
    return parts(made(dnnl.dnnl_memory_desc_create_submemory, md, Dims(*extents), Dims(*begin)), len(begin))
@op("derive.permute", "tirx")
def permute(c):  # dimension i of the source becomes permutation[i]
    order = c["order"]
    permutation = (ctypes.c_int * 12)(*(order.index(i) for i in range(len(order))))
    return parts(made(dnnl.dnnl_memory_desc_permute_axes, shaped(c, c["tensor"]["shape"]), permutation), len(order))
op("derive.group", "tirx")(lambda c: parts(shaped(c, c["shape"]), len(c["shape"])))
op("measure.strides", "tirx")(lambda c: asked(shaped(c, c["tensor"]["shape"]), STRIDES, ctypes.POINTER(Dims)).contents[
    :len(c["tensor"]["shape"])])
ENGINE = made(dnnl.dnnl_engine_create, 1, ctypes.c_size_t(0))
STREAM = made(dnnl.dnnl_stream_create, ENGINE, 1)
class Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]
def reordered(c, source, to, extents):  # the bytes behind `to`
    data, out = c["data"], bytearray(prod(extents) * TYPES[c["tensor"]["dtype"]][1])
    buffers = (ctypes.c_char * len(data)).from_buffer_copy(data), (ctypes.c_char * len(out)).from_buffer(out)
    memories = [made(dnnl.dnnl_memory_create, md, ENGINE, buffer) for md, buffer in zip((source, to), buffers)]
    what = made(dnnl.dnnl_reorder_primitive_desc_create, source, ENGINE, to, ENGINE, None)
    primitive = made(dnnl.dnnl_primitive_create, what)
    arguments = (Argument * 2)((1, memories[0]), (17, memories[1]))
    if dnnl.dnnl_primitive_execute(primitive, STREAM, 2, arguments) or dnnl.dnnl_stream_wait(STREAM):
        raise RuntimeError("a reorder failed")
    for memory in memories: dnnl.dnnl_memory_destroy(memory)
    dnnl.dnnl_primitive_destroy(primitive), dnnl.dnnl_primitive_desc_destroy(what)
    return bytes(out)
def host(c):  # the tensor, dense, in the extents of the iters
    extents = strided(c, moved=False)[0]
    return with_strides(extents, [prod(extents[k + 1:]) for k in range(len(extents))], TYPES[c["tensor"]["dtype"]][0])
op("image.pack", "tirx")(lambda c: reordered(c, host(c), descriptor(c), c["image"]["extents"]))
op("image.unpack", "tirx")(lambda c: reordered(c, descriptor(c), host(c), c["tensor"]["shape"]))
@op("image.move", "tirx")
def move(c):
    if strided(c, moved=False)[0] != strided(c, "to_parts", moved=False)[0]: raise Unsupported("other extents")
    return reordered(c, descriptor(c), descriptor(c, "to_parts"), c["to_image"]["extents"])
v = dnnl.dnnl_version().contents
serve("onednn", f"{v.major}.{v.minor}.{v.patch}", parts=["tirx"], dtypes={"tirx": [*TYPES]},
      issues="https://github.com/uxlfoundation/oneDNN/issues")
