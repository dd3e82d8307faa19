"""For pytest, which finds this by itself once the wheel is installed: the fixture assert_layout.

    def test_query(assert_layout):
        report = assert_layout("S[(8,64):(64,1)]", "f16[8,64]", claims=["injective"])

A failure shows what `verify-layout check` prints; warnings of a layout's text become warnings of pytest.
"""
import warnings

import pytest

from ._check import check


@pytest.fixture
def assert_layout():
    """A function with the arguments of verify_layout.check, which fails unless all is proved, and returns the report."""

    def assert_layout(layout, tensor=None, **options):
        __tracebackhide__ = True
        report = check(layout, tensor, **options)
        for warning in report.warnings:
            warnings.warn(f"{layout}: {warning}", stacklevel=2)
        if not report.ok:
            pytest.fail(str(report).rstrip("\n"), pytrace=False)
        return report

    return assert_layout
