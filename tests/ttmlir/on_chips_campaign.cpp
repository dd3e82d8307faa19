// Cores of the chips: random pairs of layouts of rules B, C and D against the model of core_model.h, which knows none
// of the program's code. Each layout's places are compared element by element, and each answer of equal and disjoint
// with the sets of places; the whole scope is 12,000 pairs. The commands are asked, too, for their whole answers:
// verdicts and first elements of equal and disjoint, the numbers of diff, the place of an element that explain tells.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "encodings/use/family.h"
#include "tests/support/shard.h"
#include "tests/ttmlir/on_chips_layouts.h"
#include "verifier/claims/claim.h"
#include "verifier/cli/commands.h"

namespace vl::ttmlir {
namespace ttmlir_on_chips_campaign {

// Places of all elements, in row-major order.
std::vector<std::optional<Place>> places_of(const Drawn& drawn, const Sizes& tensor, Index columns) {
  std::vector<std::optional<Place>> out;
  const auto place = drawn.placed(columns);
  Sizes at(tensor.size(), 0);
  for (Index n = 0; n < product(tensor); ++n) {
    Index rest = n;
    for (std::size_t d = tensor.size(); d-- > 0; rest /= tensor[d]) at[d] = rest % tensor[d];
    out.push_back(place(at));
  }
  return out;
}

Place place_of(const map::Layout& layout, std::span<const Index> outputs) {
  Place out;
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const std::string& axis = layout.physical().dims()[j].name;
    (axis == "device" ? out.device : axis == "y" ? out.y : axis == "x" ? out.x : out.offset) = outputs[j];
    EXPECT_TRUE(axis == "device" || axis == "y" || axis == "x" || axis == "m") << axis;
  }
  return out;
}

struct Count {
  int proved = 0, refuted = 0, open = 0, places = 0, none = 0;
};

// What both chips say, Wormhole's 8 columns and Blackhole's 13: nothing where they differ.
template <class F>
std::optional<bool> on_chips(Index declared, F&& holds) {
  if (declared != 0) return holds(declared);
  const bool small = holds(8), large = holds(13);
  return small == large ? std::optional(small) : std::nullopt;
}

void look_at_places(const Drawn& drawn, const use::Reading& reading, const map::Tensor& tensor, Count& count) {
  const Index declared = tensor.box.empty() ? 0 : tensor.box[1].extent;
  const bool physical = reading.chips.box.has_value() || (reading.chips.nowhere.empty() && drawn.text[0] == 'l');
  if (!physical) {
    ++count.none;
    return;
  }
  auto made =
      reading.chips.box ? use::on_chips(*reading.layout(), reading.chips) : Result<map::Layout>(*reading.layout());
  ASSERT_TRUE(made.has_value()) << drawn.text << '\n' << made.error().message;
  for (const Index columns : declared != 0 ? Sizes{declared} : Sizes{8, 13}) {
    const auto want = places_of(drawn, tensor.size, columns);
    Point x(tensor.size.size(), 0);
    map::Evaluator evaluate(made->map());
    for (std::size_t n = 0; n < want.size(); ++n, map::advance(made->logical(), x)) {
      ASSERT_TRUE(want[n].has_value()) << drawn.text;
      ASSERT_EQ(place_of(*made, evaluate(x)), *want[n]) << drawn.text << "\nelement " << fmt::format("{}", x);
    }
  }
  ++count.places;
}

// Answers of the commands: to one question of each decided pair.
struct Told {
  std::map<std::string, int> decided, open;
};

using Json = nlohmann::json;

// What a command prints.
template <class Arguments>
std::string printed(int (*command)(const Arguments&), const Arguments& arguments) {
  testing::internal::CaptureStdout();
  static_cast<void>(command(arguments));
  return testing::internal::GetCapturedStdout();
}

Sizes element(std::size_t number, const Sizes& tensor) {
  Sizes out(tensor.size(), 0);
  for (std::size_t d = tensor.size(); d-- > 0; number /= static_cast<std::size_t>(tensor[d]))
    out[d] = static_cast<Index>(number % static_cast<std::size_t>(tensor[d]));
  return out;
}

// (y, x, m), in front of them the device where the text names it, behind them the memory where it tells two layouts
// apart: l1 is 3, dram 2.
Sizes written(const Drawn& drawn, const Place& place, bool apart) {
  Sizes out{place.y, place.x, place.offset};
  if (drawn.device) out.insert(out.begin(), place.device);
  if (apart) out.push_back(drawn.dram ? 2 : 3);
  return out;
}

// What diff counts, by the model: unmoved, at another place of their core, on another core; the first that moves; and
// along each dimension from [0, ..., 0] the runs of elements on another core.
Json counted(const Drawn& a, const Drawn& b, const Sizes& tensor, Index columns) {
  const auto one = places_of(a, tensor, columns), two = places_of(b, tensor, columns);
  const auto crosses = [&](std::size_t n) {
    return a.dram != b.dram || one[n]->device != two[n]->device || one[n]->y != two[n]->y || one[n]->x != two[n]->x;
  };
  Json out{{"same", 0}, {"other_place", 0}, {"other_core", 0}, {"first", nullptr}, {"crossing", Json::array()}};
  for (std::size_t n = 0; n < one.size(); ++n) {
    const bool moves = a.dram != b.dram || !(*one[n] == *two[n]);
    const char* kind = crosses(n) ? "other_core" : moves ? "other_place" : "same";
    out[kind] = out[kind].get<int>() + 1;
    if (moves && out["first"].is_null())
      out["first"] = {{"a", element(n, tensor)},
                      {"physical", written(a, *one[n], a.dram != b.dram)},
                      {"other", written(b, *two[n], a.dram != b.dram)}};
  }
  std::size_t step = one.size();
  for (const Index extent : tensor) {
    step /= static_cast<std::size_t>(extent);
    Json runs = Json::array();
    for (Index at = 0; at < extent; ++at) {
      if (!crosses(static_cast<std::size_t>(at) * step)) continue;
      if (runs.empty() || runs.back()[1] != at - 1) runs.push_back({at, at});
      runs.back()[1] = at;
    }
    out["crossing"].push_back(std::move(runs));
  }
  return out;
}

// The smallest element of a that lies where one of b does, and the smallest of those.
Json first_meeting(const Drawn& a, const Sizes& tensor, const Drawn& b, const Sizes& other, Index columns) {
  if (a.dram != b.dram) return nullptr;
  std::map<Place, std::size_t> numbers;
  const auto two = places_of(b, other, columns), one = places_of(a, tensor, columns);
  for (std::size_t n = 0; n < two.size(); ++n) numbers.emplace(*two[n], n);
  for (std::size_t n = 0; n < one.size(); ++n)
    if (const auto found = numbers.find(*one[n]); found != numbers.end())
      return {{"a", element(n, tensor)},
              {"b", element(found->second, other)},
              {"physical", written(a, *one[n], false)},
              {"other", written(b, *one[n], false)}};
  return nullptr;
}

// A pair of sound layouts: the commands say what the model says, of chips of each width that the box leaves open.
void ask_commands(const Drawn& a, const Drawn& b, const map::Tensor& tensor, const Sizes& other, Random& random,
                  bool known, Told& told) {
  // Of two layouts that are alike where nobody knows their cores, a command names those of their own grid.
  const auto compared = [&](Json first) {
    if (!known && first.is_object()) first.erase("physical"), first.erase("other");
    return first;
  };
  const Index declared = tensor.box.empty() ? 0 : tensor.box[1].extent;
  const Sizes widths = declared != 0 ? Sizes{declared} : Sizes{8, 13};
  const auto shape = [](const Sizes& size) { return fmt::format("bf16[{}]", fmt::join(size, ",")); };
  cli::LayoutArguments layout;
  layout.layout = a.text, layout.tensor = shape(tensor.size);
  if (declared != 0) layout.box = fmt::format("y={},x={}", tensor.box[0].extent, declared);
  const auto words = fmt::format("{}\n{}\n{} and {}, {} columns", a.text, b.text, tensor.size, other, declared);

  cli::CheckArguments check;
  check.layout = layout, check.format = cli::Format::Jsonl;
  if (tensor.size == other) check.claims.push_back("equal=" + b.text);
  check.claims.push_back(fmt::format("disjoint=with={}; with_tensor={}", b.text, shape(other)));
  std::istringstream lines(printed(cli::run_check, check));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["kind"] != "verdict") continue;
    const std::string claim = record["claim"], verdict = record["verdict"];
    const bool decided = verdict == "proved" || verdict == "refuted";
    ++(decided ? told.decided : told.open)[claim];
    for (const Index columns : decided ? widths : Sizes{}) {
      const Json want = claim == "equal" ? counted(a, b, tensor.size, columns)["first"]
                                         : first_meeting(a, tensor.size, b, other, columns);
      ASSERT_EQ(compared(record["counterexample"]), compared(want)) << claim << '\n' << words;
      ASSERT_EQ(verdict, want.is_null() ? "proved" : "refuted") << claim << '\n' << words;
    }
  }
  if (tensor.size == other) {
    cli::DiffArguments diff;
    diff.layout = layout, diff.with = b.text, diff.format = cli::Format::Json;
    const Json answer = Json::parse(printed(cli::run_diff, diff));
    ++(answer.contains("equal") ? told.decided : told.open)["diff"];
    for (const Index columns : answer.contains("equal") ? widths : Sizes{}) {
      const Json want = counted(a, b, tensor.size, columns);
      for (const auto& [name, value] : want.items())
        ASSERT_EQ(compared(answer[name]), compared(value)) << name << '\n' << words;
      ASSERT_EQ(answer["equal"], want["first"].is_null() ? "proved" : "refuted") << words;
    }
  }
  cli::ExplainArguments explain;
  std::size_t volume = 1;
  for (const Index extent : tensor.size) volume *= static_cast<std::size_t>(extent);
  const std::size_t number = random.below(volume);
  explain.layout = layout, explain.format = cli::Format::Json;
  explain.at = fmt::format("{}", fmt::join(element(number, tensor.size), ","));
  const Json answer = Json::parse(printed(cli::run_explain, explain));
  const bool on_chip = answer["axes"] == (a.device ? Json{"device", "y", "x", "m"} : Json{"y", "x", "m"});
  ++(on_chip ? told.decided : told.open)["explain"];
  for (const Index columns : on_chip ? widths : Sizes{})
    ASSERT_EQ(answer["physical"][0], Json(written(a, *places_of(a, tensor.size, columns)[number], false)))
        << *explain.at << '\n'
        << words;
}

