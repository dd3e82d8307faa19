// Facts: lemmas that are no premise of a law: what leaves are made of, exact conversions, the rows of the table of
// neutral fills that are false, each with codes for which it is, and how many codes a condition holds for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vl::values_kernel {

struct Fact {
  std::string name, text;
  std::uint64_t count = 0;  // not 0: of how many codes of the variable the condition holds
};

[[nodiscard]] std::vector<std::string> format_names();
/// Types and wider formats that have all their numbers; and a few that have not, for what they lose.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> type_pairs();
/// No product of two codes of the type is smaller than the least number of the wide format, unless it is 0; and the
/// wide format has subnormals and all numbers of the type.
[[nodiscard]] bool has_exact_products(const std::string& wide, const std::string& type);

[[nodiscard]] std::vector<Fact> facts_of(const std::string& wide);
[[nodiscard]] std::vector<Fact> facts_of_types(const std::string& wide, const std::string& type);

}  // namespace vl::values_kernel
