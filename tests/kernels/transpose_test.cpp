// The kernel Transpose of every set against one loop over units. Each unit holds its own number, so that one run shows
// the place of each unit, for all data. If the numbers do not fit into a unit, there are several runs, one for each
// part.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "oracle/kernels/kernels.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"

namespace vl::oracle {
namespace kernels_transpose_test {

constexpr int kUntouched = 0xEE;
constexpr Index kMargin = 192;
constexpr std::array<Index, 5> kUnits = {1, 2, 4, 8, 16};

/// A transpose of `rows` by `columns` units under outer loops, all strides in bytes; the alignments of both memories.
struct Case {
  Index unit = 1, rows = 1, columns = 1;
  Index row_stride = 0, column_stride = 0;
  std::vector<Loop> outer = {};
  Index source_at = 0, destination_at = 0;
  bool stream = false;
};

std::string text(const Case& c) {
  std::string said = fmt::format("unit {} rows {}/{} columns {}/{} at {},{} stream {}", c.unit, c.rows, c.row_stride,
                                 c.columns, c.column_stride, c.source_at, c.destination_at, c.stream);
  for (const Loop& loop : c.outer) said += fmt::format(" loop {}:{},{}", loop.extent, loop.source, loop.destination);
  return said;
}

Step step_of(const Case& c) {
  Step step;
  step.kernel = Kernel::Transpose;
  step.stream = c.stream;
  step.run = c.unit;
  for (const Loop& loop : c.outer) step.loops[step.rank++] = loop;
  step.loops[step.rank++] = {c.rows, c.row_stride, c.unit};
  step.loops[step.rank++] = {c.columns, c.unit, c.column_stride};
  return step;
}

/// The bytes [first, end) that one side of a step touches, counted from its first iteration.
struct Span {
  Index first = 0, end = 0;
};

Span span_of(const Step& step, Index Loop::*side) {
  Span span{0, step.run};
  for (std::size_t k = 0; k < step.rank; ++k) {
    const Index far = (step.loops[k].extent - 1) * (step.loops[k].*side);
    (far < 0 ? span.first : span.end) += far;
  }
  return span;
}

/// Aligned to a page, and not a byte longer than asked for: a sanitizer sees what is read beyond.
struct Memory {
  explicit Memory(Index bytes) : size(static_cast<std::size_t>(bytes)) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 4096, size) == 0) begin.reset(static_cast<std::byte*>(memory));
    std::memset(begin.get(), kUntouched, size);
  }
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> begin;
  std::size_t size = 0;
};

template <class Body>
void for_each(const Step& step, std::size_t k, Index source, Index destination, const Body& body) {
  if (k == step.rank) return body(source, destination);
  const Loop& loop = step.loops[k];
  for (Index i = 0; i < loop.extent; ++i)
    for_each(step, k + 1, source + i * loop.source, destination + i * loop.destination, body);
}

/// Every set against the loop over units, whole memories compared.
testing::AssertionResult moves_as_defined(const Case& c) {
  const Step step = step_of(c);
  const Span reads = span_of(step, &Loop::source), writes = span_of(step, &Loop::destination);
  const Index source = c.source_at - reads.first, destination = kMargin + c.destination_at - writes.first;
  const Memory from(source + reads.end), expected(destination + writes.end + kMargin);
  const Memory to(destination + writes.end + kMargin);
  const auto unit = static_cast<std::size_t>(c.unit);
  std::uint64_t units = 1;
  for (std::size_t k = 0; k < step.rank; ++k) units *= static_cast<std::uint64_t>(step.loops[k].extent);
  for (std::uint64_t part = 0; part == 0 || (c.unit < 8 && part < 8 && (units - 1) >> (part * 8) != 0); part += unit) {
    std::uint64_t number = 0;
    for_each(step, 0, source, destination, [&](Index s, Index) {
      const std::array<std::uint64_t, 2> tag = {number >> (part * 8), ~number};
      std::memcpy(from.begin.get() + s, tag.data(), unit);
      ++number;
    });
    for_each(step, 0, source, destination,
             [&](Index s, Index d) { std::memcpy(expected.begin.get() + d, from.begin.get() + s, unit); });
    Buffers buffers;
    buffers.source = from.begin.get();
    buffers.destination = to.begin.get();
    for (const KernelSet& set : kernel_sets()) {
      std::memset(to.begin.get(), kUntouched, to.size);
      set.run(step, 0, source, destination, buffers);
      set.fence();
      if (std::memcmp(to.begin.get(), expected.begin.get(), to.size) == 0) continue;
      for (std::size_t k = 0; k < to.size; ++k)
        if (to.begin.get()[k] != expected.begin.get()[k])
          return testing::AssertionFailure() << set.name << ": " << text(c) << ": byte "
                                             << static_cast<Index>(k) - destination << " of the destination";
    }
  }
  return testing::AssertionSuccess();
}

using Random = test::Engine;

Index below(Random& random, Index n) { return test::roll(random, 0, n - 1); }

