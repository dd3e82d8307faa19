"""Makes the table of the speed of execution, its picture, and the README's five lines on speed, from benchmarks.

    table.py FILE… [--print]

FILEs are those of `./dev bench --json FILE`; if several have a row, the last one counts. It rewrites the text between
the two marks of tests/bench/README.md, writes tests/bench/speed.svg, and rewrites those of the five lines of README.md
of which FILEs have all rows; with --print all of this goes to stdout and no file is written.
Only the gates are numbers of this script: a row that no FILE has is shown as missing.
"""
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = "<!-- speed: made by tests/bench/table.py -->\n", "<!-- speed: end -->\n"
FIVE, FIVE_END = "<!-- five: made by tests/bench/table.py -->\n", "<!-- five: end -->\n"

# What is done, rows of exec/, the least ratio to memcpy and to the best copy (None: no gate).
RATIOS = [
    ("scatter into sticks, rows padded (f16, f32, i8)",
     ["stick-scatter/f16/120MiB", "stick-scatter/f32/100MiB", "stick-scatter/i8/160MiB"], 1.25, 0.90),
    ("gather back, rows of 300 and 600 bytes (f16, f32)", ["stick-gather/f16/94MiB", "stick-gather/f32/94MiB"], 0.90, 0.65),
    ("sticks without padding: scatter, gather", ["stick-scatter/f16/64MiB", "stick-gather/f16/64MiB"], 1.0, 0.75),
    ("in 2 MiB: scatter, tilize, interleave",
     ["stick-scatter/f16/1.9MiB", "tilize/bf16/2MiB", "blocked/T8x128-2x1/bf16/2MiB"], 1.0, None),
    ("in 2 MiB: restickify", ["restickify/2/2MiB"], 0.80, None),
    ("in 2 MiB: gather", ["stick-gather/f16/1.5MiB"], 0.70, None),
    ("sticks in L2 (512 KiB, 1 MiB)", ["stick-scatter/f16/512KiB", "stick-scatter/f16/1MiB"], 0.90, None),
    ("4-D permute of runs into sticks", ["stick-scatter/f16/order-1-0-2-3/128MiB"], 1.0, 0.70),
    ("4-D, sticks along a dimension that is not dense", ["stick-scatter/f16/order-0-1-3-2/128MiB"], 0.60, None),
    ("the same at a pitch of 256 KiB", ["stick-scatter/f16/order-0-2-3-1/128MiB"], 0.50, None),
    ("restickify f16, f32", ["restickify/2/64MiB", "restickify/4/64MiB"], 1.0, None),
    ("restickify i8", ["restickify/1/64MiB"], 0.70, None),
    ("tilize and untilize, tiles of four faces (bf16, f32)",
     ["tilize/bf16/64MiB", "tilize/f32/64MiB", "untilize/bf16/64MiB", "untilize/f32/64MiB"], 0.85, None),
    ("tilize, ragged at both edges", ["tilize/bf16/padded/62MiB"], 1.0, None),
    ("T(8,128)(2,1), bf16", ["blocked/T8x128-2x1/bf16/64MiB"], 0.85, None),
    ("BA16a64b4a, i8", ["blocked/BA16a64b4a/i8/64MiB"], 0.90, None),
    ("nChw16c, f32", ["blocked/nChw16c/f32/98MiB"], 1.1, None),
    ("XOR swizzle of 16-byte atoms", ["swizzle/3-3-3/f16/64MiB"], None, 0.75),
    ("the same in L2 (512 KiB)", ["swizzle/3-3-3/f16/512KiB"], 0.90, None),
    ("transpose, 1 byte (pitch a power of two, and not)", ["permute/2d/1/8192x8192/64MiB", "permute/2d/1/8128x8256/64MiB"], 0.28, None),
    ("transpose, 2 bytes", ["permute/2d/2/4096x8192/64MiB", "permute/2d/2/4160x8064/64MiB"], 0.32, None),
    ("transpose, 4 bytes", ["permute/2d/4/4096x4096/64MiB", "permute/2d/4/4032x4160/64MiB"], 0.55, None),
    ("transpose, 8 bytes", ["permute/2d/8/2048x4096/64MiB", "permute/2d/8/2112x4032/65MiB"], 0.65, None),
    ("transpose in L2 (64 KiB), 1 byte", ["permute/2d/1/256x256/64KiB"], 0.35, None),
    ("transpose in L2 (64 KiB), 2 bytes", ["permute/2d/2/128x256/64KiB"], 0.45, None),
    ("transpose in L2 (64 KiB), 4 bytes", ["permute/2d/4/128x128/64KiB"], 0.65, None),
    ("transpose in L2 (64 KiB), 8 bytes", ["permute/2d/8/64x128/64KiB"], 0.80, None),
    ("5-D permute of f32, runs of 128 bytes", ["permute/5d/f32/0-4-2-1-3/220MiB"], None, None),
    ("5-D permutes of f32 (3,2,1,4,0; 2,0,4,1,3; 1,3,0,4,2; reverse) and of f64 (reverse)",
     ["permute/5d/f32/3-2-1-4-0/193MiB", "permute/5d/f32/2-0-4-1-3/193MiB", "permute/5d/f32/1-3-0-4-2/193MiB",
      "permute/5d/f32/4-3-2-1-0/193MiB", "permute/5d/f64/4-3-2-1-0/193MiB"], None, None),
]

