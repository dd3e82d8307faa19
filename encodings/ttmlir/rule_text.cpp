#include "encodings/ttmlir/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace vl::ttmlir {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";
constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::size_t kMostDims = 64;  // of a map that is read here, and terms

// Takes expressions out of a text, and keeps the first error.
class NamedReader {
 public:
  explicit NamedReader(std::string_view text) : text_(text) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // Where the first character that is not blank stands, from `at` on.
  [[nodiscard]] std::size_t skipped(std::size_t at) const {
    return std::min(text_.find_first_not_of(kBlanks, at), text_.size());
  }
  [[nodiscard]] bool is(char c, std::size_t at) const { return at < text_.size() && text_[at] == c; }

  // The end of what begins at `at`: the first of these characters outside of parentheses, or the end of the text.
  [[nodiscard]] std::size_t end_of(std::size_t at, std::string_view ends) const {
    for (int open = 0; at < text_.size(); ++at) {
      if (open == 0 && ends.find(text_[at]) != text_.npos) break;
      open += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
    }
    return at;
  }

  NamedSize expression(std::size_t at, std::size_t end) {
    while (end > at && kBlanks.find(text_[end - 1]) != text_.npos) --end;
    NamedSize out{at, end, 1};
    if (at == end) fail({ErrorCode::Syntax, "expected a size; a name with an x stands in parentheses", at});
    if (error_) return out;
    auto value = map::parse_expression(text_.substr(at, end - at));
    if (!value) fail({value.error().code, value.error().message, at + value.error().offset});
    else out.value = std::move(*value);
    parts_ += out.value.size();
    if (parts_ > map::kMostParts)
      fail({ErrorCode::Syntax, fmt::format("a layout of more than {} parts", map::kMostParts), at});
    return out;
  }

  // A x B x C from `at` on. Of `cells` the last piece is a type.
  std::vector<NamedSize> sizes(std::size_t at, bool cells) {
    std::vector<NamedSize> out;
    for (;; ++at) {
      at = skipped(at);
      const std::size_t end = end_of(at, "x,<>!=:#");
      const bool more = is('x', end);
      if (!more && (cells || (out.empty() && end == at))) return out;
      out.push_back(expression(at, end));
      if (!more || error_) return out;
      at = end;
    }
  }

  // (d0, d1) -> (d0 * N + d1, 0) from `at` on, and where it ends. Nothing of a map of another form: d0 * N - 1 is a
  // difference and no multiple of d0, and d0 * N mod 3 is a remainder.
  std::optional<std::vector<NamedTerm>> terms(std::size_t& at) {
    std::vector<std::string_view> dims;
    for (char before = '('; before != ')';) {
      if (at = skipped(at); !is(before, at)) return std::nullopt;
      const std::size_t start = skipped(at + 1), end = end_of(start, ",) ");
      dims.push_back(text_.substr(start, end - start));
      if (dims.size() > kMostDims) return std::nullopt;
      at = skipped(end);
      before = is(')', at) ? ')' : ',';
    }
    at = skipped(at + 1);
    if (!text_.substr(at).starts_with("->")) return std::nullopt;
    at = skipped(at + 2);
    if (!is('(', at)) return std::nullopt;
    dims_ = dims;
    std::vector<NamedTerm> out;
    for (std::size_t result = 0; !error_;) {
      const std::size_t start = skipped(at + 1), end = end_of(start, "+,)"), times = end_of(start, "*+,)");
      std::string_view name = text_.substr(start, times - start);
      name = name.substr(0, std::min(name.find_last_not_of(kBlanks) + 1, name.size()));
      const auto dim = std::ranges::find(dims, name);
      if (dim != dims.end()) {
        NamedTerm term{result, static_cast<std::size_t>(dim - dims.begin()), {end, end, 1}};
        if (times < end) {
          const std::size_t from = skipped(times + 1);
          if (!is_product(text_.substr(from, end - from))) return std::nullopt;
          term.factor = expression(from, end);
        }
        out.push_back(std::move(term));
        if (out.size() > kMostDims) return std::nullopt;
      } else if (name.empty() || times < end || name.find_first_not_of("0123456789") != name.npos) {
        return std::nullopt;
      }
      at = end;
      if (is(',', at)) ++result;
      else if (!is('+', at)) break;
    }
    if (!is(')', at)) return std::nullopt;
    ++at;
    return out;
  }