// Whether they are equal, and disjoint, of every chip.
void compare(const Drawn& a, const Drawn& b, const use::Reading& first, const use::Reading& second,
             const map::Tensor& tensor, const map::Tensor& other, Count& equal, Count& disjoint) {
  const Index declared = tensor.box.empty() ? 0 : tensor.box[1].extent;
  const auto both = use::in_common(first, second);
  if (!both) {
    ++equal.open, ++disjoint.open;
    return;
  }
  const map::Layout& one = both->a ? *both->a : *first.layout();
  const map::Layout& two = both->b ? *both->b : *second.layout();
  const auto words = fmt::format("{}\n{}\n{} and {}, {} columns", a.text, b.text, tensor.size, other.size, declared);
  if (tensor.size == other.size) {
    const auto want = on_chips(declared, [&](Index columns) {
      return places_of(a, tensor.size, columns) == places_of(b, other.size, columns);
    });
    ASSERT_TRUE(want.has_value()) << "decided, although it depends on the chip\n" << words;
    const auto verdict = claims::decide(*claims::find_claim("equal"), claims::Pair{one, two}, {}).verdict;
    ASSERT_EQ(question::word(verdict), *want ? "proved" : "refuted") << words;
    ++(*want ? equal.proved : equal.refuted);
  }
  const auto want = on_chips(declared, [&](Index columns) {
    std::set<Place> places;
    for (const auto& place : places_of(a, tensor.size, columns)) places.insert(*place);
    for (const auto& place : places_of(b, other.size, columns))
      if (places.contains(*place)) return false;
    return true;
  });
  ASSERT_TRUE(want.has_value()) << "decided, although it depends on the chip\n" << words;
  const auto verdict = claims::decide(*claims::find_claim("disjoint"), claims::SharedBuffer{one, two, 0}, {}).verdict;
  ASSERT_EQ(question::word(verdict), *want ? "proved" : "refuted") << words;
  ++(*want ? disjoint.proved : disjoint.refuted);
}

