"""Faults of the reference adapter: an operation answers wrongly wherever its layout has a feature. Each is a small
change of one right answer, such as real libraries make: the last row one too far, a stride lost, the other truth."""
import layout_gate

FEATURES = {
    "zero": lambda parts: any(s == 0 and e > 1 for e, s, _ in parts["shard"]),
    "down": lambda parts: any(s < 0 for _, s, _ in parts["shard"]),
    "replica": lambda parts: bool(parts["replica"]),
    "offset": lambda parts: bool(parts["offset"]),
    "swizzle": lambda parts: parts["swizzle"] is not None,
    "threads": lambda parts: any(a != "m" for _, _, a in parts["shard"]),
    "unit": lambda parts: any(e == 1 for e, _, _ in parts["shard"]),
    "odd": lambda parts: any(e % 2 and e > 1 for e, _, _ in parts["shard"]),
    "deep": lambda parts: len(parts["shard"]) >= 4,
    "flat": lambda parts: len(parts["shard"]) <= 1,
    "far": lambda parts: any(s > 0xffff for _, s, _ in parts["shard"]),
}
# There the library has no answer, or few.
SKIPPED = {("measure.cosize", "threads"), ("derive.unpack", "threads"), ("image.pack", "zero"),
           ("image.unpack", "zero"), ("image.move", "zero"), ("measure.strides", "threads"),
           ("cost", "threads"), ("cost", "replica"), ("nests", "zero"), ("nests.move", "zero"), ("neutral", "zero"),
           *((name, "far") for name in ("back", "cost", "nests", "nests.move", "neutral", "decide.onto",
                                        "decide.bijective", "image.pack", "image.unpack", "image.move"))}


def names():
    for name in layout_gate._ops["tirx"]:
        for feature in FEATURES:
            if (name, feature) not in SKIPPED:
                yield "%s:%s" % (name, feature)


def spoiled(name, answer):
    kind = name.split(".")[0]
    if name == "print":  # a digit before the first stride
        return answer.replace(":(", ":(1", 1)
    if kind == "nests":
        key = "to_offset" if name == "nests.move" else "device_offset"
        return answer[:-1] + [dict(answer[-1], **{key: answer[-1][key] + 1})]
    if name in ("place", "place.at"):
        axes, rows = answer
        last = [list(place) for place in rows[-1]]
        last[-1][0] += 1
        return axes, rows[:-1] + [last]
    if name == "back":
        return [answer[0] + 1] + answer[1:] if answer else answer
    if name == "neutral":  # another sign
        return answer[:-1] + bytes([answer[-1] ^ 0x80])
    if kind == "image":
        return bytes([answer[0] ^ 1]) + answer[1:] if name == "image.unpack" else answer[1:] + answer[:1]
    if kind == "decide":
        says = answer["answer"] if isinstance(answer, dict) else "yes" if answer else "no"
        return "no" if says == "yes" else "yes"
    if name == "measure.strides":
        return [1] if answer is None else [s + 1 for s in answer]
    if kind in ("measure", "cost"):
        return answer + 1
    parts = dict(answer["parts"])
    longest = max(range(len(parts["shard"])), key=lambda k: parts["shard"][k][0], default=None)
    if longest is None:  # one element
        return {"parts": dict(parts, offset=[[1, "m"]])}
    iters = [list(it) for it in parts["shard"]]
    iters[longest][1] += 1
    return {"parts": dict(parts, shard=iters)}


def plant(fault):
    name, feature = fault.rsplit(":", 1)
    function, contract = layout_gate._ops["tirx"][name]
    has = FEATURES[feature]

    def other_word(c):
        parts = c["given_parts"]
        if parts["shard"] is None or not has(parts):
            return function(c)
        try:
            function(c)
        except layout_gate.Refused:
            return True
        raise layout_gate.Refused("planted", "planted")

    def wrong(c):
        answer = function(c)
        parts = c["parts"]
        return spoiled(name, answer) if parts["shard"] is not None and has(parts) else answer

    layout_gate._ops["tirx"][name] = (other_word if name == "construct" else wrong, contract)
