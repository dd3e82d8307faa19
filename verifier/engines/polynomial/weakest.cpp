// When parts hold, in words: the leaves' paths, without what is not needed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {
namespace {

using Conjunction = std::vector<Literal>;

bool exclude(const Conjunction& a, const Conjunction& b) {
  return std::ranges::any_of(a, [&](const Literal& one) {
    return std::ranges::any_of(
        b, [&](const Literal& other) { return one.key == other.key && one.branch != other.branch; });
  });
}

// Leaves out what is not needed to keep all leaves away that do not hold. The leaves are everything, so what excludes
// all of those lies within the leaves that hold.
Conjunction generalised(Conjunction conjunction, const std::vector<Conjunction>& others) {
  for (std::size_t k = 0; k < conjunction.size();) {
    Conjunction without = conjunction;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
    const bool still = std::ranges::all_of(others, [&](const Conjunction& other) { return exclude(without, other); });
    if (still) conjunction = std::move(without);
    else ++k;
  }
  return conjunction;
}

// "P % 64 == 8", taken apart.
struct Remainder {
  std::string of;
  Index by = 0, is = 0;
};
std::optional<Remainder> remainder_of(const std::string& text) {
  const std::size_t percent = text.find(" % "), equal = text.find(" == ");
  if (percent == std::string::npos || equal == std::string::npos || equal < percent) return std::nullopt;
  Remainder out{text.substr(0, percent)};
  const char* const start = text.data();
  const auto by = std::from_chars(start + percent + 3, start + equal, out.by);
  const auto is = std::from_chars(start + equal + 4, start + text.size(), out.is);
  if (by.ptr != start + equal || is.ptr != start + text.size()) return std::nullopt;
  return out;
}

// P % 64 == 8 and P % 64 == 40 are P % 32 == 8. Of alternatives that are alike but for one remainder by an even number.
void merge_remainders(std::vector<std::vector<std::string>>& holds) {
  using Texts = std::vector<std::string>;
  std::set<Texts> all(holds.begin(), holds.end());
  const auto halved = [&](const Texts& texts) -> std::optional<std::pair<Texts, Texts>> {  // the twin, and both
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const auto rest = remainder_of(texts[k]);
      if (!rest || rest->by % 2 != 0) continue;
      const Index half = rest->by / 2;
      Texts twin = texts, both = texts;
      twin[k] = fmt::format("{} % {} == {}", rest->of, rest->by, rest->is < half ? rest->is + half : rest->is - half);
      both[k] = fmt::format("{} % {} == {}", rest->of, half, rest->is % half);
      std::ranges::sort(twin);
      std::ranges::sort(both);
      if (half == 1) both.erase(std::ranges::find(both, fmt::format("{} % 1 == 0", rest->of)));
      if (all.contains(twin)) return std::pair(std::move(twin), std::move(both));
    }
    return std::nullopt;
  };
  for (bool again = true; again;) {
    again = false;
    std::set<Texts> next;
    while (!all.empty()) {
      const Texts texts = *all.begin();
      auto merged = halved(texts);
      all.erase(texts);
      if (merged) all.erase(merged->first);
      next.insert(merged ? merged->second : texts);
      again = again || merged;
    }
    all = std::move(next);
  }
  holds.clear();
  for (const Texts& texts : all) holds.push_back(texts);
}

// "N + 1" as "N" and 1, "7" as "" and 7, "N" as "N" and 0.
std::pair<std::string, Index> with_number(std::string text) {
  Index number = 0;
  const std::size_t sign = std::max(text.rfind(" + ") + 1, text.rfind(" - ") + 1);  // 0: there is none
  const std::size_t digits = sign == 0 ? 0 : sign + 2;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + digits, end, number);
  if (read.ec != std::errc() || read.ptr != end) return {std::move(text), 0};
  if (sign > 0 && text[sign] == '-') number = -number;
  text.resize(sign == 0 ? 0 : sign - 1);
  return {std::move(text), number};
}

// "N <= 6", "P >= N + 1" and "P + 1 >= N", taken apart: what is bounded, by what, and what is added to the latter.
struct Bound {
  std::string of, by;
  bool at_most = false;
  Index number = 0;
};
std::optional<Bound> bound_of(const std::string& text) {
  for (const bool at_most : {true, false}) {
    const std::size_t at = text.find(at_most ? " <= " : " >= ");
    if (at == std::string::npos) continue;
    auto [of, less] = with_number(text.substr(0, at));
    auto [by, more] = with_number(text.substr(at + 4));
    const auto number = checked_add(more, -less);
    return number ? std::optional(Bound{std::move(of), std::move(by), at_most, *number}) : std::nullopt;
  }
  return std::nullopt;
}

