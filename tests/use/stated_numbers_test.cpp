// What a source says of a name at a place: of X in front of S[. What is expected is what Python, or a C++ compiler, has
// there; nothing where several values are possible that cannot be told from each other by blocks, or any other.
#include "encodings/use/stated_numbers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vl::use {
namespace use_stated_numbers_test {

// "64@1 128@3": numbers with their lines.
std::string said(std::string_view file, std::string_view text, std::string_view name = "X") {
  const StatedNumbers names(file, text);
  std::string out;
  for (const StatedNumber& number : names.numbers(name, text.find("S[")))
    out += fmt::format("{}{}@{}", out.empty() ? "" : " ", number.value,
                       1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(number.offset), '\n'));
  return out;
}

struct Row {
  const char* text;
  const char* numbers;
};

const Row kPython[] = {
    {"X = 128\nS[X]\n", "128@1"},
    {"A, X, B = 1, 2 * 32, 3\nS[X]\n", "64@1"},
    {"(A, X) = (1, 2)\nS[X]\n", "2@1"},
    {"A = X = 8\nS[X]\n", "8@1"},
    {"X: int = 3  # why\nS[X]\n", "3@1"},
    {"A = 8\nB = 1; X = A // 3\nS[X]\n", "2@2"},
    {"A = 5\nX = -A % 3 + 2 ** 3\nS[X]\n", "9@2"},
    {"X = (\n    4 +\n    5\n)\nS[X]\n", "9@1"},
    {"X = 2 ** 3 ** 2 - 3 ** 2\nS[X]\n", "503@1"},
    {"X = -7 // 2 + -3 ** 2\nS[X]\n", "-13@1"},
    {"x[X] = 3\ny.X = 4\nf(X=5)\nX = 6\nx[X] = 7\nS[X]\n", "6@4"},
    {"from m import *\nX = 6\nS[X]\n", "6@2"},
    {"X = 6\ndef f():\n    return S[X]\n", "6@1"},
    {"def f():\n    return S[X]\nX = 6\n", "6@3"},
    {"X = 6\nclass C:\n    X = 5\n    def f(self):\n        return S[X]\n", "6@1"},
    {"X = 6\nclass C:\n    X = 5\n    y = S[X]\n", "5@3"},
    {"X = 6\ndef f(x):\n    for k in range(3):\n        S[X]\n", "6@1"},
    {"with f():\n    X = 1\nS[X]\n", "1@2"},
    // the last assignment in front of the place
    {"X = 1\nX = 2\nS[X]\nX = 3\n", "2@2"},
    {"if a:\n    X = 1\nelse:\n    X = 2\nS[X]\n", "1@2 2@4"},
    {"X = 3\nif a:\n    X = 1\nS[X]\n", "3@1 1@3"},
    {"if a:\n    X = 1\nelif b:\n    X = 2\n    S[X]\n", "2@4"},
    {"X = 0\nif a:\n    X = 1\nelse:\n    S[X]\n", "0@1"},
    {"X = 0\nwhile a:\n    S[X]\n    X = 1\n", "0@1 1@4"},
    {"try:\n    X = 1\nexcept E:\n    X = 2\nS[X]\n", "1@2 2@4"},
    // a function may be called at any time behind its definition
    {"X = 1\ndef f():\n    return S[X]\nX = 2\n", "1@1 2@4"},
    {"X = 1\nX = 2\ndef f():\n    return S[X]\n", "2@2"},
    // what is not known
    {"def f(X):\n    return S[X]\n", ""},
    {"X = 1\ndef f(X): return S[X]\n", ""},
    {"X = 1\nfor X in y: S[X]\n", ""},
    {"X = 1\nX = 2; S[X]\n", ""},
    {"X = 1\nif a: X = 2; S[X]\n", ""},
    {"X = 1\nwith f() as X: S[X]\n", ""},
    {"X = 1\ndef f(a, *, X=3):\n    return S[X]\n", ""},
    {"X = 1\nfor X in y:\n    S[X]\n", ""},
    {"X = 1\nfor X in y:\n    pass\nS[X]\n", ""},
    {"X = 1\nX += 1\nS[X]\n", ""},
    {"X = 1\nX <<= 1\nS[X]\n", ""},
    {"X = 1\ndel X\nS[X]\n", ""},
    {"X = 1\nX = f(3)\nS[X]\n", ""},
    {"X = 1\nif a:\n    X = f(3)\nS[X]\n", ""},
    {"X = 1\nif a: X = 2\nS[X]\n", ""},
    {"X = 6 / 2\nS[X]\n", ""},
    {"X = 2 ** -1\nS[X]\n", ""},
    {"X = 0x10\nS[X]\n", "16@1"},
    {"X = 1 if a else 2\nS[X]\n", ""},
    {"X = 7 // (1 - 3)\nS[X]\n", ""},
    {"X = 3.5\nS[X]\n", ""},
    {"X = \"3\"\nS[X]\n", ""},
    {"X, Y = f()\nS[X]\n", ""},
    {"X, Y = 1, 2, 3\nS[X]\n", ""},
    {"*X, Y = 1, 2\nS[X]\n", ""},
    {"X = 1\nimport X\nS[X]\n", ""},
    {"X = 1\nfrom m import *\nS[X]\n", ""},
    {"X = 1\nwith f() as X:\n    S[X]\n", ""},
    {"X = 1\ndef g():\n    global X\n    X = 2\ndef f():\n    return S[X]\n", ""},
    {"X = 1\ny = [S[X] for X in z]\n", ""},
    {"X = 1\nf = lambda X: S[X]\n", ""},
    {"X = 1\nf(X := 2)\nS[X]\n", ""},
    {"def f():\n    X = 1\ndef g():\n    return S[X]\n", ""},
    {"def f():\n    S[X]\n    X = 1\nX = 2\n", ""},
    {"\"\"\"\nX = 1\n\"\"\"\nS[X]\n", ""},
    {"# X = 1\nS[X]\n", ""},
    {"X = 1\n# S[X]\n", ""},
    {"X = 1\ny = \"S[X]\"\n", ""},
    {"if a:\n\tX = 1\nS[X]\n", ""},
    {"Y = 1\nif a:\n    Y = 2\nX = Y + 1\nS[X]\n", ""},
    {"X = X\nS[X]\n", ""},
    {"X = 9223372036854775807 + 1\nS[X]\n", ""},
};

