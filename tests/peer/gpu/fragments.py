"""Holds the layouts of matrix fragments against the GPU: what its matrix instructions take for the elements.

  fragments.py draw PROGRAM ROUNDS cases.bin expected.bin [wrong]
  fragments.py compare PROGRAM expected.bin results.bin

Each layout below is a text of TIRx, written from the formulas of the PTX ISA ("Matrix Fragments for mma…", "Register
Fragments and Shared Memory Matrix Layouts" of wgmma). The operands, random matrices of small integers, are packed by
PROGRAM, which is verify-layout; fragments.cu multiplies them on the GPU; PROGRAM unpacks the result, which has to be
the product, computed here. With `wrong`, two digits of one layout of each case change places, and each result
has to differ.
"""
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

E4M3 = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44}  # 1.0, 2.0 and 1.5 * 2
FORMATS = {"f16": ("e", "i16"), "f32": ("f", "i32"), "f64": ("d", "i64"), "s8": ("b", "i8"), "s32": ("i", "i32")}


def encode(values, dtype):
    if dtype == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    if dtype == "e4m3":
        return bytes(E4M3[abs(v)] | (0x80 if v < 0 else 0) for v in values)
    return struct.pack("<%d%s" % (len(values), FORMATS["f32" if dtype == "tf32" else dtype][0]), *values)


SIZE = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "s8": 1, "f64": 8, "f32": 4, "s32": 4}
SUM = {"f16": "f32", "bf16": "f32", "tf32": "f32", "e4m3": "f32", "s8": "s32", "f64": "f64"}

# Of mma.sync: dtype, (M, N, K), the layouts of A [M, K], B [K, N] and D [M, N].
D = "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"
MMA = {
    "m16n8k8.f16": ("f16", (16, 8, 8), D, "S[(4,2,8):(1@laneid,1,4@laneid)]", D),
    "m16n8k8.bf16": ("bf16", (16, 8, 8), D, "S[(4,2,8):(1@laneid,1,4@laneid)]", D),
    "m16n8k4.tf32": ("tf32", (16, 8, 4), "S[(2,8,4):(1,4@laneid,1@laneid)]", "S[(4,8):(1@laneid,4@laneid)]", D),
    "m16n8k16.s8": ("s8", (16, 8, 16), "S[(2,8,4,4):(4,4@laneid,1@laneid,1)]", "S[(4,4,8):(1@laneid,1,4@laneid)]", D),
    "m16n8k16.f16": ("f16", (16, 8, 16), "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]",
                     "S[(2,4,2,8):(2,1@laneid,1,4@laneid)]", D),
    "m16n8k16.bf16": ("bf16", (16, 8, 16), "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]",
                      "S[(2,4,2,8):(2,1@laneid,1,4@laneid)]", D),
    "m16n8k8.tf32": ("tf32", (16, 8, 8), "S[(2,8,2,4):(1,4@laneid,2,1@laneid)]",
                     "S[(2,4,8):(1,1@laneid,4@laneid)]", D),
    "m16n8k32.s8": ("s8", (16, 8, 32), "S[(2,8,2,4,4):(4,4@laneid,8,1@laneid,1)]",
                    "S[(2,4,4,8):(4,1@laneid,1,4@laneid)]", D),
    "m16n8k32.e4m3": ("e4m3", (16, 8, 32), "S[(2,8,2,4,4):(4,4@laneid,8,1@laneid,1)]",
                      "S[(2,4,4,8):(4,1@laneid,1,4@laneid)]", D),
    "m8n8k4.f64": ("f64", (8, 8, 4), "S[(8,4):(4@laneid,1@laneid)]", "S[(4,8):(1@laneid,4@laneid)]",
                   "S[(8,4,2):(4@laneid,1@laneid,1)]"),
    "m16n8k4.f64": ("f64", (16, 8, 4), "S[(2,8,4):(1,4@laneid,1@laneid)]", "S[(4,8):(1@laneid,4@laneid)]", D),
    "m16n8k8.f64": ("f64", (16, 8, 8), "S[(2,8,2,4):(1,4@laneid,2,1@laneid)]", "S[(2,4,8):(1,1@laneid,4@laneid)]", D),
    "m16n8k16.f64": ("f64", (16, 8, 16), "S[(2,8,4,4):(1,4@laneid,2,1@laneid)]",
                     "S[(4,4,8):(1,1@laneid,4@laneid)]", D),
}

