#include "verifier/claims/offer.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "encodings/base/words.h"
#include "encodings/use/shards.h"

namespace vl::claims {

const std::string_view* Offer::argument(std::string_view key) const {
  const auto found = std::ranges::find(arguments, key, &use::LawArgument::key);
  return found == arguments.end() ? nullptr : &found->text;
}

std::optional<Index> Offer::integer(std::string_view key, std::string_view what) {
  Cursor in(*argument(key));
  const Index value = in.integer(what);
  in.expect_end();
  return in.failed() ? std::optional<Index>(wrong(key, in.error())) : value;
}

namespace {

std::optional<Index> bytes_of(const use::Chip& chip, std::string_view memory, std::string_view access) {
  const bool l1 = memory == "l1", dram = memory == "dram";
  if (access.empty() && (l1 || dram)) return l1 ? chip.l1 : chip.dram;
  if (!l1 && !dram && memory != "pcie") return std::nullopt;
  const use::Chip::Alignment& of = l1 ? chip.of_l1 : dram ? chip.of_dram : chip.of_pcie;
  if (access == "read") return of.read;
  return access == "write" ? std::optional(of.write) : std::nullopt;
}

}  // namespace

std::optional<Index> Offer::bytes(std::string_view key, std::string_view what) {
  const std::vector<std::string_view> words = words_of(*argument(key));
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+'; };
  if (words.empty() || is_digit(words[0][0])) return integer(key, what);
  const use::Chip* chip = take(read_chip(key, words[0]));
  if (chip == nullptr) return std::nullopt;
  if (words.size() == 1 && reading.memory == "system")
    return wrong(key, {ErrorCode::Value,
                       fmt::format("the layout is in system memory, which is none of a chip's: "
                                   "expected {}, or a memory, as in '{} l1'",
                                   what, chip->name),
                       0});
  const std::string_view memory = words.size() > 1 ? words[1] : reading.memory == "dram" ? "dram" : "l1";
  const auto found =
      words.size() > 3 ? std::nullopt : bytes_of(*chip, memory, words.size() > 2 ? words[2] : std::string_view{});
  if (found) return found;
  return wrong(key, {ErrorCode::Value,
                     fmt::format("expected {}, or a chip with l1 or dram, as in '{} dram', and for transfers (also of "
                                 "pcie) read or write behind it",
                                 what, chip->name),
                     0});
}

const map::Layout* Offer::first() {
  if (!undecidable && reading.undecidable() != nullptr) undecidable = *reading.undecidable();
  return reading.layout();
}

const use::Reading* Offer::second(const map::Tensor& of) {
  const use::Reading* read = take(read_second(of));
  if (read == nullptr || read->layout() != nullptr) return read;
  undecidable = *read->undecidable();
  return nullptr;
}

std::optional<Offer::Compared> Offer::compared(const use::Reading& second) {
  if (places_alone) return Compared{*reading.layout(), *second.layout()};
  if (std::string why = use::rows_apart(reading, second); !why.empty()) {
    undecidable = use::Undecidable{std::move(why)};
    return std::nullopt;
  }
  auto both = use::in_common(reading, second);
  if (!both) {
    undecidable = use::Undecidable{both.error().message};
    return std::nullopt;
  }
  const map::Layout* a = both->a ? keep(std::move(*both->a)) : reading.layout();
  const map::Layout* b = both->b ? keep(std::move(*both->b)) : second.layout();
  return Compared{*a, *b};
}

std::nullopt_t Offer::wrong(std::string_view key, const Error& error) {
  if (!diagnostic) diagnostic = diagnose(key, error);
  return std::nullopt;
}

const use::Shards* shards_of(Offer& offer) {
  if (offer.family.shards == nullptr) {
    offer.wrong({}, {ErrorCode::Value, fmt::format("layouts of the family {} have no shards", offer.family.name), 0});
    return nullptr;
  }
  auto made = offer.family.shards(offer.text, offer.tensor);
  if (made) return offer.keep(std::move(*made));
  offer.undecidable = use::Undecidable{"there is no array of shards: " + made.error().message};
  return nullptr;
}

}  // namespace vl::claims
