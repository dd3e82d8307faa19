"""MLIR's affine maps in text: (d0, d1) -> (d0 * 32 + d1, 0)."""
import re

import layout_gate

MAP = re.compile(r"\(\s*((?:d\d+(?:\s*,\s*d\d+)*)?)\s*\)\s*->\s*\(([^<>]*?)\)\s*,\s*(?=[a-z]|<)")


class Affine:
    """Sums of dimensions times numbers. factors[k][j]: of dimension j in result k; constants[k]."""

    def __init__(self, names, results):
        self.dims = [n.strip() for n in names.split(",") if n.strip()]
        self.factors, self.constants = [], []
        for result in results.split(","):
            factors, constant = [0] * len(self.dims), 0
            for term in result.split("+"):
                found = re.match(r"^\s*(?:(d\d+)(?:\s*\*\s*(\d+))?|(\d+))\s*$", term)
                if found is None:
                    raise layout_gate.Unsupported("a map with more than sums of products")
                name, times, number = found.groups()
                if name is None:
                    constant += int(number)
                else:
                    factors[self.dims.index(name)] += int(times or 1)
            self.factors.append(factors)
            self.constants.append(constant)

    def at(self, x):
        return [c + sum(f * v for f, v in zip(row, x)) for row, c in zip(self.factors, self.constants)]

    def __str__(self):
        def term(factor, name):
            return name if factor == 1 else "%s * %d" % (name, factor)

        def result(row, constant):
            terms = [term(f, d) for f, d in zip(row, self.dims) if f]
            return " + ".join(terms + ([str(constant)] if constant or not terms else []))

        return "(%s) -> (%s)" % (", ".join(self.dims), ", ".join(map(result, self.factors, self.constants)))


def extents(shape, map_):
    """Of the results: where the last element lies, and one more; no factor is below 0, so no element lies further."""
    if not all(shape):
        raise layout_gate.Unsupported("a tensor without elements")
    return [n + 1 for n in map_.at([n - 1 for n in shape])]
