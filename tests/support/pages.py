"""Runs the examples of the pages, and compares what they print with what the pages say.

  pages.py BUILD PAGE…           exit 1 if a command prints something else; a diff goes to stdout
  tests/support/pages.py --write BUILD PAGE…   writes what the commands print into the pages

An example is a block between ``` lines that begins with "$ ". Its lines are commands, "$ COMMAND" with "\\" at the end of
a line that goes on, each followed by its output (stdout, then stderr). A line "…" stands for any number of lines. After
`cat FILE`, where there is no such file yet, the output is made the file's content. Blocks marked python are run together,
as one program per page, and what they print is the next block marked text. Every page has a folder of its own, in which
BUILD's programs are found by name, `./dev run` is verify-layout, and `corpus` is that of the sources.

In README.md, the table of what has to be trusted is that of `check corpus --explain-trust`: the same rows, and numbers
that differ by a tenth at most. `--write` writes it as it is now.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRUST = ["check", "corpus", "--explain-trust", "--quiet"]
DEV = """#!/bin/sh
[ "$1" = run ] || { echo "an example can only use ./dev run" >&2; exit 1; }
shift
exec verify-layout "$@"
"""


def commands_of(lines):
    """The (command lines, output lines) of a block."""
    out = []
    for line in lines:
        if line.startswith("$ "):
            out.append(([line], []))
        elif out and not out[-1][1] and out[-1][0][-1].endswith("\\"):
            out[-1][0].append(line)
        else:
            out[-1][1].append(line)
    return out


def agrees(expected, got):
    """Whether the lines are the same, where an expected "…" stands for any lines."""
    if not expected:
        return not got
    if expected[0] == "…":
        return any(agrees(expected[1:], got[k:]) for k in range(len(got) + 1))
    return bool(got) and expected[0] == got[0] and agrees(expected[1:], got[1:])


class Page:
    def __init__(self, path, build, folder):
        self.path, self.folder, self.wrong, self.ran = path, folder, 0, 0
        self.environment = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], PYTHONDONTWRITEBYTECODE="1",
                                VERIFY_LAYOUT_LIBRARY=os.path.join(build, "libverify-layout.so"),
                                PYTHONPATH=os.path.join(ROOT, "oracle", "python"))
        self.environment.pop("NO_COLOR", None)
        os.symlink(os.path.join(ROOT, "corpus"), os.path.join(folder, "corpus"))
        with open(os.path.join(folder, "dev"), "w") as script:
            script.write(DEV)
        os.chmod(os.path.join(folder, "dev"), 0o755)

    def run(self, arguments, **how):
        self.ran += 1
        ran = subprocess.run(arguments, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **how)
        return (ran.stdout + ran.stderr).decode().splitlines()

    def compare(self, what, expected, got):
        """What the page has to say."""
        if agrees(expected, got):
            return expected
        self.wrong += 1
        print(f"{self.path}: {what}")
        print("\n".join(difflib.unified_diff(expected, got, "the page", "the command", lineterm="")))
        return got

    def shell(self, lines):
        out = []
        for command, expected in commands_of(lines):
            text = "\n".join(command)[2:]
            made = re.fullmatch(r"cat ([\w.]+)", text)
            if made and not os.path.exists(os.path.join(self.folder, made.group(1))):
                with open(os.path.join(self.folder, made.group(1)), "w") as file:
                    file.write("\n".join(expected) + "\n")
                out += command + expected
                continue
            out += command + self.compare(text, expected, self.run(["/bin/sh", "-c", text]))
        return out

    def block(self, kind, lines):
        if kind == "" and lines and lines[0].startswith("$ "):
            return self.shell(lines)
        if kind == "python":
            self.program = getattr(self, "program", "") + "\n".join(lines) + "\n"
        if kind == "text" and hasattr(self, "program"):
            got = self.run([sys.executable, "-c", self.program])
            del self.program
            return self.compare("the Python program", lines, got)
        return lines

    def whole(self):
        with open(os.path.join(ROOT, self.path)) as file:
            lines = file.read().splitlines()
        out, block, kind = [], None, ""
        for line in lines:
            if not line.startswith("```"):
                (out if block is None else block).append(line)
            elif block is None:
                block, kind = [], line[3:]
                out.append(line)
            else:
                out += self.block(kind, block) + [line]
                block = None
        return "\n".join(out) + "\n"


def trust(write, build):
    """How much of the README's table of trusted code is wrong."""
    with open(os.path.join(ROOT, "README.md")) as file:
        text = file.read()
    ran = subprocess.run([os.path.join(build, "verify-layout"), *TRUST], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    now = "".join(line + "\n" for line in ran.stdout.decode().splitlines() if line.startswith("|"))
    head, rest = text.split(now.split("\n")[0])
    old = now.split("\n")[0] + rest[:rest.index("\n\n") + 1]
    if write:
        with open(os.path.join(ROOT, "README.md"), "w") as file:
            file.write(head + now + rest[rest.index("\n\n") + 1:])
    numbers = [[int(n) for line in table.splitlines() for n in re.findall(r"\d+", " ".join(line.split(" | ")[1:3]))]
               for table in (old, now)]
    words = [re.sub(r"\b\d+\b", "", table) for table in (old, now)]
    wrong = sum(abs(a - b) * 10 > b for a, b in zip(*numbers)) + (words[0] != words[1])
    if wrong:
        print(f"README.md: the table of what has to be trusted is not that of {' '.join(TRUST)}:\n" + now)
    return wrong


def main(arguments):
    write = arguments[:1] == ["--write"]
    build, *paths = arguments[write:]
    wrong = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, os.path.abspath(build), folder)
            text = page.whole()
        if write:
            with open(os.path.join(ROOT, path), "w") as file:
                file.write(text)
        wrong += page.wrong
        print(f"{path}: {page.ran} commands, {page.wrong} wrong")
        wrong += page.ran == 0
        wrong += trust(write, build) if path == "README.md" else 0
    return 0 if write or not wrong else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
