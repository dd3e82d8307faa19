#include "verifier/claims/offer.h"

#include <algorithm>

#include "encodings/base/cursor.h"

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

std::nullopt_t Offer::wrong(std::string_view key, const Error& error) {
  if (!diagnostic) diagnostic = diagnose(key, error);
  return std::nullopt;
}

}  // namespace vl::claims
