"""A model of tt-metal's runtime layouts (rule D), apart from the program: plain numbers, element by element.

Written from tt-metal's sources (tensor_layout.cpp, page_config.cpp, tensor_spec.cpp, buffer.cpp and
buffer_distribution_spec.cpp; encodings/ttmetal/ttmetal.h names the commits). It computed the expectations of
corpus/ttmetal, and ttnn_specs.py holds it and the program against the released ttnn.

A spec is a dict: shape; tiled, tile (height, width); memory (INTERLEAVED, HEIGHT, WIDTH, BLOCK, ND); and where it has
them shard, ranges [(x0, y0, x1, y1)], col, deal (RR, GRID, CONT), alignment, banks, logical, padded_to.
"""
import numpy as np


def up(value, step):
    return (value + step - 1) // step * step


def div_up(value, step):
    return (value + step - 1) // step


def alignment_of(spec):
    """initialize_alignment: the page's default, merged into what is stated."""
    if spec["tiled"]:
        usual = list(spec["tile"])
    elif spec["memory"] != "INTERLEAVED":
        usual = [spec["shard"][-1]]
    else:
        usual = [1]
    stated = list(spec.get("alignment") or [])
    if not stated:
        return usual
    out = [1] * max(len(stated), len(usual))
    out[len(out) - len(stated):] = stated
    for i, step in enumerate(usual):
        at = i + len(out) - len(usual)
        out[at] = up(out[at], step)
    return out


def physical_shape(shape, alignment):
    """compute_physical_shape, and the step of each dimension in its physical coordinate."""
    sizes, steps = [1, 1], [0] * len(shape)
    for k in range(1, max(len(shape), len(alignment)) + 1):
        i = 1 if k == 1 else 0
        if k <= len(shape):
            steps[-k] = sizes[i]
            sizes[i] *= shape[-k]
        if k <= len(alignment):
            sizes[i] = up(sizes[i], alignment[-k])
    return sizes, steps


def padded_shape(shape, alignment):
    """compute_padded_shape; None where the runtime throws."""
    out, together = [1] * max(len(shape), len(alignment)), 1
    for k in range(1, len(out) + 1):
        size = shape[-k] if k <= len(shape) else 1
        step = alignment[-k] if k <= len(alignment) else 1
        if k > 2:
            if together % step == 0:
                step = 1
            elif together and step % together == 0:
                step //= together
            else:
                return None
        out[-k] = up(size, step)
        if k > 1:
            together *= out[-k]
    return out