  // Whether an expression has the name of a dimension of the map, where it would be another thing.
  [[nodiscard]] bool has_dimension(const std::vector<NamedSize>& sizes) const {
    std::vector<std::string> names;
    for (const NamedSize& size : sizes) map::add_names(size.value, names);
    return std::ranges::any_of(names, [&](const std::string& name) { return std::ranges::count(dims_, name) > 0; });
  }

 private:
  // Numbers, names, functions of them and parentheses, with nothing between them but *.
  static bool is_product(std::string_view text) {
    bool factor = false;  // what was read last
    int open = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      if (kBlanks.find(c) != kBlanks.npos) continue;
      if (open == 0 && c != ')' && factor != (c == '*')) return false;
      if (c == '(') ++open;
      if (c == ')' && open-- == 0) return false;
      if (open > 0) continue;
      if (c == '*' || c == ')') {
        factor = c == ')';
        continue;
      }
      const std::size_t end = std::min(text.find_first_not_of(kWord, at), text.size());
      if (end == at) return false;
      at = end - 1;
      factor =
          text[std::min(text.find_first_not_of(kBlanks, end), text.size() - 1)] != '(';  // of a function it goes on
    }
    return factor && open == 0;
  }

  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  std::string_view text_;
  std::size_t parts_ = 0;
  std::vector<std::string_view> dims_;  // of the map
  std::optional<Error> error_;
};

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// Where the value of a field begins; nothing if the text has no such field.
std::optional<std::size_t> field_of(std::string_view text, std::string_view field) {
  const std::size_t at = text.find(field);
  const std::size_t equal = at == std::string_view::npos ? at : text.find('=', at);
  return equal == std::string_view::npos ? std::nullopt : std::optional(equal + 1);
}

// The text with 1 for each expression that is not written as a number, in which all else stays where it is.
std::string with_ones(std::string_view text, const NamedSizes& sizes) {
  std::string out(text);
  for (const NamedSize& size : sizes.all()) {
    if (is_digits(text.substr(size.start, size.end - size.start))) continue;
    out.replace(size.start, size.end - size.start, size.end - size.start, ' ');
    out[size.start] = '1';
  }
  return out;
}

// The first name; empty if there is none.
std::string first_of(const NamedSizes& sizes) {
  std::vector<std::string> names;
  for (const NamedSize& size : sizes.all()) map::add_names(size.value, names);
  return names.empty() ? std::string() : names.front();
}

}  // namespace

std::vector<NamedSize> NamedSizes::all() const {
  std::vector<NamedSize> out;
  for (const auto* list : {&tensor, &logical, &alignments, &grid, &shard})
    out.insert(out.end(), list->begin(), list->end());
  for (const NamedTerm& term : terms)
    if (term.factor.start < term.factor.end) out.push_back(term.factor);
  std::ranges::sort(out, {}, &NamedSize::start);
  return out;
}

Result<std::optional<NamedSizes>> named_sizes(std::string_view text) {
  NamedSizes out;
  NamedReader in(text);
  const std::size_t attribute = text.find('#'), tensor = text.find("tensor");
  const std::size_t bracket = text.find('<', attribute);
  if (bracket == std::string_view::npos) return std::optional<NamedSizes>();
  if (tensor < attribute)
    if (const std::size_t open = text.find('<', tensor); open < attribute) out.tensor = in.sizes(open + 1, true);
  const auto logical = field_of(text, "logical_shape"), alignments = field_of(text, "dim_alignments");
  std::size_t at = bracket + 1;
  if (logical && alignments) {
    out.logical = in.sizes(*logical, false);
    out.alignments = in.sizes(*alignments, false);
  } else if (text.find("->", bracket) != std::string_view::npos) {
    auto terms = in.terms(at);
    if (in.error()) return *in.error();
    if (!terms) out.no_sums = "a map that is no sum of dimensions, each with a product as its factor,";
    if (terms) out.terms = std::move(*terms);
    else at = in.end_of(std::min(text.find('(', text.find("->", bracket)), text.size() - 1) + 1, ")");
    const std::size_t grid = text.find('<', at), memref = text.find("memref", at);
    const std::size_t shard = text.find('<', std::min(memref, text.size()));
    if (grid > memref || shard == std::string_view::npos) return std::optional<NamedSizes>();
    out.grid = in.sizes(grid + 1, false);
    out.shard = in.sizes(shard + 1, true);
    if (in.has_dimension(out.all())) out.no_sums = "a size with the name of a dimension";
    if (!out.no_sums.empty()) out.terms.clear();
  } else {
    return std::optional<NamedSizes>();
  }
  if (in.error()) return *in.error();
  return std::optional(std::move(out));
}

