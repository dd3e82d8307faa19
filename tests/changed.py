"""Which facts have to run again since all of them passed in this build folder.

    python3 tests/changed.py BUILD              prints GTEST_FILTER for the facts of the changed tests
    python3 tests/changed.py BUILD --look       remembers the sources as they are now, before the build
    python3 tests/changed.py BUILD --passed     what was looked at has passed

A fact depends on its own file and on everything that is no test's file: so where only files *_test.cpp differ from
those that passed, only their tests run. In every other case nothing is printed, which means: all of them.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def sources():
    """Each file that git does not ignore, with its digest; none where git knows nothing of this folder."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True)
    names = sorted(name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file())
    return {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in names}


def facts(build):
    """Each test of the facts' programs, (file, Suite.Test)."""
    out = []
    for program in sorted(build.glob("tests/vl_facts_*")):
        if not program.is_file():
            continue
        with tempfile.NamedTemporaryFile(suffix=".json") as listed:
            words = [program, "--gtest_list_tests", f"--gtest_output=json:{listed.name}"]
            subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
            for suite in json.load(open(listed.name, errors="replace"))["testsuites"]:
                out += [(test["file"], f"{suite['name']}.{test['name']}") for test in suite["testsuite"]]
    return out


def main(build, option=None):
    looked, passed = build / "facts-looked.json", build / "facts-passed.json"
    if option == "--look":
        return looked.write_text(json.dumps(sources()))
    if option == "--passed":
        return looked.replace(passed)
    if not passed.exists():
        return None
    now, then = json.loads(looked.read_text()), json.loads(passed.read_text())
    changed = {name for name in now.keys() | then.keys() if now.get(name) != then.get(name)}
    if not changed or not all(name.startswith("tests/") and name.endswith("_test.cpp") for name in changed):
        return None
    return print(":".join(name for file, name in facts(build) if file in changed))


main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