TEST(StatedNumbers, OfAPythonSource) {
  for (const auto& [text, numbers] : kPython) EXPECT_EQ(said("a.py", text), numbers) << text;
}

TEST(StatedNumbers, OfACSource) {
  for (const auto& [text, numbers] : std::initializer_list<Row>{
           {"constexpr int X = 64;\nauto l = S[X];\n", "64@1"},
           {"static constexpr auto X = 2 * 32;\nS[X];\n", "64@1"},
           {"const unsigned long A = 1'000ul, X = A / 3;\nS[X];\n", "333@1"},
           {"#define X 128  // rows\nS[X];\n", "128@1"},
           {"#define A 4\n#define X (A + 1)\nvoid f() { S[X]; }\n", "5@2"},
           {"auto X = cute::Int<  8>{};\nS[X];\n", "8@1"},
           {"auto X = _16{};\nS[X];\n", "16@1"},
           {"constexpr int X{7};\nS[X];\n", "7@1"},
           {"struct T { static constexpr int X = 3; void f() { S[X]; } };\n", "3@1"},
           {"constexpr int X = 1;\nnamespace a { constexpr int X = 2; void f() { S[X]; } }\n", "2@2"},
           {"namespace a { constexpr int X = 2; }\nconstexpr int X = 1;\nvoid f() { S[X]; }\n", "1@2"},
           {"constexpr int X = 1;\nvoid f() { for (int k = 0; k < X; ++k) { S[X]; } }\n", "1@1"},
           {"constexpr int X = 1;\nvoid f() { if (X == 1) { S[X]; } }\n", "1@1"},
           {"constexpr int X = 1;\nauto f = [](int y) { return S[X]; };\n", "1@1"},
           {"#if A\nconstexpr int X = 1;\n#else\nconstexpr int X = 2;\n#endif\nS[X];\n", "1@2 2@4"},
           {"#if A\n#define X 1\nint a = S[X];\n#else\n#define X 2\n#endif\n", "1@2"},
           {"/* X = 3 */ constexpr int X = 4;\nchar c = '{'; auto s = \"}\";\nS[X];\n", "4@1"},
           // what is not known
           {"int X = 64;\nS[X];\n", ""},
           {"constexpr int X = 010;\nS[X];\n", ""},
           {"constexpr int X = 0x10;\nS[X];\n", ""},
           {"constexpr int X = -7 / 2;\nS[X];\n", ""},
           {"constexpr int X = -7 % 2 + 5;\nS[X];\n", ""},
           {"constexpr auto X = 3u - 5u;\nS[X];\n", ""},
           {"constexpr int X = 8 >> 1;\nS[X];\n", ""},
           {"constexpr int X = f(3);\nS[X];\n", ""},
           {"constexpr float X = 64;\nS[X];\n", ""},
           {"constexpr int X = 64;\ntemplate <int X> void f() { S[X]; }\n", ""},
           {"constexpr int X = 64;\nvoid f(int X) { S[X]; }\n", ""},
           {"constexpr int X = 64;\nvoid f() { for (int X = 0; X < 3; ++X) { S[X]; } }\n", ""},
           {"constexpr int X = 64;\nvoid f() { auto [X, Y] = g(); S[X]; }\n", ""},
           {"constexpr int X = 64;\nvoid f() { int X = g(); { S[X]; } }\n", ""},
           {"constexpr int X = 64;\nauto f = [](int X) { return S[X]; };\n", ""},
           {"void f() { constexpr int X = 64; }\nvoid g() { S[X]; }\n", ""},
           {"#define X(a) 64\nS[X];\n", ""},
           {"#define X 64\n#undef X\nS[X];\n", ""},
           {"#define X 64\nvoid f(int X) { S[X]; }\n", ""},
           {"S[X];\nconstexpr int X = 64;\n", ""},
           {"// constexpr int X = 64;\nS[X];\n", ""},
           {"constexpr int X = 64;\n}\nS[X];\n", ""},
           {"constexpr int X = 3000000000;\nS[X];\n", ""},
       })
    EXPECT_EQ(said("a.cu", text), numbers) << text;
}