void ask(std::uint64_t number, Count& equal, Count& disjoint, Told& told) {
  Random random(20261129, 46, number);
  const bool tiled = random.chance(40);
  map::Tensor tensor, other;
  tensor.type = other.type = map::ElementType::Bf16;
  tensor.size = some_tensor(random, tiled);
  other.size = random.chance(50) ? tensor.size : some_tensor(random, tiled);
  if (random.chance(40)) {
    const bool wide = random.chance(50);
    tensor.box = other.box = {{"y", wide ? 10 : 8}, {"x", wide ? 13 : 8}};
  }
  const Drawn a = some_layout(random, tensor.size, tiled);
  const Drawn b = random.chance(15) && other.size == tensor.size ? a : some_layout(random, other.size, tiled);
  const auto read = [](const Drawn& drawn, const map::Tensor& of) {
    const use::Family* family = use::family_of(drawn.text, "");
    EXPECT_NE(family, nullptr) << drawn.text;
    auto reading = family->read(drawn.text, of);
    EXPECT_TRUE(reading.has_value()) << drawn.text << '\n' << (reading ? "" : reading.error().message);
    return reading;
  };
  const auto first = read(a, tensor), second = read(b, other);
  ASSERT_TRUE(first.has_value() && second.has_value());
  for (const auto& [drawn, reading] : {std::pair(&a, &*first), std::pair(&b, &*second)}) {
    bool broken = false;
    for (const use::Rule& rule : reading->rules) broken = broken || (!rule.of_tensor && rule.have != rule.want);
    ASSERT_TRUE(drawn->sound || broken) << drawn->text;
  }
  if (!a.sound || !b.sound) {  // what the text contradicts has no place that could be compared
    for (const auto& [drawn, reading] : {std::pair(&a, &*first), std::pair(&b, &*second)}) {
      const bool is_read = reading->chips.box.has_value() && reading->layout() != nullptr;
      ASSERT_TRUE(drawn->sound || !is_read) << drawn->text;
    }
    return;
  }
  ASSERT_TRUE(first->layout() != nullptr && second->layout() != nullptr) << a.text << '\n' << b.text;
  look_at_places(a, *first, tensor, equal);
  look_at_places(b, *second, other, equal);
  const auto is_known = [](const Drawn& drawn, const use::Reading& reading) {
    return reading.chips.box.has_value() || (reading.chips.nowhere.empty() && drawn.text[0] == 'l');
  };
  ask_commands(a, b, tensor, other.size, random, is_known(a, *first) && is_known(b, *second), told);
  if (testing::Test::HasFatalFailure()) return;
  compare(a, b, *first, *second, tensor, other, equal, disjoint);
}

