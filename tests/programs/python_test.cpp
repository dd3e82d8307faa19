// The reader of Python as compilers print it: statements, expressions, and texts that are none.
#include "encodings/notation/python.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/support/sanitized.h"

namespace vl::python {
namespace programs_python_test {

// "f(a, k=b)": calls, indices and lists with their parts, anything else that has parts as <a b>.
std::string shown(const Node& node) {
  std::vector<std::string> parts;
  for (const Node& part : node.parts) parts.push_back(shown(part));
  const auto behind = [&] { return std::vector<std::string>(parts.begin() + 1, parts.end()); };
  std::string out = node.key.empty() ? "" : fmt::format("{}=", node.key);
  switch (node.kind) {
    case Kind::Name:
    case Kind::Number:
    case Kind::String: out += node.text; break;
    case Kind::List: out += fmt::format("[{}]", fmt::join(parts, ", ")); break;
    case Kind::Tuple: out += fmt::format("({})", fmt::join(parts, ", ")); break;
    case Kind::Dict: out += fmt::format("{{{}}}", fmt::join(parts, ", ")); break;
    case Kind::Call: out += fmt::format("{}({})", parts[0], fmt::join(behind(), ", ")); break;
    case Kind::Item: out += fmt::format("{}[{}]", parts[0], fmt::join(behind(), ", ")); break;
    case Kind::Other: out += fmt::format("<{}>", fmt::join(parts, " ")); break;
  }
  return node.type.empty() ? out : fmt::format("{}: {}", out, node.type);
}

std::string shown(const Statement& statement) {
  if (!statement.read) return "?";
  std::string out(statement.word);
  if (!out.empty()) out += " ";
  for (const Node& target : statement.targets) out += shown(target) + " = ";
  if (!statement.type.empty()) out += fmt::format("{{{}}} ", statement.type);
  return out + shown(statement.value);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (const Statement& statement : statements_of(text)) out.push_back(shown(statement));
  return out;
}

TEST(Python, ReadsStatements) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of("e: \"f32[2, 3]\" = torch.ops.aten.exp.default(x);  x = y = None\n"),
            (Lines{"e = {\"f32[2, 3]\"} torch.ops.aten.exp.default(x)", "x = y = None"}));
  EXPECT_EQ(lines_of("%e : [num_users=1] = call_function[target=aten.exp](args = (%x, 1), kwargs = {dim: -1})"),
            (Lines{"%e = {[num_users=1]} call_function[target=aten.exp](args=(%x, 1), kwargs={dim, -1})"}));
  EXPECT_EQ(
      lines_of("class <lambda>(M):\n    def forward(self, a: \"f32[2]\", b=1, *c) -> T:  # why\n        return (a,)"),
      (Lines{"class <>", "def forward(self, a: \"f32[2]\", b=1, <c>)", "return (a)"}));
  EXPECT_EQ(lines_of("k = f('k',\n  [\n    g(a=[1, 2,], b={'h': 0}),  # c\n  ]\n)\nreturn a, b"),
            (Lines{"k = f('k', [g(a=[1, 2], b={'h', 0})])", "return (a, b)"}));
  EXPECT_EQ(lines_of("a = b + c * 2\nd = x[1:2]\ne = (f)\ng = h().i\nj = a if b else c\nfor x in y: z"),
            (Lines{"a = <b c 2>", "d = x[<>]", "e = f", "g = <h()>", "j = <a if b else c>", "for <>"}));
  EXPECT_EQ(lines_of("a = -1e-5\nb = [-inf, +2, .5, 0x1F]\nc = r'x\\'y'\nd = \"\"\"p\nq\"\"\"\ne = 1 \\\n  - 2"),
            (Lines{"a = -1e-5", "b = [-inf, +2, .5, 0x1F]", "c = r'x\\'y'", "d = \"\"\"p\nq\"\"\"", "e = <1 2>"}));
  EXPECT_EQ(lines_of("V0401 12:00:00.000 7 a/b.py:12] [0/0] [__aot_graphs]     b = f(a)\n"), (Lines{"b = f(a)"}));
}

