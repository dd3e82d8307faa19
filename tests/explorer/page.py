"""The explorer's page in headless Chromium: page.py EXPLORER [--screenshots FOLDER | --first COUNT].

A link with a state is opened, a layout is typed letter by letter, an example is chosen, a second layout is compared, a
wrong text is corrected, and an answer that takes long is stopped. Nothing may be logged as an error, and nothing
requested from elsewhere.

With --first, nothing is tested: COUNT browsers with empty caches open that link from a blank page, and it prints the
milliseconds from then to the verdicts, and those of the engines alone.
"""
import json
import os
import subprocess
import sys
from urllib.parse import quote

import served

SCRIPT = """
<script>
(async () => {
  const state = window.explorerState, out = {steps: []}, byId = id => document.getElementById(id);
  const until = async (holds, why) => {
    for (const end = performance.now() + 20000; !holds();) {
      if (performance.now() > end) throw new Error("waited for " + why);
      await new Promise(done => setTimeout(done, 10));
    }
  };
  const type = (name, text) => {
    byId(name).value = text;
    byId(name).dispatchEvent(new InputEvent("input", {bubbles: true}));
  };
  const told = name => out.steps.push({
    name, error: state.last.error, words: state.last.page.replace(/<script[^]*?<\\/script>/g, ""),
    status: byId("status").textContent, hash: location.hash, asked: state.last.asked,
    shown: !byId("answer").hidden && !byId("answer").classList.contains("stale")});
  const answered = async name => {
    const before = state.answers;
    await until(() => state.answers > before && !state.asked && !state.waiting, name);
    told(name);
  };
  try {
    await until(() => state.answers, "the link's answer");
    out.first = performance.now();
    told("link");
    const text = "S[(3,4):(2,1)]";
    for (let k = 1; k <= text.length; k++) {
      type("layout", text.slice(0, k));
      await new Promise(done => setTimeout(done, 20));
    }
    type("tensor", "u8[3,4]");
    await answered("typed");
    type("with", "S[(3,4):(4,1)]");
    await answered("two");
    type("with", "");
    type("layout", "S[(3,4):(4,1)");
    await answered("wrong");
    type("layout", "S[(3,4):(4,1)]");
    await answered("corrected");
    await until(() => byId("example").length > 100, "examples");
    byId("example").value = "0";
    byId("example").dispatchEvent(new Event("change", {bubbles: true}));
    await answered("example");
    out.examples = byId("example").length;
    const was = state.worker;
    type("layout", "S[(9999991,9999973):(9999943,9999937)]"), type("tensor", "u8[9999991,9999973]");
    await until(() => state.asked, "the long one");
    byId("stop").click();
    out.replaced = state.worker !== was;
    type("layout", "S[8:1]"), type("tensor", "u8[8]");
    await answered("after a stop");
    location.hash = "#layout=S%5B4%3A2%5D&tensor=u8%5B4%5D";
    await answered("another link");
  } catch (why) {
    out.failure = String(why);
  }
  out.elsewhere = performance.getEntriesByType("resource").map(one => one.name)
    .filter(name => !name.startsWith(location.origin));
  await fetch("answer", {method: "POST", body: JSON.stringify(out)});
})();
</script>
"""
FIRST = """
<script>
(async () => {
  while (!window.explorerState.answers) await new Promise(done => setTimeout(done, 2));
  const out = {shown: performance.now(), engines: window.explorerState.last.milliseconds};
  await fetch("answer", {method: "POST", body: JSON.stringify(out)});
})();
</script>
"""
STATE = "#layout=" + quote("SpyreTensorLayout((5, 100, 150), torch.float16)") + "&tensor=" + quote("f16[5,100,150]")


def first_answers(explorer, page, count):
    opened = {"first.html": page.replace("</body>", FIRST + "</body>").encode(),
              "blank.html": f"<script>setTimeout(() => location = 'first.html{STATE}', 2000)</script>".encode()}
    times = []
    for _ in range(count):
        measured = served.Served(explorer, opened)
        measured.open("blank.html")
        times.append(measured.server.answers.get(timeout=120))
        measured.close()
    for name in ("shown", "engines"):
        values = sorted(one[name] for one in times)
        print(f"{name}: median {values[count // 2]:.0f} ms, {values[0]:.0f} to {values[-1]:.0f}, of {count} browsers")


def main():
    explorer = os.path.abspath(sys.argv[1])
    shots = os.path.abspath(sys.argv[3]) if sys.argv[2:3] == ["--screenshots"] else None
    with open(os.path.join(explorer, "index.html")) as file:
        page = file.read()
    if sys.argv[2:3] == ["--first"]:
        return first_answers(explorer, page, int(sys.argv[3]))
    tested = served.Served(explorer, {"tested.html": page.replace("</body>", SCRIPT + "</body>").encode(),
                                      "shown.html": page.replace("</body>", "<script src='wait.js'></script></body>").encode()})
    tested.open("tested.html" + STATE)
    out = tested.server.answers.get(timeout=120)
    errors = tested.close()
    steps = {step["name"]: step for step in out["steps"]}
    wrong = []

    def expect(name, holds):
        if not holds:
            wrong.append((name, steps.get(name)))

    has = lambda name, words: name in steps and words in steps[name]["words"]
    expect("link", has("link", "proved      bijective") and steps["link"]["shown"] and not steps["link"]["error"])
    expect("typed", has("typed", "refuted     injective") and
           steps["typed"]["hash"] == "#layout=S%5B%283%2C4%29%3A%282%2C1%29%5D&tensor=u8%5B3%2C4%5D")
    expect("typed", "refuted injective" in steps.get("typed", {}).get("status", ""))
    expect("two", has("two", 'id="grid1"'))
    expect("wrong", "wrong" in steps and steps["wrong"]["error"] and not steps["wrong"]["shown"])
    expect("corrected", has("corrected", "proved      injective") and not steps["corrected"]["error"] and
           steps["corrected"]["shown"])
    expect("example", has("example", "proved      bijective"))
    expect("after a stop", has("after a stop", "proved      injective") and out.get("replaced"))
    expect("another link", has("another link", "u8[4]"))
    if shots:
        os.makedirs(shots, exist_ok=True)
        refuted = "#layout=" + quote("S[(3,4):(2,1)]") + "&tensor=" + quote("u8[3,4]")
        for name, state in [("spyre", STATE), ("refuted", refuted), ("start", "")]:
            subprocess.run(tested.chromium("--window-size=1300,1000", f"--screenshot={shots}/{name}.png",
                                           tested.address + "shown.html" + state),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name, step in wrong:
        print("WRONG", name, json.dumps(step)[:600])
    print(f"first answer after {out.get('first', 0):.0f} ms, {len(steps)} steps, {out.get('examples')} examples,",
          f"{len(wrong)} wrong; {out.get('failure', '')} {errors} {out['elsewhere']}")
    return 1 if wrong or out.get("failure") or errors or out["elsewhere"] or len(steps) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
