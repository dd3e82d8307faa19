// Views as moves of elements, against a look at every slot; moves as claims; buffers at stated addresses, by hand.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "tests/cli/records.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "tests/support/sides.h"
#include "verifier/programs/buffers.h"
#include "verifier/programs/outputs.h"
#include "verifier/programs/views.h"

namespace vl::programs {
namespace programs_device_test {

using test::Side;
using test::Two;

// Place p of the array of all shards of the result is read from place q_j = p[dims[j]] + first[j].
struct Change {
  std::array<std::size_t, 2> dims;
  Two first;

  [[nodiscard]] std::string text(const Side& to, const Side& from) const {
    std::array<std::string, 4> said;
    for (std::size_t j = 0; j < 2; ++j) {
      const std::string place = fmt::format("d{} * {} + d{} + {}", dims[j], to.shard[dims[j]], 2 + dims[j], first[j]);
      said[j] = fmt::format("({}) floordiv {}", place, from.shard[j]);
      said[2 + j] = fmt::format("({}) mod {}", place, from.shard[j]);
    }
    return fmt::format("affine_map<(d0, d1, d2, d3) -> ({})>", fmt::join(said, ", "));
  }
  // Whether each place below `size` is read from one below `limit`.
  [[nodiscard]] bool stays(const Two& size, const Two& limit) const {
    for (std::size_t j = 0; j < 2; ++j)
      if (size[dims[j]] - 1 + first[j] >= limit[j]) return false;
    return true;
  }
};

Two slots_of(const Side& side) { return {side.grid[0] * side.shard[0], side.grid[1] * side.shard[1]}; }

TEST(SeenViews, AreTheShiftsThatShowElements) {
  int shown = 0, hidden = 0, whole = 0;
  test::for_all(test::fact_or_campaign(200, 2000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    const Side from = test::drawn_side(pick);
    Side to = test::drawn_side(pick);
    const bool crossed = pick(0, 2) == 0;
    const Change change{crossed ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1},
                        {pick(0, 3) == 0 ? pick(1, 3) : 0, pick(0, 3) == 0 ? pick(1, 3) : 0}};
    if (pick(0, 1) == 0)
      for (std::size_t j = 0; j < 2; ++j)
        to.size[change.dims[j]] =
            std::min(slots_of(to)[change.dims[j]], std::max<Index>(from.size[j] - change.first[j], 1));
    const std::string text = change.text(to, from);
    RC_LOG() << to.type() << " of " << from.type() << " by " << text;
    const auto seen = seen_in({0, to.type(), from.type(), text, true});
    const bool elements = change.stays(to.size, from.size);
    RC_ASSERT(seen.has_value() == elements);
    ++(elements ? shown : hidden);
    if (!seen) return;
    for (std::size_t j = 0; j < 2; ++j) {
      // A dimension of size 1 may be any that is left.
      for (Index p = 0; p < to.size[change.dims[j]]; ++p) {
        const auto by = static_cast<std::size_t>(seen->dims[j]);
        const Index q = (by == change.dims[j] ? p : 0) + seen->first[j];
        RC_ASSERT((by == change.dims[j] || to.size[change.dims[j]] == 1) && q == p + change.first[j]);
      }
    }
    if (!seen->whole) return;
    RC_ASSERT(change.stays(slots_of(to), slots_of(from)));
    ++whole;
  });
  EXPECT_GE(shown, test::fact_or_campaign(30, 300));
  EXPECT_GE(hidden, test::fact_or_campaign(30, 300));
  EXPECT_GE(whole, test::fact_or_campaign(10, 100));
}

// The lines of a function on %a of one type that gives %0 of another.
std::string lines_of(const std::string& operation, const std::string& result, const std::vector<std::string>& types) {
  std::string arguments;
  for (std::size_t i = 0; i < types.size(); ++i)
    arguments += fmt::format("{}%{}: {}", i == 0 ? "" : ", ", "ab"[i], types[i]);
  const std::string text = fmt::format("func.func @f({}) -> {} {{\n  {} -> {}\n  return %0 : {}\n}}\n", arguments,
                                       result, operation, result, result);
  const auto functions = program::functions_of(text);
  const program::Modules modules(functions);
  program::Options options;
  options.modules = &modules;
  const ReadProgram read = read_program(functions.at(0), options, [](std::size_t) { return 1; });
  std::string out = read.function.dataflow->text;
  out = out.substr(out.find('\n', out.rfind(" = input ")) + 1);
  if (!read.function.steps[0].why.empty()) return "? " + read.function.steps[0].why;
  return out.substr(0, out.find("equal "));
}

std::string view_lines(const Side& to, const Side& from, const Change& change) {
  return lines_of(fmt::format("%0 = d2m.view_layout %a remapping = {} : {}", change.text(to, from), from.type()),
                  to.type(), {from.type()});
}

TEST(SeenViews, AreSaidAsMovesOfElements) {
  const Side whole{{4, 6}, {1, 1}, {4, 6}}, padded{{3, 5}, {1, 1}, {4, 6}};
  const Change same{{0, 1}, {0, 0}};
  EXPECT_EQ(view_lines({{4, 6}, {2, 3}, {2, 2}}, whole, same), "");   // on other cores it is the same tensor
  EXPECT_EQ(view_lines({{3, 5}, {2, 3}, {2, 2}}, padded, same), "");  // with its padding
  EXPECT_EQ(view_lines({{2, 3}, {1, 1}, {2, 3}}, whole, {{0, 1}, {1, 2}}),
            "t = slice a over 0 at 1..3\nt.1 = slice t over 1 at 2..5\nv0 = reshape t.1 [2,3]\n");
  EXPECT_EQ(view_lines({{6, 4}, {1, 1}, {6, 4}}, whole, {{1, 0}, {0, 0}}),
            "t = transpose a (1,0)\nv0 = reshape t [6,4]\n");
  // More padding, or padding that shows elements.
  const std::string behind = "? what it shows behind its elements is not known";
  EXPECT_EQ(view_lines({{3, 5}, {1, 1}, {3, 6}}, padded, same), behind);
  EXPECT_EQ(view_lines({{3, 5}, {1, 1}, {4, 6}}, whole, same), behind);
  EXPECT_EQ(view_lines({{4, 6}, {1, 1}, {4, 6}}, padded, same), "? that it shows elements of its source is not proved");
}

TEST(SeenViews, OfSeveralTensorsAreTheirElementsBehindEachOther) {
  const Side left{{4, 3}, {1, 1}, {4, 4}}, right{{4, 5}, {1, 1}, {4, 8}};
  const auto composite = [&](const Side& to) {
    return lines_of(
        fmt::format("%0 = \"d2m.composite_view\"(%a, %b) <{{dim = 1 : si32}}> : ({}, {})", left.type(), right.type()),
        to.type(), {left.type(), right.type()});
  };
  EXPECT_EQ(composite({{4, 8}, {1, 1}, {4, 8}}),
            "t = reshape a [4,3]\nt.1 = reshape b [4,5]\nt.2 = concat t t.1 over 1\nv0 = reshape t.2 [4,8]\n");
  EXPECT_EQ(composite({{4, 8}, {1, 1}, {4, 12}}), "? what it shows behind its elements is not known");
}

std::string moved(const std::string& result, const std::string& source) {
  const Folder folder;
  const std::string text = fmt::format(
      "func.func @f(%a: {1}, %o: {0}) -> {0} {{\n  %0 = d2m.to_layout %a, %o : {1} into {0} -> {0}\n  return %0 : "
      "{0}\n}}\n",
      result, source);
  std::string out;
  for (const Json& record :
       records(called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"}).out).all)
    if (record["kind"] == "verdict" && record["claim"] == "move-implements")
      out = fmt::format("{} {}", record["verdict"].get<std::string>(),
                        record.contains("note") ? record["note"].get<std::string>() : "");
  return out;
}

TEST(Moves, TakeEachElementToAPlaceOfItsOwn) {
  const Side from{{50, 64}, {1, 1}, {64, 64}}, same{{50, 64}, {2, 2}, {32, 32}}, longer{{64, 64}, {2, 2}, {32, 32}};
  EXPECT_EQ(moved(same.type(), from.type()),
            "proved 3200 elements of the source, each at a place of its own, of 4096 slots");
  EXPECT_EQ(moved(longer.type(), from.type()),
            "refuted the source is 50x64, and the result 64x64: element [50, 0] of the result is none of the source");
  EXPECT_EQ(moved(from.type(), longer.type()),
            "refuted the source is 64x64, and the result 50x64: element [50, 0] of the source is none of the result");
}

// Accesses "r lx 0 100", "w lx 50 150 name", one a step; the step and the verdict.
std::string told(const std::vector<std::string>& accesses) {
  program::Function function;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    program::Access access;
    access.step = i;
    char kind = 0;
    std::array<char, 8> space{}, name{};
    long begin = 0, end = 0, argument = -1;
    std::sscanf(accesses[i].c_str(), "%c %7s %ld %ld %ld %7s", &kind, space.data(), &begin, &end, &argument,
                name.data());
    access.writes = kind == 'w', access.space = space.data(), access.name = name.data();
    access.begin = begin, access.end = end, access.argument = argument;
    function.accesses.push_back(access);
  }
  const auto found = disjoint(function, [](std::size_t step) { return step + 1; });
  if (!found) return "";
  const auto* refuted = std::get_if<question::Refuted>(&found->verdict);
  return fmt::format("{} {}{}", found->step, question::word(found->verdict),
                     refuted == nullptr ? "" : " " + refuted->counterexample.explanation);
}

TEST(Buffers, ThatLiveTogetherDoNotMeet) {
  EXPECT_EQ(told({"w lx 0 100"}), "");
  EXPECT_EQ(told({"w lx 0 100", "w lx 100 200", "r lx 0 100", "r lx 100 200"}), "3 proved");
  // Read for the last time before.
  EXPECT_EQ(told({"w lx 0 100", "r lx 0 100", "w lx 50 150", "r lx 50 150"}), "3 proved");
  EXPECT_EQ(told({"w lx 0 100", "w lx 50 150", "r lx 0 100"}),
            "1 refuted lx 50..149, written at line 2, meets lx 0..99, written at line 1 and read at line 3");
  EXPECT_EQ(told({"w lx 0 100", "w hbm 50 150", "r lx 0 100"}), "2 proved");
  // The same range is another buffer when it is written again.
  EXPECT_EQ(told({"w lx 0 100", "w lx 50 150", "w lx 0 100", "r lx 0 100"}), "3 proved");
  // What the caller gives, and what it gets.
  EXPECT_EQ(told({"r hbm 0 100 0", "w hbm 50 150", "r hbm 0 100 0"}),
            "1 refuted hbm 50..149, written at line 2, meets hbm 0..99, of the caller and read at line 3");
  EXPECT_EQ(told({"w hbm 0 100 1", "w hbm 50 150"}),
            "1 refuted hbm 50..149, written at line 2, meets hbm 0..99, written at line 1 and put out");
  // A part is written; and what is read may be a part of what was written since, if names do not say otherwise.
  EXPECT_EQ(told({"w lx 0 100", "w lx 20 40", "r lx 0 100"}), "2 proved");
  EXPECT_EQ(told({"w lx 20 40", "w lx 0 100", "r lx 20 40"}), "1 unknown");
  EXPECT_EQ(told({"w lx 20 40 -1 a", "w lx 0 100 -1 b", "r lx 20 40 -1 a"}),
            "1 refuted lx 0..99, written at line 2, meets lx 20..39, written at line 1 and read at line 3");
  EXPECT_EQ(told({"w lx 20 40 -1 b", "w lx 0 100 -1 b", "r lx 20 40 -1 b"}), "2 proved");
  // What is read is no buffer itself: a part of one, some side by side, or nobody knows of which.
  EXPECT_EQ(told({"w lx 0 100", "w lx 100 200", "r lx 20 40"}), "2 proved");
  EXPECT_EQ(told({"w lx 0 100", "w lx 100 200", "r lx 0 200"}), "2 proved");
  EXPECT_EQ(told({"w lx 0 100", "w lx 50 150", "r lx 60 80"}), "2 unknown");
  EXPECT_EQ(told({"w lx 0 100", "w lx 50 150", "r lx 0 150"}), "2 unknown");
  EXPECT_EQ(told({"w lx 0 100", "w lx 100 200", "r lx 50 150"}), "2 unknown");
}

// Two steps of a kernel in lx, of which the second writes over half of what the third reads.
TEST(Buffers, AreThoseOfAKernel) {
  const auto spec = [](const char* from, long at, const char* to, long into, int in, int out) {
    return fmt::format(
        "OpSpec(op='exp', is_reduction=False, iteration_space={{c0: (4, 1), c1: (64, 1)}}, op_info={{}}, args=[\n"
        "TensorArg(is_input=True, arg_index={}, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 4, 64], "
        "device_coordinates=[sympify('floor(c1/64)'), c0, sympify('Mod(c1, 64)')], allocation={{'{}': {}}}),\n"
        "TensorArg(is_input=False, arg_index={}, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 4, 64], "
        "device_coordinates=[sympify('floor(c1/64)'), c0, sympify('Mod(c1, 64)')], allocation={{'{}': {}}})]),\n",
        in, from, at, out, to, into);
  };
  const auto run = [&](long second) {
    const Folder folder;
    const std::string text = fmt::format("k = async_compile.sdsc('k', [\n{}{}{}])\n", spec("hbm", 0, "lx", 0, 0, -1),
                                         spec("hbm", 0, "lx", second, 0, -1), spec("lx", 0, "hbm", 4096, -1, 1));
    return called({"check", "--programs", folder.file("k.py", text), "--format", "jsonl"});
  };
  const auto answer = [](const Ran& ran) {
    for (const Json& record : records(ran.out).all)
      if (record["kind"] == "verdict" && record["claim"] == "disjoint")
        return fmt::format("{} {}", record["line"].get<int>(), record["verdict"].get<std::string>());
    return std::string();
  };
  const Ran apart = run(512), meet = run(256);
  EXPECT_EQ(answer(apart), "8 proved");
  EXPECT_EQ(answer(meet), "5 refuted");
  EXPECT_EQ(meet.code, 10);
  // Arguments without a stride_map are judged with their kernel, which is said once.
  EXPECT_EQ(apart.code, 0) << apart.out << apart.err;
  EXPECT_NE(apart.err.find("of kernels without a stride_map: judged with their functions"), std::string::npos)
      << apart.err;
  EXPECT_NE(apart.out.find("\"skipped\":0,"), std::string::npos) << apart.out;
}

}  // namespace programs_device_test
}  // namespace vl::programs
