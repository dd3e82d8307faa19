// diff: which elements lie elsewhere in a second layout, or in the same one by another rule of its system. Whether any
// does is the claim "equal"; up to 2^22 elements are looked at one by one, and those that move to another core are told
// from those that stay in their core. A core is the coordinates on all axes but the memory's: of a layout of
// Tenstorrent one of the chip, and between two rules, which put the same tensor on the same cores, one of the layout's
// own grid. Where the layouts lie
// in different memories, as l1 and dram, every element is on another core.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/map/text.h"
#include "encodings/use/memory_space.h"
#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::vector<std::pair<Index, Index>>;  // [first, last]

constexpr Index kMostElements = Index{1} << 22;
constexpr Index kMostOfDimension = Index{1} << 20;

struct Sides {
  session::TensorReading a, b;
};

struct Moves {
  Index same = 0, other_place = 0, other_core = 0;
  std::vector<Runs> crossing;  // of each dimension: the coordinates at which, others being 0, the core is another one
};

// The axes of both layouts, as positions in the outputs of each; none: the layout lacks it.
class Places {
 public:
  Places(const map::Layout& a, const map::Layout& b) : a_(a), b_(b), in_a_(a.map()), in_b_(b.map()) {
    for (const map::Layout* layout : {&a, &b})
      for (const map::Dim& dim : layout->physical().dims())
        if (std::ranges::find(axes_, dim.name) == axes_.end()) axes_.push_back(dim.name);
    named_ = a.named_axes() && b.named_axes();
  }

  enum class Outcome { Same, OtherPlace, OtherCore };

  // What becomes of an element. One that has a slot in one layout alone is on no core in the other.
  Outcome at(const Point& x) {
    const auto one = in_a_(x), other = in_b_(x);
    const bool lies = a_.is_slot(one);
    if (lies != b_.is_slot(other)) return Outcome::OtherCore;
    if (!named_) return !lies || number(a_, one) == number(b_, other) ? Outcome::Same : Outcome::OtherPlace;
    Outcome out = Outcome::Same;
    for (const std::string& axis : axes_) {
      if (coordinate(a_, one, axis) == coordinate(b_, other, axis)) continue;
      if (axis != map::kMemoryAxis) return Outcome::OtherCore;
      out = Outcome::OtherPlace;
    }
    return out;
  }

 private:
  static std::optional<Index> number(const map::Layout& layout, std::span<const Index> outputs) {
    return layout.slot_number(outputs);
  }
  static Index coordinate(const map::Layout& layout, std::span<const Index> outputs, const std::string& axis) {
    const auto& dims = layout.physical().dims();
    const auto found = std::ranges::find(dims, axis, &map::Dim::name);
    return found == dims.end() ? 0 : outputs[static_cast<std::size_t>(found - dims.begin())];
  }

  const map::Layout &a_, &b_;
  map::Evaluator in_a_, in_b_;
  std::vector<std::string> axes_;
  bool named_ = false;
};

std::optional<Moves> moves_of(const map::Layout& a, const map::Layout& b) {
  const map::Space& tensor = a.logical();
  if (tensor.volume() > kMostElements || a.replicas().rank() > 0 || b.replicas().rank() > 0) return std::nullopt;
  Places places(a, b);
  Moves out;
  Point x(tensor.rank(), 0);
  for (Index left = tensor.volume(); left > 0; --left, map::advance(tensor, x)) switch (places.at(x)) {
      case Places::Outcome::Same: ++out.same; break;
      case Places::Outcome::OtherPlace: ++out.other_place; break;
      case Places::Outcome::OtherCore: ++out.other_core; break;
    }
  for (std::size_t d = 0; d < tensor.rank(); ++d) {
    Runs& runs = out.crossing.emplace_back();
    Point along(tensor.rank(), 0);
    for (Index& at = along[d]; tensor.volume() > 0 && at < std::min(tensor.extent(d), kMostOfDimension); ++at) {
      if (places.at(along) != Places::Outcome::OtherCore) continue;
      if (runs.empty() || runs.back().second + 1 != at) runs.emplace_back(at, at);
      runs.back().second = at;
    }
  }
  return out;
}

