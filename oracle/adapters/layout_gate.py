"""The helper of adapters for `verify-layout gate`; Python 3.8 or later, the standard library only. README.md says how
to use it. Import it before the library under test: it takes standard output away, so that what a library prints there
reaches nobody's answers.

    import layout_gate
    import mylib

    @layout_gate.op("place", family="tirx")
    def place(c):                      # c: the request, a dict
        layout = mylib.Layout(c["parts"]["shard"])
        return ["m"], [[layout.address(i)] for i in range(layout.size)]

    layout_gate.serve("mylib", mylib.__version__, parts=["tirx"])
"""
import array
import base64
import functools
import json
import mmap
import operator
import os
import struct
import sys

__all__ = ["Refused", "Undecided", "Unsupported", "op", "serve", "answer_of", "registered", "hello_of", "answer_lines"]
PROTOCOL = 1
_SERVED = "LAYOUT_GATE_BULK" in os.environ  # the gate started this process
if _SERVED:
    _answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed goes to stderr, which the gate keeps


class Refused(Exception):
    """The library's documented no. `code` is a short word: which rule of its document."""

    def __init__(self, msg="", code="refused"):
        super().__init__(msg)
        self.code = code


class Undecided(Exception):
    """The library has an answer that means: too hard, unknown."""


class Unsupported(Exception):
    """The adapter or the library has no such thing."""


_ops = {}  # family -> {op: (function, contract)}


def op(name, family, contract=None):
    """Makes a function the answer to an operation. contract: a word or a list of words, what the library's own document
    requires of its input; leave it out where no document says it."""

    def register(function):
        _ops.setdefault(family, {})[name] = (function, contract)
        return function

    return register


def colex(element, shape):
    """The number of an element with its first coordinate fastest, as CuTe counts. element: with its last one fastest.
    Example: 4 of (2, 3), which is (1, 1), is 1 + 1*2 = 3."""
    number, step = 0, functools.reduce(operator.mul, shape, 1)
    for extent in reversed(shape):
        step //= extent
        element, digit = divmod(element, extent)
        number += digit * step
    return number


def _key(name):
    """The field of an answer for what a function returns for short."""
    kind = name.split(".")[0]
    if name in ("place.map", "print") or kind == "derive":
        return "layout"
    if name == "construct":
        return "answer"
    return {"measure": "value", "back": "elements",
            "decide": "answer", "image": "data", "cost": "value", "nests": "nests", "neutral": "data"}.get(kind)


_keys = {}


def _shaped(name, value, far=False):
    """What a function may return for short: a bool, an int, a text, a list, a pair. far: bytes stay bytes."""
    if isinstance(value, dict):
        return value
    if name in ("place", "place.at"):
        axes, values = value
        return {"axes": axes, "values": values}
    key = _keys.get(name) or _keys.setdefault(name, _key(name))
    if key == "answer":
        if isinstance(value, (bool, str)):
            return {"answer": value if isinstance(value, str) else "yes" if value else "no"}
        return value
    if key == "data":
        return {"data": value if far else base64.b64encode(value).decode()}
    return value if key is None else {key: value}


def _flat(values, width):
    """The rows as numbers of 64 bits, one after the other: an array of numpy, or a buffer; None where they are none, as
    an element without a place is."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(values, numpy.ndarray):
        return numpy.ascontiguousarray(values, "<i8").reshape(-1) if values.ndim == 2 else None
    out = array.array("q")
    try:
        for row in values:
            if len(row) != width:
                return None
            out.extend(row)
    except (TypeError, OverflowError):
        return None
    return out


def _far(case, answer, memory):
    """The answer with what is long in the shared memory, where the gate offers a place for it."""
    ok, place = answer.get("ok"), case.get("bulk")
    if memory is None or place is None or not isinstance(ok, dict):
        return answer
    at = place["at"]
    if isinstance(ok.get("data"), (bytes, bytearray, memoryview)):
        view = memoryview(ok["data"]).cast("B")
        if len(view) > place["bytes"]:
            return {"ok": {"data": base64.b64encode(view).decode()}}
        memory[at:at + len(view)] = view
        return {"ok": {"bulk": {"at": at, "bytes": len(view)}}}
    flat = _flat(ok["values"], len(ok["axes"])) if set(ok) == {"axes", "values"} else None
    if flat is None or 8 * len(flat) > place["bytes"] or sys.byteorder != "little":
        return answer
    memory[at:at + 8 * len(flat)] = memoryview(flat).cast("B")
    return {"ok": {"axes": ok["axes"], "bulk": {"at": at, "values": len(flat)}}}


def _data(given, memory):
    """The bytes of a request: in base64, or where they are in the shared memory."""
    if isinstance(given, str):
        return base64.b64decode(given)
    return memory[given["at"]:given["at"] + given["bytes"]]


def answer_of(case, refuses=(), memory=None):
    """The answer to one request, as the protocol has it: a dict with one key. memory: the one shared with the gate."""
    found = _ops.get(case.get("family"), {}).get(case.get("op"))
    if found is None:
        return {"unsupported": {"what": "%s of %s" % (case.get("op"), case.get("family"))}}
    try:
        if "data" in case:
            case = dict(case, data=_data(case["data"], memory))
        far = memory is not None and "bulk" in case
        answer = {"ok": _shaped(case["op"], found[0](case), far)}
        return _far(case, answer, memory) if far else answer
    except Refused as no:
        return {"refused": {"code": no.code, "msg": str(no)}}
    except Undecided as why:
        return {"undecided": {"why": str(why)}}
    except (Unsupported, NotImplementedError) as what:
        return {"unsupported": {"what": str(what)}}
    except tuple(refuses) as no:
        return {"refused": {"code": type(no).__name__, "msg": str(no)[:2000]}}
    except Exception as error:  # not documented: the gate calls it an error
        return {"error": {"class": type(error).__name__, "msg": str(error)[:2000]}}


def _plain(value):
    """Numbers and arrays of other libraries as JSON's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    try:
        return operator.index(value)
    except TypeError:
        return list(value)


