#include "verifier/values_kernel/rows.h"

#include <algorithm>
#include <array>

#include "verifier/values_kernel/reductions.h"
#include "verifier/values_kernel/row_values.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

constexpr std::array kRows = {"mean",         "layernorm", "rmsnorm",         "variance", "welford",
                              "softmax",      "logsumexp", "argmax",          "argmin",   "topk",
                              "topk-indices", "sort",      "sort-descending", "cumsum",   "cumsum-reverse",
                              "pointwise",    "broadcast"};

bool one_of_words(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::find(words, word) != words.end();
}

// Statements of reductions about the same codes; what a row has besides is looked at before.
ReductionText reduced(ReductionText said, const char* operation) {
  said.operation = operation;
  said.max = "nan-wins";
  said.row.reset();
  return said;
}

// exx2 is another name of sumsq, and has what that has.
ReductionText squares_of(ReductionText said) {
  said.operation = "sumsq";
  return said;
}

// Codes of one sign and kind, along which the order is strict.
struct OrderedPiece {
  Code first = 0, last = 0;
  bool nan = false;
};

std::vector<OrderedPiece> ordered_pieces(const Format& f, const RowCodes& codes) {
  std::vector<OrderedPiece> out;
  const auto take = [&](Code low, Code high, bool nan) {
    for (const auto& [first, last] : codes)
      if (low <= high && first <= high && last >= low) out.push_back({std::max(first, low), std::min(last, high), nan});
  };
  const Code sign = f.sign();
  if (!f.is_float) {
    take(0, f.is_signed ? sign - 1 : f.mask(), false);
    if (f.is_signed) take(sign, f.mask(), false);
  } else if (f.one_zero) {
    take(0, sign - 1, false), take(sign, sign, true), take(sign + 1, f.mask(), false);
  } else {
    take(0, f.first_nan - 1, false), take(f.first_nan, sign - 1, true);
    take(sign, sign | (f.first_nan - 1), false), take(sign | f.first_nan, f.mask(), true);
  }
  return out;
}

void check_order(const RowQuestion& about) {
  const auto contents = ordered_pieces(about.type, about.contents), fill = ordered_pieces(about.type, about.fill);
  std::int64_t lowest = about.rank(contents.front().first);
  for (const auto& piece : contents) lowest = std::min({lowest, about.rank(piece.first), about.rank(piece.last)});
  const RowText& rules = *about.said.row;
  charge(16 * (fill.size() + 1) * (contents.size() + 1));
  const bool behind = rules.ties == "first" && rules.pads == "after";
  for (const auto& piece : fill)
    for (const Code pad : {piece.first, piece.last}) {
      require(about.rank(pad) <= lowest, "a pad that comes before an element");
      if (about.rank(pad) < lowest || behind) continue;
      require(!about.gives_places(), "a pad that ties with an element, and is taken for it");
      for (const auto& other : contents)
        for (const Code code : {other.first, other.last})
          require(about.rank(code) > lowest || about.same(pad, code), "a pad that ties with an element of other bits");
      // Of two NaNs all bits count, and those between the ends are others.
      for (const auto& other : contents)
        require(!piece.nan || !other.nan || about.said.equal != "bits" ||
                    (piece.first == piece.last && other.first == other.last),
                "a NaN that ties with an element of other bits");
    }
}

void check_exponentials(const RowQuestion& about) {
  const Format& f = about.type;
  std::optional<Code> low, high;
  for (const auto& piece : ordered_pieces(f, about.contents))
    for (const Code code : {piece.first, piece.last})
      if (!piece.nan) {
        if (!low || f.place(code) < f.place(*low)) low = code;
        if (!high || f.place(code) > f.place(*high)) high = code;
      }
  if (!low) return;  // every element is NaN
  require(about.said.row->blocks != "unguarded", "blocks of pads before the first number");
  for (const auto& piece : ordered_pieces(f, about.fill))
    for (const Code pad : {piece.first, piece.last}) {
      require(!piece.nan, "a NaN among the pads");
      if (f.infinite(pad) && f.negative(pad)) continue;
      require(about.said.row->blocks == "whole" && f.place(pad) < f.place(*low), "a pad that may be a maximum");
      const Code near = about.difference(pad, *low), far = about.difference(pad, *high);
      require(!about.wide.nan(near) && !about.wide.nan(far) && exp_is_zero(about.wide, near),
              "a pad whose exponential may not be +0");
    }
}

