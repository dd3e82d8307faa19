// No step of sizes leaves a size out, and no fact is one that some size violates: at random places random steps are
// made, and values of the variables are taken along as the definition of each step says.
#include "verifier/kernel/core/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "encodings/use/random.h"
#include "tests/kernel/names.h"

namespace vl::kernel {
namespace kernel_sizes_campaign {

using NamedStep = BasicStep<Polynomial>;
using Values = tests::Sizes;  // of all variables; 0 of unused ones
using tests::at;

struct Reached {
  kernel::Sizes place;
  std::vector<Values> values;  // that the place has
};

bool has(const kernel::Sizes& place, const Values& values, const std::vector<Wide>& symbols) {
  for (std::size_t k = 0; k < symbols.size(); ++k)
    if (at(place.symbols()[k], values) != symbols[k]) return false;
  const auto is_so = [&](const auto& q) {
    const Wide p = at(q.p, values), by = at(q.by, values);
    return by >= 1 && at(q.is, values) == p / by;
  };
  return std::ranges::all_of(place.facts(), [&](const Polynomial& fact) { return at(fact, values) >= 0; }) &&
         std::ranges::all_of(place.quotients(), is_so);
}

// The values of a place's variables after a step.
Values behind(const NamedStep& step, const kernel::Sizes& place, Values values) {
  const auto number_at = [&](std::size_t k) { return at(step.numbers[k], values).narrow(); };
  const auto variable = [&] { return static_cast<std::size_t>(number_at(0)); };
  if (step.name == "lift") {
    const long long x = number_at(1);
    values[variable()] -= x;
  } else if (step.name == "pin") {
    values[variable()] = 0;
  } else if (step.name == "divide") {
    const long long by = number_at(1), v = values[variable()];
    values[variable()] = v / by, values[place.unused()] = v % by;
  } else if (step.name == "residue") {
    values[variable()] /= number_at(1);
  } else if (step.name == "quotient") {
    const long long p = number_at(0), by = number_at(1);
    values[place.unused()] = p / by;
  }
  return values;
}

Polynomial drawn(use::Random& random, bool of_positive_terms) {
  Polynomial out = random.between(of_positive_terms ? 0 : -3, 3);
  for (int k = 0; k < 2; ++k) {
    Polynomial term = random.between(of_positive_terms ? 0 : -2, 2);
    for (int factors = 0; factors < 2; ++factors)
      if (random.chance(60)) term = term * Polynomial::variable(random.below(random.chance(85) ? 4 : 7));
    out = out + term;
  }
  return out;
}

Polynomial drawn_variable(use::Random& random) {
  return Polynomial(Wide(random.between(0, random.chance(85) ? 3 : 7)));
}

// What some multiples of facts leave, or less; t for p = (t·u + b)/t too.
NamedStep drawn_fact(const kernel::Sizes& place, use::Random& random) {
  NamedStep out{"infer", {drawn(random, true)}, {}};
  Multiples<Polynomial> by;
  for (std::size_t j = 0; j < place.facts().size(); ++j)
    if (random.chance(50)) {
      by.emplace_back(j, drawn(random, random.chance(95)));
      out.numbers[0] = out.numbers[0] + by.back().second * place.facts()[j];
    }
  if (random.chance(40)) {
    const Wide t = random.between(1, 4);
    out.numbers[0] = out.numbers[0].split(t).first + random.between(-1, 1);
    out.numbers.emplace_back(random.chance(90) ? t : t * -1);
  } else if (random.chance(20)) {
    out.numbers[0] = out.numbers[0] - 1;
  }
  if (!by.empty()) out.notes.push_back({0, 0, false, {}, std::move(by), {}, {}, {}});
  return out;
}

NamedStep drawn_step(const kernel::Sizes& place, use::Random& random) {
  const auto fact = [&] {
    return place.facts().empty() ? drawn(random, false) : place.facts()[random.below(place.facts().size())];
  };
  const Polynomial v = drawn_variable(random);
  const auto name = Polynomial::variable(static_cast<std::size_t>(number_of(v).narrow()));
  switch (random.below(10)) {
    case 0:
      return {"split", {random.chance(30) ? fact() * -1 : random.chance(30) ? name * -1 : drawn(random, false)}, {}};
    case 1: return {"lift", {v, random.chance(70) ? name - fact() : drawn(random, false)}, {}};
    case 2:
      for (std::size_t w = 0; w < 7; ++w)
        if (place.shows(Polynomial::variable(w) * -1))
          return {"pin", {Polynomial(Wide(static_cast<long long>(w))), Polynomial(0)}, {}};
      return {"pin", {v, random.chance(50) ? Polynomial(0) : name - fact()}, {}};
    case 3: return {"divide", {v, drawn(random, true) + random.between(0, 1)}, {}};
    case 4: return {"residue", {v, Polynomial(Wide(random.between(0, 4)))}, {}};
    case 5: return {"quotient", {drawn(random, random.chance(90)), drawn(random, true) + random.between(0, 1)}, {}};
    case 6: {
      const Polynomial by = drawn(random, true) + random.between(0, 1), q = drawn(random, true);
      return {"floor", {by * q + random.between(0, 2), by, q + (random.chance(10) ? 1 : 0)}, {}};
    }
    case 7: return {"drop", {Polynomial(Wide(random.between(0, 3)))}, {}};
    default: return drawn_fact(place, random);
  }
}

TEST(KernelSizesLaw, EachStepKeepsEverySizeAndAddsNoFalseFact) {
  const std::vector<Wide> lows{1, 0, 1};
  std::map<std::string, int> made, refused;
  for (std::uint64_t round = 0; round < 80'000; ++round) {
    use::Random random(20261129, 1, round);
    Reached now{kernel::Sizes::from(lows), {}};
    std::vector<std::vector<Wide>> symbols;
    for (int k = 0; k < 24; ++k) {
      Values values(Polynomial::kVariables, 0);
      for (std::size_t v = 0; v < lows.size(); ++v) values[v] = random.between(0, random.chance(60) ? 2 : 9);
      symbols.emplace_back();
      for (const Polynomial& symbol : now.place.symbols()) symbols.back().push_back(at(symbol, values));
      now.values.push_back(std::move(values));
    }
    for (int steps = 0; steps < 8 && !now.values.empty(); ++steps) {
      const NamedStep step = drawn_step(now.place, random);
      std::vector<kernel::Sizes> places;
      try {
        places = kernel::Sizes(now.place).after(step);
      } catch (const Rejected&) {
        ++refused[step.name];
        continue;
      }
      ++made[step.name];
      std::optional<std::size_t> next;
      std::vector<Values> kept;
      std::vector<std::vector<Wide>> kept_symbols;
      for (std::size_t k = 0; k < now.values.size(); ++k) {
        const Values values = behind(step, now.place, now.values[k]);
        const auto found =
            std::ranges::find_if(places, [&](const kernel::Sizes& place) { return has(place, values, symbols[k]); });
        ASSERT_NE(found, places.end()) << "round " << round << ", step " << steps << ": " << step.name;
        const auto at_place = static_cast<std::size_t>(found - places.begin());
        if (next && *next != at_place) continue;
        next = at_place;
        kept.push_back(values), kept_symbols.push_back(symbols[k]);
      }
      now = {std::move(places[*next]), std::move(kept)};
      symbols = std::move(kept_symbols);
    }
  }
  for (const char* const name : {"split", "lift", "pin", "divide", "residue", "quotient", "floor", "drop", "infer"}) {
    EXPECT_GE(made[name], 1000) << name;
    EXPECT_GE(refused[name], name == std::string("split") ? 100 : 1000) << name;
  }
}

}  // namespace kernel_sizes_campaign
}  // namespace vl::kernel
