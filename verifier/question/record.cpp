#include "verifier/question/record.h"

#include <fmt/format.h>

namespace vl::question {

std::string plural(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace vl::question
