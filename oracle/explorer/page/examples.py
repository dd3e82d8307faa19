"""The explorer's menu: examples.py CORPUS, as JSON on stdout: the layouts of the documents' own cases, each once.

A group is a case file of corpus/seeds about layouts: {title, cases: [{id, layout, tensor}]}.
"""
import json
import os
import sys
import tomllib

GROUPS = [
    ("Spyre: tensor layouts", "000-tensor-layouts"), ("Spyre: with dim_map", "001-tensor-layouts-dim-map"),
    ("TT-MLIR: tensor layouts", "002-tensor-layouts"), ("Spyre: dimensions", "003-dimensions"),
    ("TIRx: tensor layouts", "004-tensor-layout"), ("TIRx: swizzles", "004-swizzle")]


def main():
    groups = []
    for title, name in GROUPS:
        with open(os.path.join(sys.argv[1], "seeds", name + ".toml"), "rb") as file:
            cases = tomllib.load(file)["case"]
        seen, chosen = set(), []
        for case in cases:
            told = (case["layout"], case.get("tensor", ""))
            if told in seen or not case["id"] or {"strides", "offset", "box", "where", "sizes", "family"} & set(case):
                continue
            seen.add(told)
            chosen.append({"id": case["id"], "layout": told[0], "tensor": told[1]})
        groups.append({"title": title, "cases": chosen})
    json.dump(groups, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
