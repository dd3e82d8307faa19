"""The explorer against the native program: compare.py EXPLORER PROGRAM CORPUS [--chromium] [FILE…].

Every case of the corpus (or of FILEs) is judged by both, the explorer's engines under node, or in headless Chromium.
The records have to be the same but for times and certificates. A verdict that natively needs a solver, which the
explorer does not have, may be unknown here and nothing else. The pages of the menu's examples are the same bytes.
Says how many cases were decided and compared, and fails below 500.
"""
import glob
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import served

HERE = os.path.dirname(os.path.abspath(__file__))
SOLVERS = {"presburger", "propositional", "smt", "smt-2", "cvc5"}
SECONDS = 10
TIMES = {"micros", "certificate_micros"}


def case_files(corpus):
    skipped = {"arithmetic", "hardware", "chips", "targets"}  # profiles, no cases
    return [path for path in sorted(glob.glob(os.path.join(corpus, "**", "*.toml"), recursive=True))
            if os.path.relpath(path, corpus).split(os.sep)[0] not in skipped]


class Node:
    """The engines under node."""

    def __init__(self, explorer):
        self.process = subprocess.Popen(["node", os.path.join(HERE, "engines.js"), explorer], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.memory = 0

    def ask(self, question):
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.memory = max(self.memory, answer.get("memory", 0))
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        return []


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def native_records(program, path):
    ran = subprocess.run([program, "check", path, "--format", "jsonl", "--timeout", str(SECONDS)],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [one for one in records(ran.stdout.decode()) if one["kind"] not in ("run", "summary")]


class Tally:
    def __init__(self):
        self.cases, self.same, self.decided, self.without, self.otherwise = set(), 0, 0, 0, 0
        self.certificates = {}
        self.different = []

    def compare(self, path, native, here):
        if len(native) != len(here):
            self.different.append((path, f"{len(native)} records natively, {len(here)} here", ""))
            return
        for want, got in zip(native, here):
            name = (path, want.get("case"))
            pair = want.pop("certificate", None), got.pop("certificate", None)
            for field in TIMES | {"trusted"}:
                want.pop(field, None), got.pop(field, None)
            if want == got:
                self.same += 1
                self.cases.add(name)
                self.decided += want["kind"] != "verdict" or want["verdict"] in ("proved", "refuted")
                self.certificates[pair] = self.certificates.get(pair, 0) + 1
            elif want.get("engine") in SOLVERS and got.get("verdict") == "unknown":
                self.without += 1
            elif want.get("engine") in SOLVERS and got.get("verdict") == want.get("verdict"):
                self.otherwise += 1
            else:
                fields = [key for key in want.keys() | got.keys() if want.get(key) != got.get(key)]
                self.different.append((name, {key: (want.get(key), got.get(key)) for key in fields}, want.get("claim")))


def pages_that_differ(explorer, program, engines):
    """The pages of the menu's examples, byte for byte but for the form of `verify-layout explore`."""
    with open(os.path.join(explorer, "examples.json")) as file:
        examples = [case for document in json.load(file) for case in document["cases"]]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([program, "explore", "--port", str(port)], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()  # its address: it listens
    same, different = 0, []
    for case in examples:
        question = {"layout": case["layout"], "tensor": case["tensor"], "second": ""}
        here = json.loads(engines.ask(question)["text"])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/?" + urllib.parse.urlencode(question)) as answer:
            native = re.sub(r'<form action="/".*?</form>', "", answer.read().decode(), flags=re.S)
        if here["page"] == native:
            same += 1
        elif here["page"] or not here["error"]:
            different.append((case["id"], "another page", "explore"))
    server.terminate()
    print(f"{same} pages of {len(examples)} examples are the same, {len(examples) - same - len(different)} have none")
    return different if same >= 100 else different + [("examples", f"only {same} pages", "explore")]


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    explorer, program, corpus = arguments[:3]
    files = arguments[3:] or case_files(corpus)
    engines = served.Browser(explorer) if "--chromium" in sys.argv else Node(explorer)
    tally = Tally()
    spent = {"native": 0.0, "here": 0.0}
    slow = []
    for path in files:
        with open(path) as file:
            document = file.read()
        began = time.time()
        native = native_records(program, path)
        spent["native"] += time.time() - began
        answer = engines.ask({"name": path, "document": document, "seconds": SECONDS})
        if "failure" in answer:
            tally.different.append((path, answer["failure"], ""))
            continue
        spent["here"] += answer["milliseconds"] / 1000
        slow.append((answer["milliseconds"], path))
        tally.compare(path, native, records(answer["text"]))
    tally.different += pages_that_differ(explorer, program, engines)
    for error in engines.close():
        print("CONSOLE", error)
    for name, what, claim in tally.different:
        print("DIFFERENT", name, claim, what)
    print(f"{len(files)} files; native {spent['native']:.1f} s, here {spent['here']:.1f} s, slowest",
          [(round(ms), os.path.basename(path)) for ms, path in sorted(slow)[-5:]], f"memory {engines.memory >> 20} MiB")
    print(f"{tally.same} answers of {len(tally.cases)} cases are the same, {tally.decided} of them decisions;",
          f"{tally.without} natively by a solver and unknown here,",
          f"{tally.otherwise} by a solver and here by another engine;",
          f"certificates (natively, here): {tally.certificates}; {len(tally.different)} different")
    return 1 if tally.different or len(tally.cases) < 500 or tally.decided < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
