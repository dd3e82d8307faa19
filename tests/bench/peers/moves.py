"""Measures another library on the moves of the benchmarks, against memcpy of as many bytes in the same process.

    moves.py LIBRARY CASES

CASES is JSON, a list of {name, unit, source, destination, moves, gaps, expression}: bytes of a unit, units of the two
memories, nests [extents, source strides, source offset, destination strides, destination offset] in units, nests of
gaps (only their destination counts; it becomes 0), and the work as one expression over the source x and the library
xp, if it is more than one transpose. It prints one line of JSON per case: {name, work, memcpy, digest}, with the seconds of each
round and the digest of the result, or {name, why} if the library cannot express the case. Libraries that can write into
given memory do so, on views that are made before the measurement. One thread, pinned. If the library is not there, the
program ends with status 3 and prints no line.
"""
import ctypes
import glob
import json
import mmap
import os
import sys
import time

SECONDS = 0.6  # of one case's rounds, of which there are at least 2 and at most 9
HUGE_PAGE = 2 << 20

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


class NoAnswer(Exception):
    pass


def memory(np, length):
    """`length` bytes from a multiple of 2 MiB on, on huge pages where the system gives them, all written to."""
    mapped = mmap.mmap(-1, length + 2 * HUGE_PAGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        mapped.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(mapped, dtype=np.uint8)
    begin = -whole.ctypes.data % HUGE_PAGE
    out = whole[begin : begin + length]
    out[:] = 0xEE
    return out


def fill_with_tags(np, out):
    """The pattern of exec_measure.h."""
    bits30 = np.uint32((1 << 30) - 1)
    h = np.arange((len(out) + 3) // 4, dtype=np.uint32) & bits30
    h = h * np.uint32(0x2C1B3C6D) & bits30
    h ^= h >> np.uint32(15)
    h = h * np.uint32(0x297A2D39) & bits30
    h ^= h >> np.uint32(14)
    words = (h & np.uint32(0x1FFFFFFF)) | (h >> np.uint32(29) << np.uint32(31)) | np.uint32(0x20000000)
    out[:] = words.view(np.uint8)[: len(out)]


def digest_of(np, data):
    words = np.zeros((len(data) + 7) // 8, dtype=np.uint64)
    words.view(np.uint8)[: len(data)] = data
    total = 0
    for begin in range(0, len(words), 1 << 20):
        part = words[begin : begin + (1 << 20)]
        odd = (np.arange(len(part), dtype=np.uint64) + np.uint64(begin)) * np.uint64(2) + np.uint64(1)
        total += int((part * odd).sum(dtype=np.uint64))
    return total % (1 << 64)


def transpose_of(case):
    """(shape of the source, axes of the result) of a case that is one transpose of a dense source."""
    if len(case["moves"]) != 1 or case["gaps"]:
        raise NoAnswer("it is more than one transpose")
    nest = case["moves"][0]
    extents, source = zip(*[(extent, stride) for extent, stride in zip(nest[0], nest[1]) if extent != 1])
    order = sorted(range(len(extents)), key=lambda k: -source[k])
    step = 1
    for k in reversed(order):
        if source[k] != step:
            raise NoAnswer("its source has holes")
        step *= extents[k]
    return [extents[k] for k in order], [order.index(k) for k in range(len(extents))]


# One function a library: from the case and the two memories, as arrays of numpy's, to the work, and to what gives the
# bytes of the result afterwards when they are not in the destination.


def numpy_work(np, case, source, destination):
    dtype = np.dtype(f"u{case['unit']}")
    x, y = source.view(dtype), destination.view(dtype)

    def view(array, extents, strides, offset):
        return np.lib.stride_tricks.as_strided(array[offset:], extents, [s * case["unit"] for s in strides])

    pairs = [(view(y, e, to, t), view(x, e, of, f)) for e, of, f, to, t in case["moves"]]
    gaps = [view(y, e, to, t) for e, _, _, to, t in case["gaps"]]

    def work():
        for into, of in pairs:
            np.copyto(into, of)
        for gap in gaps:
            gap[...] = 0

    return work, None


def torch_work(np, case, source, destination):
    import torch

    torch.set_num_threads(1)
    dtype = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[case["unit"]]
    x = torch.from_numpy(source.view(f"i{case['unit']}" if case["unit"] > 1 else "u1")).view(dtype)
    y = torch.from_numpy(destination.view(f"i{case['unit']}" if case["unit"] > 1 else "u1")).view(dtype)
    pairs = [(y.as_strided(e, to, t), x.as_strided(e, of, f)) for e, of, f, to, t in case["moves"]]
    gaps = [y.as_strided(e, to, t) for e, _, _, to, t in case["gaps"]]

    def work():
        for into, of in pairs:
            into.copy_(of)
        for gap in gaps:
            gap.zero_()

    return work, None


def jax_work(np, case, source, destination):
    import jax

    jax.config.update("jax_enable_x64", True)
    xp = jax.numpy
    if case["expression"]:
        code = compile(case["expression"], case["name"], "eval")
        compute = lambda x: eval(code, {"x": x, "xp": xp})
    else:
        shape, axes = transpose_of(case)
        compute = lambda x: x.reshape(shape).transpose(axes)
    compiled = jax.jit(compute)
    x = jax.device_put(source.view(f"u{case['unit']}"))
    last = []

    def work():
        last[:] = [compiled(x).block_until_ready()]

    def result():
        # The memory itself, so that no layout of XLA's own can stand for what was asked for.
        return np.frombuffer((ctypes.c_uint8 * len(destination)).from_address(last[0].unsafe_buffer_pointer()), dtype=np.uint8)

    return work, result


def load(name):
    for path in glob.glob(os.path.join(sys.prefix, "lib", f"lib{name}.so*")) + [f"lib{name}.so", f"lib{name}.so.3", f"lib{name}.so.2"]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    sys.exit(3)


def onednn_work(np, case, source, destination):
    """Strided reorders, one a nest; the two major versions of the C interface differ in how a descriptor is made."""
    dnnl = load("dnnl")
    kind = {1: 5, 2: 2, 4: 3}.get(case["unit"])  # s8, bf16, f32
    if kind is None:
        raise NoAnswer("it has no type of that size")

    def good(status):
        if status != 0:
            raise NoAnswer(f"oneDNN says status {status}")

    def pointer():
        return ctypes.c_void_p()

    engine, stream = pointer(), pointer()
    good(dnnl.dnnl_engine_create(ctypes.byref(engine), 1, ctypes.c_size_t(0)))
    good(dnnl.dnnl_stream_create(ctypes.byref(stream), engine, 1))

    def descriptor(extents, strides):
        dims = ctypes.c_int64 * 12
        arguments = (len(extents), dims(*extents), kind, dims(*strides))
        if hasattr(dnnl, "dnnl_memory_desc_create_with_strides"):
            out = pointer()
            good(dnnl.dnnl_memory_desc_create_with_strides(ctypes.byref(out), *arguments))
            return out
        out = ctypes.create_string_buffer(4096)
        good(dnnl.dnnl_memory_desc_init_by_strides(out, *arguments))
        return out

    class Argument(ctypes.Structure):
        _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]

    reorders = []
    for extents, of, f, to, t in case["moves"]:
        pair = []
        for strides, array, offset in ((of, source, f), (to, destination, t)):
            desc, held = descriptor(extents, strides), pointer()
            address = ctypes.c_void_p(array.ctypes.data + offset * case["unit"])
            good(dnnl.dnnl_memory_create(ctypes.byref(held), desc, engine, address))
            pair.append((desc, held))
        primitive_desc, primitive = pointer(), pointer()
        good(dnnl.dnnl_reorder_primitive_desc_create(ctypes.byref(primitive_desc), pair[0][0], engine, pair[1][0], engine, None))
        good(dnnl.dnnl_primitive_create(ctypes.byref(primitive), primitive_desc))
        reorders.append((primitive, (Argument * 2)(Argument(1, pair[0][1].value), Argument(17, pair[1][1].value))))
    fill, _ = numpy_work(np, dict(case, moves=[]), source, destination)

    def work():
        for primitive, arguments in reorders:
            good(dnnl.dnnl_primitive_execute(primitive, stream, 2, arguments))
        good(dnnl.dnnl_stream_wait(stream))
        fill()

    return work, None


def hptt_work(np, case, source, destination, method=0):
    """Its C++ interface, since that of C makes a plan in each call and cannot measure: create_plan(perm, dim, alpha, A, sizes,
    outer sizes, beta, B, outer sizes, method, threads, ids, row major) gives a shared_ptr, in memory that the caller says as any
    structure of more than two words, and execute() takes its first word. The plan is made once, and by method 1 (MEASURE) from
    what the library's candidates take on this case, which it stops after 10 seconds."""
    library = load("hptt")
    kind = {4: "f", 8: "d"}.get(case["unit"])
    if kind is None:
        raise NoAnswer("it has types of 4, 8 and 16 bytes only")
    shape, axes = transpose_of(case)
    number = ctypes.c_float if kind == "f" else ctypes.c_double
    ints = ctypes.c_int * len(shape)

    class Shared(ctypes.Structure):
        _fields_ = [("plan", ctypes.c_void_p), ("rest", ctypes.c_void_p * 3)]

    try:
        create = library[f"_ZN4hptt11create_planEPKii{kind}PK{kind}S1_S1_{kind}P{kind}S1_NS_15SelectionMethodEiS1_b"]
        execute = library[f"_ZN4hptt9TransposeI{kind}E7executeEv"]
    except AttributeError:
        sys.exit(3)
    create.restype, execute.restype, execute.argtypes = Shared, None, [ctypes.c_void_p]
    shared = create(ints(*axes), len(shape), number(1), ctypes.c_void_p(source.ctypes.data), ints(*shape), None, number(0),
                    ctypes.c_void_p(destination.ctypes.data), None, method, 1, None, True)
    destination[:] = 0xEE  # which candidates have written

    def work():
        execute(shared.plan)

    return work, None


def hptt_measure_work(np, case, source, destination):
    return hptt_work(np, case, source, destination, 1)


LIBRARIES = {"numpy": numpy_work, "torch": torch_work, "jax": jax_work, "onednn": onednn_work, "hptt": hptt_work,
             "hptt-measure": hptt_measure_work}


def measure(work, copy):
    """Seconds of each round of the two, a few calls a sample where one is short. The first calls of all are not counted."""
    clock = time.process_time if len(os.sched_getaffinity(0)) == 1 else time.perf_counter
    out = []
    calls = []
    for call in (work, copy):
        call()
        start = time.perf_counter()
        call()
        calls.append(max(1, min(10000, int(1e-3 / max(time.perf_counter() - start, 1e-7)))))
    begin = time.perf_counter()
    while len(out) < 2 or (len(out) < 9 and time.perf_counter() - begin < SECONDS):
        samples = []
        for call, times in zip((work, copy), calls):
            start = clock()
            for _ in range(times):
                call()
            samples.append((clock() - start) / times)
        out.append(samples)
    return [list(samples) for samples in zip(*out)]


def main():
    prepare = LIBRARIES[sys.argv[1]]
    try:
        import numpy as np
    except ImportError:
        sys.exit(3)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    memcpy = ctypes.CDLL(None).memcpy
    memcpy.restype = ctypes.c_void_p
    memcpy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    cases = json.loads(sys.argv[2])
    longest = max(max(case["source"], case["destination"]) * case["unit"] for case in cases)
    whole_source, whole_destination = memory(np, longest), memory(np, longest)
    for case in cases:
        line = {"name": case["name"]}
        source, destination = whole_source[: case["source"] * case["unit"]], whole_destination[: case["destination"] * case["unit"]]
        try:
            fill_with_tags(np, source)
            destination[:] = 0xEE
            work, result = prepare(np, case, source, destination)
            work()
            line["digest"] = digest_of(np, result() if result else destination)
            to, of, length = destination.ctypes.data, whole_source.ctypes.data, len(destination)
            line["work"], line["memcpy"] = measure(work, lambda: memcpy(to, of, length))
        except NoAnswer as why:
            line = {"name": case["name"], "why": str(why)}
        except ImportError:
            sys.exit(3)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
