"""The gate in a test of yours: it asks functions of this process, so that fixtures, debuggers and coverage work. Python
3.8 or later, the standard library only; the program verify-layout has to be installed (or VERIFY_LAYOUT names it).

    import gate_in_process, layout_gate, mylib

    @layout_gate.op("place", family="tirx")
    def place(c): ...

    test_mylib = gate_in_process.tests("mylib", mylib.__version__, parts=["tirx"], count=2000)

makes one test of pytest for each operation; it fails with what the gate found, and the case of it. Without pytest:
gate_in_process.check("mylib", mylib.__version__, parts=["tirx"]) raises AssertionError.

Nothing is contained here: a crash of the library is one of pytest, and a hang is one, too. For these there is
`verify-layout gate -- python3 adapter.py`.
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

import layout_gate

__all__ = ["check", "tests", "cases", "strategy"]
_RELAY = 'exec 5<&0; cat <&5 >"$0" & exec cat "$1"'  # the gate's child passes all on to this process


def _program():
    named = os.environ.get("VERIFY_LAYOUT") or shutil.which("verify-layout")
    if named is None:
        raise FileNotFoundError("there is no program verify-layout on PATH, and VERIFY_LAYOUT names none")
    return named


def _opened(path, child):
    """The questions, once the gate has started its child; None if the gate ended before."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    while not select.select([file], [], [], 0.05)[0]:
        if child.poll() is not None:
            os.close(file)
            return None
    os.set_blocking(file, True)
    return os.fdopen(file, "rb")


def _run(words, hello, answer):
    """The lines of a report, its exit code and what stands on stderr, of a gate that asks this process."""
    with tempfile.TemporaryDirectory(prefix="layout-gate-") as folder:
        asks, answers = os.path.join(folder, "asks"), os.path.join(folder, "answers")
        for path in (asks, answers):
            os.mkfifo(path)
        with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
            command = [_program(), "gate", *words, "--cage", "none", "--timeout", "86400", "--format", "jsonl", "--",
                       "/bin/sh", "-c", _RELAY, asks, answers]
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                while child.poll() is None:  # it may start the relay again
                    lines = _opened(asks, child)
                    if lines is None:
                        break
                    try:
                        with lines, open(answers, "wb") as to:
                            layout_gate.answer_lines(lines, to, hello, answer)
                    except BrokenPipeError:  # the gate has heard enough
                        pass
                code = child.wait()
            except BaseException:
                child.kill()
                child.wait()
                raise
            out.seek(0), err.seek(0)
            return [json.loads(line) for line in out], code, err.read().decode(errors="replace")


def _said(finding):
    out = "%s (%s, %d times)\n  %s" % (finding["signature"], finding["judgement"], finding["count"], finding["detail"])
    for key in ("case", "answer", "right"):
        if finding.get(key) is not None:
            out += "\n  %-7s%s" % (key, json.dumps(finding[key], separators=(",", ":")))
    return out


def check(name, version, count=1000, seed=1, families=(), ops=(), expect=None, refuses=(), **serve):
    """Asks the functions that layout_gate.op registered, and raises AssertionError unless the gate is content. Further
    arguments are those of layout_gate.serve. Returns the lines of the report."""
    words = ["--count", str(count), "--seed", str(seed), "--repeat", "0"]
    for option, values in (("--family", families), ("--op", ops), ("--expect", [expect] if expect else [])):
        for value in values:
            words += [option, os.fspath(value)]
    hello = layout_gate.hello_of(name, version, features=(), **serve)
    lines, code, errors = _run(words, hello, lambda case: layout_gate.answer_of(case, refuses))
    found = [_said(line) for line in lines if line.get("kind") == "finding" and not line.get("known")]
    if found or code != 0:
        undecided = ["nothing was judged of %s/%s" % (line["family"], line["op"]) for line in lines
                     if line.get("kind") == "operation" and line["agree"] + line["disagree"] == 0]
        raise AssertionError("\n".join(found + undecided + ([] if found else [errors, "exit code %d" % code])))
    return lines


def tests(name, version, count=1000, **options):
    """A test function of pytest, once for each operation that is registered now."""
    import pytest

    pairs = [(family, operation) for family, all_ops in layout_gate.registered().items() for operation in all_ops]

    @pytest.mark.parametrize("family,operation", pairs, ids=["%s-%s" % pair for pair in pairs])
    def test_operation(family, operation):
        said = None
        try:
            check(name, version, count=count, families=[family], ops=[operation], **options)
        except AssertionError as what:
            said = str(what)
        if said is not None:
            pytest.fail(said, pytrace=False)

    return test_operation


def cases(family, operation, count=100, seed=1, parts=True):
    """The requests of the gate's first cases of an operation: dicts, as the functions get them."""
    out = []
    hello = {"seq": 0, "protocol": layout_gate.PROTOCOL, "impl": {"name": "cases", "version": "1"}, "conventions": {},
             "families": {family: {"form": "parts" if parts else "text", "ops": {operation: {}}}}}
    _, code, errors = _run(["--count", str(count), "--seed", str(seed), "--repeat", "0"], json.dumps(hello),
                           lambda case: out.append(case) or {"unsupported": {"what": "only recorded"}})
    if code not in (0, 5):
        raise RuntimeError(errors)
    return out


def strategy(family, operation, count=100, seed=1, parts=True):
    """A strategy of Hypothesis that draws one of these cases; it shrinks towards the first ones."""
    from hypothesis import strategies

    return strategies.sampled_from(cases(family, operation, count, seed, parts))


if __name__ == "__main__":
    sys.exit(__doc__)
