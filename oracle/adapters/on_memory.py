"""TIRx layouts on memory alone, for libraries that know strides and perhaps swizzles, but no threads or replicas."""
import layout_gate


def strided(c, key="parts", swizzled=False, moved=True):
    """Extents, strides, the offset and the swizzle, as (bits, base, shift) or None, of a layout. Unsupported where it
    has thread axes or replicas, a swizzle unless `swizzled`, or an offset unless `moved`."""
    tree = c[key]
    shard, swizzle = tree["shard"], tree["swizzle"]
    if shard is None:  # the identity over the whole tensor
        shard = [[1, 1, "m"]]
        for extent in c["tensor"]["shape"]:
            shard[0][0] *= extent
    offset = sum(number for number, _ in tree["offset"])
    if tree["replica"] or any(axis != "m" for *_, axis in shard + tree["offset"]):
        raise layout_gate.Unsupported("threads or replicas")
    if swizzle is not None and not swizzled or offset and not moved:
        raise layout_gate.Unsupported("a swizzle or an offset")
    if swizzle is not None:
        shift = swizzle["atom_len"] if swizzle["swizzle_inner"] else -swizzle["atom_len"]
        swizzle = swizzle["swizzle_len"], swizzle["per_element"], shift
    return tuple(e for e, _, _ in shard), tuple(s for _, s, _ in shard), offset, swizzle


def answer(extents, strides, offset=0):
    shard = [[e, s, "m"] for e, s in zip(extents, strides)]
    return {"parts": {"shard": shard, "replica": [], "offset": [[offset, "m"]], "swizzle": None}}
