#!/usr/bin/env python3
"""Counterexamples against brute force: is a witness that is called minimal the smallest?

    tests/peer/smallest.py PROGRAM [--seed 1] [--refuted 2000]        (needs numpy)

Random layouts of 10^6 to 3*10^6 elements with odd strides, of both families, and for each the claims in-bounds,
injective, onto, and equal to the same layout with one stride changed. The places of all elements are computed here from
the families' documents; nothing of verify-layout is used. Prints the share of witnesses that are minimal, and exits
with 1 when one that is called minimal is not the smallest, when something false is proved, or when nothing was refuted.
"""
import argparse, collections, json, math, random, subprocess, sys, tempfile
import numpy as np

MOST_SLOTS = 1 << 26


def coordinates(number, extents):
    return [int(x) for x in np.unravel_index(number, extents)] if extents else []


def sums(extents, strides):
    place = np.zeros(1, dtype=np.int64)
    for extent, stride in zip(extents, strides):
        place = (place[:, None] + np.arange(extent, dtype=np.int64) * stride).ravel()
    return place


class Tirx:
    """S[...] + R[...] + offset over a tensor of as many elements; the box is [0, 1 + the largest place)."""

    def __init__(self, r):
        self.r = r
        count = r.randint(2, 5)
        self.extents = [r.choice([r.randint(2, 60), r.randint(2, 400), 2 ** r.randint(1, 7)]) for _ in range(count)]
        self.copies = (r.randint(2, 3), r.randint(1, 5000) | 1) if r.random() < 0.2 else (1, 0)
        self.strides, reach = [0] * count, 0
        for i in r.sample(range(count), count):
            kind = r.random()
            if kind < 0.45:
                stride = reach + 1 + r.choice([0, 0, r.randint(0, 7)])
            elif kind < 0.8:
                stride = r.randint(1, 2000) | 1
            else:
                stride = max(1, int((reach + 1) * r.uniform(0.3, 1.1)))
            self.strides[i] = stride
            reach += stride * (self.extents[i] - 1)
        if r.random() < 0.35:
            self.strides[r.randrange(count)] *= -1
        self.offset = r.randint(1, 500) | 1 if r.random() < 0.2 else 0
        self.volume = math.prod(self.extents)
        self.fits = 10 ** 6 <= self.volume * self.copies[0] <= 3 * 10 ** 6 and reach < MOST_SLOTS // 2
        self.size = [1] * r.randint(1, 3)
        rest, factor = self.volume, 2
        while rest > 1:
            while rest % factor == 0:
                self.size[r.randrange(len(self.size))] *= factor
                rest //= factor
            factor += 1
        self.host = None

    def text(self, strides):
        tuple_of = lambda numbers: "(" + ",".join(map(str, numbers)) + ",)"
        out = f"S[{tuple_of(self.extents)}:{tuple_of(strides)}]"
        if self.copies[0] > 1:
            out += " + R[%d:%d]" % self.copies
        return out + (f" + {self.offset}@m" if self.offset else "")

    def places(self, strides):
        copies, step = self.copies
        return self.offset + sums(self.extents, strides)[:, None] + np.arange(copies, dtype=np.int64) * step

    def finish(self):
        own = self.places(self.strides)
        changed = list(self.strides)
        changed[self.r.randrange(len(changed))] += self.r.choice([1, -1, 2])
        span = max(int(own.max()) + 1, 0)
        self.box = [span]
        self.slots = np.where((own >= 0) & (own < span), own, -1)
        self.compared = np.sort(own, 1), np.sort(self.places(changed), 1)  # axes have names: any place counts
        return self.text(self.strides), self.text(changed)


