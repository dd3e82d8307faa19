// Two functions that put out the same: what is matched, what is not, and answers against runs of both.
#include "verifier/programs/equal.h"

#include <map>

#include "encodings/notation/mlir.h"
#include "tests/cli/records.h"
#include "tests/neutral/program_brute.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"

namespace vl {
namespace programs_equal_test {

std::vector<programs::ReadProgram> functions_in(const std::string& text) {
  const auto found = mlir::functions_of(text);
  program::Options options;
  const program::Modules modules(found);
  options.modules = &modules;
  std::vector<programs::ReadProgram> out;
  for (const mlir::Function& each : found)
    out.push_back(programs::read_program(each, options, [](std::size_t) { return std::size_t{1}; }));
  return out;
}

std::string word_of(const std::string& text) {
  const auto both = functions_in(text);
  EXPECT_EQ(both.size(), 2U) << text;
  EXPECT_TRUE(both[0].program && both[1].program) << text;
  return std::string(question::word(programs::equal(both[0], both[1]).verdict));
}

// f32[2,3] as @f has it, and as @g pads it to [2,N].
struct Body {
  std::string lines;
  std::string result;  // its name
};

std::string function(const std::string& name, const Body& body, const std::string& type) {
  return "func.func @" + name + "(%a: tensor<2x3xf32>) -> " + type + " {\n" + body.lines + "  return " + body.result +
         " : " + type + "\n}\n";
}

std::string tensor(Index columns) { return "tensor<2x" + std::to_string(columns) + "xf32>"; }
std::string constant(const std::string& name, const std::string& value) {
  return "  " + name + " = stablehlo.constant dense<" + value + "> : tensor<f32>\n";
}
std::string padded(const std::string& of, const std::string& by, Index high) {
  return constant("%z", by) + "  %p = stablehlo.pad " + of + ", %z, low = [0, 0], high = [0, " + std::to_string(high) +
         "], interior = [0, 0] : (" + tensor(3) + ", tensor<f32>) -> " + tensor(3 + high) + "\n";
}
std::string summed(const std::string& of, const std::string& how, const std::string& init, Index columns) {
  return constant("%i", init) + "  %r = stablehlo.reduce(" + of + " init: %i) applies stablehlo." + how +
         " across dimensions = [1] : (" + tensor(columns) + ", tensor<f32>) -> tensor<2xf32>\n";
}
std::string neg(const std::string& name, const std::string& of, Index columns) {
  return "  " + name + " = stablehlo.negate " + of + " : " + tensor(columns) + "\n";
}

TEST(EqualFunctions, OfExplicitPaddingBehindASum) {
  const std::string f = function("f", {summed("%a", "add", "0.0", 3), "%r"}, "tensor<2xf32>");
  const auto g = [&](const std::string& by) {
    return f + function("g", {padded("%a", by, 2) + summed("%p", "add", "0.0", 5), "%r"}, "tensor<2xf32>");
  };
  EXPECT_EQ(word_of(g("0.0")), "proved");
  EXPECT_EQ(word_of(g("1.0")), "refuted");
  // Either may be the one that pads.
  const std::string text = g("1.0");
  EXPECT_EQ(word_of(text.substr(text.find("func.func @g")) + f), "refuted");
}

TEST(EqualFunctions, CutAwayWhatTheyPad) {
  const std::string f = function("f", {neg("%n", "%a", 3), "%n"}, tensor(3));
  const auto cut = [](const std::string& to) {
    return "  %c = stablehlo.slice %n [0:2, " + to + "] : (" + tensor(5) + ") -> " + tensor(3) + "\n";
  };
  const auto g = [&](const std::string& range) {
    return f + function("g", {padded("%a", "1.0", 2) + neg("%n", "%p", 5) + cut(range), "%c"}, tensor(3));
  };
  EXPECT_EQ(word_of(g("0:3")), "proved");
  EXPECT_EQ(word_of(g("1:4")), "unknown") << "other elements";
}

// @g cuts away a part of what it pads: a run of h with other numbers there is none of @g.
TEST(EqualFunctions, AreRefutedByRunsOfBothAlone) {
  const std::string f = function("f", {neg("%n", "%a", 3), "%n"}, tensor(3));
  const auto cut = [](const std::string& name, const std::string& of, Index from, Index to) {
    return "  " + name + " = stablehlo.slice " + of + " [0:2, 0:" + std::to_string(to) + "] : (" + tensor(from) +
           ") -> " + tensor(to) + "\n";
  };
  const auto both = functions_in(
      f + function("g",
                   {padded("%a", "1.0", 3) + cut("%q", "%p", 6, 5) + neg("%n", "%q", 5) + cut("%c", "%n", 5, 3), "%c"},
                   tensor(3)));
  const auto found = programs::equal(both[0], both[1]);
  ASSERT_EQ(found.shown.size(), 1U);
  const std::string h = found.shown[0].first.text;
  EXPECT_TRUE(programs::is_twin_of(h, both[0], both[1], false));
  EXPECT_FALSE(programs::is_twin_of(h, both[0], both[1], true));
  EXPECT_FALSE(programs::is_twin_of(h + "\n", both[0], both[1], false));
  const auto plain = functions_in(f + function("g", {neg("%n", "%a", 3), "%n"}, tensor(3)));
  EXPECT_TRUE(programs::is_twin_of(programs::equal(plain[0], plain[1]).shown[0].first.text, plain[0], plain[1], true));
}

// A part of what these do stands in no line of the program, so that two of them may be two operations.
TEST(EqualFunctions, AreNotMatchedByWhatNobodyKnows) {
  const auto one = [](const std::string& name, const std::string& operation) {
    return function(name, {"  %n = " + operation + "\n", "%n"}, tensor(3));
  };
  for (const std::string operation : {"\"d.thing\"(%a) {k = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
                                      "stablehlo.custom_call @thing(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
                                      "stablehlo.constant dense_resource<data> : tensor<2x3xf32>"}) {
    EXPECT_NE(word_of(one("f", operation) + one("g", operation)), "proved") << operation;
  }
  const std::string data = "stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>";
  EXPECT_EQ(word_of(one("f", data) + one("g", data)), "proved") << "its lines say all of it";
  std::string other = data;
  other.replace(other.find("6.0"), 3, "7.0");
  EXPECT_NE(word_of(one("f", data) + one("g", other)), "proved");
}

std::string answer_of(const std::string& text) {
  const Folder folder;
  const auto all = records(called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"}).out).all;
  for (const Json& record : all)
    if (record["kind"] == "verdict" && record["claim"] == "equal") return record["verdict"];
  return "nothing";
}

TEST(EqualFunctions, AreAskedAboutWhereACommentSaysSo) {
  const std::string f = function("f", {summed("%a", "maximum", "0xFF800000", 3), "%r"}, "tensor<2xf32>");
  const std::string g =
      function("g", {padded("%a", "0.0", 2) + summed("%p", "maximum", "0xFF800000", 5), "%r"}, "tensor<2xf32>");
  EXPECT_EQ(answer_of("// vl: equal @f @g\n" + f + g), "refuted");
  EXPECT_EQ(answer_of("// vl: equal @f @f\n" + f + g), "proved");
  EXPECT_EQ(answer_of(f + g), "nothing");
  EXPECT_EQ(answer_of("// vl: equal @f @h\n" + f + g), "unsupported") << "there is no @h";
  EXPECT_EQ(answer_of("// vl: equal @f\n" + f + g), "nothing");
  EXPECT_EQ(answer_of("// vl: equal @f @g\n" + f + "// -----\n" + g), "unsupported") << "two modules";
  EXPECT_EQ(answer_of("module {\n" + f + "}\nmodule {\n// vl: equal @f @g\n" + f + g + "}\n"), "unsupported")
      << "two functions are called @f";
  EXPECT_EQ(answer_of(f + g + "// vl: equal @f @gg\n"), "unsupported") << "behind both";
  // Arguments in another order.
  const std::string type = "tensor<2x3xf32>";
  const auto two = [&](const std::string& name, const std::string& arguments) {
    return "func.func @" + name + "(" + arguments + ") -> " + type + " {\n  %n = stablehlo.subtract %a, %b : " + type +
           "\n  return %n : " + type + "\n}\n";
  };
  const std::string a = "%a: " + type, b = "%b: " + type;
  EXPECT_EQ(answer_of("// vl: equal @f @g\n" + two("f", a + ", " + b) + two("g", a + ", " + b)), "proved");
  EXPECT_NE(answer_of("// vl: equal @f @g\n" + two("f", a + ", " + b) + two("g", b + ", " + a)), "proved");
}

// What an attacker found: @f broadcasts the one element of a dimension, and @g the pads behind it.
TEST(EqualFunctions, DoNotBroadcastWhatTheyPad) {
  const std::string f =
      "func.func @f(%a: tensor<4x1xf32>) -> tensor<4x4x8xf32> {\n  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : "
      "(tensor<4x1xf32>) -> tensor<4x4x8xf32>\n  return %0 : tensor<4x4x8xf32>\n}\n";
  const std::string g =
      "func.func @g(%a: tensor<4x1xf32>) -> tensor<4x4x8xf32> {\n" + constant("%z", "0.0") +
      "  %p = stablehlo.pad %a, %z, low = [0, 0], high = [0, 7], interior = [0, 0] : (tensor<4x1xf32>, tensor<f32>) -> "
      "tensor<4x8xf32>\n  %0 = stablehlo.broadcast_in_dim %p, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<4x4x8xf32>\n"
      "  return %0 : tensor<4x4x8xf32>\n}\n";
  EXPECT_NE(word_of(f + g), "proved");
  const auto plus = [](const std::string& name, const std::string& lines, const std::string& of, Index columns) {
    return "func.func @" + name + "(%a: tensor<4x1xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {\n" + lines +
           "  %0 = \"ttir.add\"(" + of + ", %b) : (tensor<4x" + std::to_string(columns) +
           "xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>\n  return %0 : tensor<4x8xf32>\n}\n";
  };
  const std::string pad =
      "  %p = \"ttir.pad\"(%a) <{padding = array<i32: 0, 0, 0, 7>, value = 0.0 : f32}> : (tensor<4x1xf32>) -> "
      "tensor<4x8xf32>\n";
  EXPECT_NE(word_of("// vl: tile(1,1)\n" + plus("f", "", "%a", 1) + plus("g", pad, "%p", 8)), "proved");
}

// What no line says may be another thing in each.
TEST(EqualFunctions, DifferWhereTheirAttributesDo) {
  const auto dot = [](const std::string& name, const std::string& precision) {
    return "func.func @" + name +
           "(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {\n  %0 = "
           "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]" +
           precision + " : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>\n  return %0 : tensor<2x4xf32>\n}\n";
  };
  const std::string high = ", precision = [HIGHEST, HIGHEST]";
  EXPECT_EQ(word_of(dot("f", high) + dot("g", high)), "proved");
  EXPECT_NE(word_of(dot("f", high) + dot("g", "")), "proved");
}

// ---- against runs of both on every slot

using test::Dense;

// Steps of both functions; a pad stands in front of one of @g's.
struct Drawn {
  std::vector<int> steps;
  std::size_t at = 0;
  Index high = 1;
  int value = 0, end = 0;
};

const char* const kValues[] = {"0.0", "1.0", "-1.0", "0xFF800000", "0x7F800000"};

std::string step(int which, const std::string& name, const std::string& of, Index columns) {
  const std::string type = tensor(columns);
  const auto with = [&](const std::string& word, const std::string& number) {
    return "  " + name + "c = stablehlo.constant dense<" + number + "> : " + type + "\n  " + name + " = stablehlo." +
           word + " " + of + ", " + name + "c : " + type + "\n";
  };
  switch (which) {
    case 0: return neg(name, of, columns);
    case 1: return "  " + name + " = stablehlo.abs " + of + " : " + type + "\n";
    case 2: return with("add", "1.0");
    case 3: return with("maximum", "0.0");
    default: return with("multiply", "0.0");
  }
}

Body body(const Drawn& drawn, bool pads) {
  Body out{"", "%a"};
  Index columns = 3;
  for (std::size_t i = 0; i <= drawn.steps.size(); ++i) {
    if (pads && i == drawn.at) {
      out.lines += padded(out.result, kValues[drawn.value], drawn.high);
      out.result = "%p", columns += drawn.high;
    }
    if (i == drawn.steps.size()) break;
    const std::string name = "%s" + std::to_string(i);
    out.lines += step(drawn.steps[i], name, out.result, columns);
    out.result = name;
  }
  if (drawn.end < 3) {
    const char* const ends[][2] = {{"add", "0.0"}, {"maximum", "0xFF800000"}, {"minimum", "0x7F800000"}};
    out.lines += summed(out.result, ends[drawn.end][0], ends[drawn.end][1], columns);
    out.result = "%r";
  } else if (pads) {
    out.lines +=
        "  %c = stablehlo.slice " + out.result + " [0:2, 0:3] : (" + tensor(columns) + ") -> " + tensor(3) + "\n";
    out.result = "%c";
  }
  return out;
}

bool are_same(const values::Format& format, values::Code a, values::Code b) {
  return a == b || (values::is_nan(format, a) && values::is_nan(format, b)) ||
         (values::is_zero(format, a) && values::is_zero(format, b));
}

// Sums of -1, 0 and 1 are exact in every order.
bool run_alike(const programs::ReadProgram& f, const programs::ReadProgram& g, std::uint64_t seed) {
  test::WideEngine one(seed), two(seed);
  const Dense a(*f.program, one), b(*g.program, two);
  const std::size_t x = f.program->outputs.front(), y = g.program->outputs.front();
  const auto& node = f.program->nodes[x];
  for (Index place = 0; place < Dense::slots(node); ++place)
    if (!are_same(*node.type, a.padded(x, place), b.padded(y, place))) return false;
  return true;
}

TEST(EqualFunctions, AreThoseWhoseRunsAreEqual) {
  std::map<std::string, int> counts;
  test::for_all(test::fact_or_campaign(60, 600), [&] {
    test::Engine random = *test::engines<>();
    Drawn drawn;
    for (Index i = random.below(4); i > 0; --i) drawn.steps.push_back(static_cast<int>(random.below(5)));
    drawn.at = random.below(drawn.steps.size() + 1);
    drawn.high = 1 + static_cast<Index>(random.below(3));
    drawn.value = static_cast<int>(random.below(5)), drawn.end = static_cast<int>(random.below(4));
    const std::string type = drawn.end < 3 ? "tensor<2xf32>" : tensor(3);
    const std::string text = "// vl: contents a: {-1}|0|{1}\n" + function("f", body(drawn, false), type) +
                             function("g", body(drawn, true), type);
    const auto both = functions_in(text);
    const std::string word(question::word(programs::equal(both[0], both[1]).verdict));
    ++counts[word];
    bool alike = true;
    // A row of three elements that are all -1 is one of 27.
    for (std::uint64_t seed = 0; alike && seed < (word == "refuted" ? 2000 : 40); ++seed)
      alike = run_alike(both[0], both[1], seed);
    if (word == "proved") RC_ASSERT(alike);
    if (word == "refuted") RC_ASSERT(!alike);
    RC_ASSERT(word != "unknown");
  });
  EXPECT_GE(counts["proved"], 10);
  EXPECT_GE(counts["refuted"], 10);
}

}  // namespace programs_equal_test
}  // namespace vl
