// The tensor of a rule as a text: f16[N, M, 150], its strides and its offset.
#include <fmt/format.h>

#include "encodings/map/rule.h"

namespace vl::map {
namespace {

// Whether the bracket with which a text begins closes at its end: (P, 1), and not (P + 1), 1.
bool is_in_brackets(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (open == 0 && text[at] == ')') return text.find_first_not_of(" \t\r\n", at + 1) == std::string_view::npos;
  }
  return true;
}

}  // namespace

Result<RuleTensor> parse_rule_tensor(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || !text.ends_with(']')) {
    auto plain = parse_tensor(text);  // also for its error
    if (!plain) return plain.error();
    return RuleTensor{plain->type, {plain->size.begin(), plain->size.end()}, {}};
  }
  auto type = parse_tensor(std::string(text.substr(0, bracket)) + "[]");
  if (!type) return type.error();
  Cursor in(text);
  in.move_to(bracket);
  in.expect("[");
  RuleTensor out{type->type, {}, {}};
  std::size_t parts = 0;
  while (!in.failed() && !in.accept("]")) {
    in.skip_space();
    const std::size_t at = in.offset();
    out.size.push_back(take_expression(in));
    if (const auto number = out.size.back().number(); number && *number < 0)
      in.fail(ErrorCode::Value, fmt::format("the size {} is negative", *number), at);
    parts += out.size.back().size();
    if (out.size.size() > 256) in.fail("more than 256 dimensions");
    if (parts > kMostParts) in.fail(fmt::format("sizes of more than {} parts", kMostParts));
    if (!in.accept(",") && in.peek() != ']') in.fail(fmt::format("expected ',' or ']', found {}", in.found()));
  }
  in.expect_end();
  if (in.failed()) return in.error();
  return out;
}

Result<std::vector<Expression>> parse_rule_strides(std::string_view text) {
  Cursor in(text);
  const std::string_view close = in.accept("[") ? "]" : is_in_brackets(text) && in.accept("(") ? ")" : "";
  std::vector<Expression> out;
  std::size_t parts = 0;
  do {
    if (!close.empty() && in.accept(close)) break;
    out.push_back(take_expression(in));
    parts += out.back().size();
    if (parts > kMostParts) in.fail(fmt::format("strides of more than {} parts", kMostParts));
    if (out.size() > 256) in.fail("more than 256 dimensions");
    if (in.accept(",")) continue;
    if (!close.empty()) in.expect(close);
    break;
  } while (!in.failed());
  in.expect_end();
  if (in.failed()) return in.error();
  return out;
}

Result<Expression> parse_rule_offset(std::string_view text) {
  auto out = parse_expression(text);
  if (!out) return out.error();
  if (out->size() > kMostParts)
    return Error{ErrorCode::Value, fmt::format("an offset of more than {} parts", kMostParts), 0};
  if (const auto number = out->number(); number && *number < 0)
    return Error{ErrorCode::Value, "expected an offset that is not negative", 0};
  return out;
}

std::string print(const RuleTensor& tensor) {
  std::string sizes;
  for (const Expression& size : tensor.size) sizes += (sizes.empty() ? "" : ",") + print(size);
  return fmt::format("{}[{}]", name(tensor.type), sizes);
}

bool has_symbols(const RuleTensor& tensor) {
  std::vector<std::string> names;
  for (const Expression& size : tensor.size) add_names(size, names);
  return !names.empty();
}

}  // namespace vl::map
