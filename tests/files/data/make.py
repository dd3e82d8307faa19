"""Writes the fixtures for the tests of files, with a real NumPy and safetensors (here 2.4.6 and 0.8.0):
python3 make.py

Byte i of each array's data is (37*i + 11) mod 256, for bool its bit 2; values_*.npy hold the numbers that are
literals in the test; the files of not_ours/ are valid for NumPy, but the program must reject them.
"""
import pathlib
import numpy as np
from numpy.lib import format as npy
from safetensors.numpy import save_file

here = pathlib.Path(__file__).parent
SHAPES = [(), (0,), (3,), (5, 7), (2, 3, 4)]


def save(name, array, version=(1, 0)):
    path = here / name
    path.parent.mkdir(exist_ok=True)
    with open(path, "wb") as file:
        npy.write_array(file, array, version=version, allow_pickle=False)


def pattern(dtype, shape):
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    data = bytes((37 * i + 11) % 256 for i in range(count))
    if dtype == "bool":
        data = bytes(byte >> 2 & 1 for byte in data)
    return np.frombuffer(data, dtype).reshape(shape)


def spelled(shape):
    return "x".join(map(str, shape)) or "scalar"


for dtype in ["u1", "i2", "f2", "f4", "f8", "i8", "bool"]:
    for shape in SHAPES:
        save(f"{dtype}_{spelled(shape)}_v1.npy", pattern(dtype, shape))
for shape in SHAPES:
    save(f"f2_{spelled(shape)}_v2.npy", pattern("f2", shape), (2, 0))
    save(f"f2_{spelled(shape)}_v3.npy", pattern("f2", shape), (3, 0))
save("values_f2.npy", np.array([0, 1, -2, 65504, np.inf, np.nan], "f2"))
save("values_i8.npy", np.array([[1, -1], [2**40, -(2**63)]], "i8"))
save("not_ours/fortran.npy", np.asfortranarray(pattern("f2", (5, 7))))
save("not_ours/big_endian.npy", pattern("f2", (5, 7)).astype(">f2"))
save("not_ours/structured.npy", np.zeros(3, [("a", "<f2"), ("b", "<i4")]))
save("not_ours/complex.npy", np.zeros(3, "c16"))
save("not_ours/text.npy", np.array(["ab", "c"]))
save("not_ours/long_double.npy", np.zeros(3, np.longdouble))
np.savez(here / "stored.npz", a=pattern("f2", (5, 7)), b=pattern("i8", (3,)))
np.savez_compressed(here / "deflated.npz", pattern("f2", (5, 7)), np.zeros((40, 50), "f4"))
save_file({"a": pattern("f2", (5, 7)), "b": pattern("i8", (3,)), "none": pattern("f4", (0,)), "one": pattern("u1", ())},
          here / "four.safetensors", metadata={"format": "np"})