void check_row_proved(const RowQuestion& about) {
  Evidence none;
  if (about.is({"pointwise", "broadcast"})) return;
  if (about.orders()) return check_order(about);
  if (about.is({"softmax", "logsumexp"})) return check_exponentials(about);
  const bool forward = about.is({"cumsum"}) && about.said.row->pads == "after";
  if (forward) return;
  require(about.said.row->divide == "N" && !about.is({"variance", "welford"}), "no fill is neutral there");
  if (about.is({"mean", "cumsum", "cumsum-reverse", "layernorm"}))
    check_neutral(false, reduced(about.said, "sum"), none);
  if (!about.is({"layernorm", "rmsnorm"})) return;
  ReductionText squares = reduced(about.said, "sumsq");
  if (squares.equal == "any-nan+zero") squares.equal = "any-nan";  // 1/√ tells zeros apart
  check_neutral(false, squares, none);
}

// The shape of a row: pads where they may be, a valid element in each block where the statement says so.
void check_shape(const RowQuestion& about, const std::string& shape) {
  require(shape.size() <= 64, "a row that is too long");
  if (about.is({"mean"})) return;
  const RowText& rules = *about.said.row;
  require(shape.find_first_not_of("cp|") == std::string::npos, "a shape of other letters");
  require(rules.pads != "after" || shape.find("pc") == std::string::npos, "a pad before an element");
  require(rules.blocks != "whole" || shape.find('|') == std::string::npos, "blocks of a whole row");
  if (rules.blocks != "valid") return;
  for (std::size_t at = 0; at <= shape.size();) {
    const std::size_t end = std::min(shape.find('|', at), shape.size());
    require(shape.substr(at, end - at).find('c') != std::string::npos, "a block without a valid element");
    at = end + 1;
  }
}

// Where the results with and without pads first differ, of those that are known. Norms and variances make NaNs in their
// midst, whose bits no fact states: two NaNs show nothing there.
std::optional<std::pair<Code, Code>> difference_of(const RowQuestion& about, const RowShape& row) {
  check_shape(about, row.shape);
  const auto got = row_results(about, row, true), want = row_results(about, row, false);
  require(got.size() == want.size(), "results of another number");
  const bool statistic = about.is({"layernorm", "rmsnorm", "variance", "welford"});
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!got[i] || !want[i]) continue;
    if (statistic && about.wide.nan(*got[i]) && about.wide.nan(*want[i])) continue;
    if (!(about.gives_places() ? *got[i] == *want[i] : about.same(*got[i], *want[i])))
      return std::pair(*got[i], *want[i]);
  }
  return std::nullopt;
}

// Whether the element alone in its row has another result beside the pad.
bool pad_changes(const RowQuestion& about, Code element, Code pad) {
  const RowText& rules = *about.said.row;
  const std::string c(static_cast<std::size_t>(rules.k), 'c');
  std::vector<std::string> shapes{c + "p", c + "pp"};
  if (rules.pads != "after") shapes.insert(shapes.end(), {"p" + c, "pp" + c});
  if (one_of_words(rules.blocks, {"unguarded", "guarded"})) shapes.insert(shapes.end(), {"p|c", "c|p"});
  if (about.is({"mean"})) {
    shapes = {"cp+", "pc+", "cp+p+", "pp+c+"};
    if (about.said.start == "+0") shapes = {"sc+p+", "sp+c+", "sc+p+p+", "sp+p+c+"};
  }
  return std::ranges::any_of(shapes, [&](const std::string& shape) {
    const auto count = [&](char sign) { return static_cast<std::size_t>(std::ranges::count(shape, sign)); };
    return difference_of(about, {shape, std::vector<Code>(count('c'), element), std::vector<Code>(count('p'), pad)})
        .has_value();
  });
}

}  // namespace

bool is_row(const ReductionText& said) {
  return said.operation == "exx2" || std::ranges::find(kRows, said.operation) != kRows.end();
}

