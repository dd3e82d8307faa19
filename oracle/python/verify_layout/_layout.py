"""Layouts applied to coordinates and to arrays."""
import ctypes as c

from . import _library as library
from ._arrays import dense, memory_of, new_like
from ._library import InputError, lib

__all__ = ["Layout"]


_MOST_PLANS = 64  # that a layout remembers


def _dense_strides(shape):
    """Row-major, in elements: those of (2, 3, 5) are (15, 5, 1)."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


class _Plan:
    """A certified plan: pack or unpack with one value for the padding."""

    def __init__(self, request):
        self.of = c.c_void_p()
        library.call(lib.vl_prepare, request, self.of)
        self.source = lib.vl_source_bytes(self.of)
        self.destination = lib.vl_destination_bytes(self.of)

    def run(self, source, destination):
        status = lib.vl_run(self.of, source.address, destination.address)
        if status == library.DIFFERS:
            library.call(lib.vl_explain, self.of, source.address)
        if status != library.OK:
            raise library.raised(status, b"the memories of the two arrays overlap")

    def __del__(self):
        if self.of:
            lib.vl_free(self.of)


class Layout:
    """A layout of one tensor.

    text, tensor  as of check; strides, offset, view_offset, box, family too
    shape           of the tensor
    physical_shape  of its image in device memory, in the order of the memory; for layouts on named axes the extent of
                    each axis of `axes`
    axes            the names of the physical dimensions
    replicas        in how many slots each element lives
    dtype           the element type's name, "f16"
    itemsize        bytes of an element in images; 0 where elements are no whole bytes, which cannot be packed
    normal          the layout in its family's raw notation
    warnings        what a reader must know of the texts

    Raises InputError for texts that cannot be read, or that name no layout.

    >>> import verify_layout as vl
    >>> layout = vl.Layout("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]")
    >>> layout.physical_shape, layout.itemsize, layout.axes
    ((100, 3, 5, 64), 2, ('d0', 'd1', 'd2', 'd3'))
    """

    def __init__(self, text, tensor, *, strides=None, offset=0, view_offset=0, box=None, family=None):
        self.text, self.tensor = text, tensor
        self._of, self._plans = c.c_void_p(), {}
        self._texts = {name: library.text_of(value, name) for name, value in
                       (("layout", text), ("tensor", tensor), ("box", box), ("family", family))}
        self._strides, self._rank = library.strides_of(strides)
        self._offset = library.integer_of(offset, "offset")
        self._view_offset = library.integer_of(view_offset, "view_offset")
        library.call(lib.vl_layout_open, self._request(library.PACK), self._of)
        self.shape, self.physical_shape, replicas = (self._extents(side) for side in range(3))
        self.replicas = 1
        for extent in replicas:
            self.replicas *= extent
        self.axes = tuple(self._say(library.AXES).split())
        self.dtype, self.normal = self._say(library.TYPE), self._say(library.NORMAL)
        self.warnings = tuple(self._say(library.WARNINGS).splitlines())
        self.itemsize = lib.vl_layout_unit(self._of)

    def __del__(self):
        if getattr(self, "_of", None):
            lib.vl_layout_free(self._of)

    def __repr__(self):
        return f"Layout({self.text!r}, {self.tensor!r})"

    def _request(self, direction, fill=None):
        return library.Request(size=c.sizeof(library.Request), direction=direction, fill=fill, strides=self._strides,
                               rank=self._rank, offset=self._offset, view_offset=self._view_offset, **self._texts)

    def _extents(self, side):
        rank = lib.vl_layout_shape(self._of, side, None, 0)
        extents = (c.c_int64 * max(rank, 1))()
        lib.vl_layout_shape(self._of, side, extents, rank)
        return tuple(extents[:rank])

    def _say(self, what):
        return library.written(lib.vl_layout_text, self._of, what)

    def place(self, elements):
        """The slots of elements: a list of coordinates in, one list of slots out, each a list of coordinates along the
        physical axes; of a layout with replicas, a list of such slots for each element. A NumPy array of integers
        [n, rank] gives an array of int64 [n, physical rank], or [n, replicas, physical rank].

        Raises InputError for an element that the tensor does not have, and for one without a slot.

        >>> import verify_layout as vl
        >>> vl.Layout("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]").place([[2, 7, 40]])
        [[7, 0, 2, 40]]
        """
        rank, physical = len(self.shape), len(self.physical_shape)
        numbers = elements.tolist() if hasattr(elements, "tolist") else elements
        rows = [tuple(row) for row in numbers]
        for row in rows:
            if len(row) != rank:
                raise InputError(f"element {list(row)} has {len(row)} coordinates, the tensor has {rank}")
        flat = [library.integer_of(x, "elements") for row in rows for x in row]
        given = (c.c_int64 * max(len(flat), 1))(*flat)
        each = self.replicas * physical
        places = (c.c_int64 * max(len(rows) * each, 1))()
        library.call(lib.vl_layout_place, self._of, len(rows), given, places)
        out = []
        for k in range(len(rows)):
            slots = [places[k * each + r * physical:k * each + (r + 1) * physical] for r in range(self.replicas)]
            out.append(slots[0] if self.replicas == 1 else slots)
        if not hasattr(elements, "tolist"):
            return out
        import numpy
        shape = (len(rows), physical) if self.replicas == 1 else (len(rows), self.replicas, physical)
        return numpy.array(out, dtype=numpy.int64).reshape(shape)

    def pack(self, array, fill=0, out=None):
        """The image of an array in device memory: every element in its slots, `fill` in all padding.

        array  of the tensor's shape; NumPy's, torch's or another one in the host's memory that speaks DLPack, or a
               buffer. Its elements have `itemsize` bytes and are moved as they are, so NaN payloads survive. A copy is
               made only of an array that is not dense. With strides or an offset: the view itself, or one dimension
               that holds the memory from its first element on
        fill   a number of the tensor's element type, or a text: "nan", "-inf", "bits:0xfe01"
        out    the image, an array of physical_shape to write to; by default a new one of the array's kind

        Returns the image. Raises InputError where two elements share a slot or one has none, and for a fill that the
        type does not have; TypeError, ValueError for arrays that do not fit.

        >>> from array import array
        >>> import verify_layout as vl
        >>> layout = vl.Layout("S[(2,3):(4,1)]", "u16[2,3]")
        >>> layout.pack(array("H", range(6)), fill=9).tolist()
        [0, 1, 2, 9, 3, 4, 5]
        """
        plan = self._plan(library.PACK, fill)
        source = self._host(array, plan.source)
        if out is None:
            out, destination = new_like(array, self.physical_shape, self.itemsize)
        else:
            destination = self._device(out, plan.destination)
        self._run(plan, source, destination)
        return out

    def unpack(self, image, out=None):
        """The array of an image: the inverse of pack; padding is not read.

        image  of physical_shape, or of one dimension, as for pack
        out    the array to write to, of the tensor's shape; by default a new one of the image's kind. With strides or
               an offset the result is one dimension, the host's memory, whose other elements are 0

        Raises InputError where the copies of an element differ.

        >>> from array import array
        >>> import verify_layout as vl
        >>> vl.Layout("S[(2,3):(4,1)]", "u16[2,3]").unpack(array("H", [0, 1, 2, 9, 3, 4, 5])).tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        plan = self._plan(library.UNPACK, 0)
        source = self._device(image, plan.source)
        if out is None:
            viewed = self._strides is not None or self._offset != 0
            shape = (plan.destination // self.itemsize,) if viewed else self.shape
            out, destination = new_like(image, shape, self.itemsize)
            if viewed:
                c.memset(destination.address, 0, plan.destination)
        else:
            destination = self._host(out, plan.destination, False)
        self._run(plan, source, destination)
        return out

    def _plan(self, direction, fill):
        # The text tells 0.0 from -0.0, and one nan is like another.
        text = fill if isinstance(fill, str) else repr(fill.item() if hasattr(fill, "item") else fill)
        key = (direction, text)
        plan = self._plans.get(key)
        if plan is None:
            if self.itemsize == 0:
                raise InputError(f"elements of type {self.dtype} are no whole bytes", "tensor")
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = _Plan(self._request(direction, library.text_of(text, "fill")))
        return plan

    def _run(self, plan, source, destination):
        if not destination.writable:
            raise ValueError("the array to write to is read-only")
        plan.run(source, destination)

    def _fits(self, memory, what):
        if memory.unit != self.itemsize:
            raise TypeError(f"elements of the {what} have {memory.unit} bytes; expected {self.itemsize} for {self.dtype}")
        return memory

    def _host(self, array, size, may_copy=True):
        memory = self._fits(memory_of(array), "array")
        if self._strides is not None or self._offset != 0:
            return self._view(memory, size)
        if memory.strides is not None:
            if not may_copy:
                raise ValueError("the array to write to has to be dense and row-major")
            memory = dense(array)
        if memory.shape != self.shape and not (len(memory.shape) == 1 and memory.elements * memory.unit == size):
            raise ValueError(f"the array's shape is {memory.shape}; expected {self.shape}")
        return memory

    def _view(self, memory, size):
        if memory.shape == self.shape and (memory.strides or _dense_strides(memory.shape)) == self._host_strides():
            memory.address -= self._offset * memory.unit
            return memory
        if len(memory.shape) == 1 and memory.strides is None and memory.elements * memory.unit >= size:
            return memory
        raise ValueError(f"expected an array of shape {self.shape} with these strides, or its memory: one dimension of at "
                         f"least {size // memory.unit} elements")

    def _host_strides(self):
        return tuple(self._strides[:self._rank]) if self._strides is not None else _dense_strides(self.shape)

    def _device(self, array, size):
        memory = self._fits(memory_of(array), "image")
        if memory.strides is not None:
            raise ValueError("an image has to be dense and row-major")
        if memory.shape != self.physical_shape and not (len(memory.shape) == 1 and memory.elements * memory.unit == size):
            raise ValueError(f"the image's shape is {memory.shape}; expected {self.physical_shape}")
        return memory
