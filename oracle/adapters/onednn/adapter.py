"""oneDNN's memory descriptors with strides, by its C interface: dnnl.h, and dnnl_types.h for the numbers of queries."""
import ctypes
import pathlib
import sys
from layout_gate import Refused, Unsupported, op, serve
from on_memory import answer, strided
dnnl = ctypes.CDLL(str(pathlib.Path(sys.prefix) / "lib" / "libdnnl.so.3"))
Dims, F32, STRIDES, DIMS, OFFSET = ctypes.c_int64 * 12, 3, 14, 257, 259
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
def descriptor(c, key="parts"):
    shape, strides, _, _ = strided(c, key, moved=False)
    if len(shape) > 12: raise Unsupported("more than 12 dimensions")
    return made(dnnl.dnnl_memory_desc_create_with_strides, len(shape), Dims(*shape), F32, Dims(*strides))
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
v = dnnl.dnnl_version().contents
serve("onednn", f"{v.major}.{v.minor}.{v.patch}", parts=["tirx"],
      issues="https://github.com/uxlfoundation/oneDNN/issues")
