#!/usr/bin/env python3
"""Whether each condition of the kernel is needed: takes one `require` out after the other, builds the kernel and its
tests, and says which conditions no test misses.

usage: tests/kernel/conditions.py BUILD [WORD]

BUILD is a folder that `./dev campaigns` has built, build/release. WORD: only conditions whose reason contains it. A
minute and a half of compiling, then ten seconds a condition; nothing in the tree is changed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "verifier/kernel").glob("*/*.cpp"))


def conditions(text):
    """The places [begin, end) of each `require(…)` in a source."""
    for found in re.finditer(r"\brequire\(", text):
        depth, end = 0, found.end() - 1
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        yield found.start(), end


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def main():
    build, word = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        flags = ["-std=c++20", "-O1", f"-I{ROOT}", f'-DVL_SOURCE_DIR="{ROOT}"']
        sources = [*sorted((ROOT / "tests/kernel").glob("*_test.cpp")), ROOT / "tests/kernel/forgery_campaign.cpp"]
        tests = "".join(f'#include "{path}"\n' for path in sources)
        (folder / "tests.cpp").write_text(tests)
        made = run("g++", *flags, "-c", folder / "tests.cpp", "-o", folder / "tests.o")
        if made.returncode:
            sys.exit(made.stderr)
        commands = run("ninja", "-C", build, "-t", "commands", "tests/vl_campaign_kernel").stdout.splitlines()
        link = re.sub(r"tests/CMakeFiles/vl_campaign_kernel\.dir/\S+", "", commands[-1])
        link = link.replace("-o tests/vl_campaign_kernel", f"{folder}/tests.o {folder}/kernel.o -o {folder}/tests")
        needed = needless = 0
        for source in SOURCES:
            text = source.read_text()
            for begin, end in conditions(text):
                reason = re.search(r'"([^"]*)"\)$', text[begin:end])
                if reason is None or word not in reason.group(1):
                    continue
                alone = re.sub(r',\s*"[^"]*"\)$', ")", text[begin + 7:end])
                (folder / "changed.cpp").write_text(f"{text[:begin]}static_cast<void>{alone}{text[end:]}")
                unit = "".join(f'#include "{folder / "changed.cpp" if path == source else path}"\n' for path in SOURCES)
                (folder / "kernel.cpp").write_text(unit)
                made = run("g++", *flags, "-w", "-c", folder / "kernel.cpp", "-o", folder / "kernel.o")
                if made.returncode == 0:
                    made = run("bash", "-c", link, cwd=build)
                if made.returncode:
                    print(f"not built: {source.name}: {reason.group(1)}\n{made.stderr[:2000]}")
                    continue
                try:
                    ended = run(folder / "tests", "--gtest_filter=Kernel*-*Corpus*", timeout=120).returncode
                except subprocess.TimeoutExpired:
                    ended = 1
                needed += ended != 0
                needless += ended == 0
                if ended == 0:
                    line = text.count("\n", 0, begin) + 1
                    print(f"{source.relative_to(ROOT)}:{line}: no test misses: {reason.group(1)}", flush=True)
        print(f"{needed + needless} conditions, {needed} needed, {needless} that no test misses")


if __name__ == "__main__":
    main()
