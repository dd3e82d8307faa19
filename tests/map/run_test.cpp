// The law of run<Domain> (encodings/map/run.h): the statement of a value domain about an output is true of evaluate()'s
// output at every point of the map's space. Each domain runs over the same random maps; its statements are counted.
#include "encodings/map/run.h"

#include <gtest/gtest.h>

#include <functional>

#include "encodings/map/bounds.h"
#include "encodings/map/digits.h"
#include "encodings/map/layout.h"
#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "tests/support/sanitized.h"
#include "verifier/engines/bits/xor_form.h"
#include "verifier/engines/forms/digit_domain.h"
#include "verifier/engines/forms/symbolic.h"

namespace vl::map {
namespace map_run_test {

using test::all_points;
using test::naive;

/// Calls `make(map)` for each map; what it returns is what is said of the outputs: given a point and its outputs,
/// whether that is true there; nothing if the domain refuses the map. Returns how many maps it said something of.
template <class Make>
std::size_t hold(const test::MapKind& kind, const Make& make) {
  std::size_t said = 0;
  test::for_all(test::fact_or_campaign(500, 2000), [&] {
    const Map map = *test::maps(kind);
    const auto holds = make(map);
    if (!holds) return;
    for (const Point& x : all_points(map.domain())) RC_ASSERT((*holds)(x, naive(map, x)));
    ++said;
  });
  return said;
}

using Holds = std::function<bool(const Point&, const Point&)>;

const test::MapKind kAny{};
const test::MapKind kPlain{.swizzles = false, .least_extent = 1, .stages = 2};

TEST(Run, OfIntervalsContainsTheOutputs) {
  EXPECT_EQ(hold(kAny,
                 [](const Map& map) {
                   Intervals intervals;
                   std::vector<Range> ranges = map.ranges(0);
                   VL_CHECK(run(intervals, map.stages(), ranges), "a checked map");
                   RC_ASSERT(ranges == map.ranges(map.stages().size()));
                   return std::optional<Holds>([ranges](const Point&, const Point& y) {
                     for (std::size_t j = 0; j < y.size(); ++j)
                       if (y[j] < ranges[j].low || y[j] > ranges[j].high) return false;
                     return y.size() == ranges.size();
                   });
                 }),
            test::fact_or_campaign(500U, 2000U));
}

TEST(Run, OfDigitSumsHasTheirValueWhereThereIsOne) {
  for (const auto& digits : {digits_of, shifted_digits_of}) {
    std::size_t sums = 0;
    hold(kAny, [&](const Map& map) {
      const auto outputs = digits(map);
      for (const Coordinate& output : outputs) sums += std::holds_alternative<DigitSum>(output) ? 1U : 0U;
      return std::optional<Holds>([outputs](const Point& x, const Point& y) {
        for (std::size_t j = 0; j < y.size(); ++j) {
          const auto* sum = std::get_if<DigitSum>(&outputs[j]);
          if (sum == nullptr) continue;
          Index total = sum->constant;
          for (const Digit& digit : sum->digits) total += digit.coefficient * value(digit, x[digit.input]);
          if (total != y[j]) return false;
        }
        return true;
      });
    });
    EXPECT_GT(sums, test::fact_or_campaign(250U, 1000U));
  }
}

// The value of each atom at a point: inputs, then the digits of the nodes.
Point atoms_at(const engines::Symbolic& forms, const Point& x) {
  Point atoms = x;
  atoms.resize(forms.atoms().size());
  for (const engines::Node& node : forms.nodes()) {
    const Point digits = naive(Split{0, node.weights}, {*value(node.source, atoms)});
    for (std::size_t k = 0; k < digits.size(); ++k) atoms[node.digits[k]] = digits[k];
  }
  return atoms;
}

TEST(Run, OfLinearFormsHasTheValueOfTheRows) {
  EXPECT_GT(hold(kPlain,
                 [](const Map& map) -> std::optional<Holds> {
                   engines::Symbolic forms(map.domain());
                   std::vector<Row> rows = forms.inputs();
                   if (!forms.run(map.stages(), rows)) return std::nullopt;
                   return [forms, rows](const Point& x, const Point& y) {
                     const Point atoms = atoms_at(forms, x);
                     for (std::size_t j = 0; j < y.size(); ++j)
                       if (value(rows[j], atoms) != y[j]) return false;
                     return true;
                   };
                 }),
            test::fact_or_campaign(470U, 1900U));
}

// What the rows of the digits say: the outputs at these digits.
Point outputs_at(const engines::DigitDomain& domain, const Point& digits) {
  Point out;
  for (const Row& row : domain.rows()) out.push_back(*value(row, digits));
  if (const auto& swizzle = domain.swizzle()) {
    Index& address = out[swizzle->input];
    address = apply(*swizzle, address) + *value(domain.after(), digits);
  }
  return out;
}

TEST(Run, OfRowsOverTheElementsDigitsHasTheirOutputs) {
  std::size_t digits = 0;
  const auto said = hold({.least_extent = 1, .stages = 2}, [&](const Map& map) -> std::optional<Holds> {
    LayoutParts parts;
    parts.logical = map.domain();
    parts.map = map.stages();
    parts.guards = map.outputs();
    const auto layout = Layout::create(parts);
    const auto domain = layout ? engines::DigitDomain::of(*layout) : std::nullopt;
    if (!domain) return std::nullopt;
    digits += domain->digits().size();
    // Points in digits come in the order of the tensor's points, so the digits of a point are those of its number.
    const Space space = *Space::create(Space::dims("d", domain->digits()));
    return [space, domain = *domain, logical = map.domain()](const Point& x, const Point& y) {
      const Point inputs = space.point(logical.linear(x));
      return domain.point(inputs) == x && outputs_at(domain, inputs) == y;
    };
  });
  EXPECT_GT(said, test::fact_or_campaign(75U, 300U));
  EXPECT_GT(digits, test::fact_or_campaign(75U, 300U));
}

TEST(Run, OfBitMatricesHasTheExclusiveOrOfTheirColumns) {
  EXPECT_GT(hold({.least_extent = 1, .stages = 2},
                 [](const Map& map) -> std::optional<Holds> {
                   const auto forms = engines::xor_forms(map);
                   if (!forms) return std::nullopt;
                   return [forms = *forms, bits = engines::input_bits(map.domain())](const Point& x, const Point& y) {
                     for (std::size_t j = 0; j < y.size(); ++j) {
                       std::uint64_t sum = forms[j].constant;
                       for (std::size_t i = 0; i < bits.size(); ++i)
                         if ((x[bits[i].input] >> bits[i].bit & 1) != 0) sum ^= forms[j].columns[i];
                       if (static_cast<Index>(sum) != y[j]) return false;
                     }
                     return true;
                   };
                 }),
            test::fact_or_campaign(35U, 150U));
}

TEST(Run, EndsBeforeTheStageThatTheDomainRefuses) {
  Intervals intervals;
  std::vector<Range> values{{-1, 1}};
  const std::vector<Stage> stages{Affine{{Row{0, {{0, 3}}}}}, Swizzle{0, 0, 1, 1}, Affine{}};
  EXPECT_FALSE(run(intervals, stages, values));
  EXPECT_EQ(values, (std::vector<Range>{{-3, 3}}));
  ASSERT_TRUE(intervals.refused.has_value());
  EXPECT_EQ(intervals.refused->code, ErrorCode::Value);
}

}  // namespace map_run_test
}  // namespace vl::map
