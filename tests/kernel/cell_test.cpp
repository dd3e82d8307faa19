// Cells under random steps against every point: together the cells that cuts make have each point of the root once, and
// at each of their points a line has the value that its definition gives.
#include <gtest/gtest.h>

#include "tests/kernel/truth.h"
#include "tests/support/property.h"
#include "verifier/kernel/core/stages.h"
#include "verifier/kernel/core/sweep.h"

namespace vl::kernel::tests {
namespace kernel_cell_test {

using test::Engine;
using test::roll;

struct Cells {
  Space root;
  std::vector<Cell<Wide>> cells;
};

Space random_root(Engine& engine) {
  Space out;
  for (Index rank = roll(engine, 1, 3); rank > 0; --rank)
    out.names.push_back("x" + std::to_string(rank)), out.extents.emplace_back(roll(engine, 1, 9));
  return out;
}

Cells random_cells(Engine& engine) {
  Cells out{random_root(engine), {}};
  out.cells.emplace_back(out.root);
  for (Index steps = roll(engine, 0, 6); steps > 0; --steps) {
    Cell<Wide>& cell = out.cells[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(out.cells.size()) - 1))];
    const auto atom = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(cell.atoms()) - 1));
    try {
      const Index which = roll(engine, 0, 3);
      switch (which) {
        case 0: cell.block(atom, roll(engine, 1, 5)); break;
        case 1: cell.shift(atom, roll(engine, 0, 5)); break;
        case 2: cell.fuse(static_cast<std::size_t>(roll(engine, 0, 1))); break;
        default: {
          Cell<Wide> above = cell.cut(atom, roll(engine, 1, 6));
          out.cells.push_back(std::move(above));
        }
      }
    } catch (const Rejected&) {  // a rule that does not apply here
    }
  }
  return out;
}

// Every choice of values for the atoms that meets all facts.
void for_each_choice(const Cell<Wide>& cell, const std::function<void(const Values&)>& visit) {
  Space box;
  box.extents = cell.extents;
  for (const Values& values : points(box)) {
    const bool holds = std::ranges::all_of(cell.facts, [&](const Line<Wide>& fact) {
      long long sum = fact.constant.narrow();
      for (std::size_t k = 0; k < fact.terms.size(); ++k) sum += fact.terms[k].narrow() * values[k];
      return sum >= 0;
    });
    if (holds) visit(values);
  }
}

long long at(const Line<Wide>& line, const Values& values) {
  long long sum = line.constant.narrow();
  for (std::size_t k = 0; k < line.terms.size(); ++k) sum += line.terms[k].narrow() * values[k];
  return sum;
}

// The root's point that a choice is. Atoms that no group has any more are 0, so that no point comes twice.
std::optional<Values> point_of(const Cell<Wide>& cell, const Values& values) {
  Values out;
  std::vector<bool> used(cell.atoms(), false);
  for (const Group<Wide>& group : cell.groups) {
    for (const std::size_t k : cell.atoms_of(group)) used[k] = true;
    long long number = at(group.number, values);
    Values inner;
    for (std::size_t i = group.first + group.dims; i-- > group.first;) {
      const long long extent = cell.root().extents[i].narrow();
      inner.insert(inner.begin(), i == group.first ? number : number % extent), number /= extent;
    }
    out.insert(out.end(), inner.begin(), inner.end());
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!used[k] && values[k] != 0) return std::nullopt;
  return out;
}

TEST(KernelCells, HaveEachPointOfTheRootOnce) {
  long long cells = 0, facts = 0;
  test::for_all(400, [&] {
    Engine engine = *test::engines();
    const Cells all = random_cells(engine);
    std::vector<Values> seen, swept;
    for (const Cell<Wide>& cell : all.cells) {
      Index choices = 1;
      for (const Wide& extent : cell.extents) choices *= extent.narrow();
      if (choices > 20'000) return;
      ++cells, facts += static_cast<long long>(cell.facts.size());
      for_each_choice(cell, [&](const Values& values) {
        if (auto point = point_of(cell, values)) seen.push_back(std::move(*point));
      });
      sweep(cell, 1, [&](const Point& p) {
        swept.emplace_back();
        for (const Wide& x : p) swept.back().push_back(x.narrow());
      });
    }
    std::ranges::sort(seen), std::ranges::sort(swept);
    RC_ASSERT(seen == points(all.root));
    RC_ASSERT(swept == seen);
  });
  EXPECT_GE(cells, 400);
  EXPECT_GE(facts, 150);
}

// Terms beyond the bits that a swizzle looks at may vary: 1024·t + 72 with bits [6, 9) put into [3, 6) is 1024·t + 64.
TEST(KernelCells, LinesThatASwizzleMovesAsAWholeHaveItsValues) {
  int moved = 0;
  const std::vector<Note<Wide>> none;
  test::for_all(2000, [&] {
    Engine engine = *test::engines();
    Cell<Wide> cell(random_root(engine));
    Line<Wide> line{roll(engine, 0, 99), {}};
    for (std::size_t k = 0; k < cell.atoms(); ++k)
      line.add(cell.value(k), (1LL << roll(engine, 0, 9)) * roll(engine, -1, 2));
    Stage by{Stage::Kind::Swizzle, {}, 0, {}, 0, 0, 1, roll(engine, 0, 1) == 0};
    by.base = static_cast<int>(roll(engine, 0, 3)), by.bits = static_cast<int>(roll(engine, 1, 3));
    by.shift = static_cast<int>(roll(engine, 1, 3));
    if (cell.low(line) < 0 || cell.low(line) == cell.high(line)) return;
    Notes<Wide> notes(none);
    const Line<Wide> out = carry(cell, {by}, 0, {line}, notes)[0];
    if (!cell.records.empty()) return;
    moved += out == line ? 0 : 1;
    for_each_choice(cell,
                    [&](const Values& values) { RC_ASSERT(Wide(at(out, values)) == by.swizzled(at(line, values))); });
  });
  EXPECT_GE(moved, 100);
}

}  // namespace kernel_cell_test
}  // namespace vl::kernel::tests