RowQuestion row_question_of(const ReductionText& said) {
  require(said.row.has_value() && !said.other && !said.fused, "a row without its rules, or with those of products");
  require(!said.rounding && !said.flush && !said.integers, "a row in another arithmetic");
  const RowText& row = *said.row;
  require(one_of_words(row.divide, {"N", "P"}) && one_of_words(row.ties, {"first", "last", "unspecified"}) &&
              one_of_words(row.pads, {"anywhere", "after"}) &&
              one_of_words(row.blocks, {"whole", "valid", "unguarded", "guarded"}) && row.k >= 1 && row.k <= 16 &&
              one_of_words(said.start, {"first", "+0"}) && one_of_words(said.order, {"any", "seq"}) &&
              one_of_words(said.equal, {"bits", "any-nan", "any-nan+zero"}) &&
              one_of_words(said.max, {"nan-wins", "nan-loses"}),
          "a word that is not known");
  RowQuestion out(said);
  const bool exponential = out.is({"softmax", "logsumexp"});
  require(row.divide == "N" || out.is({"mean", "layernorm", "rmsnorm", "variance", "welford"}), "a count of nothing");
  require(row.ties == "first" || out.orders(), "ties of what has no order");
  require(row.pads == "anywhere" || out.orders() || out.is({"cumsum", "cumsum-reverse"}), "pads that have no place");
  require(row.blocks == "whole" || (exponential && out.type.infinities), "blocks of what has none");
  require(row.k == 1 || out.is({"topk", "topk-indices"}), "a number of elements that nothing takes");
  require(said.max == "nan-wins" || (out.orders() && !out.is({"sort", "sort-descending"})), "a rule of no maximum");
  require(!exponential || said.equal != "bits", "bits of a NaN that no fact states");
  require(!out.orders() || said.type == said.accumulate, "an order of other codes");
  require(out.type.is_float || out.orders() || out.is({"cumsum", "cumsum-reverse", "pointwise", "broadcast"}),
          "integers that are divided");
  require(!out.contents.empty(), "contents without codes");
  return out;
}

void check_row(bool refuted, const ReductionText& said, Evidence& evidence) {
  if (said.operation == "exx2") return check_neutral(refuted, squares_of(said), evidence);
  const RowQuestion about = row_question_of(said);
  require(!about.fill.empty(), "a fill without codes");
  if (!refuted) return check_row_proved(about);
  const EvaluationText shown = take(evidence.evaluation);
  RowShape row{shown.shape, {}, {}};
  const auto read = [](const auto& terms, const RowCodes& among, std::vector<Code>& out) {
    charge(terms.size() * (among.size() + 16));  // and its evaluation
    for (const auto& [code, other] : terms) {
      require(other == "0x0", "a pair where there is none");
      out.push_back(code_of(code));
      require(
          std::ranges::any_of(among, [&](const auto& r) { return r.first <= out.back() && out.back() <= r.second; }),
          "a term of other codes");
    }
  };
  read(shown.valid, about.contents, row.valid);
  read(shown.pads, about.fill, row.pads);
  const auto found = difference_of(about, row);
  require(found.has_value(), "a row that no pad changes");
  require(found->first == code_of(shown.got) && found->second == code_of(shown.want), "results of another row");
}

void check_fills_of_rows(const ReductionText& said, Evidence& evidence) {
  if (said.operation == "exx2") return check_fills(squares_of(said), evidence);
  const RowQuestion about = row_question_of(said);
  require(about.type.bits <= 16, "codes that are too many to look at");
  if (!about.fill.empty()) check_row_proved(about);
  std::vector<Code> elements;
  const auto in = [](const RowCodes& codes, Code code) {
    charge(codes.size() + 1);
    return std::ranges::any_of(codes, [&](const auto& r) { return r.first <= code && code <= r.second; });
  };
  for (const std::string& text : take(evidence.elements)) {
    elements.push_back(code_of(text));
    require(in(about.contents, elements.back()), "an element of other contents");
  }
  for (Code pad = 0; pad <= about.type.mask(); ++pad) {
    if (in(about.fill, pad)) continue;
    const bool changed = std::ranges::any_of(elements, [&](Code element) { return pad_changes(about, element, pad); });
    require(changed || (in(about.contents, pad) && pad_changes(about, pad, pad)),
            "a code outside that changes none of these elements");
  }
}

}  // namespace vl::values_kernel
