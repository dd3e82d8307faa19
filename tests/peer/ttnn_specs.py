#!/usr/bin/env python3
"""Holds verify-layout against the released ttnn 0.81.1 on random specs. Not part of ./dev test.

    python3.12 -m venv V && V/bin/pip install ttnn==0.81.1 && V/bin/python tests/peer/ttnn_specs.py PROGRAM [COUNT [SEED]]

ttnn imports on a CPU without a device (Python 3.10 or 3.12, glibc 2.34). It is asked
  * whether it accepts a spec: TensorSpec raises where our `well-formed` has to be refuted, and only there;
  * for the text that it prints of the memory configuration, which we read;
  * for the order of cores (corerange_to_cores), against the cores on which shards begin;
  * for the padded shape, and the bytes of a tensor that it tilizes on the host, against our places in one bank.
Without ttnn it says so and ends with 77.
"""
import json
import random
import subprocess
import sys

try:
    import ttnn
except Exception as reason:  # also ImportError of a library
    print(f"skipped: ttnn cannot be imported: {reason}")
    sys.exit(77)

LAYOUTS = {"HEIGHT": ttnn.TensorMemoryLayout.HEIGHT_SHARDED, "WIDTH": ttnn.TensorMemoryLayout.WIDTH_SHARDED,
           "BLOCK": ttnn.TensorMemoryLayout.BLOCK_SHARDED}


def up(value, step):
    return (value + step - 1) // step * step


def some_grid(rng, many):
    ranges, y = [], rng.choice([0, 0, 0, 1])
    for _ in range(1 if not many else rng.choice([1, 1, 2, 3])):
        x, w, h = rng.choice([0, 0, 1, 2]), rng.randint(1, 5), rng.randint(1, 3)
        ranges.append((x, y, x + w - 1, y + h - 1))
        y += h
    rng.shuffle(ranges)
    return ranges


def core_set(ranges):
    core = ttnn.CoreCoord
    return ttnn.CoreRangeSet([ttnn.CoreRange(core(a, b), core(c, d)) for a, b, c, d in ranges])


