// keeps: a store of a tensor map writes nothing beyond the rows of its tensor. Hardware clips a store's innermost
// dimension at a multiple of 16 bytes and not at the tensor's end: of a row of D·e bytes it writes
//   D·e <= x < min(⌈D·e⌉16, (c + T)·e)
// too, where the tile of T elements begins at coordinate c. All other dimensions are clipped where they end. Source:
// triton-lang/triton#11583, measured on an H100; #11893 calls it a limit of the hardware.
//
// allow = padding: bytes of a row that lie before the next one may be overwritten.
//
// With names for sizes it is one law of expressions, which is asked for all sizes of a tensor map:
//   min(⌈D·e⌉16, (c + T)·e) <= max(D·e, c·e), or with allow = padding, where c < D, <= max(D·e, stride).
//
// Example: u8 of 466 columns, stride 512, box of 128 at 384: bytes 466 to 479 of each row are written.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

constexpr Index kClip = 16;  // bytes

constexpr Index kLargestDim = Index{1} << 40, kLargestBox = 256, kFarthest = Index{1} << 31;

const map::Expression* expression_in(const use::Descriptor& of, const char* field, std::size_t k = 0) {
  const auto found = of.fields.find(field);
  if (found == of.fields.end() || k >= found->second.values.size()) return nullptr;
  return std::get_if<map::Expression>(&found->second.values[k]);
}

std::optional<Index> number_in(const use::Descriptor& of, const char* field, std::size_t k = 0) {
  const map::Expression* value = expression_in(of, field, k);
  return value == nullptr ? std::nullopt : value->number();
}

// How many coordinates of a dimension the store writes, of those that the tensor has.
std::optional<Index> rows_along(const use::Descriptor& of, std::size_t i) {
  const auto dim = number_in(of, "dim", i), box = number_in(of, "box", i), step = number_in(of, "step", i),
             at = number_in(of, "at", i);
  if (!dim || !box || !step || !at || *dim < 1 || *box < 1 || *step < 1) return std::nullopt;
  if (*at >= *dim) return 0;
  const Index low = std::max<Index>(0, ceil_div(-*at, *step));
  const Index high = std::min(ceil_div(*box, *step), floor_div(*dim - 1 - *at, *step) + 1);
  return std::max<Index>(0, high - low);
}

// Whether what it writes is known, whatever numbers its fields have; else why not.
std::optional<Verdict> why_unknown(const use::Descriptor& of, const Inquiry& inquiry) {
  const auto is = [&](const char* field, const char* word) {
    return of.fields.contains(field) && of.fields.at(field) == use::word_field(word);
  };
  if (of.kind != "tensormap") return unsupported("what a store of this kind writes is known of tensor maps alone");
  if (is("direction", "load")) return unsupported("a load writes shared memory");
  for (const char* field : {"direction", "at"})
    if (!of.fields.contains(field)) return inquiry.out_of_reach(fmt::format("not stated: {}", field));
  if (!is("interleave", "none") || is("format", "packed"))
    return unsupported("how interleaved and packed rows are clipped is not documented");
  return std::nullopt;
}

Verdict keeps(const Stored& about, Inquiry& inquiry) {
  const use::Descriptor& of = about.descriptor;
  if (auto why = why_unknown(of, inquiry)) return std::move(*why);
  const auto bits = number_in(of, "bits"), dim = number_in(of, "dim"), box = number_in(of, "box"),
             at = number_in(of, "at");
  std::optional<Index> rows = 1;
  for (std::size_t i = 1; rows && i < of.fields.at("dim").values.size(); ++i) {
    const auto along = rows_along(of, i);
    rows = along ? checked_mul(*rows, *along) : std::nullopt;
  }
  if (!bits || !dim || !box || !at || !rows || *dim < 1 || *dim > kLargestDim || *box < 1 || *box > kLargestBox ||
      *at < -kFarthest || *at >= kFarthest)
    return inquiry.out_of_reach("the box has names for sizes, or fields that no tensor map has");
  if (*rows == 0) return inquiry.vacuous("the store has no row of the tensor");
  const Index bytes = *bits / 8, end = *dim * bytes, clip = ceil_div(end, kClip) * kClip;
  const Index last = std::min(clip, (*at + *box) * bytes) - 1;
  if (last < end || *at * bytes > last) return inquiry.proved();
  if (*at >= *dim)
    return inquiry.out_of_reach("no document says what a tile writes that begins beyond the tensor's row");
  const auto stride = number_in(of, "stride");
  if (about.padding && !stride) return inquiry.out_of_reach("what lies behind the one row is not stated");
  if (about.padding && *stride > last) {
    Verdict out = inquiry.proved();
    std::get<Proved>(out).note =
        fmt::format("bytes {} to {} of each row are written, before the next row at {}", end, last, *stride);
    return out;
  }
  return inquiry.refuted(
      {{{"byte", end}, {"last", last}, {"rows", *rows}},
       fmt::format("bytes {} to {} are written in each of {} rows of {} bytes: a store is clipped at {} "
                   "bytes, not where the tensor ends",
                   end, last, *rows, end, kClip),
       true});
}

}  // namespace

