"""Verdicts: check, and what it returns."""
import ctypes as c
import json

from . import _library as library
from ._library import InputError, lib

__all__ = ["Report", "Verdict", "assert_layout", "check"]


class Verdict:
    """One claim with its answer. Its fields are those of a verdict's record (verifier/report/README.md).

    claim           the claim's name
    verdict         "proved", "refuted", "unknown", "vacuous" or "unsupported"
    value           the number of a claim that measures; else None
    engine          who decided; None if nobody did
    certificate     "checked", "trusted" or "none"
    counterexample  of a refutation: a dict of coordinates and numbers; else None
    reason          why nothing was decided; else None
    tensor_source   "given", "stated" (by the layout's text) or "assumed": then nothing is claimed that needs more of it
    note            a remark for people; may be ""
    warnings        what a reader must know of the texts
    record          all fields

    str() is the answer as the command prints it. A verdict is equal to a text that is its word. It has no truth value:
    unknown is neither true nor false.

    >>> import verify_layout as vl
    >>> slot = vl.check("S[(2,2):(1,1)]", "u8[2,2]")["injective"]
    >>> slot.verdict, slot.counterexample
    ('refuted', {'a': [0, 1], 'b': [1, 0], 'physical': [1]})
    >>> slot == "refuted", slot != "refuted"
    (True, False)
    """

    def __init__(self, record, text):
        self.record, self._text = record, text
        self.claim, self.verdict, self.value = record["claim"], record["verdict"], record["value"]
        self.engine, self.certificate = record["engine"], record["certificate"]
        self.counterexample, self.reason = record["counterexample"], record["reason"]
        self.warnings, self.note = tuple(record["warnings"]), record.get("note", "")
        self.tensor_source = record["tensor_source"]

    @property
    def ok(self):
        """Whether it is proved (a claim that measures: computed), and as expected, where something was."""
        return self.verdict == "proved" and self.record["as_expected"] is not False

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<Verdict {self.claim}: {self.verdict if self.value is None else self.value}>"

    def __eq__(self, other):
        if isinstance(other, str):
            return self.verdict == other
        if isinstance(other, (int, float)):  # bool, too
            raise TypeError("a verdict is neither a number nor true or false; compare .value or .ok")
        return NotImplemented

    def __hash__(self):
        return hash(self.verdict)  # that of the texts that it is equal to

    def __bool__(self):
        raise TypeError("a verdict has no truth value; compare .verdict, or use .ok")


class Report:
    """The verdicts of one layout, in the order in which they were asked.

    report["bijective"] is the verdict of that claim, iteration gives all of them, and str() is the output of
    `verify-layout check`. `ok` is true if its exit code is 0: everything is proved, and something was judged.
    """

    def __init__(self, code, document, text, parts):
        self.code, self.record, self._text = code, document, text
        self.verdicts = tuple(Verdict(record, part) for record, part in zip(document["results"], parts))

    @property
    def ok(self):
        return self.code == 0

    @property
    def warnings(self):
        """What a reader must know of the texts, each once."""
        return tuple(dict.fromkeys(warning for verdict in self.verdicts for warning in verdict.warnings))

    def __getitem__(self, claim):
        for verdict in self.verdicts:
            if verdict.claim == claim:
                return verdict
        raise KeyError(f"{claim!r} was not asked; asked were {', '.join(verdict.claim for verdict in self.verdicts)}")

    def __contains__(self, claim):
        return any(verdict.claim == claim for verdict in self.verdicts)

    def __iter__(self):
        return iter(self.verdicts)

    def __len__(self):
        return len(self.verdicts)

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<Report {'ok' if self.ok else 'not ok'}: {', '.join(f'{v.claim} {v.verdict}' for v in self.verdicts)}>"

    def __bool__(self):
        raise TypeError("a report has no truth value; use .ok")


class _Handle:
    """A report of the library, which is freed in any case."""

    def __init__(self, request):
        self.of = c.c_void_p()
        library.call(lib.vl_check, request, self.of)

    def __enter__(self):
        return self.of

    def __exit__(self, *_):
        lib.vl_report_free(self.of)


_made: dict = {}  # reports by what was asked: of the last _MOST questions, where all was decided
_MOST = 512


