// Loops of Torch-Spyre as operations on whole tensors: by hand, and drawn kernels that are run round by round.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "encodings/program/function.h"
#include "tests/programs/imported.h"
#include "tests/programs/opspecs.h"
#include "tests/support/sanitized.h"
#include "verifier/programs/buffers.h"

namespace vl::program {
namespace programs_loops_test {

using programs_test::kernel;
using programs_test::lines_in;
using programs_test::read;
using programs_test::spec;
using programs_test::tensor;

const std::string kSpace = "c0: (2, 1), c1: (67, 1)", kAt = "floor(c1/64);c0;Mod(c1, 64)";

std::string symbols(int level) { return fmt::format("tiled_symbols=[[sympify('t{}')]]", level); }
std::string moves(const std::string& by) { return fmt::format(", device_tile_advance_expr=sympify('{}')", by); }
std::string loop(const std::string& body, const std::string& count = "sympify('3')") {
  return fmt::format("LoopSpec(count={}, body=[\n{}]),\n", count, body);
}
// All 6 rows of an argument, of which a round has 2; and 2 rows of lx.
std::string whole(bool input, int argument, const std::string& by = "floor(128*t0)") {
  return tensor(input, argument, "[2, 6, 64]", kAt, argument, moves(by));
}
std::string part(bool input, long offset) { return tensor(input, -1, "[2, 2, 64]", kAt, offset, "", "lx"); }
std::string op(const std::string& name, const std::string& arguments, const std::string& more = symbols(0)) {
  return spec(name, false, kSpace, arguments, "{}", ", " + more);
}
std::string lines_of(const std::string& specs) {
  const auto all = read(kernel(specs));
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? "" : lines_in(all[0]);
}

struct Row {
  std::string specs, lines;
};

TEST(Loops, AreOperationsOnWholeTensors) {
  const std::string exp = op("exp", whole(true, 0) + part(false, 0));
  const std::string row = tensor(false, -1, "[1, 2, 64]", "0;c0;0", 512, "", "lx");
  const std::string after = spec("abs", false, "c0: (6, 1), c1: (67, 1)",
                                 tensor(true, 1, "[2, 6, 64]", kAt, 1) + tensor(false, 2, "[2, 6, 64]", kAt, 2));
  const std::vector<Row> rows = {
      {loop(exp + op("neg", part(true, 0) + whole(false, 1))), "lx_0 = exp a0\na1 = neg lx_0\noutput a1\n"},
      {loop(op("exp", whole(true, 0) + whole(false, 1))) + after, "a1 = exp a0\na2 = abs a1\noutput a1 a2\n"},
      // What is summed is within a round; padding is where it is in each of them.
      {loop(exp + spec("sum", true, kSpace, part(true, 0) + row, "{}", ", " + symbols(0)) +
            op("sub", part(true, 0) + tensor(true, -1, "[1, 2, 64]", "0;c0;0", 512, "", "lx") + whole(false, 1))),
       "lx_0 = exp a0\nt = sum lx_0 over 1 keep\nlx_512 = reshape t [6,1] tile(64)\na1 = sub lx_0 lx_512\noutput a1\n"},
      // The same in each round, and once before the loop.
      {spec("exp", false, "c1: (67, 1)",
            tensor(true, 2, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", 2) +
                tensor(false, -1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", 0, "", "lx")) +
           loop(op("add", whole(true, 0) + tensor(true, -1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", 0, "", "lx") +
                              whole(false, 1))),
       "lx_0 = exp a2\na1 = add a0 lx_0\noutput a1\n"},
      // A loop in a loop: 3 rounds of 2 rounds of a row.
      {loop(loop(spec("exp", false, "c0: (1, 1), c1: (67, 1)",
                      whole(true, 0, "floor(128*t0) + floor(64*t1)") + whole(false, 1, "floor(128*t0) + floor(64*t1)"),
                      "{}", ", tiled_symbols=[[sympify('t1')], [sympify('t0')]]"),
                 "2")),
       "a1 = exp a0\noutput a1\n"},
  };
  for (const Row& each : rows) EXPECT_EQ(lines_of(each.specs), each.lines) << each.specs;
}

TEST(Loops, AreNotKnownWhereRoundsAreNotPartsOfOneOperation) {
  const std::string in = whole(true, 0), out = whole(false, 1);
  const std::vector<Row> rows = {
      {loop(op("exp", in + out, "tiled_symbols=[]")), "its tiled_symbols are not those of each loop around it"},
      // As they were before places had an advance of their own: there what has none moves on.
      {loop(op("exp", in + out, "tiled_symbols=[[sympify('c0')]]")), "its tiled symbol sympify('c0') is not known"},
      {loop(op("exp", in + out, symbols(0) + ", tiled_symbol_trip_counts={sympify('t0'): 4}")),
       "its tiled_symbol_trip_counts has sympify('t0'): 4, and the loop another count"},
      {loop(op("exp", whole(true, 0, "floor(192*t0)") + out)),
       "it moves on by 192 elements, and no dimension has a tile of that size"},
      {loop(op("exp", whole(true, 0, "t0**2") + out)), "its device_tile_advance_expr sympify('t0**2') is not known"},
      {loop(op("exp", in + out), "4"), "c0 goes to 8, and its device_size to 6"},
      {loop(op("exp", in + out), "2"), "its iteration does not come to all rows of [2, 6, 64]"},
      // A sum over what the rounds go through.
      {loop(spec("sum", true, kSpace, in + tensor(false, -1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", 0, "", "lx"),
                 "{}", ", " + symbols(0))),
       "c0 goes through the rounds of a loop, and its result does not"},
      // An accumulator, which an earlier round has written.
      {loop(op("add", part(true, 0) + part(true, 512) + part(false, 0))),
       "an earlier round may have written what it reads"},
      {loop(op("neg", part(true, 0) + out) + op("exp", in + part(false, 0))),
       "an earlier round may have written what it reads"},
      // Two rows of lx that are the same in each round.
      {loop(op("add", in + part(true, 4096) + out)), "a part of its operand is the same in each round"},
      // The last round's part alone is left.
      {loop(op("exp", in + part(false, 0))) +
           spec("neg", false, kSpace, part(true, 0) + tensor(false, 2, "[2, 2, 64]", kAt, 2)),
       "it reads what is not known"},
      // All of what has been written in part.
      {loop(op("exp", in + out) + spec("neg", false, "c0: (6, 1), c1: (67, 1)",
                                       tensor(true, 1, "[2, 6, 64]", kAt, 1) + tensor(false, 2, "[2, 6, 64]", kAt, 2),
                                       "{}", ", " + symbols(0))),
       "of what this round has written it reads another part"},
      {loop(op("exp", in + out) + "UnimplementedOp(op='x'),\n"), "UnimplementedOp may have written what it reads"},
      {loop(loop(loop(loop(loop(""))))), "it is within too many loops"},
      {"LoopSpec(count=2, body=[], step=2),\n", "its field step is not known"},
  };
  for (const Row& each : rows) EXPECT_EQ(lines_of(each.specs), "? " + each.lines) << each.specs;
}

// A row of lx that each round reads must not be written over in a round, though after its last reader there.
TEST(Loops, KeepWhatTheNextRoundReads) {
  const auto verdict = [](long offset) {
    const auto row = [](bool input) {
      return tensor(input, input ? 2 : -1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", input ? 2 : 0, "",
                    input ? "hbm" : "lx");
    };
    const std::string read_row = tensor(true, -1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", 0, "", "lx");
    const auto all = read(kernel(spec("exp", false, "c1: (67, 1)", row(true) + row(false)) +
                                 loop(op("add", whole(true, 0) + read_row + whole(false, 1)) +
                                      op("exp", whole(true, 0) + part(false, offset)))));
    const auto found =
        all.size() == 1 ? programs::disjoint(all[0], [](std::size_t step) { return step + 1; }) : std::nullopt;
    return found ? fmt::format("{} {}", found->step, question::word(found->verdict)) : "";
  };
  EXPECT_EQ(verdict(256), "3 proved");
  EXPECT_EQ(verdict(128), "2 refuted");
}

// Rows of memory, each with what it is computed from. A drawn kernel is run round by round, and its program line by
// line; where the program knows what the kernel leaves in an argument, both are the same.
using Rows = std::vector<std::string>;

struct Machine {
  std::map<std::pair<std::string, long>, std::string> memory;

  std::string at(const std::string& space, long row) {
    std::string& found = memory[{space, row}];
    if (found.empty()) found = fmt::format("{}[{}]", space, row);
    return found;
  }
};

struct Use {
  std::string space;     // "a0", "lx"
  long begin = 0;        // in rows
  std::vector<long> by;  // rows in a round of each loop
  int rows = 0;

  [[nodiscard]] std::string text(bool input, long all) const {
    const bool argument = space[0] == 'a';
    std::string advance;
    for (std::size_t i = 0; i < by.size(); ++i)
      if (by[i] > 0) advance += fmt::format("{}floor({}*t{})", advance.empty() ? "" : " + ", by[i] * 64, i);
    const std::string at = "floor(c1/64);c0;Mod(c1, 64)", more = advance.empty() ? "" : moves(advance);
    if (!argument) return tensor(input, -1, fmt::format("[1, {}, 64]", rows), at, begin * 128, more, "lx");
    const int number = std::stoi(space.substr(1));
    return tensor(input, number, fmt::format("[1, {}, 64]", all), at, number, more);
  }
};

struct Drawn {
  std::mt19937 random;
  std::vector<long> counts = {};  // of the loops around
  std::string text = {};
  Machine machine = {};

  long below(long n) { return static_cast<long>(random() % static_cast<unsigned long>(n)); }

  // An operation of so many rows, and what it does in a round.
  std::function<void(const std::vector<long>&)> operation(int rows, long all) {
    std::vector<Use> uses;
    const std::size_t operands = 1 + random() % 2;
    for (std::size_t i = 0; i <= operands; ++i) {
      Use use;
      use.rows = rows, use.by.assign(counts.size(), 0);
      if (random() % 2 == 0) {
        use.space = fmt::format("a{}", i == operands ? 2 + below(2) : below(4));
        long tile = rows;
        for (std::size_t l = counts.size(); l-- > 0; tile *= counts[l]) use.by[l] = random() % 16 == 0 ? 0 : tile;
      } else {
        use.space = "lx", use.begin = below(4);
      }
      uses.push_back(use);
    }
    std::string arguments, levels;
    for (std::size_t i = 0; i < uses.size(); ++i) arguments += uses[i].text(i < operands, all);
    for (std::size_t l = counts.size(); l-- > 0;) levels += fmt::format("[sympify('t{}')], ", l);
    const std::string name = operands == 1 ? "exp" : "add";
    text += spec(name, false, fmt::format("c0: ({}, 1), c1: (64, 1)", rows), arguments, "{}",
                 fmt::format(", tiled_symbols=[{}]", levels));
    return [this, uses, rows, name](const std::vector<long>& round) {
      std::vector<std::string> made;
      for (int r = 0; r < rows; ++r) {
        std::string words = name;
        for (std::size_t i = 0; i + 1 < uses.size(); ++i)
          words += " (" + machine.at(uses[i].space, row(uses[i], round, r)) + ")";
        made.push_back(std::to_string(std::hash<std::string>{}(words)));
      }
      for (int r = 0; r < rows; ++r)
        machine.memory[{uses.back().space, row(uses.back(), round, r)}] = made[static_cast<std::size_t>(r)];
    };
  }

  static long row(const Use& use, const std::vector<long>& round, int r) {
    long out = use.begin + r;
    for (std::size_t l = 0; l < use.by.size(); ++l) out += use.by[l] * round[l];
    return out;
  }

  using Body = std::vector<std::function<void(const std::vector<long>&)>>;
  static void run(const Body& body, const std::vector<long>& round) {
    for (const auto& each : body) each(round);
  }

  Body body(int rows, long all, int deep) {
    Body out;
    for (long n = 1 + below(3); n > 0; --n) {
      if (deep > 0 && random() % 2 == 0) {
        const long count = 2 + below(2);
        text += fmt::format("LoopSpec(count={}, body=[\n", count);
        counts.push_back(count);
        Body inner = body(rows, all, deep - 1);
        counts.pop_back();
        text += "]),\n";
        out.emplace_back([inner, count](std::vector<long> round) {
          round.push_back(0);
          for (long i = 0; i < count; ++i) round.back() = i, run(inner, round);
        });
      } else {
        out.push_back(operation(counts.empty() ? static_cast<int>(all) : rows, all));
      }
    }
    return out;
  }
};

// The rows of each value of a program; none of one that is not known, as one whose line makes another tensor.
std::map<std::string, Rows> values_of(const Dataflow& dataflow) {
  std::map<std::string, Rows> out;
  std::istringstream lines(dataflow.text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string name, sign, word, operand;
    words >> name >> sign >> word;
    if (sign != "=") continue;
    if (word == "input") {
      words >> operand;  // dl16[6,64]
      const long rows = std::stol(operand.substr(operand.find('[') + 1));
      const bool lx = name.starts_with("lx_");  // lx_256 begins at row 2
      const long first = lx ? std::stol(name.substr(3)) / 128 : 0;
      for (long r = 0; r < rows; ++r)
        out[name].push_back(fmt::format("{}[{}]", lx ? "lx" : name.substr(0, name.find('.')), first + r));
      continue;
    }
    std::vector<Rows> operands;
    while (words >> operand) operands.push_back(out[operand]);
    bool known = word == "exp" || word == "add";
    for (const Rows& each : operands) known = known && !each.empty();
    for (std::size_t r = 0; known && r < operands[0].size(); ++r) {
      std::string made = word;
      for (const Rows& each : operands) made += " (" + each[each.size() == 1 ? 0 : r] + ")";
      out[name].push_back(std::to_string(std::hash<std::string>{}(made)));
    }
    const std::string& said = dataflow.results[number];  // "dl16[6,64]"
    const bool other = !said.empty() && std::stoul(said.substr(said.find('[') + 1)) != out[name].size();
    if (!known || other) out[name].clear();
  }
  return out;
}

TEST(Loops, LeaveWhatRoundsLeave) {
  std::mt19937 seeds(49);
  int compared = 0, in_loops = 0;
  for (int k = 0; k < test::fact_or_campaign(3000, 30000); ++k) {
    Drawn drawn{std::mt19937(seeds())};
    const int rows = 1 + static_cast<int>(drawn.below(2));
    const long all = rows * (drawn.below(2) == 0 ? 2 : 6);
    const auto body = drawn.body(rows, all, 2);
    drawn.run(body, {});
    const auto functions = read(kernel(drawn.text));
    ASSERT_EQ(functions.size(), 1U);
    if (!functions[0].dataflow) continue;
    const std::string& program = functions[0].dataflow->text;
    const auto values = values_of(*functions[0].dataflow);
    std::istringstream outputs(program.substr(program.rfind("output")));
    for (std::string name; outputs >> name;) {
      const auto found = values.find(name);
      // An argument that is written again has names with a number behind a dot; the last one is put out.
      if (name[0] != 'a' || found == values.end() || found->second.empty()) continue;
      const std::string space = name.substr(0, name.find('.'));
      ASSERT_EQ(found->second.size(), static_cast<std::size_t>(all)) << drawn.text << program;
      for (long r = 0; r < all; ++r)
        ASSERT_EQ(found->second[static_cast<std::size_t>(r)], drawn.machine.at(space, r))
            << drawn.text << program << name << " row " << r;
      ++compared, in_loops += drawn.text.find("LoopSpec") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(compared, test::fact_or_campaign(300, 3000));
  EXPECT_GT(in_loops, test::fact_or_campaign(100, 1000));
}

}  // namespace programs_loops_test
}  // namespace vl::program
