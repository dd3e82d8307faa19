"""Verdicts on tensor layouts, and layouts applied to arrays.

    >>> import verify_layout as vl
    >>> report = vl.check("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]")
    >>> report.ok, report["bijective"].verdict, report["padding"].value
    (True, 'proved', 21000)
    >>> layout = vl.Layout("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]")
    >>> layout.physical_shape
    (100, 3, 5, 64)

Everything is decided in this process, by the library that lies beside this file; no process is started. A layout is
accepted as its own system prints or constructs it. Lengths, strides and offsets are in elements.
"""
from ._check import Report, Verdict, assert_layout, check
from ._layout import Layout
from ._library import InputError, version

__all__ = ["InputError", "Layout", "Report", "Verdict", "assert_layout", "check"]


def __getattr__(name):
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
