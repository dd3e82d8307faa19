#include "verifier/checker/sizes.h"

#include <algorithm>
#include <set>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

// Each symbol has a name of its own.
void require_names(const std::vector<RuleText::Symbol>& symbols) {
  enter(__FILE__);
  std::set<std::string> names;
  for (const RuleText::Symbol& symbol : symbols) {
    const bool plain = !symbol.name.empty() && std::ranges::all_of(symbol.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    require(plain && (symbol.name[0] < '0' || symbol.name[0] > '9'), "a symbol whose name is none");
    require(names.insert(symbol.name).second, "a symbol that comes twice");
  }
}

}  // namespace

kernel::Sizes sizes_of(const std::vector<RuleText::Symbol>& symbols) {
  require(symbols.size() <= Polynomial::kVariables, "too many variables");
  require_names(symbols);
  std::vector<Wide> lows;
  lows.reserve(symbols.size());
  for (const RuleText::Symbol& symbol : symbols) lows.emplace_back(symbol.low);
  return kernel::Sizes::from(lows);
}

kernel::Sizes sizes_of(const std::vector<RuleText::Symbol>& symbols, const Integers& only) {
  require(symbols.size() <= Polynomial::kVariables, "too many variables");
  require_names(symbols);
  require(symbols.size() == only.size(), "sizes of other symbols");
  std::vector<Wide> numbers;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    require(only[k] >= symbols[k].low, "a size below its bound");
    numbers.emplace_back(only[k]);
  }
  return kernel::Sizes::of(numbers);
}

bool SizeSet::decides(const Polynomial& p) const {
  if (shows(p)) return true;
  require(shows(Polynomial(-1) - p), "a case that is not decided");
  return false;
}

Polynomial SizeSet::quotient(const Polynomial& p, const Polynomial& by) const {
  const auto known = known_.quotient(p, by);
  require(known.has_value(), "a quotient of which nothing is shown");
  return *known;
}

Wide SizeSet::rest(const Polynomial& p, const Wide& m) const {
  const auto number = p.split(m).second.number();
  require(number.has_value(), "a rest that depends on sizes");
  return *number;
}

Polynomial SizeSet::value(const ExpressionText& said) const {
  const std::string& word = said.word;
  charge(32LL);
  if (word.empty()) return Wide(said.number);
  if (said.parts.empty()) {
    const auto found = std::ranges::find(symbols_, word, &RuleText::Symbol::name);
    require(found != symbols_.end(), "a name that is no symbol");
    return known_.symbols()[static_cast<std::size_t>(found - symbols_.begin())];
  }
  require(said.parts.size() == (word == "?" ? 4 : 2), "an operation of other parts");
  const Polynomial a = value(said.parts[0]), b = value(said.parts[1]);
  if (word == "+") return a + b;
  if (word == "-") return a - b;
  if (word == "*") return a * b;
  if (word == "//") return quotient(a, b);
  if (word == "ceil") return quotient(a + b - 1, b);
  if (word == "%") return a - quotient(a, b) * b;
  if (word == "?") return value(said.parts[decides(a - b) ? 2 : 3]);
  require(word == "min" || word == "max", "an operation that is not known");
  const bool first = shows(a - b) || (!shows(b - a) && decides(a - b));
  return first == (word == "max") ? a : b;
}

}  // namespace vl::checker
