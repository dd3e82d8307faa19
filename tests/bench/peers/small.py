"""Measures a small pack that is called from Python, through the shared library and by NumPy.

    small.py LIBRARY CASES

LIBRARY is the path of libverify-layout.so; CASES is JSON as for moves.py, with tensor and layout, their texts, and image,
the packed bytes, in hexadecimal, of the source 0, 1, 2, … (in units of 2 bytes). It prints one line of JSON per way of
calling: {name, way, nanos}, of one pack in each round. The ways take turns: `python` is one call per pack,
`python-many` one call per MANY packs, `numpy` one copyto of views that are made before, and another one of 0 into the
gap; it is absent if NumPy is.
"""
import ctypes
import json
import os
import sys
import time
import timeit

MANY = 64
ROUNDS, CALLS = 25, 4000


class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint64), ("direction", ctypes.c_int64)] + [
        (text, ctypes.c_char_p) for text in ("tensor", "layout", "to", "family", "box", "fill")] + [
        ("strides", ctypes.c_void_p), ("rank", ctypes.c_uint64), ("offset", ctypes.c_int64), ("view_offset", ctypes.c_int64)]


def library_at(path):
    library = ctypes.CDLL(path)
    library.vl_prepare.argtypes = [ctypes.POINTER(Request), ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t]
    library.vl_run.argtypes = [ctypes.c_void_p] * 3
    library.vl_run_many.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_void_p] * 3
    return library


def plan_of(library, case):
    plan, why = ctypes.c_void_p(), ctypes.create_string_buffer(512)
    request = Request(size=ctypes.sizeof(Request), tensor=case["tensor"].encode(), layout=case["layout"].encode())
    if library.vl_prepare(request, plan, why, len(why)) != 0:
        raise ValueError(why.value.decode())
    return plan.value


def numpy_way(case, source, image):
    """The statement, its names, and how many packs it does."""
    import numpy as np

    unit = f"u{case['unit']}"
    memories = [np.frombuffer(memory, dtype=unit) for memory in (source, image)]

    def view(array, extents, strides, offset):
        return np.lib.stride_tricks.as_strided(array[offset:], extents, [stride * case["unit"] for stride in strides])

    names, statement = {"copyto": np.copyto}, []
    for k, (extents, of, at, to, there) in enumerate(case["moves"]):
        names[f"of{k}"], names[f"to{k}"] = view(memories[0], extents, of, at), view(memories[1], extents, to, there)
        statement.append(f"copyto(to{k}, of{k})")
    for k, (extents, _, _, to, there) in enumerate(case["gaps"]):
        names[f"gap{k}"] = view(memories[1], extents, to, there)
        statement.append(f"copyto(gap{k}, 0)")
    return "; ".join(statement), names, 1


def ways_of(library, case, source, image):
    plan, of, to = plan_of(library, case), ctypes.addressof(source), ctypes.addressof(image)
    sources, images = (ctypes.c_void_p * MANY)(*[of] * MANY), (ctypes.c_void_p * MANY)(*[to] * MANY)
    yield "python", ("run(plan, of, to)", {"run": library.vl_run, "plan": plan, "of": of, "to": to}, 1)
    yield "python-many", ("run(plan, many, of, to, None)",
                          {"run": library.vl_run_many, "plan": plan, "many": MANY, "of": ctypes.addressof(sources),
                           "to": ctypes.addressof(images), "kept": (sources, images)}, MANY)
    try:
        yield "numpy", numpy_way(case, source, image)
    except ImportError:
        pass


def main():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    library = library_at(sys.argv[1])
    for case in json.loads(sys.argv[2]):
        source = (ctypes.c_uint16 * case["source"])(*range(case["source"]))
        image = (ctypes.c_uint16 * case["destination"])()
        timers = {}
        for way, (statement, names, packs) in ways_of(library, case, source, image):
            ctypes.memset(image, 0xEE, ctypes.sizeof(image))
            timer = timeit.Timer(statement, timer=time.process_time, globals=names)
            timer.timeit(1)
            if bytes(image).hex() != case["image"]:
                print(json.dumps({"name": case["name"], "way": way, "why": "its result differs from the naive loop's"}))
                continue
            timers[way] = timer, packs, []
        for _ in range(ROUNDS):
            for timer, packs, nanos in timers.values():
                calls = max(1, CALLS // packs)
                nanos.append(timer.timeit(calls) / calls / packs * 1e9)
        for way, (_, _, nanos) in timers.items():
            print(json.dumps({"name": case["name"], "way": way, "nanos": nanos}), flush=True)


if __name__ == "__main__":
    main()
