"""Prints a script in TVM's own API that shows a case: verify-layout gate report SIGNATURE … --script report.py."""
import json, re, sys
c = json.load(sys.stdin)
call = {"slice": "slice({shape}, [tuple(r) for r in {region}])", "canonical": "canonicalize()",
        "group": "group({shape})[0]", "tile": "tile(outer, {outer_shape}, {tensor[shape]})",
        "direct-sum": "direct_sum(left, {left_shape}, {tensor[shape]})",
        "pack": "pack({factor})", "unpack": "unpack({factor})", "broadcast": "broadcast({extent}, {at})",
        "well-formed": "verify_well_formed()", "construct": "verify_well_formed()"}[c["op"].split(".")[-1]]
made = lambda text: text if text.startswith("Compose") else f"TileLayout({text})"
texts = {"layout": c.get("given", c["layout"]), **{k: c[k] for k in ("outer", "left") if k in c}}
axes = sorted(set(re.findall(r"@(\w+)", " ".join(texts.values()))))
print("# pip install apache-tvm==0.27.0.post1")
print("from tvm.tirx.layout import " + ", ".join(["ComposeLayout, R, S, TileLayout"] + axes))
for name, text in texts.items(): print(f"{name} = {made(text)}")
print("result = layout." + call.format(**{"shape": c["tensor"]["shape"], **c}))
print("print(layout, '->', result)")
print("for one in (layout, result):\n    if not isinstance(one, bool):")
print("        try: print([one.apply(i) for i in range(int(one.size()))])")
print("        except Exception as error: print(repr(error))")