# What is done, a pattern of rows, their unit in words, the gate, and whether the gate is the least or the most.
NUMBERS = [
    ("two threads, share of the ratio that one has; the worst of all", r"^exec/threads/.*/of-one-thread$", "", 0.9, "least"),
    ("pack of 2 KiB, the plan made before", r"^exec/small/[^/]*/[^/]*$", "ns", 60, "most"),
    ("the same, a call from Python, against NumPy in place", r"^exec/small/.*/python-to-numpy$", "times as fast", 1, "least"),
    ("the same, 64 packs per call from Python", r"^exec/small/.*/python-many$", "ns", 300, "most"),
    ("make a plan and check it", r"^exec/plan/", "us", 2, "most"),
    ("the definition, checked element by element", r"^exec/definition/", "ns per element", 2.5, "most"),
    ("campaign, definition for every case", r"^fuzz/cases-per-second/.*/definition-always$", "cases per second", 250000, "least"),
    ("campaign, definition for some", r"^fuzz/cases-per-second/.*/definition-sometimes$", "cases per second", 800000, "least"),
]

PADDED_AND_TILED = r"^(stick-scatter/(f16/120|f32/100|i8/160|f16/order)|stick-gather/f../94|restickify/[124]/64|(un)?tilize/|blocked/)(?!.*/2MiB)"
PERMUTES = r"^permute/5d/f.*/(193|220)MiB$"
# What is compared, libraries, a pattern of cases, how many times faster at least.
PEERS = [
    ("the best library, sticks and tiles", ["numpy", "torch", "jax", "jax-warm", "onednn", "hptt", "hptt-measure"], PADDED_AND_TILED, 1.2),
    ("numpy, sticks and tiles", ["numpy"], PADDED_AND_TILED, 2.0),
    ("torch, sticks and tiles", ["torch"], PADDED_AND_TILED, 2.0),
    ("numpy, sticks without padding", ["numpy"], r"^stick-(scatter|gather)/f16/64MiB$", 3.0),
    ("torch, sticks without padding", ["torch"], r"^stick-(scatter|gather)/f16/64MiB$", 3.0),
    ("numpy, transposes and restickify", ["numpy"], r"^(permute/2d|restickify)/./.*6.MiB$", 2.5),
    ("torch, transposes and restickify", ["torch"], r"^(permute/2d|restickify)/./.*6.MiB$", 2.5),
    ("oneDNN, transposes", ["onednn"], r"^permute/2d/[124]/.*6.MiB$", 2.0),
    ("HPTT (planned by estimate), 5-D", ["hptt"], PERMUTES, 1.3),
    ("HPTT (planned by measuring), 5-D", ["hptt-measure"], PERMUTES, 0.75),
    ("HPTT (planned by measuring), transposes of 4 bytes", ["hptt-measure"], r"^permute/2d/4/.*6.MiB$", 1.2),
    ("HPTT (planned by measuring), transposes of 8 bytes", ["hptt-measure"], r"^permute/2d/8/.*6.MiB$", 0.7),
]


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def verdict(met):
    return "yes" if met else "**no**"


def one_of(names):
    """An expression that finds these rows."""
    if len(names) == 1:
        return names[0]
    common = os.path.commonprefix(names).rpartition("/")[0]
    common += "/" if common else ""
    return f"{common}({'|'.join(name[len(common):] for name in names)})"