std::string runs_in_words(const Runs& runs) {
  std::vector<std::string> out;
  constexpr std::size_t kMostRuns = 16;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i)
    out.push_back(runs[i].first == runs[i].second ? fmt::format("{}", runs[i].first)
                                                  : fmt::format("{}..{}", runs[i].first, runs[i].second));
  if (runs.size() > kMostRuns) out.push_back(fmt::format("… ({} runs)", runs.size()));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string side_in_words(const char* name, const session::TensorReading& side) {
  std::string out = fmt::format("{} {}\n", name, printable(side.reading.normal));
  if (!side.reading.rule.empty()) out += fmt::format("  rule {}\n", side.reading.rule);
  return out;
}

std::string to_text(const Sides& sides, const question::Verdict& verdict, const std::optional<Moves>& moves) {
  std::string out = side_in_words("-", sides.a) + side_in_words("+", sides.b);
  if (const auto* refuted = std::get_if<question::Refuted>(&verdict))
    out += fmt::format("they differ: {}\n", printable(refuted->counterexample.explanation));
  else if (const auto* unknown = std::get_if<question::Unknown>(&verdict))
    out += fmt::format("{}: {}\n", question::word(verdict), printable(unknown->detail));
  else out += "they are the same map\n";
  if (!moves) return out + "elements that move: not counted, there are too many, or they are replicated\n";
  out += fmt::format("{} elements of {}: {} on another core, {} at another place of their core, {} unmoved\n",
                     moves->other_core + moves->other_place + moves->same, map::print(sides.a.tensor),
                     moves->other_core, moves->other_place, moves->same);
  for (std::size_t d = 0; d < moves->crossing.size(); ++d)
    if (!moves->crossing[d].empty())
      out += fmt::format("  x{} on another core, the other coordinates being 0: {}\n", d,
                         runs_in_words(moves->crossing[d]));
  return out;
}

Json side_to_json(const session::TensorReading& side) {
  return {{"layout", side.reading.normal},
          {"rule", side.reading.rule.empty() ? Json(nullptr) : Json(side.reading.rule)}};
}

Json to_json(const Sides& sides, const question::Verdict& verdict, const std::optional<Moves>& moves) {
  Json out{{"a", side_to_json(sides.a)}, {"b", side_to_json(sides.b)}, {"equal", question::word(verdict)}};
  out["first"] = nullptr;
  if (const auto* refuted = std::get_if<question::Refuted>(&verdict)) {
    out["first"] = Json::object();
    for (const auto& [name, value] : refuted->counterexample.fields)
      out["first"][name] = std::visit([](const auto& each) { return Json(each); }, value);
  }
  for (const char* name : {"same", "other_place", "other_core", "crossing"}) out[name] = nullptr;
  if (!moves) return out;
  out["same"] = moves->same;
  out["other_place"] = moves->other_place;
  out["other_core"] = moves->other_core;
  out["crossing"] = moves->crossing;
  return out;
}

// The layout's text by each of two rules.
std::variant<std::array<std::string, 2>, Diagnostic> texts_by_rules(const DiffArguments& arguments) {
  const std::string text = arguments.layout.text();
  const use::Family* family = session::family_of(text, arguments.layout.family);
  const auto wrong = [&](std::string why) { return about("--rules", std::move(why)); };
  if (family == nullptr || family->by_rule == nullptr)
    return wrong("the layouts of this family have one rule; a second layout is compared by --with");
  const std::size_t comma = arguments.rules.find(',');
  if (comma == std::string::npos) return wrong("expected two rules, as in A,B");
  const std::array<std::string, 2> names = {arguments.rules.substr(0, comma), arguments.rules.substr(comma + 1)};
  const auto tensor = map::parse_tensor(arguments.layout.tensor);
  if (!tensor) return locate("--tensor", arguments.layout.tensor, tensor.error());
  std::array<std::string, 2> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(family->rules, names[i]) == family->rules.end())
      return wrong(fmt::format("'{}' is no rule of the family {}; expected one of {}", names[i], family->name,
                               fmt::join(family->rules, ", ")));
    const auto made = family->by_rule(text, *tensor, names[i]);
    if (!made) return locate("--layout", text, made.error());
    out[i] = *made;
  }
  return out;
}