class Spyre:
    """device_size and stride_map: the host offset is split by the strides in descending order, ties outer first. Device
    dimensions of size 1 take no part (encodings/spyre/spyre.h; 000: they do not affect the memory layout)."""

    def __init__(self, r):
        self.r = r
        rank = r.randint(1, 3)
        self.size = [r.choice([r.randint(2, 2000), r.randint(2, 40)]) for _ in range(rank)]
        self.volume = math.prod(self.size)
        self.host, step = [0] * rank, 1
        for i in r.sample(range(rank), rank):
            self.host[i] = step
            grown = step * self.size[i]
            gap = r.choice([0, 0, 1, r.randint(0, 9)]) if r.random() < 0.85 else -r.randint(0, 3)
            step = max(1, grown + gap)
        top = sum((s - 1) * h for s, h in zip(self.size, self.host))
        weights = [1]
        for _ in range(r.randint(1, 3)):
            last = weights[-1]
            weights.append(r.choice([last * r.choice([2, 3, 5, 7, 64]), r.choice(self.host),
                                     last * r.randint(2, 300) + r.choice([0, 0, 1, 3])]))
        weights = sorted({w for w in weights if 1 <= w <= top + 1} | {1}, reverse=True)
        device = []
        for k, weight in enumerate(weights):
            full = top // weight + 1 if k == 0 else -(-weights[k - 1] // weight)
            if r.random() < 0.25:
                full = max(1, full - r.choice([1, 1, 2, full // 2]))
            elif r.random() < 0.2:
                full += r.randint(1, 3)
            device.append(full)
        order = r.sample(range(len(weights)), len(weights))
        self.box, self.weights = [device[k] for k in order], [weights[k] for k in order]
        self.fits = 10 ** 6 <= self.volume <= 3 * 10 ** 6 and math.prod(self.box) <= MOST_SLOTS

    def text(self, weights):
        return (f"SpyreTensorLayout(device_size={self.box}, stride_map ={weights}, "
                "device_dtype=DataFormats.SEN169_FP16)")

    def numbers(self, weights):
        rest = sums(self.size, self.host)
        digits, last = [None] * len(weights), None
        for j in sorted(range(len(weights)), key=lambda j: (-weights[j], j)):
            still = weights[j] == last or self.box[j] == 1
            digits[j] = np.zeros_like(rest) if still else rest // weights[j]
            rest = rest - digits[j] * weights[j]
            last = last if self.box[j] == 1 else weights[j]
        valid, number = rest == 0, np.zeros_like(rest)
        for digit, extent in zip(digits, self.box):
            valid &= (digit >= 0) & (digit < extent)
            number = number * extent + digit
        return np.where(valid, number, -1)[:, None]

    def finish(self):
        self.slots = self.numbers(self.weights)
        changed = list(self.weights)
        large = [j for j, w in enumerate(changed) if w != 1]
        if large:
            j = self.r.choice(large)
            changed[j] = max(2, changed[j] + self.r.choice([-1, 1]))
        self.compared = self.slots, self.numbers(changed)
        return self.text(self.weights), self.text(changed)


def first_pair(layout):
    """The first element that shares a slot with another place, and the first element that shares one of its slots."""
    flat, copies = layout.slots.ravel(), layout.slots.shape[1]
    taken = np.flatnonzero(flat >= 0)
    counts = np.bincount(flat[taken]) if len(taken) else np.zeros(1, int)
    shared = counts[flat[taken]] > 1
    if not shared.any():
        return None
    a = int(taken[np.argmax(shared)]) // copies
    partners = []
    for r in range(copies):
        if (slot := layout.slots[a, r]) >= 0:
            met = np.flatnonzero(flat == slot)
            partners += list(met[(met != a * copies + r) & (met // copies >= a)][:1] // copies)
    return {"a": coordinates(a, layout.size), "b": coordinates(int(min(partners)), layout.size)}


def truth(layout):
    """Of each claim the fields of its smallest counterexample; None where it holds."""
    element = lambda bad: {"a": coordinates(int(np.argmax(bad)), layout.size)} if bad.any() else None
    empty = np.ones(math.prod(layout.box), bool)
    empty[layout.slots[layout.slots >= 0]] = False
    return {"in-bounds": element((layout.slots < 0).any(1)),
            "injective": first_pair(layout),
            "onto": {"physical": coordinates(int(np.argmax(empty)), layout.box)} if empty.any() else None,
            "equal": element((layout.compared[0] != layout.compared[1]).any(1))}


def drawn(r):
    while True:
        layout = (Tirx if r.random() < 0.6 else Spyre)(r)
        if layout.fits:
            return layout


def answers(program, layout):
    own, changed = layout.finish()
    case = f'schema = 1\n[[case]]\nid = "x"\nsource = "random"\nlayout = "{own}"\ntensor = "f16{layout.size}"\n'
    case += f"strides = {layout.host}\n" if layout.host else ""
    for claim in ("in-bounds", "injective", "onto"):
        case += f'[[case.claim]]\nclaim = "{claim}"\nexpect = "proved"\n'
    case += f'[[case.claim]]\nclaim = "equal"\nwith = "{changed}"\nexpect = "proved"\n'
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(case)
        file.flush()
        ran = subprocess.run([program, "check", file.name, "--format", "jsonl"], capture_output=True, text=True)
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    found = [record for record in records if record["kind"] == "verdict"]
    if len(found) != 4:
        sys.exit(f"four answers are expected of\n{case}{ran.stdout}{ran.stderr}")
    return case, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--refuted", type=int, default=2000)
    given = parser.parse_args()
    r, tally, wrong = random.Random(given.seed), collections.Counter(), 0
    while tally["refuted"] < given.refuted:
        layout = drawn(r)
        case, records = answers(given.program, layout)
        smallest = truth(layout)
        tally["layouts"] += 1
        for record in records:
            expected, verdict = smallest[record["claim"]], record["verdict"]
            tally[verdict] += 1
            if verdict != "refuted":
                bad = verdict == "proved" and expected is not None
            else:
                tally["minimal"] += record["minimal"]
                shown = {key: record["counterexample"].get(key) for key in expected or {}}
                genuine = expected is not None or record["claim"] == "equal" and "size" in record["counterexample"]
                bad = not genuine or record["minimal"] and shown != expected
                if not record["minimal"]:
                    print(f"not minimal: {record['claim']} by {record['engine']} of {record['layout']}")
            if bad:
                wrong += 1
                print(f"WRONG: {record['claim']} is {verdict}, {record['counterexample']}; {expected}\n{case}")
        if tally["layouts"] % 25 == 0:
            print(dict(tally), flush=True)
    print(dict(tally))
    print(f"{tally['minimal']} of {tally['refuted']} witnesses are minimal, {wrong} wrong")
    sys.exit(1 if wrong or not tally["refuted"] else 0)


if __name__ == "__main__":
    main()
