#!/usr/bin/env python3
"""The mutation score of the tests: how many small faults in the sources they find.

A mutant is the program with one operator or constant changed (`<` for `<=`, `+` for `-`, `&&` for `||`, n + 1 for n).
The tests kill it if one of them fails, crashes or hangs. The law: a change of the tests must not lower the score.

Everything happens in build/mutants, in an export of a commit; the sources themselves are not touched. All mutants are
compiled into one build, each behind a switch, and VL_MUTANT=17 in the environment turns on mutant 17. So nothing is
compiled for a mutant, and a plain run of the tests notes which test reaches which mutant: no other test can kill it.

  tests/mutants.py make [COMMIT]     export and build; a place whose change does not compile is drawn again
  tests/mutants.py reach [PROGRAM…]  run all tests, or those of these programs, without a mutant; note what they reach
  tests/mutants.py run               for each mutant, run the tests that reach it, cheap ones first, until one fails
  tests/mutants.py score             print the score of each folder, and the mutants that survive

--seed, --count and the folders choose the places: the same seed gives the same mutants for as long as the sources are
the same, so two commits of the tests can be compared. --name names a set of results. `run` can be stopped and resumed;
it tries only what was not tried before, and --before NAME runs the test that killed a mutant in another set first.

Places are in code only: no text, comment, include, case label, or condition of VL_CHECK or static_assert. What the
compiler evaluates (a constexpr variable, the size of an array) has no switch and is not drawn. The build has no
sanitizers, so the score is a lower bound. A survivor is a mutant that no test killed within --most CPU seconds.
"""
import argparse
import collections
import io
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from mutant_places import operator_switches, places_of, switched, tokens_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
TREE, BUILD = WORK / "tree", WORK / "build"
FOLDERS = ["encodings/map", "verifier/engines", "verifier/checker", "oracle/plan"]
NOT_MUTATED = {"oracle/plan/faults.h"}  # faults of its own, which are for one campaign


def draw(tree, folders, seed, count):
    """The first `count` places of a random order, and what each becomes."""
    places = []
    for folder in folders:
        for path in sorted((tree / folder).rglob("*")):
            file = str(path.relative_to(tree))
            if path.suffix in (".h", ".cpp") and file not in NOT_MUTATED:
                places += places_of(file, path.read_text())
    print(f"{len(places)} places")
    rng = random.Random(seed)
    rng.shuffle(places)
    drawn = places[:count]
    for number, place in enumerate(drawn, 1):
        place["number"] = number
        place["to"] = rng.choice(place.pop("choices"))
    return drawn


def write(path, data, mode=0o644):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    path.chmod(mode)


