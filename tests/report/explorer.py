"""The page of `show --format html` in a real browser: explorer.py BUILD [--screenshots FOLDER]. By hand, not in CI: it
needs Chromium (`apt-get install chromium`).

For layouts of every family, 100 random elements are pointed at; what the page then says of their stages and slots has
to be what `explain` says. Keys, views, finding and the second layout are tried. Nothing may be logged as an error, and
nothing requested.
"""
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SPYRE = "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)"
LAYOUTS = [
    ("spyre-ragged", SPYRE, "f16[5,100,150]"), ("spyre-order", "SpyreTensorLayout((3, 70, 5), torch.float16, [2, 0, 1])", "f16[3,70,5]"),
    ("spyre-f32", "SpyreTensorLayout((7, 33), torch.float32)", "f32[7,33]"),
    ("tirx-rows", "S[(8,64):(64,1)]", "f16[8,64]"), ("tirx-swizzle", "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])", "f16[8,64]"),
    ("tirx-lanes", "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", "f16[8,2,4,2]"),
    ("metal-tiles", "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<1x2x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>", "f32[50,100]"),
    ("metal-rows", "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<2x8xf32, #tt.memory_space<l1>>>", "f32[4,16]"),
    ("ttnn-block", "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x2>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<l1>>, <block_sharded>>", "f32[40,64]"),
    ("ttmetal-tile", "layout=TILE, banks=2: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.DRAM)", "bf16[2,40,33]"),
]
SCRIPT = """
<script>
window.onerror = (message, source, line) => { document.title = "ERROR " + message + " " + line; };
</script>
"""
TEST = """
<script>
(() => {
  const page = window.layoutPage, out = {elements: [], errors: []};
  const detail = () => ({head: document.querySelector("#detail h2").textContent, facts: document.querySelector("#detail p").textContent,
    tables: [...document.querySelectorAll("#detail table")].map(t => [...t.rows].map(r => r.cells[1].textContent))});
  const grid = page.grids[0], root = grid.root;
  for (const element of ELEMENTS) {
    page.find(element.join(","));
    const slot = grid.cursor, cell = document.getElementById(`s0-${slot}`);
    const other = [...root.querySelectorAll("td[data-slot]")].find(td => td !== cell);
    if (other) other.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
    const moved = grid.cursor !== slot;
    cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
    out.elements.push({element, moved, back: grid.cursor === slot, ...detail()});
  }
  const key = name => { const before = grid.cursor; root.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true})); return grid.cursor - before; };
  page.grids[0].cursor = 0;
  out.keys = [key("ArrowRight"), key("ArrowLeft"), key("End"), key("Home")];
  out.slots = grid.side.slots;
  out.texts = {};
  for (const radio of document.querySelectorAll("input[name=view]")) {
    radio.click();
    out.texts[radio.value] = [...root.querySelectorAll("td[data-slot]")].slice(0, 3).map(td => td.firstChild.textContent);
  }
  const colour = () => getComputedStyle(document.body).backgroundColor;
  const was = colour();
  document.getElementById("theme").click();
  out.theme = was !== colour();
  out.requests = performance.getEntriesByType("resource").length;
  out.moved = document.getElementById("moved").textContent;
  out.title = document.title;
  const pre = document.createElement("pre");
  pre.id = "out";
  pre.textContent = JSON.stringify(out);
  document.body.append(pre);
})();
</script>
"""


def chromium(*arguments):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--window-size=1500,1100", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def run(page, elements):
    """What the page's own script says of these elements, and the console's errors."""
    with open(page) as file:
        text = file.read()
    text = text.replace("<body>", "<body>" + SCRIPT, 1).replace("</body>", TEST.replace("ELEMENTS", json.dumps(elements)) + "</body>")
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(text)
    ran = chromium("--dump-dom", "file://" + file.name)
    os.unlink(file.name)
    found = re.search(r'<pre id="out">(.*?)</pre>', ran.stdout.decode(), re.S)
    errors = [line for line in ran.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
    if not found:
        sys.exit(f"{page}: the script did not end: {errors} {re.findall('<title>.*?</title>', ran.stdout.decode())}")
    return json.loads(html.unescape(found.group(1))), errors


def main():
    build = os.path.abspath(sys.argv[1])
    shots = sys.argv[3] if sys.argv[2:3] == ["--screenshots"] else None
    program = os.path.join(build, "verify-layout")
    said = lambda *words: subprocess.run([program, *words], stdout=subprocess.PIPE, check=True).stdout.decode()
    wrong = tried = 0
    random.seed(20261124)
    with tempfile.TemporaryDirectory() as folder:
        for name, layout, tensor in LAYOUTS:
            page = os.path.join(shots or folder, name + ".html")
            with open(page, "w") as file:
                file.write(said("show", "--format", "html", "--layout", layout, "--tensor", tensor))
            shape = [int(n) for n in re.findall(r"\d+", tensor[tensor.index("["):])]
            elements = [[random.randrange(extent) for extent in shape] for _ in range(100)]
            out, errors = run(page, elements)
            for one in out["elements"]:
                want = json.loads(said("explain", "--layout", layout, "--tensor", tensor, "--at", ",".join(map(str, one["element"])), "--format", "json"))
                stages = [str(stage["value"]) for stage in want["stages"]]
                slot = f"slot {want['physical'][0]}, number {want['device_offset'][0]}"
                good = (one["tables"] and one["tables"][0][1:] == stages and one["facts"].split(" · ")[0] == slot and
                        str(one["element"]) in one["head"] and one["back"])
                tried += 1
                if not good:
                    wrong += 1
                    print(f"{name}: {one}\n  explain: {slot} {stages}")
            size = os.path.getsize(page)
            fine = (not errors and out["requests"] == 0 and out["theme"] and not out["title"].startswith("ERROR") and size < 300_000 and
                    out["keys"][0] == (1 if out["slots"] > 1 else 0) and out["keys"][2] == out["slots"] - 1 and out["keys"][3] == 1 - out["slots"])
            wrong += not fine
            print(f"{name}: {size} bytes, 100 elements, keys {out['keys']}, texts {out['texts']}, {'fine' if fine else 'WRONG'} {errors}")
            if shots:
                chromium(f"--screenshot={os.path.join(shots, name)}.png", "file://" + page)
        page = os.path.join(shots or folder, "two.html")
        with open(page, "w") as file:
            file.write(said("show", "--format", "html", "--layout", LAYOUTS[3][1], "--with", LAYOUTS[4][1], "--tensor", LAYOUTS[3][2]))
        out, errors = run(page, [[1, 0]])
        # The swizzle leaves row 0 of 8 as it is: 7 x 64 of 512 elements move.
        two = out["moved"] == "448 of 512 elements move" and not errors
        wrong += not two
        print(f"two layouts: {out['moved']}, {'fine' if two else 'WRONG'} {errors}")
        page = os.path.join(shots or folder, "refuted.html")
        subprocess.run([program, "check", "--layout", "S[(3,4):(2,1)]",
                        "--tensor", "u8[3,4]", "--show", page], stdout=subprocess.DEVNULL)
        if shots:
            for other in ("two", "refuted"):
                chromium(f"--screenshot={os.path.join(shots, other)}.png", "file://" + os.path.join(shots, other + ".html"))
            chromium("--force-dark-mode", f"--screenshot={os.path.join(shots, 'dark')}.png", "file://" + os.path.join(shots, LAYOUTS[0][0] + ".html"))
    print(f"{tried} elements compared with explain, {wrong} wrong")
    return 1 if wrong or tried < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
