// Kernels of runs, fills, comparisons, units and swizzles; each set is compared with loops that move one byte at a
// time.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "oracle/kernels/kernels.h"
#include "tests/kernels/steps.h"
#include "tests/support/sanitized.h"

namespace vl::oracle::tests {
namespace kernels_runs_test {

std::string shown(const KernelSet& set, const Step& step) {
  std::string text(set.name);
  text += step.stream ? " streamed" : "";
  text += " kernel " + std::to_string(static_cast<int>(step.kernel)) + " run " + std::to_string(step.run);
  text += " fill " + std::to_string(step.fill) + " from " + std::to_string(step.source) + " to " +
          std::to_string(step.destination);
  for (std::size_t k = 0; k < step.rank; ++k)
    text += " (" + std::to_string(step.loops[k].extent) + ": " + std::to_string(step.loops[k].source) + " " +
            std::to_string(step.loops[k].destination) + ")";
  return text;
}

/// Runs one step by every set through both entries; all must do what the loops say.
void expect_as_said(const Step& said, Index source_bytes, Index bytes, Index alignment, Index unit) {
  Step step = said;
  const std::vector<Index> pairs = pairs_of({step}, bytes, unit);
  Arena arena(source_bytes, bytes, alignment, unit);
  for (const KernelSet& set : kernel_sets())
    for (const bool stream : {false, true}) {
      step.stream = stream;
      ASSERT_EQ(arena.difference(pairs,
                                 [&](const Buffers& buffers) {
                                   EXPECT_TRUE(set.run(step, 0, step.source, step.destination, buffers));
                                   set.fence();
                                 }),
                "")
          << shown(set, step);
      const Index extent = step.rank == 0 ? 1 : step.loops[0].extent;
      const Index cut = extent / 3;
      ASSERT_EQ(arena.difference(pairs,
                                 [&](const Buffers& buffers) {
                                   EXPECT_TRUE(cut == 0 || set.run_group(&step, 1, 0, 0, cut, buffers));
                                   EXPECT_TRUE(set.run_group(&step, 1, 0, cut, extent, buffers));
                                   set.fence();
                                 }),
                "")
          << shown(set, step) << ", in slices";
    }
}

TEST(RunKernels, EveryLengthIsCopiedAtEveryAlignment) {
  Random random(1);
  for (Index run = 1; run <= 300; ++run)
    for (int variant = 0; variant < 2; ++variant) {
      if (test::kSanitized && run > 70 && (run + variant) % 3 != 0) continue;
      const Index pitch = variant == 0 ? (run + 63) / 64 * 64 : run + between(random, 0, 40);
      Step step = step_of(Kernel::Run, {{2, 7 * run + 3, 4 * pitch}, {3, run + between(random, 0, 9), pitch}}, run);
      step.source = between(random, 0, 63);
      expect_as_said(step, 12 * run + 200, 8 * pitch, variant == 0 ? 0 : between(random, 0, 63), 1);
    }
}

TEST(RunKernels, LongRunsAreCopiedWithBothTheirEnds) {
  Random random(2);
  for (const Index run : {1000, 1023, 1024, 1025, 1600, 4096, 5001})
    for (const Index alignment : {0, 1, 63, 32}) {
      Step step = step_of(Kernel::Run, {{2, run, run + between(random, 0, 3)}}, run);
      expect_as_said(step, 2 * run, 2 * run + 3, alignment, 1);
    }
}

TEST(RunKernels, TheGapBehindARunIsFilledFromTheFirstByteOfTheFillValueOn) {
  Random random(3);
  for (const Index unit : {1, 2, 4, 8, 16})
    for (Index units = 1; units * unit <= 300; units += unit == 1 ? 7 : 1) {
      const Index run = units * unit;
      const Index to_line = (64 - run % 64) % 64;
      const Index any = unit * between(random, 1, 40);
      if (test::kSanitized && units % 3 == 0) continue;
      for (const Index fill : {to_line == 0 ? 64 : to_line, to_line + 64, to_line + 192, any}) {
        Step step = step_of(Kernel::Run, {{3, run + unit, run + fill}}, run, fill);
        const Index alignment = fill % 64 == to_line ? 0 : between(random, 0, 63);
        expect_as_said(step, 3 * (run + unit), 3 * (run + fill), alignment, unit);
      }
    }
}

TEST(RunKernels, GapsOfEveryLengthAreFilled) {
  Random random(4);
  for (const Index unit : {1, 2, 4, 8, 16})
    for (Index units = 1; units <= 40; ++units) {
      const Index run = units * unit * (units % 3 == 0 ? 9 : 1);
      Step step = step_of(Kernel::Fill, {{2, 0, run + unit}}, run);
      expect_as_said(step, 64, 2 * (run + unit), between(random, 0, 63), unit);
    }
}

TEST(RunKernels, UnitsGoWhereStridesSay) {
  Random random(5);
  for (const Index unit : {1, 2, 4, 8, 16})
    for (const Index count : {1, 2, 3, 9, 33}) {
      const Index gap = unit * between(random, 1, 3);
      Step strided = step_of(Kernel::Strided, {{3, -unit, (unit + gap) * count}, {count, 5 * unit, unit + gap}}, unit);
      strided.source = 2 * unit;
      expect_as_said(strided, (5 * count + 8) * unit, 3 * (unit + gap) * count, between(random, 0, 63), unit);
      Step broadcast = step_of(Kernel::Strided, {{3, unit, unit * count}, {count, 0, unit}}, unit);
      expect_as_said(broadcast, 4 * unit, 3 * unit * count, between(random, 0, 63), unit);
    }
}

TEST(RunKernels, ShortRunsThatMakeLinesTogether) {
  for (const Index run : {16, 32})
    for (const Index count : {2, 3, 4, 8, 12})
      for (const Index far : {1, 2, 3}) {
        Step joined = step_of(Kernel::Run, {{far, 40, count * run}, {count, 3 * run + 5, run}}, run);
        for (const Index alignment : {0, 16}) expect_as_said(joined, 4000, far * count * run, alignment, 1);
        Step pairs =
            step_of(Kernel::Run, {{far, 2000, 6 * count * run}, {6, run, count * run}, {count, 6 * run + 1, run}}, run);
        for (const Index alignment : {0, 32}) expect_as_said(pairs, 9000, 6 * far * count * run, alignment, 1);
      }
}

TEST(RunKernels, DeepNestsOfLoops) {
  Random random(6);
  for (int n = 0; n < 40; ++n) {
    std::vector<Loop> loops;
    Index pitch = between(random, 1, 70);
    const Index run = pitch;
    for (int k = 0; k < 6; ++k) {
      const Index extent = between(random, 2, 3);
      loops.insert(loops.begin(), Loop{extent, between(random, 0, 90), pitch});
      pitch *= extent;
    }
    expect_as_said(step_of(Kernel::Run, loops, run), 6 * 2 * 90 + 100, pitch, between(random, 0, 63), 1);
  }
}

TEST(RunKernels, SwizzlesOfBothDirectionsAndSides) {
  for (int base = 0; base <= 7; ++base)
    for (int bits = 1; bits <= 3; ++bits)
      for (int shift = bits; shift <= bits + 1; ++shift)
        for (const bool up : {false, true})
          for (const bool onto : {false, true}) {
            if (test::kSanitized && (base + bits + shift + (up ? 1 : 0) + (onto ? 1 : 0)) % 2 != 0) continue;
            const ByteSwizzle swizzle{static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(bits),
                                      static_cast<std::uint8_t>(shift), up};
            const Index run = base > 5 ? Index{1} << (base - 1) : Index{1} << base;
            const Index bytes = std::max<Index>(Index{2} << (base + bits + shift), 256);
            Step step = step_of(Kernel::Run, {{bytes / run - (base > 4 ? 0 : 1), run, run}}, run);
            (onto ? step.destination_swizzle : step.source_swizzle) = swizzle;
            expect_as_said(step, bytes, bytes, base % 2 == 0 ? 0 : 16, 1);
            Step apart = step_of(Kernel::Run, {{2, run, bytes / 2}, {bytes / 4 / run, 2 * run, run}}, run);
            (onto ? apart.destination_swizzle : apart.source_swizzle) = swizzle;
            expect_as_said(apart, bytes, bytes, 0, 1);
          }
}

TEST(RunKernels, AComparisonSeesEveryByteAndNoOther) {
  for (const KernelSet& set : kernel_sets())
    for (const Index run : {1, 2, 7, 8, 31, 64, 255, 256, 257, 700}) {
      const Step step = step_of(Kernel::Compare, {{2, run + 2, run + 1}}, run);
      std::vector<std::byte> a(static_cast<std::size_t>(2 * run + 8), std::byte{5});
      std::vector<std::byte> b = a;
      const Buffers buffers{a.data(), b.data(), {}};
      const auto same = [&] { return set.run_group(&step, 1, 0, 0, 2, buffers); };
      ASSERT_TRUE(same()) << set.name;
      for (std::size_t k = 0; k < b.size(); ++k) {
        b[k] = std::byte{6};
        const Index at = static_cast<Index>(k);
        ASSERT_EQ(same(), !(at < run || (at >= run + 1 && at < 2 * run + 1))) << set.name << " " << run << " " << at;
        b[k] = std::byte{5};
      }
    }
}

TEST(KernelSets, ThePortableOneIsFirstAndEachHasAName) {
  ASSERT_FALSE(kernel_sets().empty());
  EXPECT_EQ(kernel_sets().front().name, "portable");
  for (const KernelSet& set : kernel_sets()) EXPECT_FALSE(set.name.empty());
}

}  // namespace kernels_runs_test
}  // namespace vl::oracle::tests