std::variant<Sides, Diagnostic> sides_of(const DiffArguments& arguments, const engines::Options& options) {
  std::array<std::string, 2> texts = {arguments.layout.text(), arguments.with};
  if (!arguments.rules.empty()) {
    auto made = texts_by_rules(arguments);
    if (auto* diagnostic = std::get_if<Diagnostic>(&made)) return std::move(*diagnostic);
    texts = std::get<std::array<std::string, 2>>(std::move(made));
  }
  auto request = request_of(arguments.layout);
  if (auto* diagnostic = std::get_if<Diagnostic>(&request)) return std::move(*diagnostic);
  auto& asked = std::get<session::CaseRequest>(request);
  std::vector<session::TensorReading> read;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    asked.layout = session::SourceText::option(i == 0 ? "--layout" : "--with", texts[i]);
    if (i > 0 && arguments.rules.empty()) asked.family.clear();
    auto side = read_and_warn(asked, options);
    if (auto* diagnostic = std::get_if<Diagnostic>(&side)) return std::move(*diagnostic);
    read.push_back(std::get<session::TensorReading>(std::move(side)));
  }
  return Sides{std::move(read[0]), std::move(read[1])};
}

}  // namespace

int run_diff(const DiffArguments& arguments) {
  const engines::Options options = session::engine_options(arguments.timeout);
  const auto made = sides_of(arguments, options);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&made)) return bad_input(*diagnostic);
  const Sides& sides = std::get<Sides>(made);
  const bool json = arguments.format == Format::Json;
  for (const session::TensorReading* side : {&sides.a, &sides.b})
    if (const auto* why = side->reading.undecidable()) return unsupported(*why, json);
  const map::Layout &a = *sides.a.reading.layout(), &b = *sides.b.reading.layout();
  // By two rules the tensor is on the same cores, of the layout's own grid.
  const bool by_rules = !arguments.rules.empty();
  auto both = by_rules ? Result<use::InCommon>(use::InCommon{}) : use::in_common(sides.a.reading, sides.b.reading);
  const map::Layout &on_a = both && both->a ? *both->a : a, &on_b = both && both->b ? *both->b : b;
  const auto apart = a.named_axes() && b.named_axes()
                         ? use::in_memories(on_a, sides.a.reading.space, on_b, sides.b.reading.space)
                         : Result<std::optional<std::pair<map::Layout, map::Layout>>>(std::nullopt);
  if (!apart) return bad_input(about("--with", apart.error().message));
  const auto memories = use::compare_memories(sides.a.reading.space, sides.b.reading.space);
  const bool said = !sides.a.reading.space.empty() && !sides.b.reading.space.empty();
  if (said && memories == use::Memories::Unknown)
    return unsupported(use::Undecidable{fmt::format(
                           "one layout lies in {} and the other in {}; whether that is one memory is not known",
                           sides.a.reading.space, sides.b.reading.space)},
                       json);
  if (!both && !*apart) return unsupported({both.error().message}, json);
  if (const std::string why = by_rules || *apart ? "" : use::rows_apart(sides.a.reading, sides.b.reading); !why.empty())
    return unsupported({why}, json);
  const claims::Pair pair = *apart ? claims::Pair{(*apart)->first, (*apart)->second} : claims::Pair{on_a, on_b};
  const auto verdict = claims::decide(*claims::find_claim("equal"), pair, options).verdict;
  const auto moves = moves_of(pair.layout, pair.other);
  const std::string out =
      json ? to_json(sides, verdict, moves).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
           : to_text(sides, verdict, moves);
  std::fwrite(out.data(), 1, out.size(), stdout);
  if (std::holds_alternative<question::Refuted>(verdict)) return kRefuted;
  return std::holds_alternative<question::Proved>(verdict) ? 0 : kUndecided;
}

}  // namespace vl::cli
