// storeable: padding of the layout can hold these values,
//   ∀ v ∈ values: some code of the device's format is v.
// In a block format each group of lanes shares an exponent, the greatest of its lanes. Where groups have elements and
// pads, a value must leave every element as it is, whatever it is: only zero does, which has no sign there.
//
// `values` is a state (encodings/values/state.h). It is read in f64, so that an infinity and numbers of other formats
// have a meaning; each of them is then converted. Of a state with too many numbers, or with `bits:`, the words are
// those of the format, and name its own codes; beside `bits:` a word that the format has not is an error. Unsupported
// where no source states the device's format.
//
// Worked example: "-inf" on SEN169_FP16 is refuted, as dl16 has no infinity: it would be stored as NaN, 0xffff.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"

namespace vl::claims {
namespace {

using values::Code;
using values::CodeSet;
using values::Format;

constexpr Code kMostValues = 4096;

const Format& wide_format() { return *values::find_format("f64"); }

Counterexample not_stored(Code value, std::string words) {
  return {{{"value", static_cast<Index>(value)}}, std::move(words)};
}

bool keeps(const Format& format, Code wide) {
  if (!format.is_float()) {
    const auto number = std::bit_cast<double>(wide);
    const int bits = static_cast<int>(format.bits) - (format.kind == values::Kind::Signed ? 1 : 0);
    const double least = format.kind == values::Kind::Signed ? -std::ldexp(1.0, bits) : 0;
    return number == std::trunc(number) && (number != 0 || !std::signbit(number)) && number >= least &&
           number < std::ldexp(1.0, bits);
  }
  const Code stored = values::convert(wide_format(), format, wide);
  if (values::is_nan(wide_format(), wide)) return values::is_nan(format, stored);
  return values::convert(format, wide_format(), stored) == wide;
}

bool names_codes(std::string_view text) { return text.find("bits:") != std::string_view::npos; }

// Each value by itself: the other sets speak of the format's own codes.
bool is_looked_at(const Format& format, std::string_view text, const CodeSet& wide) {
  return format.is_float() && wide.count() <= kMostValues && !names_codes(text);
}

Verdict in_own_words(const Format& format, Inquiry& inquiry) {
  Verdict out = inquiry.proved();
  if (auto* proved = std::get_if<Proved>(&out))
    proved->note = fmt::format("the words are read in {}, and name its own codes", format.name);
  return out;
}

Verdict in_format(const StoredValues& about, const Format& format, const CodeSet& wide, Inquiry& inquiry) {
  if (!is_looked_at(format, about.values, wide)) {
    const auto own = values::parse_state(about.values, format, nullptr);
    if (own) return in_own_words(format, inquiry);
    for (const values::CodeRange& range : wide.ranges())
      for (const Code code : {range.first, range.last})
        if (!keeps(format, code)) return inquiry.refuted(not_stored(code, own.error().message));
    return Unknown{Reason::OutOfReach, "not looked at number by number: " + own.error().message, {}};
  }
  for (const values::CodeRange& range : wide.ranges())
    for (Code code = range.first; code - range.first <= range.last - range.first; ++code) {
      if (!keeps(format, code))
        return inquiry.refuted(not_stored(
            code, fmt::format("{} would be stored as {} of {}", values::in_words(wide_format(), code),
                              values::in_words(format, values::convert(wide_format(), format, code)), format.name)));
      if (code == range.last) break;
    }
  return inquiry.proved();
}

Verdict in_blocks(const StoredValues& about, const CodeSet& wide, Inquiry& inquiry) {
  if (about.to == nullptr) return unsupported("it is not known which lanes of a group are padding");
  const Index lanes = about.to->layout.logical().rank() == 0 ? 1 : about.to->layout.logical().dims().back().extent;
  if (about.to->group == 0 || lanes % about.to->group == 0)
    return unsupported("no group has elements and padding: what is stored there changes no element");
  for (const values::CodeRange& range : wide.ranges()) {
    // The code behind a zero is none.
    const Code first = values::is_zero(wide_format(), range.first) ? range.first + 1 : range.first;
    if (first <= range.last)
      return inquiry.refuted(not_stored(
          first, fmt::format("{} is not kept beside elements whose exponents it shares, or changes them: {} of {} "
                             "lanes of the last group hold elements",
                             values::in_words(wide_format(), first), lanes % about.to->group, about.to->group)));
  }
  return inquiry.proved();
}

Verdict storeable(const StoredValues& about, Inquiry& inquiry) {
  const auto wide = values::parse_state(about.values, wide_format(), nullptr);
  if (!wide) return in_own_words(*values::find_format(about.format), inquiry);
  if (about.format.starts_with("bfp"))
    return names_codes(about.values) ? unsupported("an element of a block format has no bits of its own")
                                     : in_blocks(about, *wide, inquiry);
  const Format* format = values::find_format(about.format);
  if (format == nullptr)
    return unsupported(about.format.empty() ? "no source states the numbers of an element on the device"
                                            : fmt::format("the numbers of {} are not covered", about.format));
  return in_format(about, *format, *wide, inquiry);
}

}  // namespace

std::optional<StoredAsked> stored_asked(const StoredValues& about) {
  auto wide = values::parse_state(about.values, wide_format(), nullptr);
  const Format* format = values::find_format(about.format);
  if (!wide && (format == nullptr || format->is_float())) return std::nullopt;
  if (wide && (about.format.starts_with("bfp") || (format != nullptr && is_looked_at(*format, about.values, *wide))))
    return StoredAsked{std::move(*wide), true};
  auto own = format != nullptr ? values::parse_state(about.values, *format, nullptr) : std::move(wide);
  return format != nullptr && own ? std::optional(StoredAsked{std::move(*own), false}) : std::nullopt;
}

std::optional<StoredValues> StoredValues::bind(Offer& offer) {
  const std::string_view* values = offer.argument("values");
  if (values == nullptr) return offer.wrong({}, {ErrorCode::Value, "the claim storeable needs values: a state"});
  // Integers beyond 2^53 are no numbers of f64, and may be some of the format.
  const Format* own = values::find_format(offer.reading.values);
  if (own != nullptr && !names_codes(*values) && (own->is_float() || !values::parse_state(*values, *own, nullptr)))
    own = nullptr;
  if (auto read = values::parse_state(*values, own != nullptr ? *own : wide_format(), nullptr); !read)
    return offer.wrong("values", read.error());
  if (offer.first() == nullptr) return std::nullopt;
  StoredValues out{nullptr, offer.reading.values, std::string(*values)};
  if (auto made = use::continued(offer.family, offer.text, offer.tensor, offer.reading))
    out.to = offer.keep(std::move(*made));
  return out;
}

extern const Claim kStoreable = {.name = "storeable",
                                 .statement = "padding of the layout can hold these values",
                                 .witness = "value",
                                 .keys = {"values", "-inf", true},
                                 .decide = storeable,
                                 .proof = {Part::Stated},
                                 .needs_tensor = true};

}  // namespace vl::claims
