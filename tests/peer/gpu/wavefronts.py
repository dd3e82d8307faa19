"""Shared-memory accesses, drawn and evaluated here, for the GPU (wavefronts.cu) and for `verify-layout check`.

  wavefronts.py draw COUNT SEED FOLDER      accesses.json, accesses.txt (for the GPU), accesses.toml (for check)
  wavefronts.py compare FOLDER              with cycles.txt, counters.csv of the GPU and check.jsonl of the program
  wavefronts.py corpus FOLDER               a corpus file of what the GPU counted: corpus/tirx/measured.toml

Addresses are computed by what TVM's docs/tirx/layout.rst says of tiles and swizzles; nothing of the project is used.
An access with `for` is one line a choice of its variable; it costs what the worst of them costs.
"""
import csv
import json
import os
import random
import sys

TYPES = {"u8": 1, "f16": 2, "f32": 4, "f64": 8}
MATRICES = {"%smatrix.x%d" % (kind, n): 8 * n for kind in ("ld", "st") for n in (1, 2, 4)}
MEMORY = 96 * 1024 - 16
CONDITIONS = [(None, lambda lane: True), ("lane < 8", lambda lane: lane < 8), ("lane < 20", lambda lane: lane < 20),
              ("lane % 2 == 0", lambda lane: lane % 2 == 0), ("lane % 3 < 2", lambda lane: lane % 3 < 2),
              ("lane >= 16", lambda lane: lane >= 16), ("lane / 4 % 2 == 1", lambda lane: lane // 4 % 2 == 1)]


def index(rng, extent, step, agreeing):
    """An expression of the lane and j below `extent`, a multiple of `step`: its text and its function."""
    if agreeing == 2 and rng.random() < 0.5:  # lanes 0 and 2, 1 and 3
        a, b = rng.randrange(extent // step), rng.randrange(extent // step)
        return ("((lane %% 2 * %d + lane / 4 * %d) %% %d) * %d" % (a, b, extent // step, step),
                lambda lane, j: (lane % 2 * a + lane // 4 * b) % (extent // step) * step)
    if agreeing > 1:
        a = rng.randrange(extent // step)
        return ("(lane / %d * %d %% %d) * %d" % (agreeing, a, extent // step, step),
                lambda lane, j: lane // agreeing * a % (extent // step) * step)
    places = extent // step
    kind = rng.randrange(7)
    a, b, q = rng.randrange(places), rng.randrange(places), rng.choice([1, 2, 3, 4, 8, 16])
    text, value = [
        ("%d" % a, lambda lane, j: a),
        ("lane %% %d" % places, lambda lane, j: lane % places),
        ("lane / %d %% %d" % (q, places), lambda lane, j: lane // q % places),
        ("(lane * %d + %d) %% %d" % (a, b, places), lambda lane, j: (lane * a + b) % places),
        ("(lane %% %d * %d + lane / %d * %d + %d) %% %d" % (q, a, q, b, a, places),
         lambda lane, j: (lane % q * a + lane // q * b + a) % places),
        ("(lane + j * %d) %% %d" % (a, places), lambda lane, j: (lane + j * a) % places),
        ("(lane * %d + lane / %d * %d + lane / 8 * %d) %% %d" % (a, q, b, a, places),
         lambda lane, j: (lane * a + lane // q * b + lane // 8 * a) % places),
    ][kind]
    return ("(%s) * %d" % (text, step) if step > 1 else text), (lambda lane, j: value(lane, j) * step)


def draw(rng):
    """One access, or None where a lane's address is not a multiple of its width."""
    op = rng.choice(["ld%d" % w for w in (1, 2, 4, 8, 16, 8, 16)] + ["st%d" % w for w in (1, 2, 4, 8, 16, 8, 16)] +
                    list(MATRICES))
    matrix = op in MATRICES
    width = 16 if matrix else int(op[2:])
    dtype = rng.choice([t for t, n in TYPES.items() if n <= width])
    size = TYPES[dtype]
    rows = rng.choice([8, 16, 32, 64, 12])
    columns = rng.choice([16, 32, 64, 128, 24]) * max(1, 4 // size)
    pad = rng.choice([0, 0, 0, 1, 2, 4, 8]) * max(1, width // size)
    transposed = rng.random() < 0.15
    pitch = (rows if transposed else columns) + pad
    strides = (1, pitch) if transposed else (pitch, 1)
    offset = rng.choice([0, 0, 0, width // size, 32 * width // size])
    swizzle = None
    if rng.random() < 0.4 and offset == 0:
        per = rng.choice([0, 1, 2, 3, 4])
        length = rng.choice([1, 2, 3])
        swizzle = (per, length, rng.choice([length, 3, 4]))
        swizzle = (per, length, max(swizzle[2], length))
    tile = "S[(%d,%d):(%d,%d)]" % (rows, columns, *strides) + (" + %d" % offset if offset else "")
    layout = "ComposeLayout(%d, %d, %d, %s)" % (*swizzle, tile) if swizzle else tile
    step = width // size
    if step > (rows if transposed else columns):
        return None
    agreeing = rng.choice([1, 1, 2, 2, 4]) if width >= 8 else 1  # lanes that name one element
    row_text, row = index(rng, rows, step if transposed else 1, agreeing)
    column_text, column = index(rng, columns, 1 if transposed else step, agreeing)
    when, active = (None, lambda lane: True) if matrix else rng.choice(CONDITIONS + CONDITIONS[:1] * 6)
    lanes = MATRICES.get(op) or rng.choice([32, 32, 32, 32, 20, 16, 8])
    loop = rng.choice([1, 1, 1, 1, 1, 4]) if "j" in row_text + column_text else 1
    if "j" in row_text + column_text and loop == 1:
        return None

    def address(lane, j):
        element = offset + row(lane, j) * strides[0] + column(lane, j) * strides[1]
        if swizzle:
            per, length, atom = swizzle
            element ^= (element >> (per + atom) & (1 << length) - 1) << per
        return element * size

    runs = [[address(lane % lanes, j) for lane in range(32)] for j in range(loop)]
    mask = sum(1 << lane for lane in range(32) if active(lane) and (matrix or lane < lanes))
    if mask == 0:
        return None
    if any(a % width or not 0 <= a <= MEMORY for run in runs for a in run):
        return None
    access = op if matrix else "%s lanes=%d width=%d" % ("load" if op.startswith("ld") else "store", lanes, width)
    access += " at=[%s, %s]" % (row_text, column_text)
    access += " when %s" % when if when else ""
    access += " for j=0:%d" % loop if loop > 1 else ""
    return {"op": op, "layout": layout, "tensor": "%s[%d,%d]" % (dtype, rows, columns), "access": access, "mask": mask,
            "runs": runs}


def write(count, seed, folder):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        one = draw(rng)
        if one:
            found.append(one)
    with open(os.path.join(folder, "accesses.json"), "w") as f:
        json.dump(found, f)
    with open(os.path.join(folder, "accesses.txt"), "w") as f:
        for one in found:
            for run in one["runs"]:
                f.write("%s %x %s\n" % (one["op"], one["mask"], " ".join(map(str, run))))
    with open(os.path.join(folder, "accesses.toml"), "w") as f:
        f.write("schema = 1\n")
        for i, one in enumerate(found):
            f.write('[[case]]\nid = "gpu/%d"\nsource = "tests/peer/gpu/wavefronts.py"\nlayout = "%s"\ntensor = "%s"\n'
                    '[[case.claim]]\nclaim = "wavefronts"\nhardware = "sm_90"\naccess = "%s"\n'
                    % (i, one["layout"], one["tensor"], one["access"]))


def counted_in(folder):
    """Wavefronts of one access, of each launch. A launch has one more, whatever it does: 64 accesses of 2 count 129."""
    rows = [r for r in csv.reader(line for line in open(os.path.join(folder, "counters.csv")) if line.startswith('"'))]
    name, value = rows[0].index("Metric Name"), rows[0].index("Metric Value")
    return [(float(r[value].replace(",", "")) - 1) / 64 for r in rows[1:]
            if r[name] == "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]


def measured(folder):
    """The accesses, each with the wavefronts and the cycles of its worst instance."""
    counters = counted_in(folder)
    cycles = [float(line) for line in open(os.path.join(folder, "cycles.txt"))]
    at = 0
    for one in json.load(open(os.path.join(folder, "accesses.json"))):
        span = slice(at, at + len(one["runs"]))
        at = span.stop
        yield one, max(counters[span]), max(cycles[span])


def compare(folder):
    said = {}
    for line in open(os.path.join(folder, "check.jsonl")):
        one = json.loads(line)
        if one["kind"] == "verdict":
            said[int(one["case"].split("/")[1])] = one
    differ, table = [], {}
    for i, (one, counted, took) in enumerate(measured(folder)):
        row = table.setdefault(one["op"], [0, 0, 0, 0])
        row[0] += 1
        if said[i]["verdict"] != "proved":
            row[3] += 1
        elif said[i]["value"] == counted:
            row[1] += 1
        else:
            row[2] += 1
            differ.append("said %d, counted %g, %.2f cycles: %s %s %s" % (
                said[i]["value"], counted, took, one["layout"], one["tensor"], one["access"]))
    for op, row in [*sorted(table.items()), ("all", [sum(r[k] for r in table.values()) for k in range(4)])]:
        print("%-12s %5d asked %5d equal %5d differ %5d undecided" % (op, *row))
    print(*differ, sep="\n")


def corpus(folder):
    print("""\
# Accesses to shared memory, and the wavefronts that an H100 and an H200 counted: drawn by tests/peer/gpu/wavefronts.py,
# counted by Nsight Compute (l1tex__data_pipe_lsu_wavefronts_mem_shared, 64 times each access in one warp). Both cards
# counted the same. An access with `for` costs what the worst value of its variable costs. Loads of 8 and 16 bytes cost
# less where lanes agree in pairs; corpus/hardware/README.md says when.
schema = 1""")
    for i, (one, counted, _) in enumerate(measured(folder)):
        print("""
[[case]]
id     = "tirx/measured/%d"
source = "tests/peer/gpu/README.md: %s"
layout = "%s"
tensor = "%s"
[[case.claim]]
claim    = "wavefronts"
hardware = "sm_90"
access   = "%s"
expect   = %d""" % (i, one["op"], one["layout"], one["tensor"], one["access"], counted))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        write(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        {"compare": compare, "corpus": corpus}[sys.argv[1]](sys.argv[2])