def ratio_lines(rows):
    for what, names, memcpy, best in RATIOS:
        gates, measured, met = [], [], True
        for suffix, gate, copy in (("", memcpy, "memcpy"), ("/best-copy", best, "best copy")):
            if gate is not None:
                gates.append(f"{gate:.2f} x {copy}")
            values = [rows.get("exec/" + name + suffix) for name in names]
            if None in values:
                measured, met = ["missing"], False
                break
            measured.append(f"{', '.join(number(v) for v in values)} x {copy}")
            met = met and (gate is None or min(values) >= gate)
        yield what, "; ".join(gates), "; ".join(measured), verdict(met) if gates or not met else "", "^exec/" + one_of(names)


def number_lines(rows):
    for what, pattern, unit, gate, side in NUMBERS:
        values = [value for name, value in rows.items() if re.search(pattern, name)]
        shown = f"at {side} {number(gate)} {unit}".strip()
        if not values:
            yield what, shown, "missing", verdict(False), pattern
            continue
        worst = min(values) if side == "least" else max(values)
        span = number(worst) if min(values) == max(values) else f"{number(min(values))} … {number(max(values))}"
        yield what, shown, f"{span} {unit}".strip(), verdict(worst >= gate if side == "least" else worst <= gate), pattern


def against(rows, libraries, pattern):
    """How many times faster than the fastest of the libraries, by case, and how many cases there are."""
    out, cases = {}, 0
    for name, ours in rows.items():
        case = name.removeprefix("exec/")
        if case == name or not re.search(pattern, case) or case.endswith("/best-copy"):
            continue
        cases += 1
        theirs = [rows[f"peer/{library}/{case}"] for library in libraries if f"peer/{library}/{case}" in rows]
        if theirs:
            out[case] = ours / max(theirs)
    return out, cases


def peer_lines(rows):
    for what, libraries, pattern, gate in PEERS:
        found, cases = against(rows, libraries, pattern)
        if not found:
            continue  # no such library when it was measured
        worst = min(found, key=found.get)
        span = f"{number(found[worst])} … {number(max(found.values()))} times ({len(found)} of {cases} cases; the least at `{worst}`)"
        met = found[worst] >= gate and len(found) == cases  # what is absent has not been passed
        yield f"against {what}", f"{gate} times", span, verdict(met), f"^(exec|peer/({'|'.join(libraries)}))/"


def five(rows):
    """The README's lines; None where a row is missing."""
    def of(name):
        return rows[name]

    def span(pattern):
        values = [value for name, value in rows.items() if re.search(pattern, name)]
        if not values:
            raise KeyError(pattern)
        return f"{number(min(values))} to {number(max(values))}"

    def verdicts():
        return (f"A claim of the corpus is decided in {number(of('verdict/all/corpus/median'))} us (the median), 99 % of them "
                f"in {number(of('verdict/all/corpus/p99'))} us; a whole `check` of a layout, from the start of the process to "
                f"the last certificate, takes {number(of('cold-start') / 1000)} ms.")

    def copies():
        return (f"A pack of padded rows into sticks runs at {number(of('exec/stick-scatter/f16/120MiB'))} times the speed of "
                f"`memcpy`, the gather back at {number(of('exec/stick-gather/f16/94MiB'))} times; a tilize at "
                f"{number(of('exec/tilize/bf16/64MiB'))} times.")

    def small():
        return (f"A pack of 2 KiB takes {span(r'^exec/small/[^/]*/[^/]*$')} ns, with a plan made before; to make a plan and "
                f"check it takes {span(r'^exec/plan/')} us.")

    def campaigns():
        return (f"A campaign runs {span(r'^fuzz/cases-per-second/.*/definition-always$')} random cases per second on one "
                f"thread, each compared with the definition.")

    def peers():
        found, cases = against(rows, PEERS[0][1], PADDED_AND_TILED)
        if not found or len(found) < cases:
            raise KeyError("a peer")
        return (f"Against the best of numpy, torch, jax, oneDNN and HPTT it is {number(min(found.values()))} to "
                f"{number(max(found.values()))} times as fast, on {cases} layouts of sticks and tiles.")

    for line in (verdicts, copies, small, campaigns, peers):
        try:
            yield line()
        except KeyError:
            yield None


def table(rows):
    out = ["| work | gate | measured | met | `./dev bench --filter` |", "|---|---|---|---|---|"]
    for lines in (ratio_lines(rows), number_lines(rows), peer_lines(rows)):
        for what, gate, measured, met, command in lines:
            escaped = command.replace("|", "\\|")  # which a table shows as |
            out.append(f"| {what} | {gate} | {measured} | {met} | `{escaped}` |")
    return "\n".join(out) + "\n"