// The language is that of the file's name, or else of what the text looks like; in Markdown each block is alone.
TEST(StatedNumbers, OfADefinitionWithoutAName) {
  EXPECT_TRUE(StatedNumbers("a.py", "def\"f\"():\n  A = 3\n").numbers("def", 4).empty());
}

TEST(StatedNumbers, OfOtherFiles) {
  EXPECT_EQ(said("<stdin>", "X = 4\nS[X]\n"), "4@1");
  EXPECT_EQ(said("<stdin>", "#include <a>\nconstexpr int X = 4;\nS[X];\n"), "4@2");
  EXPECT_EQ(said("a.md", "X = 4\n```python\nX = 5\nS[X]\n```\n"), "5@3");
  EXPECT_EQ(said("a.md", "```py\nX = 5\n```\n\n~~~\nS[X]\n~~~\n"), "");
  EXPECT_EQ(said("a.md", "X = 4\nS[X]\n"), "");
  EXPECT_EQ(said("a.mlir", "X = 4\nS[X]\n"), "");
}

// A function of the file hides one that is known; an import or another name of the same does not.
TEST(StatedNumbers, SayWhatTheFileItselfDefines) {
  const auto line = [](std::string_view text, std::string_view file = "a.py") -> std::ptrdiff_t {
    const auto at = StatedNumbers(file, text).defined("f", text.find("f(8"));
    return at ? 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n') : 0;
  };
  EXPECT_EQ(line("import g\ndef f(x):\n    pass\ny = f(8)\n"), 2);
  EXPECT_EQ(line("f = g\ny = f(8)\n"), 1);
  EXPECT_EQ(line("class f:\n    pass\ny = f(8)\n"), 1);
  EXPECT_EQ(line("def g(f):\n    y = f(8)\n"), 1);
  EXPECT_EQ(line("from m import g as f\ny = f(8)\n"), 1);
  EXPECT_EQ(line("from m import f\ny = f(8)\n"), 0);
  EXPECT_EQ(line("f = T.f\ny = f(8)\n"), 0);
  EXPECT_EQ(line("class C:\n    def f(x):\n        y = f(8)\n"), 0);
  EXPECT_EQ(line("def g():\n    f = 3\ny = f(8)\n"), 0);
  EXPECT_EQ(line("auto f(int x) { return x; }\nint y = f(8);\n", "a.cu"), 1);
  EXPECT_EQ(line("int y = f(8);\nvoid g() { if (f(9)) { } }\n", "a.cu"), 0);
}

