"""torch's strided views. An element of the buffer is its own address, so that the views say where they lie. The folder
is not named torch, for it is on the path of all adapters, where other libraries look for torch."""
import sys
from math import prod
from layout_gate import Undecided, Unsupported, op, serve
from on_memory import answer, strided
sys.modules.update(numpy=None, triton=None)  # not installed; torch would take the folders of these adapters for them
import torch
BUFFER, ORIGIN = torch.arange(1 << 20), 1 << 19
INTEGER = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
def view(c, key="parts", item=8):
    shape, strides, offset, _ = strided(c, key)
    if abs(offset) + sum(n * abs(s) for n, s in zip(shape, strides)) > ORIGIN // 8: raise Unsupported("far away")
    return BUFFER.view(INTEGER[item]).as_strided(shape, strides, ORIGIN * 8 // item + offset)
def parts(v):
    return answer(v.shape, v.stride(), v.storage_offset() - ORIGIN * 8 // v.element_size())
def derived(name, made):  # from the view in the tensor's shape
    op("derive." + name, "tirx")(lambda c: parts(made(view(c).view(c["tensor"]["shape"]), c)))
derived("slice", lambda v, c: v[(*(slice(*r) for r in c["region"]), ...)])
derived("group", lambda v, c: view(c).view(c["shape"]))
derived("permute", lambda v, c: v.permute(c["order"]))
derived("broadcast", lambda v, c: v.unsqueeze(c["at"]).expand(*v.shape[:c["at"]], c["extent"], *v.shape[c["at"]:]))
op("derive.pack", "tirx")(lambda c: parts(view(c, item=1).view(INTEGER[c["factor"]])))
op("derive.unpack", "tirx")(lambda c: parts(view(c).view(INTEGER[8 // c["factor"]])))
op("place", "tirx", ["positive-strides"])(lambda c: (["m"], (view(c) - ORIGIN).reshape(-1, 1).tolist()))
@op("decide.injective", "tirx")
def injective(c):
    found = torch._debug_has_internal_overlap(view(c))  # 2: too hard
    if found == 2: raise Undecided("too hard for torch")
    return found == 0
op("measure.size", "tirx", ["positive-strides"])(lambda c: view(c).numel())
def strides(c):
    made = view(c)
    try: return made.view(c["tensor"]["shape"]).stride()
    except RuntimeError: return None  # torch's document: no view has this shape
op("measure.strides", "tirx", ["positive-strides"])(strides)
TYPES = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64, "u8": torch.uint8,
         **{f"i{8 * n}": kind for n, kind in INTEGER.items()}}
def window(c, image, key="parts"):  # the elements of an image
    shape, strides, offset, _ = strided(c, key)
    return image.as_strided(shape, strides, offset)
def data_of(c): return torch.frombuffer(bytearray(c["data"]), dtype=TYPES[c["tensor"]["dtype"]])
def image_of(c, key, place, values):
    image = torch.zeros(prod(c[key]["extents"]), dtype=TYPES[c["tensor"]["dtype"]])
    window(c, image, place).copy_(values.reshape(strided(c, place)[0]))
    return bytes_of(image)
def bytes_of(values): return bytes(values.contiguous().reshape(-1).view(torch.uint8).tolist())
op("image.pack", "tirx")(lambda c: image_of(c, "image", "parts", data_of(c)))
op("image.unpack", "tirx")(lambda c: bytes_of(window(c, data_of(c))))
op("image.move", "tirx")(lambda c: image_of(c, "to_image", "to_parts", window(c, data_of(c))))
@op("neutral", "tirx")
def neutral(c):
    values, name = window(c, data_of(c)).reshape(c["tensor"]["shape"]), c["reduction"]
    if name in ("max", "min"): return bytes_of(getattr(torch, "a" + name)(values, c["over"]))
    if values.is_floating_point(): raise Unsupported("sums and products in an order that no document says")
    return bytes_of(getattr(torch, name)(values, c["over"], dtype=values.dtype))
serve("torch", torch.__version__, parts=["tirx"], dtypes={"tirx": [*TYPES]}, refuses=(RuntimeError,),
      issues="https://github.com/pytorch/pytorch/issues",
      conventions={"place.replicas": "all", "cosize.swizzle": "tile"})