namespace {

RuleGrid grid_of(const NamedSizes& sizes, const Cells& cells, bool aligned) {
  std::vector<NamedSize> grid = aligned ? sizes.tensor : sizes.grid;
  if (aligned) grid.resize(grid.size() / 2);
  RuleGrid out{grid.size() == 2, {}, {}};
  for (const NamedSize& size : grid) {
    const auto number = size.value.number();
    out.is_small = out.is_small && number && *number <= kLeastSide;
    out.grid += map::print(size.value) + " ";
  }
  for (const NamedSize& size : aligned ? sizes.tensor : sizes.shard) out.shapes += map::print(size.value) + " ";
  const Tile tile = cells.tile.value_or(Tile{});
  out.shapes = fmt::format("{}/ {}of {}x{} {}", out.grid, out.shapes, tile.height, tile.width, cells.type);
  return out;
}

}  // namespace

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  use::Reading reading{
      use::Undecidable{"this form with names is not encoded for all sizes"}, {}, std::string(text), {}, 0, {}};
  const auto sizes = named_sizes(text);
  if (!sizes) return sizes.error();
  const auto parsed = parse(*sizes ? with_ones(text, **sizes) : std::string(text));
  if (!parsed) return parsed.error();
  if (!*sizes || (first_of(**sizes).empty() && !map::has_symbols(tensor))) {
    reading.what = map::Rule{};  // of no symbol
    return reading;
  }
  if (const std::string_view why = (*sizes)->no_sums; !why.empty()) {
    const auto* metal = std::get_if<MapLayout>(&parsed->layout);
    const auto* ttnn = std::get_if<TtnnLayout>(&parsed->layout);
    const bool divides = (metal != nullptr && !metal->linear.linear) || (ttnn != nullptr && !ttnn->linear.linear);
    reading.what = use::Undecidable{
        fmt::format("{} beside names is not encoded for all sizes", divides ? "a map with floordiv or mod" : why)};
  }
  if (!(*sizes)->no_sums.empty() || parsed->layout.index() > 2) return reading;
  const bool aligned = rule_of(*parsed) == 'B';
  if (aligned && !parsed->of) return reading;
  const Cells& cells = aligned                                             ? *parsed->of
                       : std::holds_alternative<MapLayout>(parsed->layout) ? std::get<MapLayout>(parsed->layout).shard
                                                                           : std::get<TtnnLayout>(parsed->layout).shard;
  reading.device_bits = device_bits(cells);
  reading.unsized = unsized(*parsed, cells);
  reading.block_tile = block_tile_of(cells);
  tell_memory(*parsed, reading);
  if (const auto type = map::element_type_of(cells.type)) reading.values = map::name(*type);
  reading.rule = statement_of(rule_of(*parsed));
  reading.chips = tell_chips_of_rule(*parsed, grid_of(**sizes, cells, aligned));
  add_steady_warnings(*parsed, cells, reading.warnings);
  if (aligned) read_aligned_rule(**sizes, *parsed, tensor, reading);
  else read_mapped_rule(**sizes, *parsed, tensor, reading);
  return reading;
}

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  const auto named = named_sizes(text);
  if (!named) return named.error();
  return *named ? use::with_sizes(text, (*named)->all(), sizes) : std::string(text);
}

std::string first_name(std::string_view text) {
  const auto named = named_sizes(text);
  return named && *named && parse(with_ones(text, **named)) ? first_of(**named) : std::string();
}

}  // namespace vl::ttmlir