def check(layout, tensor=None, *, claims=None, strides=None, offset=0, view_offset=0, box=None, family=None,
          access=None, hardware=None, where=None, define=None, timeout=None, strict=False):
    """Proves or refutes claims about a layout.

    layout       the text, as its own system prints or constructs it
    tensor       "f16[5,100,150]": element type and shape; wins over what the layout's text says, and is not needed
                 where that says it
    claims       names, also with arguments as on the command line: ["bijective", "padding=21000", "equal=S[8:1]"];
                 by default those of the layout's family; with an access, what it asks: conflict-free, wavefronts
                 and conflicts
    strides      of the host, in elements; dense row-major by default
    offset       of the host's first element, in elements
    view_offset  the start of a view in the device allocation, in elements
    box          declared extents of named axes: "laneid=32, m=64"
    family       the family's name; by default by the text
    access       of claims about accesses: "lanes=32 width=16 at=[lane % 16, lane / 16 * 8]"
    hardware     of that access, the name or path of a profile; "sm_90" by default
    where        conditions on names in the layout and the tensor, "P >= N, M % 64 == 0"; names are >= 1 without
    define       numbers for names in these texts: {"BM": 128}
    timeout      seconds after which an answer is unknown (timeout); 600 by default
    strict       warnings, and a tensor that is assumed, make the report not ok

    Returns a Report. Raises InputError for texts that cannot be read, and for an argument that nothing would use: an
    access of which no claim is, a number for a name that no text has. The same question is decided once: the report is
    the same object as before, unless something was left undecided.

    >>> import verify_layout as vl
    >>> report = vl.check("S[(8,64):(64,1)]", "f16[8,64]", claims=["injective", "in-bounds"])
    >>> print(report, end="")
    S[(8,64):(64,1)]  f16[8,64]
      proved      injective
      proved      in-bounds       of its own span
    1 case: 2 proved, 0 refuted, 0 unknown
    """
    # Lists and dicts become tuples, so that what was asked can be looked up.
    key = (layout, tensor, None if claims is None else (claims if isinstance(claims, str) else tuple(claims)),
           None if strides is None else tuple(strides), offset, view_offset, box, family, access, hardware, where,
           None if define is None else tuple(define.items()), timeout, strict)
    found = _made.get(key)
    if found is None:
        found = _check(*key)
        files = any("/" in text or ".toml" in text for text in (hardware, *(claims or ())) if text)  # which may change
        if not files and found.code in (0, 10) and all(verdict.verdict != "unknown" for verdict in found):
            if len(_made) >= _MOST:
                _made.clear()
            _made[key] = found
    return found


def _check(layout, tensor, claims, strides, offset, view_offset, box, family, access, hardware, where, define, timeout,
           strict):
    request = library.CheckRequest(size=c.sizeof(library.CheckRequest), flags=1 if strict else 0)
    request.layout = library.text_of(layout, "layout")
    for name, value in (("tensor", tensor), ("box", box), ("family", family), ("access", access), ("hardware", hardware),
                        ("where", where)):
        setattr(request, name, library.text_of(value, name))
    request.strides, request.rank = library.strides_of(strides)
    request.offset = library.integer_of(offset, "offset")
    request.view_offset = library.integer_of(view_offset, "view_offset")
    if claims is not None and len(claims) == 0:
        raise InputError("claims: expected at least one; without the argument the family's are asked", "claims")
    request.claims, request.claim_count = library.texts_of(claims, "claims")
    request.definitions, request.definition_count = library.texts_of(
        [f"{name}={library.integer_of(value, name)}" for name, value in define or ()], "define")
    if timeout is not None:
        request.seconds = float(timeout)
        if not request.seconds > 0:
            raise InputError(f"timeout: expected more than 0 seconds, not {timeout}", "timeout")
    with _Handle(request) as handle:
        document = json.loads(library.written(lib.vl_report_write, handle, library.JSON, -1))
        results = document["results"]
        for record in results:
            if record["kind"] == "skipped":
                raise InputError(record["reason"], "tensor")
            if record["kind"] != "verdict":
                file = (record["file"] or "").lstrip("-")
                place = ":".join(str(part) for part in (file, record["line"], record["column"]) if part is not None)
                raise InputError(f"{place}: {record['message']}", file, record["line"], record["column"])
        text = library.written(lib.vl_report_write, handle, library.TEXT, -1)
        parts = [library.written(lib.vl_report_write, handle, library.TEXT, k) for k in range(len(results))]
        return Report(lib.vl_report_code(handle), document, text, parts)


def assert_layout(layout, tensor=None, *, claims=None, **options):
    """Raises AssertionError, with the text output, unless every claim is proved. The arguments are those of check.

    >>> import verify_layout as vl
    >>> vl.assert_layout("S[(8,64):(64,1)]", "f16[8,64]", claims=["injective"])
    >>> vl.assert_layout("S[(2,2):(1,1)]", "u8[2,2]", claims=["injective"])
    Traceback (most recent call last):
        ...
    AssertionError: S[(2,2):(1,1)]  u8[2,2]
      refuted     injective       elements [0, 1] and [1, 0] share the slot [1]
    ...
    """
    __tracebackhide__ = True
    report = check(layout, tensor, claims=claims, **options)
    if not report.ok:
        raise AssertionError(str(report).rstrip("\n"))