/// Holds the law for that many cases of each unit, a quarter of them in a fact; `draw` draws the rest of one.
template <class Draw>
void move_all(int cases, Draw draw) {
  for (const Index unit : kUnits)
    test::for_all(test::fact_or_campaign(cases / 4, cases), fmt::format("units of {}", unit), [&] {
      Random random = *test::engines();
      const testing::AssertionResult moved = moves_as_defined(draw(random, unit));
      if (!moved) RC_LOG() << moved.message();
      RC_ASSERT(static_cast<bool>(moved));
    });
}

/// Every extent around a lane, a line and some lines of units, and all small ones.
std::vector<Index> extents_of(Index unit) {
  const Index lane = 16 / unit, line = 64 / unit;
  std::vector<Index> extents;
  for (Index n = 1; n <= 3 * line + 2; ++n) {
    const bool edge = n <= 9 || n % lane <= 1 || n % lane == lane - 1;
    const bool few = n <= 9 || n % line <= 1 || n % line == line - 1 || n == 16 || n == 31 || n == 48 || n == 81;
    if (edge && (lane < 16 || few)) extents.push_back(n);
  }
  return extents;
}

/// Random strides: dense, aligned to lines, or with an odd gap; sometimes a descending source.
void place(Random& random, Case& c) {
  const auto stride = [&](Index bytes) {
    switch (below(random, 3)) {
      case 0: return bytes;
      case 1: return (bytes + 63) / 64 * 64;
      default: return bytes + 1 + below(random, 70);
    }
  };
  c.row_stride = stride(c.columns * c.unit) * (below(random, 16) == 15 ? -1 : 1);
  c.column_stride = stride(c.rows * c.unit);
  c.source_at = below(random, 64);
  c.destination_at = below(random, 2) * below(random, 64);
  c.stream = below(random, 2) == 0;
}

// In a fact, scopes of three numbers have one case of three.
bool is_of_scope(Index number) { return number % test::fact_or_campaign(3, 1) == 0; }

TEST(Transpose, MovesEveryShapeOfATile) {
  Random random(1);
  for (const Index unit : kUnits)
    for (const Index rows : extents_of(unit))
      for (const Index columns : extents_of(unit))
        for (int again = 0; again < 2; ++again) {
          if (!is_of_scope(rows + columns + again)) continue;
          Case c{.unit = unit, .rows = rows, .columns = columns};
          place(random, c);
          ASSERT_TRUE(moves_as_defined(c));
        }
}

TEST(Transpose, MovesAtEveryAlignmentOfBothSides) {
  for (const Index unit : kUnits)
    for (Index source_at = 0; source_at < 64; ++source_at)
      for (Index k = 0; k < 3; ++k) {
        if (!is_of_scope(source_at + k)) continue;
        const Index rows = 64 / unit + 16 / unit * k + 1, columns = 64 / unit * (k + 1) + k;
        Case c{.unit = unit, .rows = rows, .columns = columns};
        c.row_stride = columns * unit + 3;
        c.column_stride = (rows * unit + 63) / 64 * 64;
        c.source_at = source_at;
        c.destination_at = (source_at * 37 + k) % 64;
        c.stream = true;
        ASSERT_TRUE(moves_as_defined(c));
        std::swap(c.source_at, c.destination_at);
        ASSERT_TRUE(moves_as_defined(c));
      }
}

TEST(Transpose, InterleavesAndDeinterleavesFewStreams) {
  Random random(2);
  for (const Index unit : kUnits)
    for (Index few = 1; few <= 17; ++few)
      for (const Index many : {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 130, 191, 257})
        for (const bool in_rows : {true, false}) {
          if (!is_of_scope(few + many + (in_rows ? 1 : 0))) continue;
          Case c{.unit = unit, .rows = in_rows ? few : many, .columns = in_rows ? many : few};
          place(random, c);
          (in_rows ? c.column_stride : c.row_stride) = few * unit;
          ASSERT_TRUE(moves_as_defined(c));
        }
}

TEST(Transpose, WalksOuterLoopsAndBlocks) {
  move_all(8, [](Random& random, Index unit) {
    // Enough for blocks to be cut (and fetched ahead): half a megabyte in one to three outer loops.
    Case c{.unit = unit, .rows = 1 + below(random, 700), .columns = 1 + below(random, 700)};
    if (below(random, 4) == 0) (below(random, 2) == 0 ? c.rows : c.columns) = Index{2} << below(random, 2);
    place(random, c);
    const Index source_bytes = std::abs(c.row_stride) * c.rows, destination_bytes = c.column_stride * c.columns;
    const Index copies = 1 + (Index{1} << 19) / (unit * c.rows * c.columns);
    Index n = copies, source = source_bytes + below(random, 2) * 40, destination = destination_bytes;
    const Index inner = copies >= 6 ? 2 + below(random, 3) : 1;
    if (inner > 1) {
      c.outer.push_back({inner, source, destination});
      n = (copies + inner - 1) / inner, source *= inner, destination *= inner;
    }
    c.outer.insert(c.outer.begin(), {n, source, destination + below(random, 2) * 64});
    if (below(random, 2) == 0) std::swap(c.outer.front().source, c.outer.back().source);
    if (c.outer.size() == 2 && c.outer.front().source < c.outer.back().source)
      c.outer.front().source = c.outer.back().source * c.outer.back().extent;
    return c;
  });
}

