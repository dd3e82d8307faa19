// The SMT-LIB script of an obligation, given to the z3 program, says what solve() and brute force say.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "encodings/map/text.h"
#include "tests/smt/obligations.h"

namespace vl::smt {
namespace smt_smtlib_campaign {

namespace fs = std::filesystem;

/// The z3 program's output for a script, without the last newline.
std::string run_z3(const std::string& script) {
  const std::string path = (fs::temp_directory_path() / fmt::format("vl-smtlib-{}.smt2", ::getpid())).string();
  std::ofstream(path) << script;
  const std::string command = fmt::format("'{}' -T:60 '{}' 2>&1", VL_Z3_BINARY, path);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string output;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) output += buffer.data();
  ::pclose(pipe);
  fs::remove(path);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

TEST(Smtlib, SaysTheSameToTheProgramAsSolveAndBruteForce) {
  std::size_t sat = 0, unsat = 0;
  const auto compare = [&](const Obligation& obligation, bool expected) {
    const std::string want = expected ? "sat" : "unsat";
    RC_ASSERT(run_z3(to_smtlib(obligation)) == want);
    RC_ASSERT(answer(solve(obligation, Budget{})) == want);
    ++(expected ? sat : unsat);
  };
  test::for_all(40, [&] {
    const map::Map f = *test::maps({.rank = 3, .volume = 30, .least_extent = 1, .stages = 3});
    compare(collision(f), collides(f));
    if (f.outputs() == 0) return;
    const map::Range& range = f.ranges(f.stages().size()).front();
    const Index wanted = *test::numbers(range.low - 1, range.high + 1);
    compare(preimage(f, 0, wanted), hits(f, 0, wanted));
  });
  EXPECT_GE(sat, 15U);
  EXPECT_GE(unsat, 15U);
  EXPECT_GE(sat + unsat, 60U);
}

TEST(Smtlib, OfOneMapInBothTheoriesHasOneAnswer) {
  const auto f = *map::parse("(x:7, y:5) -> affine(5*x0 - x1 - 9) -> split(0; 6, 4, 1)");
  for (const Theory theory : {Theory::Integers, Theory::BitVectors}) {
    EXPECT_EQ(run_z3(to_smtlib(collision(f), theory)), "unsat");
    EXPECT_EQ(run_z3(to_smtlib(preimage(f, 0, -3), theory)), "sat");
    EXPECT_EQ(run_z3(to_smtlib(preimage(f, 0, -4), theory)), "unsat");
  }
}

TEST(Smtlib, NamesItsLogicAndEndsInCheckSat) {
  const auto affine = *map::parse("(x:4) -> affine(2*x0)");
  const auto swizzle = *map::parse("(x:4) -> swizzle(0; 0, 1, 1, down)");
  EXPECT_EQ(to_smtlib(collision(affine)).rfind("(set-logic QF_LIA)\n", 0), 0U);
  EXPECT_EQ(to_smtlib(collision(swizzle)).rfind("(set-logic QF_BV)\n", 0), 0U);
  EXPECT_EQ(to_smtlib(collision(affine), Theory::BitVectors).rfind("(set-logic QF_BV)\n", 0), 0U);
  const std::string script = to_smtlib(collision(affine));
  EXPECT_NE(script.find("(check-sat)"), std::string::npos);
  EXPECT_EQ(script.substr(script.find("(check-sat)")), "(check-sat)\n");
}

}  // namespace smt_smtlib_campaign
}  // namespace vl::smt
