// The texts of a case about all sizes with numbers in the place of names (instances.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/access.h"
#include "encodings/use/scan.h"
#include "verifier/session/instances.h"
#include "verifier/session/transfer_sizes.h"

namespace vl::session {
namespace {

// Where the size number k begins in the text of a tensor.
std::size_t place_of_size(std::string_view tensor, std::size_t k) {
  std::size_t at = tensor.find('[') + 1;
  int open = 0;
  for (std::size_t i = at; i < tensor.size() && k > 0; ++i) {
    open += tensor[i] == '(' ? 1 : tensor[i] == ')' ? -1 : 0;
    if (tensor[i] == ',' && open == 0) --k, at = i + 1;
  }
  return std::min(tensor.find_first_not_of(' ', at), tensor.size());
}

}  // namespace

std::optional<Diagnostic> bind_layout(SourceText& layout, std::string_view forced,
                                      const std::vector<use::Definition>& definitions) {
  const use::Family* family = use::family_of(layout.text, forced);
  if (family != nullptr && family->text_at != nullptr && !definitions.empty()) {
    map::Sizes sizes;
    for (const use::Definition& one : definitions) sizes.emplace(one.name, one.value);
    auto text = family->text_at(layout.text, sizes);
    if (!text) return layout.diagnose(text.error());
    layout.text = std::move(*text);
  }
  layout.text = use::bound(layout.text, definitions);
  return std::nullopt;
}

namespace {

// Gives the strides and offsets of a request's view numbers.
std::optional<TextError> number_view(CaseRequest& out, const map::Sizes& sizes) {
  if (const auto named = std::exchange(out.named_strides, std::nullopt)) {
    const auto strides = map::parse_rule_strides(named->text);
    if (!strides) return TextError{*named, strides.error()};
    out.strides.emplace();
    for (const map::Expression& stride : *strides) {
      const auto value = map::evaluate(stride, sizes);
      if (!value) return TextError{*named, value.error()};
      out.strides->push_back(*value);
    }
    out.strides_text = named;
    out.strides_text->text = fmt::format("{}", fmt::join(*out.strides, ","));
    out.strides_text->verbatim = false;
  }
  for (const auto& [text, into] :
       {std::pair(&out.named_offset, &out.offset), std::pair(&out.named_view_offset, &out.view_offset)}) {
    const auto named = std::exchange(*text, std::nullopt);
    if (!named) continue;
    const auto offset = map::parse_rule_offset(named->text);
    if (!offset) return TextError{*named, offset.error()};
    const auto value = map::evaluate(*offset, sizes);
    if (!value) return TextError{*named, value.error()};
    if (*value < 0) return TextError{*named, {ErrorCode::Value, fmt::format("the offset {} is negative", *value), 0}};
    *into = *value;
  }
  return std::nullopt;
}

}  // namespace

std::variant<CaseRequest, TextError> request_at(const CaseRequest& request, const map::Sizes& sizes) {
  if (request.transfer != nullptr) return transfer_at(request, sizes);
  std::vector<use::Definition> definitions;
  for (const auto& [name, value] : sizes) definitions.push_back({name, value});
  CaseRequest out = request;
  out.sizes.reset();
  out.where.reset();
  out.all_sizes = false;
  const use::Family* family = use::family_of(request.layout.text, request.family);
  if (family != nullptr && family->text_at != nullptr) {
    auto text = family->text_at(request.layout.text, sizes);
    if (!text) return TextError{request.layout, text.error()};
    out.layout.text = std::move(*text);
  } else {
    out.layout.text = use::bound(request.layout.text, definitions);
  }
  out.layout.verbatim = false;
  out.tensor.verbatim = false;
  auto tensor = map::parse_rule_tensor(request.tensor.text);
  if (!tensor) return TextError{request.tensor, tensor.error()};
  std::vector<std::string> numbers;
  for (const map::Expression& size : tensor->size) {
    const std::size_t at = place_of_size(request.tensor.text, numbers.size());
    std::vector<std::string> names;
    map::add_names(size, names);
    const bool known = std::ranges::all_of(names, [&](const std::string& name) { return sizes.contains(name); });
    if (!known) {
      numbers.push_back(map::print(size));
      continue;
    }
    const auto value = map::evaluate(size, sizes);
    if (!value) return TextError{request.tensor, {value.error().code, value.error().message, at}};
    if (*value < 0)
      return TextError{request.tensor, {ErrorCode::Value, fmt::format("the size {} is negative", *value), at}};
    numbers.push_back(fmt::format("{}", *value));
  }
  out.tensor.text = fmt::format("{}[{}]", map::name(tensor->type), fmt::join(numbers, ","));
  if (auto wrong = number_view(out, sizes)) return std::move(*wrong);
  return out;
}

void number_access(ClaimRequest& claim, std::span<const use::Definition> numbers) {
  std::vector<std::string> known;
  for (const use::Definition& one : numbers) known.push_back(one.name);
  for (ClaimArgument& argument : claim.arguments) {
    if (argument.key != "access") continue;
    const auto access = use::parse_access(argument.text.text, known);
    if (!access || access->names.empty()) continue;
    std::vector<use::Definition> named(numbers.begin(), numbers.end());
    std::erase_if(named, [&](const use::Definition& one) { return !std::ranges::count(access->names, one.name); });
    argument.text.text = use::bound(argument.text.text, named);
    argument.text.verbatim = false;
  }
}

void number_access(ClaimRequest& claim, const map::Sizes& sizes) {
  std::vector<use::Definition> numbers;
  for (const auto& [name, value] : sizes) numbers.push_back({name, value});
  number_access(claim, numbers);
}

bool number_source(ClaimRequest& claim, const CaseRequest& request, const map::Sizes& sizes) {
  for (ClaimArgument& argument : claim.arguments) {
    if (argument.key != "with") continue;
    CaseRequest other = request;
    other.layout = argument.text;
    auto made = request_at(other, sizes);
    const auto* numbers = std::get_if<CaseRequest>(&made);
    if (numbers == nullptr) return false;
    argument.text = numbers->layout;
  }
  return true;
}

}  // namespace vl::session
