// Maps, the second meaning: the grammar of encodings/map/text.h and its stages, one after the other, on lists of
// numbers. A row is a sum of products, a split divides and keeps the rest, a swizzle moves bits. It shares no code with
// the IR.
#include "encodings/use/reference.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace vl::maps {
namespace {

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; }

constexpr Index kMostCopies = Index{1} << 16;  // of one element

struct Dim {
  std::string name;
  Index extent = 0;
};

// A stage as it is written: its name, and what stands in its brackets in words and signs.
struct Said {
  std::vector<Dim> domain, box;
  bool boxed = false;
  std::vector<std::pair<std::string, std::vector<std::string>>> stages;
};

bool is_part(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Words, and signs by themselves; "->" is one.
std::vector<std::string> cut(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_part(text[at]))
      while (end < text.size() && is_part(text[end])) ++end;
    else if (text.substr(at).starts_with("->")) end = at + 2;
    if (std::string_view(" \t\r\n").find(text[at]) == std::string_view::npos)
      out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::optional<Index> number(std::string_view word) {
  Index out = 0;
  const auto [stop, code] = std::from_chars(word.data(), word.data() + word.size(), out);
  return code == std::errc{} && stop == word.data() + word.size() ? std::optional(out) : std::nullopt;
}

// NAME : EXTENT [@ UNIT], …
std::optional<std::vector<Dim>> dims_of(const std::vector<std::string>& words) {
  std::vector<Dim> out;
  for (std::size_t k = 0; k < words.size();) {
    if (!out.empty() && words[k++] != ",") return std::nullopt;
    const auto extent = k + 2 < words.size() && words[k + 1] == ":" ? number(words[k + 2]) : std::nullopt;
    if (!extent || *extent < 0) return std::nullopt;
    out.push_back({words[k], *extent});
    k += 3;
    if (k + 1 < words.size() && words[k] == "@") k += 2;
  }
  return out;
}

Result<Said> read(std::string_view text) {
  const std::vector<std::string> words = cut(text);
  Said out;
  for (std::size_t k = 0; k < words.size();) {
    const bool first = k == 0;
    if (!first && words[k++] != "->") return wrong("expected ->");
    const std::string name = k < words.size() && words[k] != "(" ? words[k++] : std::string();
    if (k >= words.size() || words[k] != "(") return wrong("expected a bracket");
    std::vector<std::string> inside;
    for (++k; k < words.size() && words[k] != ")"; ++k) inside.push_back(words[k]);
    if (k++ >= words.size()) return wrong("a bracket that is not closed");
    if (!name.empty()) {
      if (first || out.boxed) return wrong("a stage at a wrong place");
      out.stages.emplace_back(name, std::move(inside));
      continue;
    }
    auto dims = dims_of(inside);
    if (!dims || out.boxed) return wrong("expected dimensions");
    if (first) out.domain = std::move(*dims);
    else out.box = std::move(*dims), out.boxed = true;
  }
  return out;
}

// A value and the interval in which it lies, as far as the stages before it say.
struct Value {
  Index at = 0, low = 0, high = 0;
};

bool add(Value& sum, Index factor, const Value& value) {
  return accumulate(sum.at, factor, value.at) && accumulate(sum.low, factor, factor < 0 ? value.high : value.low) &&
         accumulate(sum.high, factor, factor < 0 ? value.low : value.high);
}

// SIGN [INTEGER *] xN | SIGN INTEGER, one after the other.
std::optional<Value> sum_of(const std::vector<std::string>& words, std::size_t& k, const std::vector<Value>& values) {
  Value sum;
  for (bool first = true; k < words.size() && words[k] != ","; first = false) {
    Index sign = 1;
    if (words[k] == "-" || words[k] == "+") sign = words[k++] == "-" ? -1 : 1;
    else if (!first) return std::nullopt;
    Index factor = sign;
    if (k < words.size() && number(words[k])) {
      const auto scaled = number((sign < 0 ? "-" : "") + words[k++]);
      if (!scaled) return std::nullopt;
      factor = *scaled;
      if (k >= words.size() || words[k] != "*") {
        if (!add(sum, factor, {1, 1, 1})) return std::nullopt;
        continue;
      }
      ++k;
    }
    const auto input = k < words.size() && words[k].starts_with("x") ? number(words[k].substr(1)) : std::nullopt;
    if (!input || *input < 0 || static_cast<std::size_t>(*input) >= values.size()) return std::nullopt;
    if (!add(sum, factor, values[static_cast<std::size_t>(*input)])) return std::nullopt;
    ++k;
  }
  return sum;
}

bool run_affine(const std::vector<std::string>& words, std::vector<Value>& values) {
  std::vector<Value> out;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto sum = sum_of(words, k, values);
    if (!sum) return false;
    out.push_back(*sum);
  }
  values = std::move(out);
  return true;
}

// The numbers of a stage: INPUT ; n, n, …
std::vector<Index> numbers_of(const std::vector<std::string>& words) {
  std::vector<Index> out;
  for (const std::string& word : words)
    if (const auto value = number(word)) out.push_back(*value);
  return out;
}