# Four matrices of 8 x 8, 16 bits each, in registers, and the same of which each lane holds the columns.
ROWS = "S[(4,8,4,2):(2,4@laneid,1@laneid,1)]"
COLUMNS = "S[(4,4,2,8):(2,1@laneid,1,4@laneid)]"
MEMORY = "S[256:1]"
MOVES = {  # the layouts of what goes in, and of what comes out
    "ldmatrix": ([4, 8, 8], MEMORY, ROWS),
    "ldmatrix.trans": ([4, 8, 8], MEMORY, COLUMNS),
    "stmatrix": ([4, 8, 8], ROWS, MEMORY),
    "stmatrix.trans": ([4, 8, 8], COLUMNS, MEMORY),
    "movmatrix": ([8, 8], "S[(8,4,2):(4@laneid,1@laneid,1)]", "S[(4,2,8):(1@laneid,1,4@laneid)]"),
}

# wgmma of m64n32: the results of [64, 32], and an A [64, 16] in registers.
GROUP_D = "S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]"
GROUP_A = "S[(4,2,8,2,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]"
SWIZZLE = {0: 0, 32: 3, 64: 2, 128: 1}  # bytes to the number in a descriptor


def tile(rows, dtype, span):
    """TIRx's layout of an operand in shared memory that is contiguous along K: the extents, the text, and
    the bytes from one core to the next along K and along the rows."""
    each = 16 // SIZE[dtype]
    if span == 0:  # cores of 8 rows by 16 bytes, one below the other, then the next columns
        return [rows, 8 * each], "S[(%d,8,%d):(%d,%d,1)]" % (rows, each, each, rows * each), rows * 16, 128
    extent = span // SIZE[dtype]
    return [rows, extent], swizzled(each, span, "(%d,%d):(%d,1)" % (rows, extent, extent)), 16, 8 * span


