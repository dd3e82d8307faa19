"""Holds what the TMA wrote into shared memory (tma.cu) against the executor, on TIRx's layouts for it.

  tma.py PROGRAM tiles.txt images.bin

A tile of a swizzle of 2^(B+4) bytes is ComposeLayout(M, B, 3, row-major), with 2^M elements in 16 bytes; the rows of a
narrower box are 2^(B+4) bytes apart. Each image is unpacked, and has to be the source.
"""
import math
import os
import subprocess
import sys
import tempfile


def log2(number):
    return number.bit_length() - 1


def row_major(shape):
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return "(%s):(%s)" % (",".join(map(str, shape)), ",".join(map(str, strides)))


def main(program, tiles, images):
    source = bytes((i * 2654435761 % 2 ** 32 >> 13) % 256 for i in range(64 * 1024))
    got, at = open(images, "rb").read(), 0
    equal = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "in"), os.path.join(folder, "out")
        for line in open(tiles):
            size, span, *shape = map(int, line.split())
            row, pitch = shape[-1] * size, max(shape[-1] * size, span)
            wide = shape[:-1] + [pitch // size]
            layout = "S[%s]" % row_major(wide)
            if span:
                layout = "ComposeLayout(%d, %d, 3, %s)" % (log2(16 // size), log2(span // 16), layout)
            image = math.prod(wide) * size
            with open(data, "wb") as f:
                f.write(got[at:at + image])
            at += image
            ran = subprocess.run([program, "exec", "unpack", "--layout", layout, "--tensor",
                                  "i%d[%s]" % (8 * size, ",".join(map(str, wide))),
                                  "--in", data, "--out", out, "--raw", "--force"], stderr=subprocess.PIPE)
            rows = open(out, "rb").read() if ran.returncode == 0 else b""
            same = b"".join(rows[i:i + row] for i in range(0, image, pitch)) == source[:math.prod(shape) * size]
            equal, wrong = equal + same, wrong + (not same)
            if not same:
                print("differs: %s, elements of %d bytes %s" % (layout, size, ran.stderr.decode()))
    print("%d tiles: %d equal, %d differ" % (equal + wrong, equal, wrong))
    return 1 if wrong or at != len(got) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
