"""Memories of arrays: where an array's elements lie, of NumPy, of whatever speaks DLPack (torch, jax), or of a buffer.

An array stays the owner of its memory; a Memory keeps it alive. No library is imported here that the caller has not
imported, and nothing is copied: who needs a dense array makes one of an array that is not.
"""
import ctypes as c
import math
import sys


class Memory:
    """address, bytes of an element, shape, strides in elements (None: dense row-major), and who owns it."""

    __slots__ = ("address", "unit", "shape", "strides", "owner", "writable")

    def __init__(self, address, unit, shape, strides, owner, writable=True):
        self.address, self.unit, self.shape, self.owner, self.writable = address, unit, tuple(shape), owner, writable
        self.strides = None if strides is None or _is_dense(self.shape, strides) else tuple(strides)

    @property
    def elements(self):
        return math.prod(self.shape)


def _is_dense(shape, strides):
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != step:
            return math.prod(shape) == 0
        step *= extent
    return True


class _Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", _Device), ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("byte_offset", c.c_uint64)]


class _Managed(c.Structure):
    _fields_ = [("tensor", _Tensor), ("context", c.c_void_p), ("deleter", c.c_void_p)]


_pointer = c.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
_HOST_DEVICES = (1, 3)  # kDLCPU, kDLCUDAHost


def _of_dlpack(array):
    if array.__dlpack_device__()[0] not in _HOST_DEVICES:
        raise TypeError("the array has to be in the host's memory; move it there (.cpu())")
    if getattr(array, "requires_grad", False):
        array = array.detach()
    capsule = array.__dlpack__()  # who does not rename it frees the tensor with it
    tensor = c.cast(_pointer(capsule, b"dltensor"), c.POINTER(_Managed)).contents.tensor
    if tensor.bits * tensor.lanes % 8 != 0:
        raise TypeError("elements have to be whole bytes")
    rank = tensor.ndim
    return Memory((tensor.data or 0) + tensor.byte_offset, tensor.bits * tensor.lanes // 8, tensor.shape[:rank],
                  tensor.strides[:rank] if tensor.strides else None, (array, capsule))


def _of_interface(array):
    about = array.__array_interface__
    typestr, address = about["typestr"], about["data"]
    if typestr[0] == ">":
        raise TypeError("the array has to be little-endian")
    if typestr[1] not in "biufcV" or address is None:
        raise TypeError(f"elements of type {typestr} cannot be moved")
    unit, strides = int(typestr[2:]), about.get("strides")
    if strides is not None:
        if any(stride % unit for stride in strides):
            raise TypeError("the array's strides have to be whole elements")
        strides = [stride // unit for stride in strides]
    return Memory(address[0], unit, about["shape"], strides, array, not address[1])


def _of_buffer(array):
    view = memoryview(array)
    if not view.c_contiguous:
        raise TypeError("a buffer has to be contiguous")
    if view.readonly:
        owner = (c.c_char * view.nbytes).from_buffer_copy(view)
    else:
        owner = (c.c_char * view.nbytes).from_buffer(view)
    return Memory(c.addressof(owner), view.itemsize, view.shape, None, (owner, array), not view.readonly)


def memory_of(array):
    """The memory of an array. TypeError: it has none that could be used."""
    if hasattr(array, "__array_interface__"):
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(array, numpy.generic):
            array = numpy.asarray(array)  # a scalar's own address is that of a copy that nobody keeps
        return _of_interface(array)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array)
    if hasattr(array, "__array__"):
        return _of_interface(array.__array__())
    return _of_buffer(array)


def dense(array):
    """The array itself, or a dense copy of it."""
    memory = memory_of(array)
    if memory.strides is None:
        return memory
    if hasattr(array, "contiguous"):  # torch
        return memory_of(array.contiguous())
    if hasattr(array, "copy") and hasattr(array, "dtype"):  # NumPy
        return memory_of(array.copy("C"))
    raise TypeError("the array has to be dense and row-major")


def new_like(array, shape, unit):
    """A new array of that shape, of the kind and element type of an array, and its memory: torch where it is torch's,
    else NumPy's, else a memoryview of as many unsigned integers."""
    if hasattr(array, "new_empty"):  # torch
        out = array.new_empty(shape)
        return out, memory_of(out.detach() if hasattr(out, "detach") else out)
    numpy = sys.modules.get("numpy")
    if hasattr(array, "dtype"):
        if numpy is None:
            import numpy
        out = numpy.empty(shape, dtype=numpy.dtype(array.dtype))
        return out, memory_of(out)
    view = memoryview(array)
    count = 1
    for extent in shape:
        count *= extent
    raw = bytearray(count * unit)
    out = memoryview(raw)
    if count and shape:
        same = view.itemsize == unit and len(view.format) == 1
        out = out.cast(view.format if same else {1: "B", 2: "H", 4: "I", 8: "Q"}[unit], shape)
    return out, memory_of(raw)