def some_spec(rng):
    tiled = rng.random() < 0.6
    tile = rng.choice([(32, 32)] * 4 + [(16, 32), (32, 16), (16, 16), (8, 32)]) if tiled else (1, 1)
    shape = [rng.randint(1, 5) for _ in range(rng.randint(0, 2))] + [rng.randint(1, 120), rng.randint(1, 120)]
    height, width = 1, up(shape[-1], tile[1])
    for d, size in enumerate(shape[:-1]):
        height *= up(size, tile[0]) if d == len(shape) - 2 else size
    memory = rng.choice(["HEIGHT", "WIDTH", "BLOCK", "ND"])
    ranges = some_grid(rng, memory != "BLOCK" or rng.random() < 0.1)
    cores = sum((c - a + 1) * (d - b + 1) for a, b, c, d in ranges)
    col = rng.random() < 0.4
    part = lambda whole, n: max(1, up(-(-whole // n), tile[0] if whole == height else tile[1]))
    deal = "ROUND_ROBIN_1D"
    if memory == "ND":
        shard = [rng.randint(1, 3) for _ in shape[:-2]] + [up(rng.randint(1, shape[-2]), tile[0]), up(rng.randint(1, width), tile[1])]
        shard = shard[rng.randint(0, len(shard) - 2):]
        deal = "ROUND_ROBIN_1D"
    else:
        a, b, c, d = ranges[0]
        rows, columns = (c - a + 1, d - b + 1) if col else (d - b + 1, c - a + 1)
        n = (cores, 1) if memory == "HEIGHT" else (1, cores) if memory == "WIDTH" else (rows, columns)
        shard = [part(height, n[0]), part(width, n[1])]
        if memory == "HEIGHT" and not tiled:
            shard[1] = shape[-1]
        if rng.random() < 0.35:  # perhaps wrong
            i = rng.randint(0, 1)
            shard[i] = max(1, shard[i] + rng.choice([-tile[i], tile[i], -1, 1]))
    return dict(shape=shape, tiled=tiled, tile=tile, memory=memory, ranges=ranges, col=col, shard=shard, deal=deal)


def peer_accepts(spec):
    """The printed memory configuration, or None."""
    orientation = ttnn.ShardOrientation.COL_MAJOR if spec["col"] else ttnn.ShardOrientation.ROW_MAJOR
    layout = ttnn.TILE_LAYOUT if spec["tiled"] else ttnn.ROW_MAJOR_LAYOUT
    tile = ttnn.Tile(spec["tile"]) if spec["tiled"] else None
    try:
        if spec["memory"] == "ND":
            shard = ttnn.NdShardSpec(ttnn.Shape(spec["shard"]), core_set(spec["ranges"]), orientation)
            made = ttnn.TensorSpec(ttnn.Shape(spec["shape"]), ttnn.float32, layout, shard, ttnn.BufferType.L1, tile)
        else:
            shard = ttnn.ShardSpec(core_set(spec["ranges"]), spec["shard"], orientation)
            made = ttnn.TensorSpec(ttnn.Shape(spec["shape"]), ttnn.float32, layout, LAYOUTS[spec["memory"]], shard,
                                   ttnn.BufferType.L1, tile)
        return str(made.memory_config)
    except RuntimeError:
        return None


def our_text(spec, printed):
    keys = f"layout={'TILE' if spec['tiled'] else 'ROW_MAJOR'}"
    if spec["tiled"]:
        keys += f", tile=Tile({spec['tile']})"
    if printed is not None:
        return f"{keys}: {printed}"
    ranges = ", ".join(f"ttnn.CoreRange(({a}, {b}), ({c}, {d}))" for a, b, c, d in spec["ranges"])
    orientation = "COL_MAJOR" if spec["col"] else "ROW_MAJOR"
    if spec["memory"] == "ND":
        shard = f"ttnn.NdShardSpec({spec['shard']}, ttnn.CoreRangeSet([{ranges}]), ttnn.ShardOrientation.{orientation})"
        return f"{keys}: ttnn.MemoryConfig(ttnn.BufferType.L1, {shard})"
    shard = f"ttnn.ShardSpec(ttnn.CoreRangeSet([{ranges}]), {spec['shard']}, ttnn.ShardOrientation.{orientation})"
    return f"{keys}: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.{spec['memory']}_SHARDED, ttnn.BufferType.L1, {shard})"


def ask(program, cases, claims):
    """Answers of the program by case and claim."""
    text = "schema = 1\n"
    for number, (layout, shape) in enumerate(cases):
        text += f"[[case]]\nid = \"{number}\"\nsource = \"random\"\nlayout = '{layout}'\ntensor = \"f32[{','.join(map(str, shape))}]\"\n"
        text += "".join(f"[[case.claim]]\nclaim = \"{claim}\"\n" for claim in claims)
    with open("/dev/shm/ttnn_specs.toml", "w") as file:
        file.write(text)
    done = subprocess.run([program, "check", "/dev/shm/ttnn_specs.toml", "--format", "jsonl"], capture_output=True, text=True)
    out = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["kind"] == "error":
            raise SystemExit(f"the program rejects case {cases[int(record['case'])]}: {record['message']}")
        if record["kind"] == "verdict":
            out[int(record["case"]), record["claim"]] = record
    return out


def hold_specs(program, count, rng):
    specs = [some_spec(rng) for _ in range(count)]
    printed = [peer_accepts(spec) for spec in specs]
    answers = ask(program, [(our_text(s, p), s["shape"]) for s, p in zip(specs, printed)], ["well-formed", "bijective"])
    wrong = 0
    for number, (spec, text) in enumerate(zip(specs, printed)):
        ours = answers[number, "well-formed"]["verdict"] == "proved"
        bijective = answers[number, "bijective"]["verdict"] == "proved"
        if ours != (text is not None) or (ours and not bijective):
            wrong += 1
            if wrong < 6:
                print("disagree:", spec, "ttnn:", text, "ours:", answers[number, "well-formed"].get("counterexample"))
    accepted = sum(text is not None for text in printed)
    print(f"specs: {count}, accepted by ttnn {accepted}, disagreements {wrong}")
    return wrong


def explain(program, text, shape, element):
    done = subprocess.run([program, "explain", "--layout", text, "--tensor", f"f32[{','.join(map(str, shape))}]", "--at",
                           ",".join(map(str, element)), "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout)["physical"][0]


def hold_cores(program, count, rng):
    """Shard s of one row each begins at element s: its core is the s-th."""
    wrong = 0
    for _ in range(count):
        ranges, col = some_grid(rng, True), rng.random() < 0.5
        order = ttnn.corerange_to_cores(core_set(ranges), None, not col)
        spec = dict(shape=[len(order), 4], tiled=False, memory="HEIGHT", ranges=ranges, col=col, shard=[1, 4])
        for s in {0, len(order) // 2, len(order) - 1}:
            y, x, _ = explain(program, our_text(spec, None), spec["shape"], (s, 0))
            wrong += (y, x) != (order[s].y, order[s].x)
    print(f"core orders: {count}, disagreements {wrong}")
    return wrong


def hold_tilize(program, count, rng):
    """Host tilize: the buffer of a tiled tensor is our image of one bank."""
    import os
    import tempfile

    import numpy as np

    wrong = 0
    for _ in range(count):
        tile = rng.choice([(32, 32), (16, 32), (32, 16), (16, 16), (8, 32), (4, 16), (1, 32)])
        transpose = tile == (32, 32) and rng.random() < 0.3
        shape = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))] + [rng.randint(1, 80), rng.randint(1, 80)]
        data = np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)
        own = ttnn.Tile(tile, transpose) if transpose else ttnn.Tile(tile)
        made = ttnn.Tensor(data.reshape(-1).tolist(), shape, ttnn.float32, ttnn.TILE_LAYOUT, own)
        theirs = buffer_of(made)
        if theirs is None:
            print("host tilize: the buffer of a host tensor cannot be read from this ttnn")
            return wrong
        keys = f"layout=TILE, tile=Tile({tile}{', True' if transpose else ''}), banks=1"
        with tempfile.TemporaryDirectory() as folder:
            np.save(os.path.join(folder, "in.npy"), data)
            subprocess.run([program, "exec", "pack", "--layout", f"{keys}: MemoryConfig()", "--tensor",
                            f"f32[{','.join(map(str, shape))}]", "--in", os.path.join(folder, "in.npy"), "--out",
                            os.path.join(folder, "out.npy")], check=True)
            ours = np.load(os.path.join(folder, "out.npy")).reshape(-1)
        if len(ours) != len(theirs) or not (ours == theirs).all():
            wrong += 1
            if wrong < 4:
                print("disagree:", shape, tile, transpose, len(ours), len(theirs), list(made.padded_shape))
    print(f"host tilize: {count}, disagreements {wrong}")
    return wrong


def buffer_of(tensor):
    """The elements of a host tensor in the order of its memory; None if this ttnn does not show them."""
    import numpy as np

    try:
        shard = tensor.host_buffer().get_shard(ttnn.MeshCoordinate(0, 0))
    except Exception:
        return None
    return np.from_dlpack(shard).view(np.float32)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    wrong = hold_specs(program, count, rng) + hold_cores(program, 100, rng) + hold_tilize(program, 200, rng)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
