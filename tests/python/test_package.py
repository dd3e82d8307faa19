"""The package verify_layout: python3 -m unittest, also without NumPy. Expected numbers are computed by hand or by loops.

What needs NumPy, torch, pytest or hypothesis is skipped where that is not installed; CI has none of them.
"""
import ctypes
import doctest
import importlib
import inspect
import os
import re
import sys
import threading
import unittest
from array import array

import verify_layout as vl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STICKS = "SpyreTensorLayout((5, 100, 150), torch.float16)"


def has(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def load_tests(loader, tests, pattern):
    for name in ("verify_layout", "verify_layout._check", "verify_layout._layout", "verify_layout._library"):
        found = doctest.DocTestSuite(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
        assert found.countTestCases() > 0, name
        tests.addTests(found)
    return tests


class Check(unittest.TestCase):
    def test_default_claims(self):
        report = vl.check(STICKS, "f16[5,100,150]")
        self.assertTrue(report.ok)
        self.assertEqual([verdict.verdict for verdict in report], ["proved"] * 6)
        self.assertEqual(report["padding"].value, 100 * 3 * 5 * 64 - 5 * 100 * 150)
        self.assertEqual(report["bijective"].certificate, "checked")
        self.assertIn("bijective", report)
        self.assertNotIn("onto", report)
        with self.assertRaises(KeyError):
            report["onto"]

    def test_tensor_of_the_text(self):
        self.assertEqual(len(vl.check(STICKS)), 6)
        with self.assertRaises(vl.InputError) as caught:
            vl.check("SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)")
        self.assertEqual(caught.exception.file, "tensor")
        # A text with names states the sizes of its tensor too.
        named = vl.check("ComposeLayout(3, 3, 3, S[(BM,64):(64,1)])")
        self.assertEqual(named["in-bounds"].verdict, "proved")

    def test_whose_tensor_it_is(self):
        call = ("FixedTiledLayout('spyre:0', torch.float16, size=[5, 100, 150], stride=[15000, 150, 1], "
                "device_layout=SpyreTensorLayout((5, 100, 140), torch.float16))")
        stated = vl.check(call, claims=["well-formed"])["well-formed"]
        self.assertEqual((stated.verdict, stated.tensor_source), ("refuted", "stated"))
        given = vl.check(call, "f16[5,100,140]", claims=["well-formed"])["well-formed"]
        self.assertEqual((given.verdict, given.tensor_source), ("proved", "given"))
        self.assertEqual(given.record["stated_tensor"], "f16[5,100,150]")
        assumed = vl.check("S[(8,64):(64,1)]", claims=["injective", "bytes"])
        self.assertEqual([verdict.verdict for verdict in assumed], ["proved", "unsupported"])
        self.assertEqual(assumed["injective"].tensor_source, "assumed")
        self.assertFalse(vl.check("S[(8,64):(64,1)]", claims=["injective"], strict=True).ok)
        self.assertTrue(vl.check("S[(8,64):(64,1)]", "f16[8,64]", claims=["injective"], strict=True).ok)

    def test_refuted(self):
        report = vl.check("S[(2,2):(1,1)]", "u8[2,2]", claims=["injective"])
        self.assertFalse(report.ok)
        verdict = report["injective"]
        self.assertEqual(verdict.counterexample, {"a": [0, 1], "b": [1, 0], "physical": [1]})
        self.assertIn("elements [0, 1] and [1, 0] share the slot [1]", str(verdict))
        self.assertIn("1 case: 0 proved, 1 refuted, 0 unknown; 1 FAILED", str(report))

    def test_verdicts_have_no_truth_value(self):
        report = vl.check("S[8:1]", "u8[8]")
        for value in (report, report["injective"]):
            with self.assertRaises(TypeError):
                bool(value)

    def test_verdicts_compare_with_their_words(self):
        slot = vl.check("S[(2,2):(1,1)]", "u8[2,2]")["injective"]
        self.assertTrue(slot == "refuted" and "refuted" == slot and slot != "proved")
        self.assertFalse(slot != "refuted" or slot == "proved" or slot == None)  # noqa: E711
        self.assertEqual(hash(slot), hash("refuted"))
        self.assertIn(slot, {"refuted", "unknown"})
        self.assertEqual(len({slot, vl.check("S[(2,2):(1,1)]", "u8[2,2]", claims=["injective"])["injective"]}), 2)
        for number in (0, False, 1.5):
            with self.assertRaises(TypeError):
                slot == number  # noqa: B015

    def test_undecided_is_not_ok(self):
        report = vl.check("S[(M,64):(64,1)]", "u8[8,64]", claims=["injective"])
        self.assertFalse(report.ok)
        self.assertEqual(report["injective"].verdict, "unsupported")
        self.assertFalse(report["injective"].ok)

    def test_places_of_errors(self):
        for layout, tensor, file, line, column in [("S[(8,64):\n(64,1)", "u8[8,64]", "layout", 2, 7),
                                                   ("S[8:1]", "u8[8", "tensor", 1, 5)]:
            for asked in (vl.check, vl.Layout):
                with self.assertRaises(vl.InputError) as caught:
                    asked(layout, tensor)
                error = caught.exception
                self.assertEqual((error.file, error.line, error.column), (file, line, column))

    def test_bad_arguments(self):
        for claims in (["injectiv"], ["equal"], ["injective=3"]):
            with self.assertRaises(vl.InputError):
                vl.check("S[8:1]", "u8[8]", claims=claims)
        for options in (dict(claims="injective"), dict(claims=[3]), dict(box=4), dict(strides=["a"])):
            with self.assertRaises((TypeError, AttributeError)):
                vl.check("S[8:1]", "u8[8]", **options)
        for options in (dict(strides=[2**63]), dict(box="\0"), dict(offset=-1)):
            with self.assertRaises(vl.InputError):
                vl.check("S[8:1]", "u8[8]", **options)

    def test_options(self):
        self.assertTrue(vl.check("S[(BM,64):(64,1)]", "u8[8,64]", define={"BM": 8}).ok)
        self.assertTrue(vl.check("S[(8,64):(64,1)]", "f16[8,64]", claims=["conflicts<=7"],
                                 access="lanes=8 width=16 at=[lane, 0]").ok)
        strided = vl.check("SpyreTensorLayout(device_size=[1, 4, 64], stride_map =[64, 128, 1], "
                           "device_dtype=DataFormats.SEN169_FP16)", "f16[4,64]", strides=[128, 1])
        self.assertEqual(strided["in-bounds"].verdict, "proved")

    def test_the_same_question_is_decided_once(self):
        self.assertIs(vl.check(STICKS, "f16[5,100,150]"), vl.check(STICKS, "f16[5,100,150]"))
        self.assertIsNot(vl.check(STICKS, "f16[5,100,150]"), vl.check(STICKS, "f16[5,100,150]", strict=True))

    def test_threads(self):
        seen = []
        threads = [threading.Thread(target=lambda k=k: seen.append(vl.check(f"S[{k + 1}:1]", f"u8[{k + 1}]").ok))
                   for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [True] * 8)

    def test_assertion(self):
        vl.assert_layout(STICKS, "f16[5,100,150]", claims=["bijective"])
        with self.assertRaisesRegex(AssertionError, r"refuted     injective"):
            vl.assert_layout("S[(2,2):(1,1)]", "u8[2,2]")


def same(a, b):
    """Whether two reports say the same, times left out."""
    return re.sub(r'"[a-z_]*micros": [^,]*', "", repr(a.record)) == re.sub(r'"[a-z_]*micros": [^,]*', "", repr(b.record))


class Arguments(unittest.TestCase):
    """No argument is ignored: each keyword of each function has a value that changes the answer, or is refused."""

    TILE = ("S[(2,3):(3,1)]", "f16[2,3]")
    ACCESS = "lanes=2 width=2 at=[lane, 0]"
    ROWS = "SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)"

    def keywords(self, function):
        return {name for name, parameter in inspect.signature(function).parameters.items()
                if name != "self" and parameter.kind is not parameter.VAR_KEYWORD}

    def test_every_keyword_of_check(self):
        # (what is asked without it, its value): another report. A value alone is refused beside TILE.
        changed = {"layout": (self.TILE[:1], "S[(2,3):(1,1)]"), "tensor": (self.TILE[:1], "f16[3,2]"),
                   "claims": (self.TILE, ["onto"]), "strides": ((self.ROWS, "f16[2,8]"), [64, 1]),
                   "view_offset": ((self.ROWS, "f16[2,8]"), 127), "box": (self.TILE, "m=5"),
                   "access": (self.TILE, self.ACCESS), "define": (("S[(2,BM):(3,1)]", "f16[2,BM]"), {"BM": 3}),
                   "where": (("S[(2,N):(P,1)]", "u8[2,N]"), "P >= N"),
                   "strict": (("SpyreTensorLayout((2, 8), torch.float16)", "f32[2,8]", ["injective"]), True)}
        for name, (asked, value) in changed.items():
            with self.subTest(name):
                given = dict(zip(("layout", "tensor", "claims"), asked))
                before, after = vl.check(**given), vl.check(**{**given, name: value})
                self.assertFalse(same(before, after) and before.code == after.code)
        refused = {"offset": -1, "family": "spyre", "hardware": "sm_90", "timeout": 0, "where": "N >= 2",
                   "define": {"BM": 3}, "access": "nonsense", "claims": [], "box": "laneid"}
        for name, value in refused.items():
            with self.subTest(name), self.assertRaises(vl.InputError):
                vl.check(*self.TILE, **{name: value})
        self.assertEqual(set(changed) | set(refused), self.keywords(vl.check))

    def test_an_access_is_judged(self):
        banked = ("S[(8,64):(64,1)]", "f16[8,64]")  # eight lanes of 16 bytes, 128 bytes apart: one bank in four
        report = vl.check(*banked, access="lanes=8 width=16 at=[lane, 0]")
        self.assertFalse(report.ok)
        self.assertEqual([verdict.claim for verdict in report], ["conflict-free", "wavefronts", "conflicts"])
        self.assertEqual((report["conflict-free"].verdict, report["wavefronts"].value), ("refuted", 8))
        for options, file in [(dict(access="nonsense"), "access"), (dict(hardware="sm_90"), "hardware"),
                              (dict(access=self.ACCESS, hardware="nonsense"), "hardware"),
                              (dict(access=self.ACCESS, claims=["injective"]), "access"),
                              (dict(define={"BM": 3}), "define"), (dict(where="N >= 2"), "where"),
                              (dict(define={"null": 3}), "define")]:
            with self.subTest(options), self.assertRaises(vl.InputError) as caught:
                vl.check(*banked, **options)
            self.assertEqual(caught.exception.file, file)

    def test_names_are_bound_in_every_text(self):
        self.assertTrue(vl.check("S[(2,BM):(BM,1)]", "u8[2,BM]", claims=["equal=S[(2,3):(BM,1)]"], where="BM >= 3",
                                 define={"BM": 3}).ok)

    def test_unknown_keywords(self):
        for function in (vl.check, vl.assert_layout, vl.Layout):
            with self.assertRaises(TypeError):
                function(*self.TILE, claim=["injective"])

    def test_every_keyword_of_layout(self):
        place = lambda *asked, **options: vl.Layout(*asked, **options).place([[0, 1], [1, 2]])
        sticks = (self.ROWS, "f16[2,8]")
        changed = {"text": ("S[(2,3):(1,2)]", "f16[2,3]"), "tensor": (self.TILE[0], "f16[6,1]")}
        self.assertNotEqual(place(*changed["text"]), place(*self.TILE))
        self.assertNotEqual(vl.Layout(*changed["tensor"]).shape, vl.Layout(*self.TILE).shape)
        for name, value in {"strides": [64, 1], "view_offset": 64}.items():
            self.assertNotEqual(place(*sticks, **{name: value}), place(*sticks))
        self.assertEqual(vl.Layout(*self.TILE, box="m=9").physical_shape, (9,))
        host = array("H", range(8))
        self.assertNotEqual(bytes(vl.Layout(*self.TILE, offset=2).pack(host)), bytes(vl.Layout(*self.TILE).pack(host[:6])))
        for name, value in {"offset": -1, "family": "spyre"}.items():
            with self.assertRaises(vl.InputError):
                vl.Layout(*self.TILE, **{name: value})
        self.assertEqual({"text", "tensor", "strides", "view_offset", "box", "offset", "family"},
                         self.keywords(vl.Layout.__init__))

    def test_every_keyword_of_its_methods(self):
        layout = vl.Layout("S[(2,3):(4,1)]", "u16[2,3]")
        host = array("H", range(6))
        self.assertNotEqual(layout.place([[0, 1]]), layout.place([[1, 1]]))
        self.assertNotEqual(layout.pack(host).tolist(), layout.pack(host, fill=9).tolist())
        self.assertNotEqual(layout.pack(host).tolist(), layout.pack(array("H", range(1, 7))).tolist())
        image, back = array("H", [7] * 7), array("H", [7] * 6)
        self.assertIs(layout.pack(host, out=image), image)
        self.assertIs(layout.unpack(image, out=back), back)
        self.assertEqual((image.tolist(), back.tolist()), ([0, 1, 2, 0, 3, 4, 5], [0, 1, 2, 3, 4, 5]))
        self.assertEqual([self.keywords(method) for method in (vl.Layout.place, vl.Layout.pack, vl.Layout.unpack)],
                         [{"elements"}, {"array", "fill", "out"}, {"image", "out"}])

    def test_every_keyword_of_assert_layout(self):
        self.assertEqual(self.keywords(vl.assert_layout), {"layout", "tensor", "claims"})  # and those of check
        with self.assertRaises(AssertionError):
            vl.assert_layout("S[(8,64):(64,1)]", "f16[8,64]", access="lanes=8 width=16 at=[lane, 0]")

    def test_the_functions_are_these(self):
        self.assertEqual(set(vl.__all__), {"InputError", "Layout", "Report", "Verdict", "assert_layout", "check"})
        methods = {name for name, value in vars(vl.Layout).items() if callable(value) and not name.startswith("_")}
        self.assertEqual(methods, {"place", "pack", "unpack"})

    @unittest.skipUnless(has("hypothesis"), "hypothesis is not installed")
    def test_every_keyword_of_strategies(self):
        from verify_layout.strategies import layouts
        self.assertEqual(self.keywords(layouts), {"family", "most"})
        for options in (dict(family="none"), dict(most=0)):
            with self.assertRaises(ValueError):
                layouts(**options)


class Package(unittest.TestCase):
    def test_structs_are_those_of_the_header(self):
        with open(os.path.join(ROOT, "oracle", "c", "verify_layout.h")) as file:
            header = file.read()
        from verify_layout import _library
        for name, struct in (("vl_request", _library.Request), ("vl_check_request", _library.CheckRequest)):
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), header, re.S).group(1)
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            members = re.findall(r"(\w+);", body)
            self.assertEqual([field[0] for field in struct._fields_], members)
            self.assertEqual(ctypes.sizeof(struct), 8 * len(members))

    def test_version(self):
        with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
            self.assertIn(f"VERSION {vl.__version__} LANGUAGES", file.read())

    def test_the_stub_names_what_there_is(self):
        stub = os.path.join(os.path.dirname(vl.__file__), "__init__.pyi")
        with open(stub) as file:
            text = file.read()
        for name in vl.__all__:
            self.assertRegex(text, r"(class|def) %s\b" % name)
            self.assertTrue(getattr(vl, name).__doc__, name)

    @unittest.skipUnless(has("hypothesis"), "hypothesis is not installed")
    def test_strategies(self):
        from hypothesis import HealthCheck, given, settings

        from verify_layout.strategies import FAMILIES, layouts
        for family in FAMILIES:
            decided = []

            @settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
            @given(layouts(family))
            def right(case):
                report = vl.check(*case, claims=["injective", "in-bounds"])
                self.assertTrue(report.ok, str(report))
                decided.append(case)

            right()
            self.assertGreater(len(decided), 30, family)


if __name__ == "__main__":
    sys.exit(unittest.main())
