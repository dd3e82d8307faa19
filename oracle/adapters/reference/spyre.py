"""The reference adapter's other half: Spyre layouts by greedy digits of an element's host offset, from Torch-Spyre's
"Tensor Layouts"."""
import re

import layout_gate
from iters import points
from layout_gate import Refused, op
from tensors import device_loops, flat, host_loops, moved, strides, unit, volume


def integers(text, field):
    found = re.search(r"\b%s\s*=\s*\[([^\]]*)\]" % field, text)
    return None if found is None else [int(n) for n in found.group(1).split(",") if n.strip()]


PER_STICK = {"SEN169_FP16": 64, "IEEE_FP32": 32, "SEN143_FP8": 128, "SENINT8": 128, "IEEE_INT32": 32, "IEEE_INT64": 16,
             "BFLOAT16": 64}


@op("construct", family="spyre", contract="any")
def spyre_construct(c):
    text, shape = c["given"], c["tensor"]["shape"]
    device, strides, dims = (integers(text, f) for f in ("device_size", "stride_map", "dim_map"))
    dtype = next((d for d in PER_STICK if "DataFormats." + d in text), None)
    if device is None or dtype is None or (strides is None) == (dims is None):
        raise layout_gate.Unsupported("a constructor")
    entries = strides if dims is None else dims
    if not device or min(device) < 0 or min(entries, default=0) < -1 or len(entries) != len(device):
        raise Refused("device_size and its map do not fit", "lengths")
    if device[-1] != PER_STICK[dtype]:
        raise Refused("the last dimension is no stick", "stick")
    if dims is not None:
        if max(dims) >= len(shape) or any(n != 1 and k not in dims for k, n in enumerate(shape)):
            raise Refused("dim_map and the tensor's dimensions", "dim_map")
    return True


def spyre_slots(c, key="layout"):
    """For each element the list of its slots, [] if it has none."""
    text, tensor = c[key], c["tensor"]
    device, strides, dims = (integers(text, f) for f in ("device_size", "stride_map", "dim_map"))
    if device is None or strides is None or dims is not None:
        raise layout_gate.Unsupported("a constructor, or the older notation")
    shape = tensor["shape"]
    host = tensor.get("strides")
    if host is None:
        host = [volume(shape[k + 1:]) if all(shape) else 0 for k in range(len(shape))]
    order = sorted((k for k, s in enumerate(strides) if s > 0 and device[k] != 1), key=lambda k: -strides[k])
    free = [k for k, s in enumerate(strides) if s == 0]
    out = []
    for x in points(shape):
        rest = tensor.get("view_offset", 0) + sum(a * b for a, b in zip(x, host))
        slot = [0] * len(device)
        for n, k in enumerate(order):
            tied = n > 0 and strides[order[n - 1]] == strides[k]
            slot[k], rest = (0, rest) if tied else divmod(rest, strides[k])
        fits = rest == 0 and all(0 <= d < n for d, n in zip(slot, device))
        copies = points([device[k] if k in free else 1 for k in range(len(device))])
        out.append([tuple(a + b for a, b in zip(slot, copy)) for copy in copies] if fits else [])
    return device, out


@op("place", family="spyre", contract="any")
def spyre_place(c):
    device, slots = spyre_slots(c)
    return ["d%d" % k for k in range(len(device))], [s or None for s in slots]


@op("back", family="spyre", contract="any")
def spyre_back(c):
    living = {}
    for number, slots in enumerate(spyre_slots(c)[1]):
        for slot in slots:
            living.setdefault(slot, number)
    return [living.get(tuple(slot), -1) for slot in c["slots"]]


@op("decide.in-bounds", family="spyre", contract="any")
def spyre_in_bounds(c):
    return all(spyre_slots(c)[1])


@op("decide.injective", family="spyre", contract="any")
def spyre_injective(c):
    slots = [s for all_ in spyre_slots(c)[1] for s in all_]
    return len(slots) == len(set(slots))


@op("measure.padding", family="spyre", contract="any")
def spyre_padding(c):
    device, slots = spyre_slots(c)
    return volume(device) - len({s for all_ in slots for s in all_})


def spyre_numbers(c, key="layout"):
    device, slots = spyre_slots(c, key)
    return [[flat(device, s) for s in all_] for all_ in slots]


@op("measure.strides", family="spyre", contract="any")
def spyre_strides(c):
    return strides(c["tensor"]["shape"], spyre_numbers(c))


@op("nests", family="spyre", contract="any")
def spyre_nests(c):
    return host_loops(c, spyre_numbers(c))


@op("nests.move", family="spyre", contract="any")
def spyre_nests_between(c):
    return device_loops(spyre_numbers(c), spyre_numbers(c, "to"))


@op("image.move", family="spyre", contract="any")
def spyre_move(c):
    data = c["data"]
    return moved(spyre_numbers(c), spyre_numbers(c, "to"), volume(c["to_image"]["extents"]), unit(c), data)