// What has one value that is not known is no parameter; a symbol is as open as one.
TEST(StatedNumbers, SayWhatTheFileItselfComputes) {
  const auto line = [](std::string_view text, std::string_view file = "a.py") -> std::ptrdiff_t {
    const auto at = StatedNumbers(file, text).computed("n", text.find("S["));
    return at ? 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n') : 0;
  };
  EXPECT_EQ(line("def f(m):\n    n = m // 8\n    return S[n]\n"), 2);
  EXPECT_EQ(line("def f(shape):\n    k, n = shape\n    return S[n]\n"), 2);
  EXPECT_EQ(line("def f(n):\n    n = g(n)\n    return S[n]\n"), 2);
  EXPECT_EQ(line("for n in sizes:\n    S[n]\n"), 1);
  EXPECT_EQ(line("x = [S[n] for n in sizes]\n"), 1);
  EXPECT_EQ(line("from config import n\ndef f():\n    return S[n]\n"), 1);
  EXPECT_EQ(line("@mark.parametrize(\"n\", [2, 4])\n@mark.gpu\ndef f(n):\n    def g():\n        S[n]\n"), 1);
  EXPECT_EQ(line("@mark.parametrize(\"m\", [2, 4])\ndef f(m, n):\n    return S[n]\n"), 0);
  EXPECT_EQ(line("def f(n):\n    return S[n]\n"), 0);
  EXPECT_EQ(line("n = g()\ndef f(n):\n    return S[n]\n"), 0);
  EXPECT_EQ(line("x = [n for n in sizes]\nS[n]\n"), 0);
  EXPECT_EQ(line("def f():\n    n = T.int32()\n    return S[n]\n"), 0);
  EXPECT_EQ(line("n = Var(\"n\", ty=\"int32\")\nS[n]\n"), 0);
  EXPECT_EQ(line("S[n]\n"), 0);
  EXPECT_EQ(line("int n = g();\nauto x = S[n];\n", "a.cu"), 0);  // not known there
}

TEST(StatedNumbers, TellProseFromCode) {
  const auto around = [](std::string_view file, std::string_view text) {
    return StatedNumbers(file, text).around(text.find("(4,3)"));
  };
  EXPECT_EQ(around("a.py", "x = 1  # (4,3):(16,9)\n"), Surroundings::Prose);
  EXPECT_EQ(around("a.py", "\"\"\"As (4,3):(16,9).\"\"\"\n"), Surroundings::Prose);
  EXPECT_EQ(around("a.py", "print(\"(4,3):(16,9)\")\n"), Surroundings::Code);
  EXPECT_EQ(around("a.cu", "/* (4,3):(16,9) */\n"), Surroundings::Prose);
  EXPECT_EQ(around("a.cu", "f(\"(4,3):(16,9)\");\n"), Surroundings::Code);
  EXPECT_EQ(around("a.md", "As (4,3):(16,9).\n"), Surroundings::Prose);
  EXPECT_EQ(around("a.md", "```\n(4,3):(16,9)\n```\n"), Surroundings::Code);
  EXPECT_EQ(around("a.log", "(4,3):(16,9)\n"), Surroundings::Unknown);
}

}  // namespace use_stated_numbers_test
}  // namespace vl::use