def _encoder():
    """A value as JSON's text. The encoder of C is made once, where there is one: json makes it anew for each value,
    which takes as long as to encode a small answer."""
    try:
        chunks = json.encoder.c_make_encoder(None, _plain, json.encoder.encode_basestring_ascii, None, ":", ",", False,
                                             False, False)
        if "".join(chunks([1, {"a": None}], 0)) == '[1,{"a":null}]':
            return lambda value: "".join(chunks(value, 0))
    except (TypeError, AttributeError):
        pass
    return json.JSONEncoder(separators=(",", ":"), default=_plain, allow_nan=False).encode


_dumps = _encoder()


def _encoded(answer):
    try:
        return _dumps(answer)
    except (TypeError, ValueError, RecursionError) as error:  # what the function returned is no JSON
        return _dumps({"error": {"class": type(error).__name__, "msg": "the answer is no JSON: " + str(error)[:500]}})


class _Cursor:
    """Tells the gate which case is about to begin, so that it knows whom a crash belongs to."""

    def __init__(self):
        try:
            bulk = os.open(os.environ["LAYOUT_GATE_BULK"], os.O_RDWR)
            self.memory = mmap.mmap(bulk, os.fstat(bulk).st_size)
            os.close(bulk)
        except (OSError, ValueError):
            self.memory = None

    def at(self, seq, position):
        if self.memory is not None:
            struct.pack_into("<Q", self.memory, 0, seq << 16 | position)


def _in_a_child(seq, cases, refuses, memory):
    """The answers of a forked child, as far as it came, and how it ended if it did not come to the end."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reads)
            with os.fdopen(writes, "wb") as out:
                for case in cases:
                    out.write(_encoded(answer_of(case, refuses, memory)).encode() + b"\n")
                    out.flush()
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as answers:
        lines = answers.read().split(b"\n")[:-1]
    _, status = os.waitpid(child, 0)
    line = '{"seq":%d,"answers":[%s]' % (seq, ",".join(text.decode() for text in lines))
    if len(lines) == len(cases):
        return line + "}"
    how = '"signal":%d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else '"code":%d' % os.WEXITSTATUS(status)
    return line + ',"crashed":{%s}}' % how


def registered():
    """The operations that have functions: {family: [names]}."""
    return {family: list(ops) for family, ops in _ops.items()}


def hello_of(name, version, conventions=(), parts=(), limits={}, dtypes={}, language="python", issues=None, adapter="1",
             features=("cursor",)):
    """The handshake, as text."""
    families = {}
    for family, ops in _ops.items():
        of = {"form": "parts" if family in parts else "text", "ops": {}}
        for operation, (_, contract) in ops.items():
            of["ops"][operation] = {} if contract is None else {"contract": contract}
        if family in limits:
            of["limits"] = limits[family]
        if family in dtypes:
            of["dtypes"] = dtypes[family]
        families[family] = of
    hello = {"seq": 0, "protocol": PROTOCOL, "impl": {"name": name, "version": str(version), "language": language},
             "adapter": {"version": str(adapter)}, "features": list(features),
             "families": families, "conventions": dict(conventions)}
    if issues:
        hello["impl"]["issues"] = issues
    return _dumps(hello)


def answer_lines(lines, to, hello, answer, cursor=None, in_a_child=None):
    """Answers lines of questions until there are no more. answer: what one case becomes, a dict with one key."""
    forks = False
    for text in lines:
        line = json.loads(text)
        seq = line["seq"]
        if line.get("op") == "hello":
            forks = bool(line.get("fork")) and in_a_child is not None
            out = hello
        elif forks:
            out = in_a_child(seq, line["cases"])
        else:
            answers = []
            for position, case in enumerate(line["cases"]):
                if cursor is not None:
                    cursor.at(seq, position)
                answers.append(_encoded(answer(case)))
            out = '{"seq":%d,"answers":[%s]}' % (seq, ",".join(answers))
        to.write(out.encode() + b"\n")
        to.flush()


def serve(name, version, conventions=(), parts=(), limits={}, dtypes={}, refuses=(), language="python", issues=None,
          adapter="1"):
    """Answers until the gate has no more questions. version must come from the library at run time. parts: the families
    whose layouts are wanted as trees of numbers. refuses: the exceptions that the library documents as its no."""
    if not _SERVED:
        sys.exit("this is an adapter: run it as  verify-layout gate -- python3 %s" % sys.argv[0])
    hello = hello_of(name, version, dict(conventions), parts, limits, dtypes, language, issues, adapter,
                     ["bulk", "cursor", "data"] + (["fork"] if hasattr(os, "fork") else []))
    cursor = _Cursor()
    answer_lines(sys.stdin.buffer, _answers, hello, lambda case: answer_of(case, refuses, cursor.memory), cursor,
                 lambda seq, cases: _in_a_child(seq, cases, refuses, cursor.memory))