TEST(Python, SaysWhereAStatementStands) {
  const std::string text = "x = 1\n    y = f(a,\n b); z = 2\n";
  const auto all = statements_of(text);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(text.substr(all[1].offset, all[1].length), "y = f(a,\n b)");
  EXPECT_EQ(all[1].indent, 4U);
  EXPECT_EQ(text.substr(all[2].offset, all[2].length), "z = 2");
  EXPECT_EQ(all[1].value.parts[2].text.data(), text.data() + text.find(" b)") + 1);
  EXPECT_EQ(integer_of(all[0].value), 1);
  EXPECT_EQ(argument(all[1].value, "k"), nullptr);
}

TEST(Python, ReadsValues) {
  const auto value = [](const std::string& text) {
    static std::deque<std::string> kept;
    return statements_of(kept.emplace_back("x = " + text))[0].value;
  };
  EXPECT_EQ(string_of(value("'a b'")), "a b");
  EXPECT_EQ(string_of(value("\"\"\"a\"b\"\"\"")), "a\"b");
  EXPECT_EQ(string_of(value("''")), "");
  for (const char* none : {"'a\\n'", "a", "1", "['a']"}) EXPECT_EQ(string_of(value(none)), std::nullopt) << none;
  EXPECT_EQ(integer_of(value("-7")), -7);
  EXPECT_EQ(integer_of(value("+7")), 7);
  for (const char* none : {"1.0", "99999999999999999999", "x", "'1'", "1 + 1"})
    EXPECT_EQ(integer_of(value(none)), std::nullopt) << none;
}

TEST(Python, PassesOverALineThatItCannotRead) {
  for (const char* bad : {"a = (b", "a = b)", "a = [b)", "don't do it", "a = 'b", "a = f(b, = c)", "a = f(b, c=)",
                          "a = f(b,, c)", "a = f(b c = d)", "a = \"\"\"b", "a ? b", "x = {1: }]", "a b\x01"}) {
    const auto lines = lines_of(std::string(bad) + "\nok = 1\n");
    ASSERT_GE(lines.size(), 1U) << bad;
    EXPECT_EQ(lines[0], "?") << bad;
    EXPECT_EQ(lines.back(), "ok = 1") << bad;
  }
}

TEST(Python, EndsOnTextsThatNestOrAreCut) {
  const int deep = test::fact_or_campaign(20000, 200000);
  for (const char* open : {"(", "[", "{", "f(", "a[", "x=", "-", "\"\"\"", "(\n", "'", "a.", "\\\n", "def f(", ";"}) {
    std::string text;
    for (int i = 0; i < deep; ++i) text += open;
    (void)statements_of("x = " + text);
  }
  const std::string whole =
      "class G(M):\n    def forward(self, a: \"f32[2][1]cpu\", b):\n        e: \"f32[2]\" = t.ops.exp.default(a, [1, "
      "-2.5e-3], "
      "k = {x: (1,)});  a = None\n        return (e, g[0])\n%x : T \"f32[2]\"[n=1] = call[target=o](args = (%a,), "
      "kwargs = "
      "{})\nk = s('k', [O(op='a\\'b', i={s('c'): (s(\"4\"), 1)}, d=D.F)])\n";
  std::mt19937 random(7);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    (void)statements_of(whole.substr(0, cut));
    std::string changed = whole;
    for (int k = 0; k < 3; ++k) changed[random() % changed.size()] = "()[]{}<>\"'%#=:,;.- \n\\x/"[random() % 24];
    for (const Statement& statement : statements_of(changed))
      ASSERT_LE(statement.offset + statement.length, changed.size()) << changed;
  }
  for (const Statement& statement : statements_of(whole)) EXPECT_TRUE(statement.read);
}

}  // namespace programs_python_test
}  // namespace vl::python