TEST(Transpose, StagesRowsThatDoNotBeginWithALine) {
  move_all(10, [](Random& random, Index unit) {
    // Long rows, or short ones that follow each other; blocks end one, two or a lane of units behind a whole number.
    const bool in_turn = below(random, 2) == 0;
    const Index lane = 16 / unit, line = 64 / unit;
    const Index rows =
        in_turn ? lane + below(random, 480 / unit) : 512 / unit * (1 + below(random, 2)) + below(random, line);
    const Index columns = (Index{300} << 10) / (unit * rows) + below(random, line);
    Case c{.unit = unit, .rows = rows, .columns = columns, .row_stride = columns * unit + below(random, 30)};
    c.column_stride = rows * unit + (in_turn ? 0 : below(random, 90));
    c.source_at = below(random, 64);
    c.destination_at = below(random, 64);
    c.stream = true;
    return c;
  });
}

TEST(Transpose, PutsShortRowsThatALoopContinuesTogether) {
  move_all(12, [](Random& random, Index unit) {
    // Rows of less than 512 bytes, of which `more` follow each other in the destination; whole lines or not.
    const Index lane = 16 / unit;
    const Index rows = lane + below(random, (below(random, 3) == 0 ? 100 : 480) / unit),
                columns = lane + below(random, 90);
    const Index more = 2 + below(random, 40), pad = below(random, 2) * below(random, 90);
    const Index outer = 1 + (Index{300} << 10) / (unit * rows * columns * more);
    Case c{.unit = unit, .rows = rows, .columns = columns, .row_stride = columns * unit + below(random, 30)};
    c.column_stride = (more * rows * unit + pad) * outer;
    const Loop joined{more, rows * c.row_stride, rows * unit};
    const Loop rest{outer, more * rows * c.row_stride, more * rows * unit + pad};
    c.outer = {rest, joined};
    if (below(random, 2) == 0) std::swap(c.outer[0], c.outer[1]);
    c.source_at = below(random, 64);
    c.destination_at = below(random, 2) * below(random, 64);
    c.stream = true;
    return c;
  });
}

TEST(Transpose, FetchesShortSourceRowsThatALoopContinuesTogether) {
  move_all(8, [](Random& random, Index unit) {
    const Index lane = 16 / unit, line = 64 / unit;
    const Index rows = line * (1 + below(random, 4)), columns = lane + below(random, 240 / unit);
    const Index more = 2 + below(random, 40);
    const Index outer = 1 + (Index{300} << 10) / (unit * rows * columns * more);
    Case c{.unit = unit, .rows = rows, .columns = columns, .row_stride = columns * unit * more};
    c.column_stride = rows * unit;
    const Index matrix = columns * rows * unit;
    c.outer = {{outer, more * matrix, more * matrix}, {more, columns * unit, matrix}};
    c.source_at = below(random, 64);
    c.stream = true;
    return c;
  });
}

TEST(Transpose, RunsTheLoopsFromTheOneThatItIsGiven) {
  Case c{.unit = 2, .rows = 40, .columns = 70, .row_stride = 140, .column_stride = 80};
  c.outer = {{3, 5600, 5600}};
  const Step step = step_of(c);
  std::vector<std::byte> from(3 * 5600), to(3 * 5600, std::byte{kUntouched}), expected = to;
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<std::byte>(k * 7 + k / 256);
  Buffers buffers;
  buffers.source = from.data();
  buffers.destination = to.data();
  for (Index r = 0; r < 40; ++r)
    for (Index col = 0; col < 70; ++col)
      std::memcpy(&expected[static_cast<std::size_t>(5600 + col * 80 + r * 2)],
                  &from[static_cast<std::size_t>(5600 + r * 140 + col * 2)], 2);
  for (const KernelSet& set : kernel_sets())
    for (std::size_t first = 1; first <= 3; ++first) {
      std::fill(to.begin(), to.end(), std::byte{kUntouched});
      if (first == 1) set.run(step, 1, 5600, 5600, buffers);
      for (Index r = 0; first > 1 && r < 40; ++r) {
        if (first == 2) set.run(step, 2, 5600 + r * 140, 5600 + r * 2, buffers);
        for (Index col = 0; first == 3 && col < 70; ++col)
          set.run(step, 3, 5600 + r * 140 + col * 2, 5600 + col * 80 + r * 2, buffers);
      }
      set.fence();
      EXPECT_TRUE(to == expected) << set.name << " from " << first;
    }
}

}  // namespace kernels_transpose_test
}  // namespace vl::oracle
