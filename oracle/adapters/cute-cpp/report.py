"""Prints a script that compiles CuTe C++ and shows a case: verify-layout gate report SIGNATURE … --script report.py."""
import json, sys
c = json.load(sys.stdin)
layout = lambda text: "make_layout(%s, %s)" % tuple(text.replace("(", "make_tuple(").split(":"))
call = {"compose": "composition(A, B)", "coalesce": "coalesce(A)", "right-inverse": "right_inverse(A)",
        "complement": f"complement(A, {c.get('cotarget')})", "divide": "logical_divide(A, B)",
        "product": "logical_product(A, B)", "cosize": "make_layout(cosize(A))"}[c["op"].split(".")[-1]]
B = "".join(f"\n  auto B = {layout(c[key])}; show(B);" for key in ("inner", "tiler", "by") if key in c)
print(f'''# pip install --no-deps nvidia-cutlass==4.2.0.0 nvidia-cuda-{{runtime==13.2.86,cccl==13.3.5.0.6,crt==13.5.37}}
import importlib.util, pathlib, subprocess
site = pathlib.Path(importlib.util.find_spec("cutlass_library").origin).parents[1]
source = r"""#include <cute/layout.hpp>
#include <iostream>
using namespace cute;
auto show = [](auto l) {{
  std::cout << l << ":"; for (int i = 0; i < size(l); ++i) std::cout << ' ' << l(i); std::puts(""); }};
int main() {{
  std::cout << std::unitbuf;
  auto A = {layout(c["layout"])}; show(A);{B}
  show({call});
}}"""
headers = "cutlass_library/source/include", "nvidia/cu13/include", "nvidia/cu13/include/cccl"
subprocess.run(["g++", "-std=c++17", "-w", *(f"-I{{site / one}}" for one in headers), "-xc++", "-o", "cute", "-"],
               input=source, text=True, check=True, cwd="/tmp")
done = subprocess.run("/tmp/cute", capture_output=True, text=True)
print(done.stdout, done.returncode)''')
