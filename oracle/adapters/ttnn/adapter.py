"""ttnn's TensorSpec, by tensors of the host: their constructor tiles, and host_buffer has the pages one by one."""
import json, os, re
from importlib.metadata import version
from math import prod
from layout_gate import Refused, Unsupported, op, serve
import numpy as np
os.environ["HOME"] = "/tmp"  # without it, the import ends by SIGSEGV
import ttnn
T = ttnn._ttnn.tensor
def tensor(c, data=None):  # without data, elements are their row-major numbers, and pads -1
    text, shape = c["layout"], c["tensor"]["shape"]
    data = np.arange(prod(shape), dtype=np.float32) if data is None else np.frombuffer(data, np.float32).copy()
    numbers = lambda key: [*map(int, re.search(r"\b" + key + r"\"?[=:][\[{]([\d, ]+)", text)[1].split(","))]
    value = lambda kind: getattr(getattr(T, kind), re.search(kind + r"::(\w+)", text)[1]).value
    size, flips = numbers("tile_shape"), len(re.findall(r"transpose_\w+=1", text))
    hardware = size[0] in (1, 2, 4, 8, 16, 32) and size[1] in (16, 32)
    if "alignment" in text: raise Unsupported("an alignment")
    if "TilePage" in text and (not hardware or numbers("face_shape") != [min(16, size[0]), 16] or flips == 1 or
                               flips and size[0] < 16): raise Unsupported("a tile that no hardware has")
    memory = {"memory_layout": value("TensorMemoryLayout"), "buffer_type": value("BufferType"),
              "per_core_allocation": False, "created_with_nd_shard_spec": "shard_shape" in text}
    if "grid" in text:  # from_json of ranges that overlap ends the process by SIGABRT
        corner = lambda r, key: T.CoreCoord(r[key]["x"], r[key]["y"])
        shard = {"orientation": value("ShardOrientation"),
                 "grid": json.loads(re.search(r"grid\"?[=:](\[.*?\}\}\])", text)[1])}
        if "shard_shape" not in text: memory["shard_spec"] = shard | {"shape": numbers("shape")}
        else: memory["nd_shard_spec"] = shard | {"shard_shape": numbers("shard_shape"),
                                                 "shard_distribution_strategy": value("ShardDistributionStrategy")}
    try:
        if "grid" in text: T.CoreRangeSet([T.CoreRange(corner(r, "start"), corner(r, "end")) for r in shard["grid"]])
        return memory, T.Tensor(data.reshape(shape), T.DataType.FLOAT32, None,
                                T.Layout.TILE if "TilePage" in text else T.Layout.ROW_MAJOR,
                                T.MemoryConfig.from_json(json.dumps(memory)), T.Tile(size, flips > 0), pad_value=-1.0)
    except RuntimeError as no: raise Refused(str(no).split("backtrace")[0])  # which has addresses
def pages(made): return np.from_dlpack(made.host_buffer().get_shard(ttnn.MeshCoordinate(0, 0))).view(np.float32)
@op("decide.well-formed", "ttmetal")
def well_formed(c):
    try: memory, _ = tensor(c)
    except Refused: return False
    if "nd_shard_spec" in memory: raise Unsupported("whether its shards find cores is only asked on a device")
    return True
@op("place", "ttmetal")
def place(c):  # of tensors in one core, or dealt to banks page by page, which is not seen on the host
    memory, made = tensor(c)
    numbers, where = pages(made).astype(int), np.empty(prod(c["tensor"]["shape"]), int)
    where[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
    if "nd_shard_spec" in memory: raise Unsupported("shards of several dimensions")
    if "shard_spec" in memory:
        (core,) = memory["shard_spec"]["grid"] if len(memory["shard_spec"]["grid"]) == 1 else [{"start": 0, "end": 1}]
        if core["start"] != core["end"]: raise Unsupported("several cores")
        return ["y", "x", "m"], [[core["start"]["y"], core["start"]["x"], m] for m in where]
    page = prod(made.tile.tile_shape) if made.layout == T.Layout.TILE else made.padded_shape[-1]
    banks = int(re.match(r"banks=(\d+)", c["layout"])[1])
    return ["bank", "m"], [[m // page % banks, m // page // banks * page + m % page] for m in where]
@op("image.pack", "ttmetal")
def pack(c):
    made, image = pages(tensor(c, c["data"])[1]), np.zeros(c["image"]["extents"], np.float32)
    numbers = pages(tensor(c)[1]).astype(int)
    image[(*np.array(place(c)[1]).T,)] = made[np.flatnonzero(numbers >= 0)[np.argsort(numbers[numbers >= 0])]]
    return image.tobytes()
@op("print", "ttmetal")
def print_(c):  # the memory's part; the keys in front of it say the rest
    made, banks = tensor(c)[1], re.match(r"(?:(banks=\d+): )?", c["layout"])[1]
    keys = "layout=" + made.layout.name, "tile=" + re.search(r"Tile\(.*?\)", c["layout"])[0], *filter(None, [banks])
    return f"{', '.join(keys)}: {made.memory_config()}"
serve("ttnn", version("ttnn"), issues="https://github.com/tenstorrent/tt-metal/issues")
