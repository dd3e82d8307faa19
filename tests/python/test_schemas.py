"""The JSON Schema files of verifier/report/schemas against what the program prints: test_schemas.py BUILD.

validate() knows the keywords that the files use. A field of the output that no schema names is an error, too.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAYOUT, TENSOR = "SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]"
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
         "null": type(None)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "anyOf", "properties", "required",
         "items", "additionalProperties", "minimum"}


def is_a(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def validate(value, schema, root, at="$"):
    """The errors, in words."""
    unknown = set(schema) - KNOWN
    assert not unknown, f"a keyword that validate() does not know: {unknown}"
    if "$ref" in schema:
        return validate(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, at)
    if "anyOf" in schema:
        tried = [validate(value, one, root, at) for one in schema["anyOf"]]
        return [] if any(not errors for errors in tried) else min(tried, key=len)
    errors = []
    if "const" in schema and value != schema["const"]:
        errors.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        errors.append(f"{at}: {value!r} is none of {schema['enum']}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_a(value, name) for name in types):
        return errors + [f"{at}: {value!r} is no {' or '.join(types)}"]
    if "minimum" in schema and value is not None and value < schema["minimum"]:
        errors.append(f"{at}: {value} is too small")
    if isinstance(value, list) and "items" in schema:
        for k, item in enumerate(value):
            errors += validate(item, schema["items"], root, f"{at}[{k}]")
    if isinstance(value, dict):
        errors += [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in schema.get("properties", {}):
                errors += validate(item, schema["properties"][name], root, f"{at}.{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                errors += validate(item, schema["additionalProperties"], root, f"{at}.{name}")
            elif "properties" in schema:
                errors.append(f"{at}: no schema names {name}")
    return errors


def each_key_once(pairs):
    """A reader takes one of two equal keys, and readers differ in which."""
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), f"a key stands twice in {keys}"
    return dict(pairs)


def schema_of(name):
    with open(os.path.join(ROOT, "verifier", "report", "schemas", name + ".schema.json")) as file:
        return json.load(file, object_pairs_hook=each_key_once)


def said(*arguments, codes=(0, 10)):
    ran = subprocess.run([os.path.join(BUILD, "verify-layout"), *arguments], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, cwd=ROOT)
    assert ran.returncode in codes, (arguments, ran)
    return ran.stdout.decode()


class Schemas(unittest.TestCase):
    def check(self, name, value):
        schema = schema_of(name)
        self.assertEqual(validate(value, schema, schema), [])
        self.validated = getattr(self, "validated", 0) + 1

    def test_records(self):
        kinds = {}
        outputs = [said("check", file, "--format", "jsonl", codes=(0, 5, 10)) for file in
                   ("corpus/seeds/000-tensor-layouts.toml", "corpus/seeds/000-operations.toml", "corpus/seeds/004-banks.toml",
                    "corpus/spyre/invalid.toml", "corpus/seeds/README.md", "corpus/seeds/000-transfers.toml")]
        outputs.append(said("check", "--layout", "S[(8", "--tensor", "u8[8]", "--format", "jsonl", codes=(2,)))
        outputs.append(said("check", "--layout", "SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], "
                            "device_dtype=SEN169_FP16)", "--format", "jsonl", codes=(5,)))
        outputs.append(said("check", "--layout", "S[8:1]", "--tensor", "u8[8]", "--explain-engine", "--format", "jsonl"))
        outputs.append(said("check", "--layout", "S[8:1]", "--tensor", "u8[8]", "--explain-trust", "--format", "jsonl"))
        outputs.append(said("check", "--layout", "S[8:1]", "--tensor", "u8[8]", "--no-times", "--format", "jsonl"))
        with tempfile.TemporaryDirectory() as folder:
            text, known = os.path.join(folder, "a.py"), os.path.join(folder, "known.json")
            with open(text, "w") as file:
                file.write("S[(2,2):(1,1)]\nS[(3,3):(1,1)]  # verify-layout: ignore injective a broadcast\n"
                           "S[8:1]  # verify-layout: ignore injective nothing\n")
            run = ("check", text, "--baseline", known, "--format", "jsonl")
            outputs += [said(*run, "--update-baseline"), said(*run)]
            with open(text, "w") as file:
                file.write("S[(5,5):(1,1)]\n")
            outputs.append(said(*run))
        for line in "".join(outputs).splitlines():
            record = json.loads(line)
            self.check("record", record)
            kinds[record["kind"]] = kinds.get(record["kind"], 0) + 1
        self.assertGreater(kinds["verdict"], 300, kinds)
        self.assertLessEqual({"run", "verdict", "error", "rejected", "skipped", "gone", "unused-ignore", "summary"}, set(kinds))

    def test_documents(self):
        one = ("--layout", LAYOUT, "--tensor", TENSOR)
        self.check("report", json.loads(said("check", *one, "--format", "json")))
        self.check("report", json.loads(said("check", *one, "--explain-trust", "--format", "json")))
        self.check("explain", json.loads(said("explain", *one, "--at", "2,7,40", "--slot", "0,2,0,22", "--format", "json")))
        self.check("explain", json.loads(said("explain", *one, "--format", "json")))
        self.check("explain", json.loads(said("explain", "S[4:1@laneid] + R[2:4@laneid]", "--tensor", "u8[4]", "--at", "3",
                                              "--format", "json")))
        self.check("nests", json.loads(said("nests", *one, "--format", "json")))
        self.check("nests", json.loads(said("nests", "--from", "SpyreTensorLayout((4, 64), torch.float16)", "--to",
                                            "SpyreTensorLayout((4, 64), torch.float16, [1, 0])", "--tensor", "f16[4,64]",
                                            "--format", "json")))
        names = ("nests", "SpyreTensorLayout((N, 150), torch.float16)", "--tensor", "f16[N,150]", "--format", "json")
        self.check("nests", json.loads(said(*names)))
        self.check("campaign", json.loads(said("fuzz", "--family", "tirx", "--seed", "1", "--count", "200", "--format",
                                               "jsonl").splitlines()[-1]))
        with tempfile.TemporaryDirectory() as folder:
            said("check", "--layout", "S[8:1]", "--tensor", "u8[8]", "--claim", "onto", "--certificates", folder)
            for file, code in ((os.path.join(folder, "layout.0-onto.json"), 0), ("/nowhere", 2)):
                self.check("certificate", json.loads(said("cert", "--format", "json", file, codes=(code,))))
        self.check("fills", json.loads(said("neutral", "max", "--type", "f8e4m3", "--format", "json")))

    def test_changed_output_is_refused(self):
        record = json.loads(said("check", "--layout", "S[8:1]", "--tensor", "u8[8]", "--format", "jsonl").splitlines()[1])
        schema = schema_of("record")
        self.assertEqual(validate(record, schema, schema), [])
        for name, value in (("verdict", "perhaps"), ("micros", "fast"), ("warnings", [3]), ("line", 0), ("extra", 1)):
            self.assertTrue(validate(dict(record, **{name: value}), schema, schema), name)
        for name in set(record) - {"micros", "certificate_micros"}:  # which --no-times leaves out
            rest = {key: value for key, value in record.items() if key != name}
            self.assertTrue(validate(rest, schema, schema), name)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
