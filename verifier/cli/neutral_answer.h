// The answers of `neutral`, in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "verifier/cli/commands.h"
#include "verifier/neutral/alternatives.h"

namespace vl::cli {

/// The question under each arithmetic that is allowed: one, unless --arithmetic leaves something open.
struct NeutralAsked {
  std::vector<neutral::Alternative> all;
  std::vector<values::CodeSet> fills;
};

/// What an answer took, and whether the checker accepted its certificate.
struct NeutralCost {
  double micros = 0;
  bool checked = false;
  double certificate_micros = 0;
};

/// What stands above an answer in words.
[[nodiscard]] std::string headline_of(const NeutralArguments& arguments, const neutral::Question& question);

/// The fields of a verdict record that have a value here; no layout and no case file has a part in it.
[[nodiscard]] nlohmann::ordered_json verdict_to_json(const NeutralArguments& arguments, const NeutralAsked& asked,
                                                     const neutral::Answers& answers, const NeutralCost& cost);
[[nodiscard]] std::string verdict_to_text(const NeutralArguments& arguments, const NeutralAsked& asked,
                                          const neutral::Answers& answers, const NeutralCost& cost);

/// The fills that change nothing.
[[nodiscard]] nlohmann::ordered_json fills_to_json(const NeutralArguments& arguments, const neutral::Question& question,
                                                   const neutral::Largest& found, const NeutralCost& cost);
[[nodiscard]] std::string fills_to_text(const neutral::Question& question, const neutral::Largest& found,
                                        const NeutralCost& cost);

}  // namespace vl::cli
