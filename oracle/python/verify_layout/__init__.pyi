from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Optional, Union

__version__: str
__all__ = ["InputError", "Layout", "Report", "Verdict", "assert_layout", "check"]

_Word = Literal["proved", "refuted", "unknown", "vacuous", "unsupported"]

class InputError(ValueError):
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    def __init__(self, message: str, file: Optional[str] = ..., line: Optional[int] = ..., column: Optional[int] = ...) -> None: ...

class Verdict:
    claim: str
    verdict: _Word
    value: Optional[int]
    engine: Optional[str]
    certificate: Literal["checked", "trusted", "none"]
    counterexample: Optional[dict[str, Union[int, list[int]]]]
    reason: Optional[str]
    tensor_source: str
    note: str
    warnings: tuple[str, ...]
    record: dict[str, Any]
    def __init__(self, record: dict[str, Any], text: str) -> None: ...
    @property
    def ok(self) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Report:
    code: int
    record: dict[str, Any]
    verdicts: tuple[Verdict, ...]
    def __init__(self, code: int, document: dict[str, Any], text: str, parts: Iterable[str]) -> None: ...
    @property
    def ok(self) -> bool: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    def __getitem__(self, claim: str) -> Verdict: ...
    def __contains__(self, claim: object) -> bool: ...
    def __iter__(self) -> Iterator[Verdict]: ...
    def __len__(self) -> int: ...

class Layout:
    text: str
    tensor: str
    shape: tuple[int, ...]
    physical_shape: tuple[int, ...]
    axes: tuple[str, ...]
    replicas: int
    dtype: str
    itemsize: int
    normal: str
    warnings: tuple[str, ...]
    def __init__(self, text: str, tensor: str, *, strides: Optional[Sequence[int]] = ..., offset: int = ...,
                 view_offset: int = ..., box: Optional[str] = ..., family: Optional[str] = ...) -> None: ...
    def place(self, elements: Any) -> Any: ...
    def pack(self, array: Any, fill: Union[int, float, str] = ..., out: Any = ...) -> Any: ...
    def unpack(self, image: Any, out: Any = ...) -> Any: ...

def check(layout: str, tensor: Optional[str] = ..., *, claims: Optional[Sequence[str]] = ...,
          strides: Optional[Sequence[int]] = ..., offset: int = ..., view_offset: int = ..., box: Optional[str] = ...,
          family: Optional[str] = ..., access: Optional[str] = ..., hardware: Optional[str] = ...,
          where: Optional[str] = ..., define: Optional[Mapping[str, int]] = ..., timeout: Optional[float] = ..., strict: bool = ...) -> Report: ...
def assert_layout(layout: str, tensor: Optional[str] = ..., *, claims: Optional[Sequence[str]] = ...,
                  strides: Optional[Sequence[int]] = ..., offset: int = ..., view_offset: int = ...,
                  box: Optional[str] = ..., family: Optional[str] = ..., access: Optional[str] = ...,
                  hardware: Optional[str] = ..., where: Optional[str] = ..., define: Optional[Mapping[str, int]] = ...,
                  timeout: Optional[float] = ..., strict: bool = ...) -> None: ...