def export(commit):
    """Files of the commit. Returns their contents; the tree on disk is written once the switches are in."""
    packed = subprocess.run(["git", "-C", ROOT, "archive", commit], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {m.name: (tar.extractfile(m).read(), m.mode) for m in tar.getmembers() if m.isfile()}


def write_tree(files, places):
    by_file = collections.defaultdict(list)
    for place in places:
        if place["valid"]:
            by_file[place["file"]].append(place)
    support = ROOT / "tests" / "support"
    switches = (support / "mutant_switches.h").read_text()
    end = switches.rindex("}  // namespace")
    new = {"mutant_switches.h": ((switches[:end] + operator_switches() + switches[end:]).encode(), 0o644)}
    for file, (data, mode) in files.items():
        if file in by_file:
            text = switched(data.decode(), by_file[file])
            data = f'#include "mutant_switches.h"\n#line 1 "{TREE / file}"\n{text}'.encode()
        if file == "tests/support/compiled_once.cpp":
            data += (support / "mutant_listener.h").read_bytes()
        new[file] = (data, mode & 0o777)
    for path in TREE.rglob("*"):
        if path.is_file() and str(path.relative_to(TREE)) not in new:
            path.unlink()
    for file, (data, mode) in new.items():
        write(TREE / file, data, mode)


def refused(output, places):
    """The places that a message of the compiler names, by number or by line."""
    numbers = {int(n) for n in re.findall(r"vl_mutants::\w+<(\d+)", "\n".join(
        line for line in output.splitlines() if "error:" in line or "required from" in line))}
    lines = collections.defaultdict(set)
    for file, line in re.findall(re.escape(str(TREE)) + r"/(\S+?):(\d+):\d+: +(?:error|required from|note)", output):
        lines[file].add(int(line))
    return [p for p in places if p["valid"] and (
        p["number"] in numbers or any(p["lines"][0] <= line <= p["lines"][1] for line in lines[p["file"]]))]


def make(options):
    files = export(options.commit)
    WORK.mkdir(parents=True, exist_ok=True)
    listed = WORK / "places.json"
    key = [options.seed, options.count, options.folders]
    old = json.loads(listed.read_text()) if listed.exists() else {}
    if old.get("key") == key:
        places = old["places"]
        for place in places:
            now = tokens_of(files[place["file"]][0].decode())[place["token"]]
            if (now.line, now.text) != (place["line"], place["from"]):
                sys.exit(f"{place['file']}:{place['line']} is another text in {options.commit}; remove {listed}")
    else:
        write_tree(files, [])
        places = draw(TREE, options.folders, options.seed, options.count * 8 // 5)
        for place in places:
            place["valid"] = True
    targets = [["vl_map", "vl_engines", "vl_checker", "vl_values_kernel", "vl_oracle_plan"],
               ["verify-layout", "verify-layout-cert", "verify-layout-cert-relations", "vl_shared", *options.programs]]
    for some in targets:
        while True:
            write_tree(files, places)
            listed.write_text(json.dumps({"key": key, "places": places}, indent=0))
            if not (BUILD / "build.ninja").exists():
                configure()
            built = subprocess.run(["ninja", "-C", BUILD, "-j", str(options.jobs), "-k", "0", *some], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            (WORK / "build.log").write_text(built.stdout)
            if built.returncode == 0:
                break
            bad = refused(built.stdout, places)
            if not bad:
                sys.exit(f"the build failed: see {WORK / 'build.log'}")
            for place in bad:
                place["valid"] = False
            print(f"{len(bad)} changes do not compile: {[p['number'] for p in bad]}", flush=True)
    sample = [p for p in places if p["valid"]][:options.count]
    print(f"{len(sample)} mutants of {len(places)} drawn places")


def configure():
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++",
                    "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=24", "-DVL_TESTS=ON", "-DVL_CAMPAIGNS=ON",
                    "-DCMAKE_CXX_FLAGS=-w -fmax-errors=0", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-u,vl_mutant_listener",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0 -D_GLIBCXX_ASSERTIONS",
                    f"-DVL_Z3_ROOT={ROOT / 'build' / 'z3'}"], check=True, stdout=subprocess.DEVNULL)


PROGRAM = {  # tests of ctest that are the program itself
    "program.seeds": ["check", TREE / "corpus" / "seeds", "--format", "jsonl"],
    "program.fuzz-spyre": "fuzz --family spyre --seed 2026 --count 3000 --definition always".split(),
    "program.fuzz-tirx": "fuzz --family tirx --seed 2026 --count 3000 --definition always".split()}
# tests: name -> [file, seconds, passed, mutants reached]
Outcome = collections.namedtuple("Outcome", "failed how seconds tests")


def limits(cpu):
    def apply():
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 30, 16 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def spent():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def execute(program, tests, mutant, expected):
    """Runs tests of a program (all: None) until one fails; without a mutant they cost `expected` CPU seconds."""
    log, reached = WORK / f"log-{os.getpid()}", WORK / f"reached-{os.getpid()}"  # runs may be side by side
    log.unlink(missing_ok=True)
    reached.write_bytes(bytes(4096))
    environment = dict(os.environ, RC_PARAMS="seed=20261121", GTEST_BRIEF="1", VL_MUTANTS_LOG=str(log),
                       VL_MUTANTS_REACHED=str(reached), VL_MUTANT=str(mutant))
    if mutant:
        environment["GTEST_FAIL_FAST"] = "1"
    if program in PROGRAM:
        command = [BUILD / "verify-layout", *PROGRAM[program]]
    else:
        command = [BUILD / "tests" / program]
        if tests is not None:
            environment["GTEST_FILTER"] = ":".join(tests)
    cpu, wall, before = int(15 + 10 * expected), 120 + 60 * expected, spent()
    process = subprocess.Popen(command, env=environment, cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limits(cpu))
    how = None
    try:
        process.wait(wall)
    except subprocess.TimeoutExpired:
        how = "hung"
    finally:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()
    seconds = spent() - before
    if how is None and process.returncode:
        how = "failed" if process.returncode > 0 else "hung" if process.returncode == -24 else "crashed"
    numbers = [i for i, byte in enumerate(reached.read_bytes()) if byte]
    lines = log.read_text().splitlines() if log.exists() else []
    for path in (log, reached):
        path.unlink(missing_ok=True)
    if program in PROGRAM:
        return Outcome(program if how else None, how, seconds, {program: ["", round(seconds, 3), not how, numbers]})
    found, failed, last, tables = {}, None, None, []
    for line in lines:
        kind, name, *rest = line.split("\t")
        last = name if kind == "start" else None
        if kind == "tables":
            tables = [int(n) for n in rest[0].split()]
        elif kind != "start":
            file = rest[0].split("tests/", 1)[-1]
            found[name] = [file, float(rest[1]), kind == "passed", sorted({*tables, *map(int, rest[2].split())})]
            failed = failed or (name if kind == "failed" else None)
    return Outcome((failed or last or "no test") if how else None, how, seconds, found)


def reach(options):
    folder = WORK / f"reach-{options.name}"
    folder.mkdir(exist_ok=True)
    built = sorted(p.name for p in (BUILD / "tests").glob("vl_[fc]*") if p.is_file() and os.access(p, os.X_OK))
    for program in options.programs or [*PROGRAM, *built]:
        file = folder / f"{program}.json"
        if file.exists():
            continue
        made = execute(program, None, 0, 1200)
        bad = [name for name, test in made.tests.items() if not test[2]]
        print(f"{program}: {len(made.tests)} tests, {made.seconds:.0f} s; fail without a mutant: {bad}", flush=True)
        if made.how not in (None, "failed"):
            sys.exit(f"{program} {made.how} at {made.failed}")
        file.write_text(json.dumps(made.tests))


def batches(tests):
    """Batches of growing cost: half a second, two, eight, …; a batch has one process per program."""
    limit, sum_, batch = 0.5, 0.0, collections.defaultdict(list)
    for program, name, seconds in tests:
        if batch and sum_ + seconds > limit:
            yield batch
            limit, sum_, batch = limit * 4, 0.0, collections.defaultdict(list)
        batch[program].append((name, seconds))
        sum_ += seconds
    if batch:
        yield batch


def judge(place, tests):
    """Runs the tests until one fails."""
    used = 0.0
    for batch in batches(tests):
        for program, some in batch.items():
            for k in range(0, len(some), 1500):  # the filter has to fit into the environment
                part = some[k:k + 1500]
                made = execute(program, [name for name, _ in part], place["number"], sum(cost for _, cost in part))
                used += made.seconds
                if made.how:
                    return f"{program}:{made.failed}", made.how, used
    return None, None, used


def results_of(name):
    file = WORK / f"results-{name}.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return {record["number"]: record for record in map(json.loads, lines)}


def sample_of():
    listed = json.loads((WORK / "places.json").read_text())
    return [place for place in listed["places"] if place["valid"]][:listed["key"][1]]


def run(options):
    folder = WORK / f"reach-{options.name}"
    programs = {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}
    known = {name: program for program, tests in programs.items() for name in tests}
    before = results_of(options.before) if options.before else {}
    end = time.time() + 60 * options.minutes if options.minutes else None
    tried = results_of(options.name)
    for place in sorted(sample_of(), key=lambda place: place["number"] in tried):  # what nothing is known of first
        if end and time.time() > end:
            break
        number = place["number"]
        old = results_of(options.name).get(number, {"ran": 0, "left": 0, "seconds": 0, "programs": [], "killed": None})
        new = [program for program in programs if program not in old["programs"]]
        if old["killed"] or not new:
            continue
        own = place["file"].split("/")[1] + "/"
        candidates = []
        first = (before.get(number, {}).get("killed") or ":").split(":", 1)[1]
        for program in new:
            for name, (file, seconds, passed, numbers) in programs[program].items():
                if passed and number in numbers and file.split("/")[0] not in options.skip:
                    rank = seconds if file.startswith(own) else 3 * seconds + 0.02
                    candidates.append((name != first, rank, program, name, seconds))
        candidates.sort()
        chosen, cost = [], 0.0
        for *_, program, name, seconds in candidates:
            if cost + seconds <= options.most or not chosen:
                chosen.append((program, name, seconds))
                cost += seconds
        killed, how, used = judge(place, chosen)
        record = {"number": number, "file": place["file"], "line": place["line"],
                  "change": f"{place['from']} -> {place['to'] or 'nothing'}", "killed": killed, "how": how,
                  "ran": old["ran"] + len(chosen), "left": old["left"] + len(candidates) - len(chosen),
                  "seconds": round(old["seconds"] + used, 2), "programs": old["programs"] + new}
        with open(WORK / f"results-{options.name}.jsonl", "a") as out:
            out.write(json.dumps(record) + "\n")


def score(options):
    results, rows, survivors = results_of(options.name), collections.defaultdict(collections.Counter), []
    for place in sample_of():
        record = results.get(place["number"])
        if record:
            row = rows["/".join(place["file"].split("/")[:2])]
            row[record["how"] or ("survived" if record["ran"] else "reached by no test")] += 1
            if not record["killed"]:
                survivors.append((place, record))
    total = sum(rows.values(), collections.Counter())
    columns = ["failed", "crashed", "hung", "survived", "reached by no test"]
    print("| folder | mutants | " + " | ".join(columns) + " | killed |\n|" + "---|" * (len(columns) + 3))
    for folder, row in [*sorted(rows.items()), ("all", total)]:
        count, killed = sum(row.values()), sum(row[how] for how in columns[:3])
        cells = [folder, count, *(row[how] for how in columns), f"{100 * killed / max(count, 1):.1f} %"]
        print("| " + " | ".join(map(str, cells)) + " |")
    for place, record in survivors:
        where = f"{place['file']}:{place['line']}:{place['column']}"
        print(f"{place['number']} {where}: {record['change']}: {place['text']} "
              f"({record['ran']} tests ran, {record['left']} were left out)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(name, function):
        one = commands.add_parser(name)
        one.set_defaults(function=function)
        one.add_argument("--name", default="default", help="the set of results")
        return one
    one = command("make", make)
    one.add_argument("commit", nargs="?", default="HEAD")
    one.add_argument("--seed", type=int, default=47)
    one.add_argument("--count", type=int, default=200)
    one.add_argument("--folders", nargs="+", default=FOLDERS)
    one.add_argument("--programs", nargs="+", metavar="PROGRAM", default=[
        "vl_facts_encodings", "vl_facts_verifier", "vl_facts_oracle", "campaigns"])
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    command("reach", reach).add_argument("programs", nargs="*", metavar="PROGRAM")
    one = command("run", run)
    one.add_argument("--before", help="a set of results whose killing tests are run first")
    one.add_argument("--most", type=float, default=60, help="CPU seconds of tests for one mutant")
    one.add_argument("--skip", nargs="+", default=[], metavar="FOLDER", help="folders whose tests are not run")
    one.add_argument("--minutes", type=float, help="stop after these")
    command("score", score)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
