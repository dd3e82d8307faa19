"""Measures another library on the questions of the benchmarks.

    driver.py LIBRARY QUESTIONS

QUESTIONS is JSON, a list of {name, asks, extents, terms, other, swizzle}. A layout is a sum of terms
[variable, divisor, modulus, stride], each stride * (x[variable] // divisor % modulus), modulus 0 for none; `other` is a
second one, for `equal`; `swizzle` is [bits, base, shift] or null, applied to the sum. It prints one line of JSON per
answer: {name, answer, micros}; the answer is proved, refuted, or the reason why there is none. Only the decision is
timed, not the making of layouts. If the library is not there, the program ends with status 3 and prints no line.
"""
import json
import signal
import sys
import time

SECONDS = 20  # of the whole program; what is not answered by then has no row
MOST_POINTS = 1 << 16  # of a library that walks over the elements


class NoAnswer(Exception):
    pass


def islpy_ask(question):
    import islpy

    def affine(terms):
        parts = []
        for variable, divisor, modulus, stride in terms:
            part = f"floor(x{variable}/{divisor})"
            parts.append(f"{stride}*({part} mod {modulus})" if modulus else f"{stride}*{part}")
        return " + ".join(parts)

    if question["swizzle"]:
        raise NoAnswer("an exclusive or is not affine")
    names = ", ".join(f"x{i}" for i in range(len(question["extents"])))
    box = " and ".join(f"0 <= x{i} < {extent}" for i, extent in enumerate(question["extents"]))
    first = islpy.Map(f"{{ [{names}] -> [{affine(question['terms'])}] : {box} }}")
    if question["asks"] == "injective":
        return first.is_injective
    second = islpy.Map(f"{{ [{names}] -> [{affine(question['other'])}] : {box} }}")
    return lambda: first.is_equal(second)


def tensor_layouts_ask(question):
    import tensor_layouts
    from tensor_layouts import analysis

    def layout(terms):
        shape, stride = [], []
        for i, extent in enumerate(question["extents"]):
            modes = sorted((divisor, modulus, step) for variable, divisor, modulus, step in terms if variable == i)
            left = 1
            for divisor, modulus, _ in modes:
                if divisor != left:
                    raise NoAnswer("a split that is no shape")
                left *= modulus or extent // divisor
            if left != extent:
                raise NoAnswer("an extent that its split does not divide")
            shape.append(tuple(modulus or extent // divisor for divisor, modulus, _ in modes))
            stride.append(tuple(step for _, _, step in modes))
        return tensor_layouts.Layout(tuple(shape), tuple(stride))

    points = 1
    for extent in question["extents"]:
        points *= extent
    if points > MOST_POINTS:
        raise NoAnswer(f"{points} elements to walk over")
    first = layout(question["terms"])
    if question["swizzle"]:
        first = tensor_layouts.compose(tensor_layouts.Swizzle(*question["swizzle"]), first)
    if question["asks"] == "injective":
        return lambda: analysis.is_injective(first)
    second = layout(question["other"])
    return lambda: analysis.functionally_equal(first, second)


def tvm_ask(question):
    import tvm

    try:
        from tvm import sym as maps, tirx as expressions
    except ImportError:
        from tvm import arith as maps, tir as expressions

    if question["swizzle"] or question["asks"] != "injective":
        raise NoAnswer("detect_iter_map does not say")

    def number(value):
        return expressions.const(value, "int64")

    variables = [expressions.Var(f"x{i}", "int64") for i in range(len(question["extents"]))]
    ranges = {x: tvm.ir.Range(number(0), number(extent)) for x, extent in zip(variables, question["extents"])}
    offset = number(0)
    for variable, divisor, modulus, stride in question["terms"]:
        part = expressions.floordiv(variables[variable], number(divisor)) if divisor > 1 else variables[variable]
        part = expressions.floormod(part, number(modulus)) if modulus else part
        offset = offset + part * number(stride)

    def decide():
        found = maps.detect_iter_map([offset], ranges, check_level="bijective")
        if len(found.indices) == 0:
            raise NoAnswer(str(found.errors[0]) if len(found.errors) else "no iterators found")
        return True

    return decide


LIBRARIES = {"islpy": islpy_ask, "tensor-layouts": tensor_layouts_ask, "tvm": tvm_ask}


def measure(decide):
    micros = []
    begin = time.perf_counter()
    while len(micros) < 7 or (len(micros) < 200 and time.perf_counter() - begin < 0.05):
        start = time.perf_counter_ns()
        answer = decide()
        micros.append((time.perf_counter_ns() - start) / 1000)
        if time.perf_counter() - begin > 2:
            break
    return "proved" if answer else "refuted", micros


def main():
    signal.alarm(SECONDS)
    ask = LIBRARIES[sys.argv[1]]
    for question in json.loads(sys.argv[2]):
        try:
            answer, micros = measure(ask(question))
        except NoAnswer as why:
            answer, micros = str(why), []
        except ImportError:
            sys.exit(3)
        print(json.dumps({"name": question["name"], "answer": answer, "micros": micros}), flush=True)


if __name__ == "__main__":
    main()
