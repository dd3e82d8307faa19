// The part of profile.h about facts of functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/check.h"
#include "encodings/base/words.h"
#include "encodings/values/profile.h"
#include "encodings/values/state.h"

namespace vl::values {
namespace {

constexpr auto kFunctions = std::to_array<std::string_view>(
    {"abs",  "cos",   "erf",     "exp",  "exp2", "gelu",     "log",      "log2", "neg", "reciprocal",
     "relu", "rsqrt", "sigmoid", "silu", "sin",  "softplus", "softsign", "sqrt", "tan", "tanh"});

// Operands about which the same facts are made, and what these allow.
std::vector<Stated> parts_of(std::span<const Fact> facts, std::string_view function, const Format& format,
                             const CodeSet& of) {
  std::vector<Stated> parts{{of, CodeSet::all(format)}};
  for (const Fact& fact : facts) {
    if (fact.function != function) continue;
    const auto stated = stated_in(fact, format);
    if (!stated) continue;
    std::vector<Stated> finer;
    for (const Stated& part : parts) {
      finer.push_back({part.of.intersected(stated->of), part.gives.intersected(stated->gives)});
      finer.push_back({part.of.without(stated->of, format), part.gives});
    }
    std::erase_if(finer, [](const Stated& part) { return part.of.empty(); });
    parts = std::move(finer);
  }
  return parts;
}

}  // namespace

std::span<const std::string_view> functions() { return kFunctions; }

std::optional<Stated> stated_in(const Fact& fact, const Format& format) {
  if (!format.is_float() || (!fact.type.empty() && fact.type != format.name)) return std::nullopt;
  auto of = parse_state(fact.of, format, nullptr), gives = parse_state(fact.gives, format, nullptr);
  if (!of || !gives) return std::nullopt;
  return Stated{*of, *gives};
}

std::optional<Error> wrong_with(const Fact& fact) {
  const auto wrong = [](std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; };
  if (std::ranges::find(kFunctions, fact.function) == kFunctions.end())
    return wrong(fmt::format("'{}' is no function; {}", fact.function, one_of(fact.function, kFunctions)));
  const Format* type = fact.type.empty() ? nullptr : find_format(fact.type);
  if (!fact.type.empty() && (type == nullptr || !type->is_float()))
    return wrong(fmt::format("'{}' is no float format", fact.type));
  if (std::ranges::any_of(formats(), [&](const Format& format) { return stated_in(fact, format).has_value(); }))
    return std::nullopt;
  const Format& tried = type != nullptr ? *type : *find_format("f64");
  for (const std::string* state : {&fact.of, &fact.gives})
    if (const auto read = parse_state(*state, tried, nullptr); !read)
      return wrong(fmt::format("'{}': {}", *state, read.error().message));
  return wrong("no float format has codes for both states");
}

std::string contradiction(std::span<const Fact> facts) {
  for (const std::string_view function : kFunctions)
    for (const Format& format : formats())
      for (const Stated& part : parts_of(facts, function, format, CodeSet::all(format)))
        if (part.gives.empty())
          return fmt::format("{} of {} of {} has no result", function, in_words(format, part.of.ranges().front().first),
                             format.name);
  return "";
}

CodeSet stated_image(std::span<const Fact> facts, std::string_view function, const Format& format, const CodeSet& of) {
  CodeSet out;
  for (const Stated& part : parts_of(facts, function, format, of)) {
    VL_CHECK(!part.gives.empty(), "facts that contradict one another");
    out = out.united(part.gives);
  }
  return out;
}

}  // namespace vl::values
