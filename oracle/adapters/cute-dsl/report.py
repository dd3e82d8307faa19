"""Prints a script in the DSL's own API that shows a case: verify-layout gate report SIGNATURE … --script it."""
import json, sys
c = json.load(sys.stdin)
layout = lambda text: "cute.make_layout(%s, stride=%s)" % tuple(text.split(":"))
call = {"compose": "composition(A, B)", "coalesce": "coalesce(A)", "left-inverse": "left_inverse(A)",
        "right-inverse": "right_inverse(A)",
        "complement": f"complement(A, {c.get('cotarget')})", "divide": "logical_divide(A, B)",
        "product": "logical_product(A, B)",
        "cosize": "cosize(A)"}[c["op"].split(".")[-1]]
print("# pip install nvidia-cutlass-dsl==4.8.1\nimport cutlass.cute as cute\n@cute.jit\ndef main():")
print("    A = " + layout(c["layout"]))
for key in {"inner", "tiler", "by"} & set(c): print("    B = " + layout(c[key]))
print(f"    R = cute.{call}")
print("    for one in (A, R):")
print("        print(one, [one(i) for i in range(cute.size(one))] if hasattr(one, 'shape') else '')\nmain()")