std::optional<StoreLaw> law_of(const Stored& about) {
  using map::Expression;
  using Relation = map::Condition::Relation;
  const use::Descriptor& of = about.descriptor;
  const engines::Options none;
  const auto bits = number_in(of, "bits");
  const Expression *dim = expression_in(of, "dim"), *box = expression_in(of, "box"), *at = expression_in(of, "at"),
                   *stride = expression_in(of, "stride");
  if (why_unknown(of, Inquiry(none)) || !bits || dim == nullptr || box == nullptr || at == nullptr ||
      (about.padding && stride == nullptr))
    return std::nullopt;
  StoreLaw out;
  for (std::size_t i = 0; i < of.fields.at("dim").values.size(); ++i) {
    const Expression *size = expression_in(of, "dim", i), *tile = expression_in(of, "box", i),
                     *step = expression_in(of, "step", i), *begin = expression_in(of, "at", i);
    if (size == nullptr || tile == nullptr || step == nullptr || begin == nullptr) return std::nullopt;
    for (const Expression* least : {size, tile, step}) out.where.push_back({*least, Relation::AtLeast, 1, {}});
    out.where.push_back({*size, Relation::AtMost, kLargestDim, {}});
    out.where.push_back({*tile, Relation::AtMost, kLargestBox, {}});
    out.where.push_back({0 - *begin, Relation::AtMost, kFarthest, {}});
    out.where.push_back({*begin, Relation::Less, kFarthest, {}});
  }
  bool possible = true;
  std::erase_if(out.where, [&](const map::Condition& one) {
    const auto held = map::holds(one, {});  // of numbers
    possible = possible && (!held || *held);
    return held.has_value();
  });
  if (!possible) return std::nullopt;
  const Expression bytes(*bits / 8), end = *dim * bytes;
  const Expression clip = Expression::of(Expression::Kind::Ceil, end, kClip) * kClip;
  const auto larger = [](const Expression& a, const Expression& b) {
    return Expression::of(Expression::Kind::Max, a, b);
  };
  const Expression beside = larger(end, *at * bytes);
  out.law = {Expression::of(Expression::Kind::Min, clip, (*at + *box) * bytes),
             Relation::AtMost,
             about.padding ? Expression::chosen(*at, *dim, beside, larger(end, *stride)) : beside,
             {}};
  return out;
}

std::vector<use::Rule> stored_rules(const Verdict& verdict) {
  const auto* refuted = std::get_if<question::Refuted>(&verdict);
  if (refuted == nullptr) return {{"no byte is written beyond a row", 1, 1}};
  const auto& fields = refuted->counterexample.fields;
  const Index byte = std::get<Index>(fields[0].second), last = std::get<Index>(fields[1].second);
  return {{fmt::format("bytes written beyond a row, from {}", byte), last - byte + 1, 0}};
}

std::optional<Stored> Stored::bind(Offer& offer) {
  return offer.wrong({}, {ErrorCode::Value,
                          "'keeps' is asked of a store alone: --transfer 'store …', or a case with the "
                          "key 'transfer'",
                          0});
}

extern const Claim kKeeps = {.name = "keeps",
                             .statement = "a store writes nothing beyond the rows of its tensor",
                             .witness = "byte, last, rows",
                             .keys = {"allow", "padding", true},
                             .decide = keeps,
                             .proof = {Part::Stated},
                             .lifted = Lifted::Rules};

}  // namespace vl::claims
