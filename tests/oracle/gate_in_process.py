# The gate in a test of somebody's own: run by gate_run_in_process_campaign.cpp as
#   python3 gate_in_process.py ADAPTERS right|wrong|cases|pytest
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import gate_in_process  # noqa: E402
import layout_gate  # noqa: E402

wrong = sys.argv[2] == "wrong"
asked = []


@layout_gate.op("measure.size", family="tirx")
def size(c):
    asked.append(os.getpid())
    out = 1
    for extent in c["tensor"]["shape"]:
        out *= extent
    return out + (1 if wrong and c["tensor"]["shape"][:1] == [2] else 0)


if sys.argv[2] == "cases":
    cases = gate_in_process.cases("tirx", "derive.slice", count=30, seed=4)
    assert len(cases) == 30, len(cases)
    assert cases == gate_in_process.cases("tirx", "derive.slice", count=30, seed=4)
    assert all(case["op"] == "derive.slice" and case["parts"]["shard"] is not None for case in cases)
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        print("hypothesis is not installed")
    else:
        assert gate_in_process.strategy("tirx", "derive.slice", count=30, seed=4).example() in cases
elif sys.argv[2] == "pytest":
    try:
        import pytest
    except ImportError:
        print("pytest is not installed")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_small.py")
        with open(path, "w") as file:
            file.write("import sys; sys.path.insert(0, %r)\nimport gate_in_process, layout_gate\n"
                       "@layout_gate.op('measure.size', family='tirx')\ndef size(c): return 0\n"
                       "test_small = gate_in_process.tests('small', 1, count=100)\n" % sys.argv[1])
        assert pytest.main(["-q", "-p", "no:cacheprovider", path]) == 1
else:
    try:
        lines = gate_in_process.check("small", 1, count=300, parts=["tirx"])
        assert not wrong and lines[-1]["agree"] == 300, lines[-1]
    except AssertionError as what:
        assert wrong and "measure.size/value/" in str(what) and "the answer says" in str(what), what
    assert len(asked) >= 300 and set(asked) == {os.getpid()}
print("done")