TEST(TtmlirOnChips, AgreesWithAModelFromUpstreamsText) {
  Count equal, disjoint;
  Told commands;
  const auto shard = test::shard_of(1);
  const std::uint64_t all = test::is_campaign() ? 12'000 : 150;
  for (std::uint64_t number = 0; number < all; ++number) {
    if (!shard.has(number)) continue;
    ask(number, equal, disjoint, commands);
    if (HasFatalFailure()) FAIL() << "pair " << number;
  }
  const std::string told = fmt::format(
      "equal {} proved, {} refuted, {} open; disjoint {} proved, {} refuted, {} open; layouts with known places {}, "
      "without {}",
      equal.proved, equal.refuted, equal.open, disjoint.proved, disjoint.refuted, disjoint.open, equal.places,
      equal.none);
  const std::string by_command = fmt::format("by command: decided {}, open {}", commands.decided, commands.open);
  if (test::is_campaign()) std::cout << told << '\n' << by_command << '\n';
  const int share = static_cast<int>(all / shard.count / 150);
  EXPECT_GE(equal.proved, 4 * share) << told;
  EXPECT_GE(equal.refuted, 25 * share) << told;
  EXPECT_GE(disjoint.proved, 12 * share) << told;
  EXPECT_GE(disjoint.refuted, 25 * share) << told;
  EXPECT_GE(commands.decided["equal"], 25 * share) << by_command;
  EXPECT_GE(commands.decided["disjoint"], 40 * share) << by_command;
  EXPECT_GE(commands.decided["diff"], 25 * share) << by_command;
  EXPECT_GE(commands.decided["explain"], 60 * share) << by_command;
  EXPECT_LE(equal.open * 10, (equal.proved + equal.refuted + disjoint.proved) * 3) << told;
}

}  // namespace ttmlir_on_chips_campaign
}  // namespace vl::ttmlir
