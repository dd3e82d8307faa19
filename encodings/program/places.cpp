// Reductions of pairs, a number and its place: the largest one and where it is, as JAX prints argmax. With a and b the
// number and the place on the left, c and d those on the right, the reducer gives
//   a and b   where a > c or a is NaN
//   b, too    where a = c and b < d
// Nobody wrote the places behind the last element, so it is not known which of equal numbers is chosen there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>

#include "encodings/program/translator.h"

namespace vl::program {
namespace {

// What a region gives of its four arguments, in words: "select(GT(a,c),a,c)"; empty where it does something else.
std::array<std::string, 2> pair_in_words(const mlir::Region& region) {
  if (region.arguments.size() != 4 || region.operations.empty()) return {};
  // The pretty form has a and c, and then b and d.
  const bool by_side = region.arguments[0].type != region.arguments[1].type;
  const std::string_view letters = by_side ? "abcd" : "acbd";
  std::map<std::string, std::string, std::less<>> said;
  for (std::size_t i = 0; i < 4; ++i) said[region.arguments[i].name] = letters[i];
  for (const mlir::Operation& operation : region.operations) {
    std::vector<std::string> operands;
    for (const std::string& name : operation.operands) {
      const auto found = said.find(name);
      if (found == said.end()) return {};
      operands.push_back(found->second);
    }
    if (operation.name == "stablehlo.return")
      return operands.size() == 2 ? std::array{operands[0], operands[1]} : std::array<std::string, 2>{};
    const std::string_view word = operation.name == "stablehlo.compare"  ? direction_of(operation)
                                  : operation.name == "stablehlo.or"     ? "or"
                                  : operation.name == "stablehlo.and"    ? "and"
                                  : operation.name == "stablehlo.select" ? "select"
                                                                         : "";
    if (word.empty() || operation.results.size() != 1) return {};
    said[operation.results[0]] = fmt::format("{}({})", word, fmt::join(operands, ","));
  }
  return {};
}

}  // namespace

bool Translator::reduce_pairs(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands.size() != 4 || operation.results.size() != 2 || operation.regions.size() != 1) return false;
  const bool pretty = operands[1]->shape.empty();  // each with its start behind it
  const Value &x = *operands[0], &places = *operands[pretty ? 2 : 1];
  const Value &start = *operands[pretty ? 1 : 2], &first = *operands[3];
  const auto axes = integers(operation, "dimensions");
  const auto second = value_of(operation.outputs[1]);
  if (!axes || axes->size() != 1 || (*axes)[0] < 0 || !dimension((*axes)[0], x.shape.size()) || !second ||
      !is_float(x) || is_float(places) || places.shape != x.shape || places.counts != (*axes)[0] ||
      out.type != x.type || second->shape != out.shape || out.shape.size() + 1 != x.shape.size() ||
      first.number != "0" || !start.shape.empty())
    return false;
  const std::array<std::string, 2> given = pair_in_words(operation.regions[0]);
  for (const bool largest : {true, false}) {
    const std::string wins = fmt::format("or({}(a,c),NE(a,a))", largest ? "GT" : "LT");
    const std::string least = largest ? "-inf" : "inf";
    const bool fits = given[0] == fmt::format("select({},a,c)", wins) &&
                      given[1] == fmt::format("select(or({},and(EQ(a,c),LT(b,d))),b,d)", wins) &&
                      (start.number == least || start.number == (largest ? "bits:0xFF800000" : "bits:0x7F800000"));
    if (!fits) continue;
    std::vector<Index> made = x.granules;
    made.erase(made.begin() + static_cast<std::ptrdiff_t>((*axes)[0]));
    define(operation.results[0], std::move(out),
           fmt::format("{} {} over {}", largest ? "max" : "min", x.name, (*axes)[0]), made);
    std::string words =
        fmt::format("{} {} over {} ties unspecified", largest ? "argmax" : "argmin", x.name, (*axes)[0]);
    if (second->type != "i32") words = fmt::format("cast {} {}", part(words), second->type);
    define(operation.results[1], *second, words, made);
    return true;
  }
  return false;
}

}  // namespace vl::program
