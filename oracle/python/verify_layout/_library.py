"""libverify-layout.so by ctypes: its structs, its functions, and its errors as exceptions.

The library lies in lib/ beside this file, or where VERIFY_LAYOUT_LIBRARY says (a path). It is loaded when it is first
used, so that the commands, which do not use it, start at once.
"""
import ctypes as c
import os
import operator
import re

OK, BAD_ARGUMENT, BAD_TEXT, BAD_VALUE, OVERFLOW, BAD_SHAPE, NO_PLAN, DIFFERS, NO_MEMORY = range(9)
PACK, UNPACK, MOVE = range(3)
LOGICAL, PHYSICAL, REPLICAS = range(3)
AXES, TYPE, NORMAL, WARNINGS = range(4)
JSON, TEXT = range(2)


class InputError(ValueError):
    """A text or a value that cannot be used. `file` names the text ("layout", "tensor", …), `line` and `column` count
    from 1; each is None where the error has no place.

    >>> import verify_layout as vl
    >>> try:
    ...     vl.check("S[(8,64):(64,1)", "f16[8,64]")
    ... except vl.InputError as error:
    ...     print(error.file, error.line, error.column)
    layout 1 16
    """

    def __init__(self, message, file=None, line=None, column=None):
        super().__init__(message)
        self.file, self.line, self.column = file, line, column


class Request(c.Structure):
    _fields_ = [("size", c.c_uint64), ("direction", c.c_int64), ("tensor", c.c_char_p), ("layout", c.c_char_p),
                ("to", c.c_char_p), ("family", c.c_char_p), ("box", c.c_char_p), ("fill", c.c_char_p),
                ("strides", c.POINTER(c.c_int64)), ("rank", c.c_uint64), ("offset", c.c_int64),
                ("view_offset", c.c_int64)]


class CheckRequest(c.Structure):
    _fields_ = [("size", c.c_uint64), ("layout", c.c_char_p), ("tensor", c.c_char_p), ("family", c.c_char_p),
                ("box", c.c_char_p), ("strides", c.POINTER(c.c_int64)), ("rank", c.c_uint64), ("offset", c.c_int64),
                ("view_offset", c.c_int64), ("claims", c.POINTER(c.c_char_p)), ("claim_count", c.c_uint64),
                ("access", c.c_char_p), ("hardware", c.c_char_p), ("definitions", c.POINTER(c.c_char_p)),
                ("definition_count", c.c_uint64), ("seconds", c.c_double), ("flags", c.c_uint64),
                ("where", c.c_char_p)]


def path():
    """Where the library is."""
    given = os.environ.get("VERIFY_LAYOUT_LIBRARY")
    return given or os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libverify-layout.so")


class _Library:
    """The library's functions, by name."""

    def __getattr__(self, name):
        if not name.startswith("vl_"):
            raise AttributeError(name)
        self.__dict__.update(_load())
        return self.__dict__[name]


def _load():
    library = c.CDLL(path())
    functions = {}
    handle, text, size = c.c_void_p, c.c_char_p, c.c_size_t
    for name, result, arguments in [
            ("vl_version", text, []),
            ("vl_prepare", c.c_int, [c.POINTER(Request), c.POINTER(handle), text, size]),
            ("vl_run", c.c_int, [handle, handle, handle]),
            ("vl_explain", c.c_int, [handle, handle, text, size]),
            ("vl_source_bytes", c.c_uint64, [handle]),
            ("vl_destination_bytes", c.c_uint64, [handle]),
            ("vl_free", None, [handle]),
            ("vl_layout_open", c.c_int, [c.POINTER(Request), c.POINTER(handle), text, size]),
            ("vl_layout_shape", size, [handle, c.c_int, c.POINTER(c.c_int64), size]),
            ("vl_layout_text", size, [handle, c.c_int, text, size]),
            ("vl_layout_unit", size, [handle]),
            ("vl_layout_place", c.c_int, [handle, size, handle, handle, text, size]),
            ("vl_layout_free", None, [handle]),
            ("vl_check", c.c_int, [c.POINTER(CheckRequest), c.POINTER(handle), text, size]),
            ("vl_report_code", c.c_int, [handle]),
            ("vl_report_write", size, [handle, c.c_int, c.c_int64, text, size]),
            ("vl_report_free", None, [handle])]:
        function = functions[name] = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return functions


lib = _Library()


def version():
    """The version of the library, as in "0.1.0"."""
    return lib.vl_version().decode()


def text_of(value, name):
    """A text for the library, or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name} has to be a str, not {type(value).__name__}")
    encoded = value.encode()
    if b"\0" in encoded:
        raise InputError(f"{name} has a NUL character", name)
    return encoded


def texts_of(values, name):
    """An array of texts for the library, and their number."""
    if isinstance(values, str):
        raise TypeError(f"{name} has to be a list of str, not a str")
    values = [text_of(value, name) for value in values or ()]
    return (c.c_char_p * len(values))(*values), len(values)


def integer_of(value, name):
    """An integer of 64 bits."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}") from None
    if not -2**63 <= value < 2**63:
        raise InputError(f"{name}: {value} does not fit 64 bits", name)
    return value


def strides_of(values):
    """Strides for the library, and their number; None and 0 where none are given."""
    if values is None:
        return None, 0
    values = [integer_of(value, "strides") for value in values]
    return (c.c_int64 * max(len(values), 1))(*values), len(values)


def raised(status, why, request=None):
    """The exception of a status that is not OK. Lines and columns are those of the request's text."""
    message = why.decode(errors="replace")
    if status == NO_MEMORY:
        return MemoryError(message)
    if status not in (BAD_ARGUMENT, BAD_TEXT, BAD_VALUE, OVERFLOW, BAD_SHAPE, NO_PLAN, DIFFERS):
        return RuntimeError(f"a bug of verify-layout, please report it: {message}")
    place = re.match(r"(?:--)?(\w+)(?: at byte (\d+)| is unused)?: ", message)
    if not place or place.group(1) not in ("layout", "tensor", "strides", "box", "fill", "to", "family", "access",
                                           "hardware", "define"):
        return InputError(message)
    text = getattr(request, place.group(1), None)
    before = text[:int(place.group(2) or 0)] if isinstance(text, bytes) else b" " * int(place.group(2) or 0)
    return InputError(message, place.group(1), before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))


def call(function, *arguments):
    """Calls a function whose last two arguments are where to put why it refuses, and how much room is there."""
    why = c.create_string_buffer(1024)
    status = function(*arguments, why, len(why))
    if status != OK:
        raise raised(status, why.value, arguments[0] if arguments else None)


def written(function, *arguments):
    """The text of a function that writes it and returns its length."""
    text = c.create_string_buffer(4096)
    length = function(*arguments, text, len(text))
    if length >= len(text):
        text = c.create_string_buffer(length + 1)
        function(*arguments, text, len(text))
    return text.value.decode(errors="replace")