// Whether `strong` says more than `weak`, of the same: P >= N + 1 more than P >= N.
bool exceeds(const Bound& strong, const Bound& weak) {
  return strong.of == weak.of && strong.by == weak.by && strong.at_most == weak.at_most &&
         (weak.at_most ? strong.number < weak.number : strong.number > weak.number);
}

bool implies(const std::string& strong, const std::string& weak) {
  if (strong == weak) return true;
  const auto one = bound_of(strong), other = bound_of(weak);
  return one && other && exceeds(*one, *other);
}

// Whether all that `small` asks holds where all that `large` asks does.
bool within(const std::vector<std::string>& small, const std::vector<std::string>& large) {
  return std::ranges::all_of(small, [&](const std::string& weak) {
    return std::ranges::any_of(large, [&](const std::string& strong) { return implies(strong, weak); });
  });
}

// Of N <= 6 and N <= 7 the first says both.
void leave_out_weaker(std::vector<std::string>& texts) {
  const std::vector<std::string> all = texts;
  std::erase_if(texts, [&](const std::string& text) {
    return std::ranges::any_of(all, [&](const std::string& other) { return other != text && implies(other, text); });
  });
}

// E <= 64 and E >= 64 are E = 64.
void join_bounds(std::vector<std::string>& texts) {
  for (std::size_t k = 0; k < texts.size();) {
    const std::size_t at = std::min(texts[k].find(" <= "), texts[k].size());
    const std::string left = texts[k].substr(0, at), right = texts[k].substr(at).empty() ? "" : texts[k].substr(at + 4);
    const auto other = std::ranges::find(texts, fmt::format("{} >= {}", left, right));
    if (other == texts.end()) {
      ++k;
      continue;
    }
    texts[k] = fmt::format("{} = {}", left, right);
    texts.erase(other);
    k = 0;
  }
  std::ranges::sort(texts);
}

}  // namespace

std::vector<std::vector<std::string>> without_implied(std::vector<std::vector<std::string>> alternatives) {
  for (auto& texts : alternatives) leave_out_weaker(texts);
  std::vector<std::vector<std::string>> kept, out;
  for (const auto& texts : alternatives)
    if (std::ranges::none_of(kept, [&](const auto& other) { return within(other, texts); })) kept.push_back(texts);
  for (const auto& texts : kept)
    if (std::ranges::none_of(kept, [&](const auto& other) { return other != texts && within(other, texts); }))
      out.push_back(texts);
  return out;
}

std::optional<Weakest> weakest(const Leaves& leaves) {
  constexpr std::size_t kMostLiterals = 24, kMostCompared = 20'000'000;
  std::size_t longest = 1;
  for (const Leaf& one : leaves.all) longest = std::max(longest, one.cell.path().size());
  const std::size_t compared = leaves.all.size() * longest;
  if (!leaves.complete || longest > kMostLiterals || compared * compared > kMostCompared) return std::nullopt;
  Weakest out;
  std::vector<Conjunction> others;
  for (const Leaf& one : leaves.all) {
    if (one.kind != Leaf::Kind::Holds) others.push_back(one.cell.path());
    if (one.kind == Leaf::Kind::Open) out.exact = false;
  }
  out.exact = out.exact && leaves.complete;
  for (const Leaf& one : leaves.all) {
    if (one.kind != Leaf::Kind::Holds) continue;
    std::vector<std::string> texts;
    for (const Literal& literal : generalised(one.cell.path(), others)) {
      if (literal.text.empty()) return std::nullopt;
      texts.push_back(literal.text);
    }
    leave_out_weaker(texts);
    std::ranges::sort(texts);
    out.holds.push_back(std::move(texts));
  }
  const auto rank = [](const std::vector<std::string>& texts) {
    const bool equal =
        std::ranges::any_of(texts, [](const std::string& text) { return text.find(" = ") != std::string::npos; });
    std::size_t letters = 0;  // so that M % 16 == 2 stands before M % 16 == 10
    for (const std::string& text : texts) letters += text.size();
    return std::make_tuple(equal, texts.size(), letters, texts);
  };
  merge_remainders(out.holds);
  std::ranges::sort(out.holds, {}, rank);
  out.holds = without_implied(std::move(out.holds));
  for (auto& texts : out.holds) join_bounds(texts);
  return out;
}

}  // namespace vl::engines
