"""Prints a script in tensor-layouts' own API that shows a case: verify-layout gate report SIGNATURE … --script it."""
import json, sys
c = json.load(sys.stdin)
layout = lambda text: "Layout(%s, %s)" % tuple(text.split(":")) if " o " not in text else repr(text)
call = {"compose": "compose(A, B)", "coalesce": "coalesce(A)", "left-inverse": "left_inverse(A)",
        "right-inverse": "right_inverse(A)",
        "complement": f"complement(A, {c.get('cotarget')})", "divide": "logical_divide(A, B)",
        "product": "logical_product(A, B)",
        "cosize": "cosize(A)"}[c["op"].split(".")[-1]]
print("# pip install tensor-layouts==0.3.2\nfrom tensor_layouts import *")
print("A = " + layout(c["layout"]))
for key in {"inner", "tiler", "by"} & set(c): print("B = " + layout(c[key]))
print(f"try:\n    R = {call}\nexcept Exception as error:\n    R = repr(error)")
print("for one in (A, R):\n    print(one, [one(i) for i in range(size(one))] if is_layout(one) else '')")