bool run_split(const std::vector<std::string>& words, std::vector<Value>& values) {
  const std::vector<Index> numbers = numbers_of(words);
  if (numbers.size() < 2 || numbers[0] < 0 || static_cast<std::size_t>(numbers[0]) >= values.size()) return false;
  const auto at = static_cast<std::size_t>(numbers[0]);
  Value rest = values[at];
  std::vector<Value> digits;
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    const Index w = numbers[k];
    if (w < 1) return false;
    digits.push_back({floor_div(rest.at, w), floor_div(rest.low, w), floor_div(rest.high, w)});
    rest.at = floor_mod(rest.at, w);
    const bool same = digits.back().low == digits.back().high;  // no carry in between
    rest.low = same ? floor_mod(rest.low, w) : 0;
    rest.high = same ? floor_mod(rest.high, w) : w - 1;
  }
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(at));
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), digits.begin(), digits.end());
  return true;
}

bool run_swizzle(const std::vector<std::string>& words, std::vector<Value>& values) {
  const std::vector<Index> n = numbers_of(words);
  if (n.size() != 4 || n[0] < 0 || static_cast<std::size_t>(n[0]) >= values.size() || n[1] < 0 || n[2] < 0 ||
      n[3] < 1 || n[1] > 62 || n[2] > 62 || n[3] > 62 || n[1] + n[2] + n[3] > 62)
    return false;
  Value& value = values[static_cast<std::size_t>(n[0])];
  if (value.low < 0) return false;
  const Index ones = (Index{1} << n[2]) - 1;
  const bool down = words.back() == "down";
  const Index from = down ? n[1] + n[3] : n[1], to = down ? n[1] : n[1] + n[3];
  value.at ^= ((value.at >> from) & ones) << to;
  Index all = 0;  // every bit below the largest value's, and those that the field can set
  for (Index bit = value.high; bit > 0; bit >>= 1) all = (all << 1) | 1;
  if (n[2] > 0 && all >> from != 0) all |= ones << to;
  value.low = 0, value.high = all;
  return true;
}

std::optional<std::vector<Value>> run(const Said& said, std::vector<Value> values) {
  for (const auto& [name, words] : said.stages) {
    const bool ran = name == "affine"    ? run_affine(words, values)
                     : name == "split"   ? run_split(words, values)
                     : name == "swizzle" ? run_swizzle(words, values)
                                         : false;
    if (!ran) return std::nullopt;
  }
  return values;
}

std::size_t logical_of(const std::vector<Dim>& domain) {
  std::size_t first = domain.size();
  for (std::size_t k = domain.size(); k-- > 0;)
    if (domain[k].name.starts_with("r") && domain[k].name.size() > 1) {
      bool named = true;
      for (std::size_t j = k; j < domain.size(); ++j) named = named && domain[j].name == "r" + std::to_string(j - k);
      if (named) first = k;
    }
  return first;
}

std::vector<Value> point_of(const std::vector<Dim>& domain, const std::vector<Index>& at) {
  std::vector<Value> out;
  for (std::size_t k = 0; k < domain.size(); ++k) out.push_back({at[k], 0, std::max<Index>(domain[k].extent - 1, 0)});
  return out;
}

// Row-major coordinates of a number.
void spread(Index number, std::span<const Dim> dims, std::vector<Index>& out) {
  std::vector<Index> at(dims.size());
  for (std::size_t k = dims.size(); k-- > 0; number /= std::max<Index>(dims[k].extent, 1))
    at[k] = number % std::max<Index>(dims[k].extent, 1);
  out.insert(out.end(), at.begin(), at.end());
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  auto said = read(text);
  if (!said) return said.error();
  const std::size_t logical = logical_of(said->domain);
  Index elements = 1, size = 1, copies = 1;
  for (const Index extent : tensor.size)
    if (__builtin_mul_overflow(size, extent, &size)) return wrong("a tensor beyond 64 bits");
  for (std::size_t k = 0; k < said->domain.size(); ++k)
    if (__builtin_mul_overflow(k < logical ? elements : copies, said->domain[k].extent,
                               k < logical ? &elements : &copies))
      return wrong("a domain beyond 64 bits");
  if (size != elements || copies > kMostCopies) return wrong("another number of elements, or too many replicas");
  const auto first = run(*said, point_of(said->domain, std::vector<Index>(said->domain.size(), 0)));
  if (!first) return wrong("a stage that is none, or a number beyond 64 bits");
  if (!said->boxed) {
    const auto swizzles = [](const auto& stage) { return stage.first == "swizzle"; };
    if (first->size() != 1 || std::ranges::any_of(said->stages, swizzles)) return wrong("it needs a box");
    said->box = {{"m", std::max<Index>(first->front().high, 0) + 1}};
  }
  if (said->box.size() > first->size()) return wrong("more dimensions than outputs");
  return use::Slots([said = std::move(*said), shape = tensor.size, logical, copies](std::span<const Index> x) {
    Index element = 0;
    for (std::size_t d = 0; d < x.size(); ++d) element = element * shape[d] + x[d];
    std::vector<Point> out;
    for (Index copy = 0; copy < copies; ++copy) {
      std::vector<Index> at;
      spread(element, std::span(said.domain).first(logical), at);
      spread(copy, std::span(said.domain).subspan(logical), at);
      const auto values = run(said, point_of(said.domain, at));
      if (!values) continue;
      Point slot;
      bool inside = true;
      for (std::size_t k = 0; k < values->size(); ++k) {
        const Index value = (*values)[k].at;
        inside = inside && (k < said.box.size() ? value >= 0 && value < said.box[k].extent : value == 0);
        if (k < said.box.size()) slot.push_back(value);
      }
      if (inside) out.push_back(std::move(slot));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  });
}

}  // namespace
}  // namespace vl::maps

namespace vl::map {

const use::Reference& reference();
const use::Reference& reference() {
  static constexpr use::Reference kReference{"map", maps::slots};
  return kReference;
}

}  // namespace vl::map
