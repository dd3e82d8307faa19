"""What the reference adapter does with tensors of any family: numbers of elements, images, transfers."""
import math
import struct
from functools import reduce

import layout_gate
from iters import points


def volume(shape):
    out = 1
    for n in shape:
        out *= n
    return out


def flat(shape, point):
    out = 0
    for n, x in zip(shape, point):
        out = out * n + x
    return out


def unit(c):
    return {"f8e4m3": 1, "u8": 1, "i8": 1, "f16": 2, "f32": 4, "f64": 8, "i64": 8}[c["tensor"]["dtype"]]


def moved(slots, to_slots, volume_to, n, data):
    out = bytearray(volume_to * n)
    for here, there in zip(slots, to_slots):
        for at in there:
            out[at * n:(at + 1) * n] = data[here[0] * n:(here[0] + 1) * n]
    return bytes(out)


def strides(shape, numbers):
    """How far the number of an element moves a step of each dimension, if it is the same everywhere; `numbers`: of each
    element, one a replica."""
    found, steps = [], 1
    for n in reversed(shape):
        found.insert(0, numbers[steps][0] - numbers[0][0] if n > 1 else 0)
        steps *= n
    for x, places in zip(points(shape), numbers):
        if [p - q for p, q in zip(places, numbers[0])] != [sum(a * s for a, s in zip(x, found))] * len(places):
            return None
    return found


def host_offsets(tensor):
    shape = tensor["shape"]
    strides = tensor.get("strides") or [volume(shape[k + 1:]) for k in range(len(shape))]
    return [tensor.get("offset", 0) + sum(a * b for a, b in zip(x, strides)) for x in points(shape)]


def host_loops(c, slots):
    """Between the host and the slots of each element; all replicas are written, and the first one is read."""
    read = c["direction"] == "d2h"
    return loops([(h, s) for h, there in zip(host_offsets(c["tensor"]), slots) for s in (there[:1] if read else there)])


def device_loops(slots, to_slots):
    return loops([(there[0], s) for there, to in zip(slots, to_slots) for s in to], "from", "to")


def loops(moves, one="host", other="device"):
    """A loop for each run of moves with equal steps."""
    runs = []
    for move in moves:
        run = runs[-1] if runs else []
        if len(run) == 1 or run and all(run[1][k] - run[0][k] == move[k] - run[-1][k] for k in (0, 1)):
            run.append(move)
        else:
            runs.append([move])
    step = lambda run, k: [run[1][k] - run[0][k]] if len(run) > 1 else [0]
    return [{"extents": [len(run)], one + "_strides": step(run, 0), other + "_strides": step(run, 1),
             one + "_offset": run[0][0], other + "_offset": run[0][1]} for run in runs]


def reduced(c, slots):
    """Rows of the elements alone, from the first to the last, each step rounded to the type. slots: of each element,
    its number in the image."""
    shape, over, code = c["tensor"]["shape"], c["over"], {"f16": "e", "f32": "f", "f64": "d"}
    if c["tensor"]["dtype"] not in code:
        raise layout_gate.Unsupported("no arithmetic of " + c["tensor"]["dtype"])
    form = "<" + code[c["tensor"]["dtype"]]
    image = [x for x, in struct.iter_unpack(form, c["data"])]
    rows = {}
    for x, at in zip(points(shape), slots):
        rows.setdefault(x[:over] + x[over + 1:], []).append(image[at])
    step = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "max": max, "min": min}[c["reduction"]]
    return b"".join(rounded(form, reduce(lambda a, b: struct.unpack(form, rounded(form, step(a, b)))[0], row))
                    for row in rows.values())


def rounded(form, x):
    try:
        return struct.pack(form, x)
    except OverflowError:
        return struct.pack(form, math.copysign(math.inf, x))