def cores_of(spec):
    out = []
    for x0, y0, x1, y1 in spec["ranges"]:
        if spec.get("col"):
            out += [(y, x) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)]
        else:
            out += [(y, x) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
    return out


def box_of(spec):
    return [1 + max(r[3] for r in spec["ranges"]), 1 + max(r[2] for r in spec["ranges"])]


def in_tile(tile, row, column, faces_down=False, within_down=False):
    fh, fw = min(tile[0], 16), min(tile[1], 16)
    down, across = tile[0] // fh, tile[1] // fw
    face = (column // fw * down + row // fh) if faces_down else (row // fh * across + column // fw)
    r, c = row % fh, column % fw
    return face * fh * fw + (c * fh + r if within_down else r * fw + c)


def broken_rules(spec):
    """What TensorSpec's constructor and compute_buffer_sharding_args would say, in short."""
    out = []
    memory, tiled = spec["memory"], spec["tiled"]
    if memory == "INTERLEAVED":
        return out
    cores, shard = cores_of(spec), spec["shard"]
    if len(set(cores)) != len(cores):
        out.append("core ranges overlap")
    if tiled and not spec.get("logical") and (
            len(shard) < 2 or shard[-1] % spec["tile"][1] or shard[-2] % spec["tile"][0]):
        out.append("shard is no multiple of the tile")
    grids = [(x1 - x0 + 1, y1 - y0 + 1) for x0, y0, x1, y1 in spec["ranges"]]
    if memory == "ND":
        padded = padded_shape(spec["shape"], alignment_of(spec))
        if padded is None:
            return out + ["no padded shape"]
        if len(shard) > len(padded):
            return out + ["shard has more dimensions than the tensor"]
        joined = [int(np.prod(padded[:len(padded) - len(shard) + 1]))] + padded[len(padded) - len(shard) + 1:]
        parts = [max(div_up(a, b), 1) for a, b in zip(joined, shard)]
        if spec.get("deal") == "CONT" and int(np.prod(parts)) % len(cores):
            out.append("shards are no multiple of cores")
        if spec.get("deal") == "GRID":
            if len(shard) > 2 or len(grids) != 1:
                out.append("no grid")
            else:
                high, wide = (parts[-2] if len(parts) > 1 else 1), parts[-1]
                columns, rows = grids[0]
                if high > (columns if spec.get("col") else rows) or wide > (rows if spec.get("col") else columns):
                    out.append("grid too small")
        return out
    alignment = [] if spec.get("logical") else alignment_of(spec)
    (height, width), _ = physical_shape(spec["shape"], alignment)
    if len(spec.get("alignment") or []) > 2:
        out.append("too many alignments")
    if not tiled and memory != "HEIGHT" and not spec.get("logical") and shard[1] % alignment[-1]:
        out.append("alignment mismatch")
    high, wide = div_up(height, shard[0]), div_up(width, shard[1])
    if spec.get("logical"):
        own = spec.get("padded_to") or [up(shard[i], spec["tile"][i] if tiled else 1) for i in (0, 1)]
        if tiled and (own[0] % spec["tile"][0] or own[1] % spec["tile"][1]):
            out.append("shard is no multiple of the tile")
        if own[0] < shard[0] or own[1] < shard[1]:
            out.append("logical shard does not fit")
        if (memory == "HEIGHT" and wide > 1) or (memory == "WIDTH" and high > 1):
            out.append("shard does not span the tensor")
    elif (memory == "HEIGHT" and width != shard[1]) or (memory == "WIDTH" and height != shard[0]):
        out.append("shard does not span the tensor")
    if memory == "HEIGHT" and high > len(cores) or memory == "WIDTH" and wide > len(cores):
        out.append("more shards than cores")
    if memory == "BLOCK":
        columns, rows = grids[0]
        if len(grids) != 1:
            out.append("no grid")
        if high > (columns if spec.get("col") else rows) or wide > (rows if spec.get("col") else columns):
            out.append("grid too small")
    return out


def coordinates(shape):
    return np.indices(shape).reshape(len(shape), -1) if shape else np.zeros((0, 1), dtype=np.int64)


def places(spec):
    """(core row, core column, place, has one) of every element, and the box; the first two are (bank, 0) if interleaved."""
    memory, tiled = spec["memory"], spec["tiled"]
    x = coordinates(spec["shape"])
    page = list(spec["tile"]) if tiled else None
    flags = spec.get("faces_down", False), spec.get("within_down", False)
    alignment = [] if spec.get("logical") else alignment_of(spec)
    if memory == "ND":
        return nd_places(spec, x)
    (height, width), steps = physical_shape(spec["shape"], alignment)
    w = x[-1] * 1 if len(spec["shape"]) else np.zeros(x.shape[1], dtype=np.int64)
    h = sum((x[d] * steps[d] for d in range(len(spec["shape"]) - 1)), np.zeros(x.shape[1], dtype=np.int64))
    if memory == "INTERLEAVED":
        ph, pw = page or [1, max(width, 1)]
        number = h // ph * (width // pw) + w // pw
        inside = in_tile(page, h % ph, w % pw, *flags) if tiled else w
        count = height * width // (ph * pw)
        box = [spec["banks"], 1, div_up(count, spec["banks"]) * ph * pw]
        return number % spec["banks"], 0 * h, number // spec["banks"] * ph * pw + inside, np.ones(h.shape, bool), box
    tile = page or [1, 1]
    whole = [up(spec["shard"][i], tile[i]) for i in (0, 1)]
    cut = spec["shard"] if spec.get("logical") else whole
    own = spec.get("padded_to") or whole
    i = h // cut[0] if memory != "WIDTH" else 0 * h
    j = w // cut[1] if memory != "HEIGHT" else 0 * w
    r, c = h - i * cut[0], w - j * cut[1]
    cells = [max(own[k] // tile[k], 1) for k in (0, 1)]
    fine = (r < cells[0] * tile[0]) & (c < cells[1] * tile[1])
    place = (r // tile[0] * cells[1] + c // tile[1]) * tile[0] * tile[1]
    if tiled:
        place = place + in_tile(page, r % tile[0], c % tile[1], *flags)
    box = box_of(spec) + [cells[0] * cells[1] * tile[0] * tile[1]]
    if memory == "BLOCK":
        if len(spec["ranges"]) != 1:
            return h, h, place, np.zeros(h.shape, bool), None
        x0, y0, x1, y1 = spec["ranges"][0]
        y, xx = (y0 + j, x0 + i) if spec.get("col") else (y0 + i, x0 + j)
        return y, xx, place, fine & (y <= y1) & (xx <= x1), box
    cores = np.array(cores_of(spec))
    number = i + j
    fine &= number < len(cores)
    number = np.minimum(number, len(cores) - 1)
    return cores[number, 0], cores[number, 1], place, fine, box


def nd_places(spec, x):
    tiled, shard = spec["tiled"], spec["shard"]
    n = len(shard)
    padded = padded_shape(spec["shape"], alignment_of(spec))
    none = np.zeros(x.shape[1], bool)
    if padded is None or n > len(padded) or (tiled and n < 2):
        return x.sum(0), x.sum(0), x.sum(0), none, None
    full = [np.zeros(x.shape[1], dtype=np.int64)] * (len(padded) - len(x)) + list(x)
    first = full[0]
    for d in range(1, len(padded) - n + 1):
        first = first * padded[d] + full[d]
    at = [first] + full[len(padded) - n + 1:]
    size = [int(np.prod(padded[:len(padded) - n + 1]))] + padded[len(padded) - n + 1:]
    tile = [1] * (n - 2) + list(spec["tile"]) if tiled else [1] * n
    part = [up(s, t) for s, t in zip(shard, tile)]
    counts = [div_up(s, p) for s, p in zip(size, part)]
    number = place = np.zeros(x.shape[1], dtype=np.int64)
    for d in range(n):
        number = number * counts[d] + at[d] // part[d]
        place = place * (part[d] // tile[d]) + at[d] % part[d] // tile[d]
    place = place * int(np.prod(tile))
    if tiled:
        place = place + in_tile(spec["tile"], at[-2] % tile[-2], at[-1] % tile[-1], spec.get("faces_down", False),
                                spec.get("within_down", False))
    volume, total, cores = int(np.prod(part)), int(np.prod(counts)), cores_of(spec)
    if spec.get("deal") == "GRID":
        if len(spec["ranges"]) != 1 or n > 2:
            return number, number, place, none, None
        x0, y0, x1, y1 = spec["ranges"][0]
        i, j = (at[-2] // part[-2] if n > 1 else 0 * number), at[-1] // part[-1]
        y, xx = (y0 + j, x0 + i) if spec.get("col") else (y0 + i, x0 + j)
        return y, xx, place, (y <= y1) & (xx <= x1), box_of(spec) + [volume]
    each = div_up(total, len(cores))
    if spec.get("deal") == "CONT":
        core, turn = number // each, number % each
    else:
        core, turn = number % len(cores), number // len(cores)
    cores = np.array(cores)
    return cores[core, 0], cores[core, 1], turn * volume + place, ~none, box_of(spec) + [each * volume]


def verdicts(spec):
    """The answers to the default claims."""
    y, x, m, fine, box = places(spec)
    word = {True: "proved", False: "refuted"}
    out = {"well-formed": word[not broken_rules(spec)], "in-bounds": word[bool(fine.all())]}
    if not fine.any():
        return out
    slot = ((y * box[1] + x) * box[2] + m)[fine]
    distinct = len(np.unique(slot))
    out["injective"] = word[distinct == len(slot)]
    out["bijective"] = word[bool(fine.all()) and distinct == len(slot)]
    cores = [] if spec["memory"] == "INTERLEAVED" else cores_of(spec)
    named = len(cores) if cores and len(set(cores)) == len(cores) else box[0] * box[1]  # of the box, what the spec names
    out["padding"] = named * box[2] - distinct
    return out
