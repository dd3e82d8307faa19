"""The commands verify-layout, verify-layout-cert and verify-layout-cert-relations.

Each becomes the program of its name that lies in this package.
"""
import os
import sys


def _become(name):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    os.execv(program, [name] + sys.argv[1:])


def main():
    _become("verify-layout")


def cert():
    _become("verify-layout-cert")


def cert_relations():
    _become("verify-layout-cert-relations")


if __name__ == "__main__":
    main()
