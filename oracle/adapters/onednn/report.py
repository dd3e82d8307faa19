"""Prints a script in oneDNN's C interface that shows a reorder: verify-layout gate report SIGNATURE … --script it."""
import base64, json, re, struct, sys
c = json.load(sys.stdin)
kind, code, name = {"f32": (3, "f", "float"), "i32": (4, "i", "int32"), "i8": (5, "b", "int8"),
                    "u8": (6, "B", "uint8")}[c["tensor"]["dtype"]]
extents, strides = ([int(n) for n in re.findall(r"-?\d+", part)] for part in c["layout"].split(":"))
dense = [1]
for extent in extents[:0:-1]: dense.insert(0, dense[0] * extent)
data = base64.b64decode(c["data"])
values = list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
places = (strides, dense) if c["op"] == "image.unpack" else (dense, strides)
print(f'''# pip install onednn-cpu-gomp==2023.2.0
import ctypes, itertools, pathlib, sys
d, dims = ctypes.CDLL(str(pathlib.Path(sys.prefix) / "lib" / "libdnnl.so.3")), {extents}
def made(create, *arguments):
    out = ctypes.c_void_p()
    assert create(ctypes.byref(out), *arguments) == 0
    return out
engine, n = made(d.dnnl_engine_create, 1, ctypes.c_size_t(0)), lambda *n: (ctypes.c_int64 * 12)(*n)
class Argument(ctypes.Structure): _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]
strides, memory = {places}, [(ctypes.c_{name} * 4096)(*{values}), (ctypes.c_{name} * 4096)()]
md = [made(d.dnnl_memory_desc_create_with_strides, len(dims), n(*dims), {kind}, n(*s)) for s in strides]
both = (Argument * 2)(*((k, made(d.dnnl_memory_create, m, engine, x)) for k, m, x in zip((1, 17), md, memory)))
reorder = made(d.dnnl_primitive_create, made(d.dnnl_reorder_primitive_desc_create, md[0], engine, md[1], engine, None))
assert not d.dnnl_primitive_execute(reorder, made(d.dnnl_stream_create, engine, 1), 2, both)
at = lambda x: [v[sum(a * b for a, b in zip(x, s))] for v, s in zip(memory, strides)]
elements = [*itertools.product(*map(range, dims))]
print("element, source, destination:", *((x, *at(x)) for x in elements if len({{*at(x)}}) > 1))''')
