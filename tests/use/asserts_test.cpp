// What asserts in front of a layout say of its names: those that are executed before it, and no others. What is
// expected is what Python does.
#include "encodings/use/asserts.h"

#include <gtest/gtest.h>

#include <vector>

namespace vl::use {
namespace use_asserts_test {

// Of the names M, N and P, in front of the letters S[.
std::string said(std::string_view text, bool whole = true) {
  const std::vector<std::string> names = {"M", "N", "P"};
  return asserted(text, text.find("S["), whole, names);
}

TEST(Asserts, AreThoseOfTheFunctionAroundTheLayout) {
  EXPECT_EQ(said("def f(M, N, P):\n    assert P >= N\n    x = S[(M, N) : (P, 1)]\n"), "P >= N");
  EXPECT_EQ(said("assert P >= N\nx = S[(M, N) : (P, 1)]\n"), "P >= N");
  EXPECT_EQ(said("assert P >= N\nx = S[(M, N) : (P, 1)]\n", false), "");  // what is in front of it, nobody saw
  EXPECT_EQ(said("assert P >= N\ndef f(M, N, P):\n    x = S[(M, N) : (P, 1)]\n"), "");
  EXPECT_EQ(said("def g(N, P):\n    assert P >= N\n\ndef f(M, N, P):\n    x = S[(M, N) : (P, 1)]\n"), "");
  EXPECT_EQ(said("def f(N, P):\n    assert P >= N\n    def g(M, N, P):\n        x = S[(M, N) : (P, 1)]\n"), "");
  EXPECT_EQ(said("def f(M, N, P):\n    x = S[(M, N) : (P, 1)]\n    assert P >= N\n"), "");
  EXPECT_EQ(said("def f(\n    M, N, P,\n):\n    assert P >= N\n    x = f(\n        S[(M, N) : (P, 1)])\n"), "P >= N");
  EXPECT_EQ(said("async def f(M):\n    assert M > 4\n    x = S[M : P]\n"), "M > 4");
  EXPECT_EQ(said("def f(M):\n\tassert M > 4\n\tx = S[M : P]\n"), "");  // tabs are not counted
}

TEST(Asserts, NumbersThatNamesAreGivenAreConditions) {
  EXPECT_EQ(said("P = 72\nx = S[(M, N) : (P, 1)]\n"), "P == 72");
  EXPECT_EQ(said("P: int = 8 * 9  # pitch\nx = S[(M, N) : (P, 1)]\n"), "P == 72");
  EXPECT_EQ(said("def f(M, N):\n    P = 72\n    x = S[(M, N) : (P, 1)]\n"), "P == 72");
  EXPECT_EQ(said("P = 72\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n"), "P == 72");
  EXPECT_EQ(said("def f(M, N):\n    x = S[(M, N) : (P, 1)]\nP = 72\n"), "P == 72");  // called behind it
  for (const char* text :
       {"P = 72\nP = 8\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n",
        "P = 72\ndef f(M, N, P):\n    x = S[(M, N) : (P, 1)]\n",
        "P = 72\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n    P = 3\n",
        "if a:\n    P = 72\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n",
        "P = 72\ndef g():\n    global P\n    P = 3\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n",
        "P = g(72)\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n", "a.P = 72\nx = S[(M, N) : (P, 1)]\n",
        "P, N = 72\nx = S[(M, N) : (P, 1)]\n", "P += 72\nx = S[(M, N) : (P, 1)]\n",
        "P = M = 72\nx = S[(M, N) : (P, 1)]\n", "P == 72\nx = S[(M, N) : (P, 1)]\n",
        "P[0] = 72\nx = S[(M, N) : (P, 1)]\n", "\"P = 72\"\nx = S[(M, N) : (P, 1)]\n",
        "for P in range(3): pass\nP = 72\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n",
        "P = 72\ndef f(M, N):\n    x = [S[(M, N) : (P, 1)] for P in y]\n"})
    EXPECT_EQ(said(text), "") << text;
  for (const char* text : {"P = 72\nfrom config import *\nx = S[(M, N) : (P, 1)]\n",
                           "P = 72\nfrom config import *\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n",
                           "assert P >= N\nfrom config import *\nx = S[(M, N) : (P, 1)]\n"})
    EXPECT_EQ(said(text), "") << text;
  EXPECT_EQ(said("P = 72\ndef f(M, N):\n    x = S[(M, N) : (P, 1)]\n", false), "");  // what is in front, nobody saw
}

TEST(Asserts, NamesThatAreDefinedStandForTheirNumbers) {
  const std::vector<std::string> names = {"N"};
  const std::vector<Definition> definitions = {{"B", 64}};
  const auto with = [&](std::string_view text) { return asserted(text, text.find("S["), true, names, definitions); };
  EXPECT_EQ(with("assert N % B == 0 and B > 8\nx = S[(N, B) : (B, 1)]\n"), "N % 64 == 0");
  EXPECT_EQ(with("assert N % (B * 2) == 0\nx = S[(N, B) : (B, 1)]\n"), "N % (64 * 2) == 0");
  EXPECT_EQ(with("assert N % B == 0\nB = 64\nx = S[(N, B) : (B, 1)]\n"), "");  // of another B
  EXPECT_EQ(with("assert N % C == 0\nx = S[(N, B) : (B, 1)]\n"), "");
}

TEST(Asserts, OfBlocksThatAreClosedSayNothing) {
  EXPECT_EQ(said("def f(M):\n    if a:\n        assert M > 4\n    x = S[M : P]\n"), "");
  EXPECT_EQ(said("def f(M):\n    if a:\n        assert M > 4\n    else:\n        x = S[M : P]\n"), "");
  EXPECT_EQ(said("def f(M):\n    if a:\n        assert M > 4\n        x = S[M : P]\n"), "M > 4");
  EXPECT_EQ(said("def f(M):\n    assert M > 4\n    for i in range(M):\n        x = S[M : P]\n"), "M > 4");
  EXPECT_EQ(said("def f(M):\n    if a: assert M > 4\n    x = S[M : P]\n"), "");
}

TEST(Asserts, InStringsAndCommentsSayNothing) {
  EXPECT_EQ(said("def f(M):\n    \"\"\"\n    assert M > 4\n    \"\"\"\n    x = S[M : P]\n"), "");
  EXPECT_EQ(said("def f(M):\n    '''a \"\"\" b'''\n    assert M > 4\n    x = S[M : P]\n"), "M > 4");
  EXPECT_EQ(said("def f(M):\n    # assert M > 4\n    x = S[M : P]\n"), "");
  EXPECT_EQ(said("def f(M):\n    assert M > 4\n    x = \"S[M : P]\"\n"), "");
  EXPECT_EQ(said("def f(M):\n    assert M > 4  # S[M : P]\n"), "");
}

TEST(Asserts, AreReadAsConjunctionsOfComparisons) {
  const auto of = [](std::string_view condition) {
    return said("def f(M, N, P):\n    assert " + std::string(condition) + "\n    x = S[(M, N) : (P, 1)]\n");
  };
  EXPECT_EQ(of("M % 64 == 0 and P >= N, \"rows, and more\""), "M % 64 == 0, P >= N");
  EXPECT_EQ(of("(P >= N)"), "P >= N");
  EXPECT_EQ(of("(P + 1) * 2 >= (N)"), "(P + 1) * 2 >= (N)");
  EXPECT_EQ(of("P >= N and Q > 3"), "P >= N");  // Q is no name of the layout
  EXPECT_EQ(of("(P >= N, \"a tuple is true\")"), "");
  EXPECT_EQ(of("P >= N or M == 1"), "");
  EXPECT_EQ(of("not P >= N"), "");
  EXPECT_EQ(of("1 <= N <= P"), "");
  EXPECT_EQ(of("P / 2 >= N"), "");
  EXPECT_EQ(of("align(P, 2) >= N"), "");
  EXPECT_EQ(of("M.size >= 3"), "");
  EXPECT_EQ(of("M"), "");
  EXPECT_EQ(of("3 >= 2"), "");
  EXPECT_EQ(of("M >= 1 and N > 0 and P >= -4"), "");  // no more than what is usual
  EXPECT_EQ(of("M > 9223372036854775807"), "");
  EXPECT_EQ(of("M > 99999999999999999999"), "");
  EXPECT_EQ(of("P >= (\n        N)"), "P >= (         N)");
}

TEST(Asserts, OfNamesThatAreBoundAgainSayNothing) {
  const auto between = [](std::string_view statement) {
    return said("def f(M):\n    assert M > 4\n    " + std::string(statement) + "\n    x = S[M : P]\n");
  };
  for (const char* statement :
       {"M = g()", "M -= 1", "M //= 2", "M <<= 1", "N, M = g()", "M: int = g()", "for M in range(3): pass",
        "for i, M in g(): pass", "with g() as M: pass", "if (M := 3) > 2: pass", "import M", "del M", "global M",
        "def M(): pass", "x = M = 4", "if a:\n        M = 3"})
    EXPECT_EQ(between(statement), "") << statement;
  for (const char* statement : {"x = M", "g(M=3)", "assert M == 4 or x", "for i in range(M): pass", "x = M <= 3",
                                "y = M >= 3", "with g(M) as y: pass", "def g(M): pass", "s = \"M = 3\"", "MM = 3"})
    EXPECT_EQ(between(statement), "M > 4") << statement;
  for (const char* layout :
       {"x = [S[M : P] for M in range(3)]", "x = lambda M: S[M : P]", "x = g(lambda a=1, M=2: S[M : P])",
        "x = {i: S[M : P] for i, M in y}", "x = dict((M, S[M : P]) for M in y)"})
    EXPECT_EQ(said("def f(M):\n    assert M > 4\n    " + std::string(layout) + "\n"), "") << layout;
  for (const char* layout : {"x = [S[M : P] for i in range(M)]", "x = lambda i: S[M : P]", "x = {M: S[M : P]}"})
    EXPECT_EQ(said("def f(M):\n    assert M > 4\n    " + std::string(layout) + "\n"), "M > 4") << layout;
  EXPECT_EQ(between("M = 3"), "M == 3");
  EXPECT_EQ(between("M: int = 3"), "M == 3");
  // A loop comes back.
  EXPECT_EQ(said("def f(M):\n    assert M > 4\n    while M:\n        x = S[M : P]\n        M -= 1\n"), "");
  EXPECT_EQ(said("def f(M):\n    assert M > 4\n    x = S[M : P]\n\ndef g():\n    M = 1\n"), "M > 4");
}

TEST(Asserts, AnythingElseIsReadWithoutHarm) {
  for (const char* text : {"S[", "\nS[", "def f(:\n  S[", "assert\nS[M", "assert ,\nS[M", "assert (\nS[M", "'S[M",
                           "))S[M", "assert M > 4 \\\n S[M", "def\n S[M"})
    EXPECT_EQ(said(text), "") << text;
  EXPECT_EQ(asserted("", 0, true, {}), "");
}

}  // namespace use_asserts_test
}  // namespace vl::use