def swizzled(each, span, shard):
    return "ComposeLayout(%d, %d, 3, S[%s])" % (each.bit_length() - 1, (span // 16).bit_length() - 1, shard)


def turned(rows, span):
    """The same of f16 whose rows are contiguous along the other dimension: of [16, rows]."""
    if span == 0:
        return "S[(2,8,%d,8):(%d,8,64,1)]" % (rows // 8, rows * 8), rows * 16, 128
    pitch = span // 2
    return swizzled(8, span, "(16,%d,%d):(%d,%d,1)" % (rows // pitch, pitch, pitch, 16 * pitch)), 16 * span, 8 * span


def exchanged(layout):
    """The last two digits change places: still a bijection onto the same image, and another one."""
    head, extents, strides, tail = re.fullmatch(r"(.*S\[)\((.*)\):\((.*)\)(\].*)", layout).groups()
    digits = [digit for digit in zip(extents.split(","), strides.split(",")) if digit[0] != "1"]
    digits[-2:] = reversed(digits[-2:])
    return "%s(%s):(%s)%s" % (head, *map(",".join, zip(*digits)), tail)


class Executor:
    """`verify-layout exec` of raw bytes. Registers are [warp][element][lane] here, and in an image the axes are in the
    order in which the layout's text names them."""

    def __init__(self, program, folder):
        self.program, self.source, self.target = program, os.path.join(folder, "in"), os.path.join(folder, "out")

    def __call__(self, verb, layout, size, shape, data):
        lanes_first = re.search(r":\(\d+@laneid", layout)
        if lanes_first and verb == "unpack":
            data = turn(data, size, len(data) // size // 32, 32)
        with open(self.source, "wb") as f:
            f.write(data)
        subprocess.run([self.program, "exec", verb, "--layout", layout, "--tensor",
                        "i%d[%s]" % (8 * size, ",".join(map(str, shape))), "--in", self.source, "--out", self.target,
                        "--raw", "--force"], check=True, stdout=subprocess.DEVNULL)
        with open(self.target, "rb") as f:
            data = f.read()
        return turn(data, size, 32, len(data) // size // 32) if lanes_first and verb == "pack" else data


def turn(data, size, rows, extent):
    """The matrix [rows, extent] of elements of `size` bytes, transposed."""
    elements = [data[i:i + size] for i in range(0, len(data), size)]
    return b"".join(elements[i * extent + j] for j in range(extent) for i in range(rows))


def matrices(rng, m, n, k):
    a = [[rng.randint(-3, 3) for _ in range(k)] for _ in range(m)]
    b = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(k)]
    return a, b, [sum(a[i][x] * b[x][j] for x in range(k)) for i in range(m) for j in range(n)]


def flat(rows):
    return [v for row in rows for v in row]


def columns(rows):
    return [list(column) for column in zip(*rows)]


def wide(rows, extent, at, rng):
    """Rows of random numbers of which these columns are the middle."""
    return [[rng.randint(-3, 3) for _ in range(at)] + row + [rng.randint(-3, 3) for _ in range(extent - at - len(row))]
            for row in rows]


def in_memory(run, rows, dtype, span, part, rng, change=str):
    """An operand in shared memory, contiguous along K, of which the columns of 32 bytes number `part` are multiplied:
    its image and its words."""
    shape, text, leading, stride = tile(len(rows), dtype, span)
    full = wide(rows, shape[1], part * len(rows[0]), rng)
    image = run("pack", change(text), SIZE[dtype], shape, encode(flat(full), dtype))
    return image, [len(image), part * (2 * leading if span == 0 else 32), leading, stride, SWIZZLE[span]]


def in_memory_turned(run, columns, span, change=str):
    """The same, contiguous along the other dimension: of [16, …]."""
    text, leading, stride = turned(len(columns[0]), span)
    image = run("pack", change(text), 2, [16, len(columns[0])], encode(flat(columns), "f16"))
    return image, [len(image), 0, leading, stride, SWIZZLE[span]]


def groups(run, rng, change):
    def case(name, left, right, product, dtype):
        return name, left[1] + right[1], left[0] + right[0], [64, 32], GROUP_D, encode(product, SUM[dtype])

    for dtype, k in (("f16", 16), ("tf32", 8), ("e4m3", 32), ("s8", 32)):
        for span in (0, 32, 64, 128):
            for part in range((span or 128) // 32):
                a, b, product = matrices(rng, 64, 32, k)
                left = in_memory(run, a, dtype, span, part, rng, change)
                yield case("wgmma." + dtype, left, in_memory(run, columns(b), dtype, span, part, rng), product, dtype)
    for span in (0, 32, 64, 128):
        a, b, product = matrices(rng, 64, 32, 16)
        right = in_memory(run, columns(b), "f16", span, 0, rng)
        registers = run("pack", change(GROUP_A), 2, [64, 16], encode(flat(a), "f16")), [0] * 5
        yield case("wgmma.f16.registers", registers, right, product, "f16")
        yield case("wgmma.f16.a-transposed", in_memory_turned(run, columns(a), span, change), right, product, "f16")
        if span < 128:  # 32 columns of B are 64 bytes
            left = in_memory(run, a, "f16", span, 0, rng, change)
            yield case("wgmma.f16.b-transposed", left, in_memory_turned(run, b, span), product, "f16")


def cases(run, rng, change):
    """NAME, the words behind it, the operands' images, and the extents, layout and bytes of the result. `change`
    changes one layout of each case."""
    for name, (dtype, (m, n, k), left, right, result) in MMA.items():
        a, b, product = matrices(rng, m, n, k)
        data = run("pack", change(left), SIZE[dtype], [m, k], encode(flat(a), dtype))
        data += run("pack", right, SIZE[dtype], [k, n], encode(flat(b), dtype))
        yield name, [], data, [m, n], result, encode(product, SUM[dtype])
    for name, (shape, before, after) in MOVES.items():
        values = bytes(rng.randrange(256) for _ in range(2 * math.prod(shape)))
        if before == MEMORY:
            yield name, [], values, shape, change(after), values
        else:
            yield name, [], run("pack", change(before), 2, shape, values), shape, after, values
    yield from groups(run, rng, change)


def draw(program, rounds, target, expected, wrong=""):
    rng, change = random.Random(1), exchanged if wrong else str
    with tempfile.TemporaryDirectory() as folder, open(target, "wb") as f, open(expected, "wb") as g:
        for _ in range(int(rounds)):
            for name, words, data, shape, layout, right in cases(Executor(program, folder), rng, change):
                f.write(("%s %d %s\n" % (name, len(data), " ".join(map(str, words)))).encode() + data)
                g.write(("%s;%s;%s;%d\n" % (name, " ".join(map(str, words)), layout, len(right))).encode())
                g.write((",".join(map(str, shape)) + "\n").encode() + right)


def compare(program, expected, results):
    count, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder, open(expected, "rb") as f, open(results, "rb") as g:
        run = Executor(program, folder)
        while line := f.readline().decode().strip():
            name, words, layout, size = line.split(";")
            shape = [int(x) for x in f.readline().decode().split(",")]
            right = f.read(int(size))
            got = run("unpack", layout, len(right) // math.prod(shape), shape, g.read(int(size)))
            count[name] = count.get(name, 0) + 1
            if got != right:
                wrong += 1
                print("differs: %s %s, %s" % (name, words, layout))
        rest = len(g.read())
    print("%d results of %d instructions: %d equal, %d differ" % (sum(count.values()), len(count),
                                                                 sum(count.values()) - wrong, wrong))
    return 1 if wrong or rest or not count else 0


if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    sys.exit(draw(*words) if verb == "draw" else compare(*words))