STYLE = """<style>
text { font: 12px sans-serif; fill: #1f2328 } .small { font-size: 11px; fill: #59636e }
.bar { fill: #2f6fb3 } .best { stroke: #1f2328; stroke-width: 2 } .gate { stroke: #c93c37; stroke-width: 2 }
.grid { stroke: #d1d9e0 } .one { stroke: #59636e; stroke-dasharray: 3 3 } .numpy { fill: #d4883a } .torch { fill: #a64dac }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .small { fill: #9198a1 } .best { stroke: #f0f6fc } .grid { stroke: #3d444d }
.one { stroke: #9198a1 } }
</style>"""


def picture(rows):
    bars = [(name, memcpy) for _, names, memcpy, _ in RATIOS for name in names if "exec/" + name in rows]
    left, height, unit = 280, 19, 230
    most = max([2.0] + [rows["exec/" + name] for name, _ in bars])
    width, bottom = left + int(unit * most) + 60, 62 + height * len(bars)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 16}" viewBox="0 0 {width} {bottom + 16}">',
           STYLE, '<text x="10" y="18">The executor, one thread, as multiples of memcpy of as many bytes in the same process</text>']
    legend = [("rect", "bar", "this program"), ("line", "gate", "gate"), ("circle", "numpy", "numpy"), ("circle", "torch", "torch")]
    x = 10
    for shape, style, words in legend:
        out.append({"rect": f'<rect class="{style}" x="{x}" y="29" width="12" height="10"/>',
                    "line": f'<line class="{style}" x1="{x + 6}" x2="{x + 6}" y1="28" y2="40"/>',
                    "circle": f'<circle class="{style}" cx="{x + 6}" cy="34" r="4"/>'}[shape])
        out.append(f'<text class="small" x="{x + 17}" y="38">{words}</text>')
        x += 34 + 7 * len(words)
    for tick in range(int(most * 2) + 1):
        at = left + tick * unit / 2
        out.append(f'<line class="{"one" if tick == 2 else "grid"}" x1="{at:.1f}" x2="{at:.1f}" y1="56" y2="{bottom}"/>')
        out.append(f'<text class="small" x="{at:.1f}" y="52" text-anchor="middle">{tick / 2:g}</text>')
    for k, (name, gate) in enumerate(bars):
        y, value = 60 + height * k, rows["exec/" + name]
        out.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{name}</text>')
        out.append(f'<rect class="bar" x="{left}" y="{y + 2}" width="{unit * value:.1f}" height="{height - 6}"/>')
        out.append(f'<text class="small" x="{left + unit * value + 5:.1f}" y="{y + 12}">{value:.2f}</text>')
        if gate is not None:
            at = left + unit * gate
            out.append(f'<line class="gate" x1="{at:.1f}" x2="{at:.1f}" y1="{y}" y2="{y + height - 2}"/>')
        for library in ("numpy", "torch"):
            if f"peer/{library}/{name}" in rows:
                at = left + unit * rows[f"peer/{library}/{name}"]
                out.append(f'<circle class="{library}" cx="{at:.1f}" cy="{y + 8.5}" r="4"/>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    files = [argument for argument in sys.argv[1:] if argument != "--print"]
    if not files:
        sys.exit(__doc__)
    rows, machine = {}, {}
    for file in files:
        with open(file) as opened:
            said = json.load(opened)
        rows.update({row["name"]: row["value"] for row in said["rows"]})
        machine = said["machine"]
    text = (f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['system']} {machine['arch']}.\n\n" + table(rows) +
            "\n![the executor as multiples of memcpy](speed.svg)\n")
    lines = list(five(rows))
    if "--print" in sys.argv:
        print(text + "\n" + "\n".join(f"- {line}" for line in lines if line))
        return
    replace("tests/bench/README.md", BEGIN, END, lambda _: text)
    replace("README.md", FIVE, FIVE_END, lambda old: "\n".join(
        f"- {line}" if line else was for line, was in zip(lines, old.splitlines())) + "\n")
    with open(os.path.join(ROOT, "tests/bench/speed.svg"), "w") as opened:
        opened.write(picture(rows))


def replace(page, begin, end, what):
    """Replaces what stands between two marks of a page."""
    path = os.path.join(ROOT, page)
    with open(path) as opened:
        head, rest = opened.read().split(begin)
    old, tail = rest.split(end)
    with open(path, "w") as opened:
        opened.write(head + begin + what(old) + end + tail)


if __name__ == "__main__":
    main()
