// keeps: a store of a tensor map writes nothing beyond the rows of its tensor. Hardware clips a store's innermost
// dimension at a multiple of 16 bytes and not at the tensor's end: of a row of D·e bytes it writes
//   D·e <= x < min(⌈D·e⌉16, (c + T)·e)
// too, where the tile of T elements begins at coordinate c. All other dimensions are clipped where they end. Source:
// triton-lang/triton#11583, measured on an H100; #11893 calls it a limit of the hardware.
//
// allow = padding: bytes of a row that lie before the next one may be overwritten.
//
// Example: u8 of 466 columns, stride 512, box of 128 at 384: bytes 466 to 479 of each row are written.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

constexpr Index kClip = 16;  // bytes

std::optional<Index> number_in(const use::Descriptor& of, const char* field, std::size_t k = 0) {
  const auto found = of.fields.find(field);
  if (found == of.fields.end() || k >= found->second.values.size()) return std::nullopt;
  const auto* value = std::get_if<map::Expression>(&found->second.values[k]);
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

Verdict keeps(const Stored& about, Inquiry& inquiry) {
  const use::Descriptor& of = about.descriptor;
  const auto is = [&](const char* field, const char* word) {
    return of.fields.contains(field) && of.fields.at(field) == use::word_field(word);
  };
  if (of.kind != "tensormap") return unsupported("what a store of this kind writes is known of tensor maps alone");
  if (is("direction", "load")) return unsupported("a load writes shared memory");
  for (const char* field : {"direction", "at"})
    if (!of.fields.contains(field)) return inquiry.out_of_reach(fmt::format("not stated: {}", field));
  if (!is("interleave", "none") || is("format", "packed"))
    return unsupported("how interleaved and packed rows are clipped is not documented");
  const auto bits = number_in(of, "bits"), dim = number_in(of, "dim"), box = number_in(of, "box"),
             at = number_in(of, "at");
  std::optional<Index> rows = 1;
  for (std::size_t i = 1; rows && i < of.fields.at("dim").values.size(); ++i) {
    const auto along = rows_along(of, i);
    rows = along ? checked_mul(*rows, *along) : std::nullopt;
  }
  if (!bits || !dim || !box || !at || !rows || *dim < 1 || *dim > Index{1} << 40 || *box < 1 || *box > 256 ||
      *at < -(Index{1} << 31) || *at >= Index{1} << 31)
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
                             .decide = keeps};

}  // namespace vl::claims
