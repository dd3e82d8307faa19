#include "encodings/use/descriptor_mlir.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir_text.h"

namespace vl::use {
namespace {

constexpr std::size_t kLongestOperation = 2048;  // bytes that are looked at
constexpr std::size_t kMostDefinitions = 64;     // of a name, backwards from a place

constexpr std::array<MlirType, 12> kElements = {{{"f16", "f16", 16},
                                                 {"bf16", "bf16", 16},
                                                 {"f32", "f32", 32},
                                                 {"f64", "f64", 64},
                                                 {"i8", "i8", 8},
                                                 {"i16", "i16", 16},
                                                 {"i32", "i32", 32},
                                                 {"i64", "i64", 64},
                                                 {"ui8", "u8", 8},
                                                 {"ui16", "u16", 16},
                                                 {"ui32", "u32", 32},
                                                 {"si32", "i32", 32}}};

struct MlirReader {
  std::string_view name;
  OrWhy<Descriptor> (*read)(const MlirOperation& op);
};
constexpr std::array<MlirReader, 11> kMlirReaders = {{{"nvgpu.tma.create.descriptor", of_nvgpu},
                                                      {"triton_gen.2Dblockload", of_block_load},
                                                      {"triton_gen.2Dblockprefetch", of_block_load},
                                                      {"triton_gen.2Dblockstore", of_block_store},
                                                      {"xevm.blockload2d", of_block_load},
                                                      {"xevm.blockprefetch2d", of_block_load},
                                                      {"xevm.blockstore2d", of_block_store},
                                                      {"amdgpu.make_dma_descriptor", of_tdm},
                                                      {"aie.dma_bd", of_dma_bd},
                                                      {"AIE.dma_bd", of_dma_bd},
                                                      {"aiex.npu.dma_memcpy_nd", of_memcpy_nd}}};

// Whether an operation begins with a name: it is the first word of its line, or stands after '='.
bool begins_operation_at(std::string_view code, std::size_t at) {
  while (at > 0 && (code[at - 1] == ' ' || code[at - 1] == '\t')) --at;
  return at == 0 || std::string_view("\n={").find(code[at - 1]) != std::string_view::npos;
}

// Where an operation ends: at a line with which another one begins.
std::string_view operation_at(std::string_view code, std::size_t at) {
  code = code.substr(at, kLongestOperation);
  for (std::size_t line = code.find('\n'); line != std::string_view::npos; line = code.find('\n', line + 1)) {
    const std::size_t first = code.find_first_not_of(" \t\r", line + 1);
    if (first == std::string_view::npos || (code[first] != '\n' && mlir::begins_operation(code, first)))
      return code.substr(0, line);
  }
  return code;
}

}  // namespace

MlirText::MlirText(std::string_view text) : code_(text) {
  blank();
  const std::string_view code = code_;
  bool first = true;  // of its line
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::string_view rest = code.substr(at);
    const auto begins = [&](std::string_view word) { return rest.starts_with(word); };
    if (rest[0] == '%') value(at);
    else if (first && (rest[0] == '!' || rest[0] == '#')) alias(at);
    else if (first && (begins("func.func ") || begins("llvm.func ") || begins("tt.func ") || begins("gpu.func ")))
      functions_.push_back(at);
    first = rest[0] == '\n' || (first && (rest[0] == ' ' || rest[0] == '\t'));
  }
}

std::string_view MlirText::definition(std::string_view name, std::size_t place) const {
  const auto known = values_.find(name);
  if (known == values_.end()) return {};
  const auto function = std::ranges::upper_bound(functions_, place);
  const std::size_t from = function == functions_.begin() ? 0 : *std::prev(function);
  auto at = std::ranges::upper_bound(known->second, place, {}, &Definition::begin);
  std::string_view out;
  for (std::size_t k = 0; at != known->second.begin() && (--at)->begin >= from; ++k) {
    if (k == kMostDefinitions || at->text.empty() || (!out.empty() && out != at->text)) return {};
    out = at->text;
  }
  return out;
}

std::optional<Index> MlirText::number(std::string_view operand, std::size_t place) const {
  operand = mlir::trimmed(mlir::without_type(operand));
  if (operand.starts_with('%')) {
    operand = definition(operand, place);
    for (const std::string_view word : {"arith.constant ", "index.constant "})
      if (operand.starts_with(word)) operand.remove_prefix(word.size() - 1);
    if (operand.starts_with("llvm.mlir.constant(") && operand.find(')') != std::string_view::npos)
      operand = operand.substr(19, operand.find(')') - 19);
  }
  const auto all = mlir::integers_of(operand);
  return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
}

// Comments are left out; strings stay.
void MlirText::blank() {
  for (std::size_t at = 0; at < code_.size();) {
    const bool comment = std::string_view(code_).substr(at, 2) == "//";
    const std::size_t end = comment            ? std::min(code_.find('\n', at), code_.size())
                            : code_[at] == '"' ? std::min(mlir::behind_string(code_, at), code_.find('\n', at))
                                               : at + 1;
    if (comment)
      std::fill(code_.begin() + static_cast<std::ptrdiff_t>(at), code_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = std::max(std::min(end, code_.size()), at + 1);
  }
}

void MlirText::value(std::size_t at) {
  const std::string_view code = code_;
  const std::size_t end = mlir::end_of_word(code, at + 1);
  std::size_t next = std::min(code.find_first_not_of(" \t", end), code.size());
  const bool argument = next < code.size() && code[next] == ':' && code.substr(next, 2) != "::";
  const bool defines = next < code.size() && code[next] == '=' && code.substr(next, 2) != "==";
  if (!argument && !defines) return;
  next = std::min(code.find_first_not_of(" \t", next + 1), code.size());
  const std::size_t line =
      next + std::min(code.substr(next, kLongestOperation).find('\n'), std::min(kLongestOperation, code.size() - next));
  values_[code.substr(at, end - at)].push_back(
      {at, defines ? mlir::trimmed(code.substr(next, line - next)) : std::string_view()});
}

void MlirText::alias(std::size_t at) {
  const std::string_view code = code_;
  const std::size_t end = mlir::end_of_word(code, at + 1);
  const std::size_t sign = code.find_first_not_of(" \t", end);
  const std::size_t line = std::min(code.find('\n', at), code.size());
  if (sign < line && code[sign] == '=' && end > at + 1)
    names_.insert_or_assign(std::string(code.substr(at, end - at)),
                            mlir::trimmed(code.substr(sign + 1, line - sign - 1)));
}

std::optional<std::string_view> MlirOperation::after(std::string_view word) const {
  std::size_t at = rest.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  at = mlir::after_blank(rest, at + word.size());
  const auto end = at < rest.size() ? mlir::behind_bracket(rest, at) : std::nullopt;
  return end ? std::optional(rest.substr(at + 1, *end - at - 2)) : std::nullopt;
}

std::optional<std::vector<Index>> MlirOperation::numbers(std::string_view list) const {
  std::vector<Index> out;
  for (const std::string_view each : mlir::listed(list)) {
    const auto value = in.number(each, place);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

std::string_view value_of(std::string_view list, std::string_view key) {
  for (const std::string_view each : mlir::listed(list)) {
    const std::size_t sign = each.find('=');
    if (sign != std::string_view::npos && mlir::trimmed(each.substr(0, sign)) == key)
      return mlir::trimmed(each.substr(sign + 1));
  }
  return {};
}

DescriptorField constants_field(const std::vector<Index>& numbers) {
  return numbers_field({numbers.begin(), numbers.end()});
}

const MlirType* element_of(std::string_view word) {
  const auto found = std::ranges::find(kElements, word, &MlirType::element);
  return found == kElements.end() ? nullptr : &*found;
}

void add_mlir(std::string_view text, std::vector<SeenDescriptor>& out) {
  const auto has = [&](const MlirReader& each) { return text.find(each.name) != std::string_view::npos; };
  if (std::ranges::none_of(kMlirReaders, has)) return;
  const MlirText in(text);
  const std::string_view code = in.code();
  for (const auto& [name, read] : kMlirReaders)
    for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool generic = at > 0 && code[at - 1] == '"' && code.substr(end, 2) == "\"(";
      const bool ends = end == code.size() || mlir::end_of_word(code, end) == end;
      if (!ends || !begins_operation_at(code, generic ? at - 1 : at)) continue;
      if (generic) out.push_back({at, end, "the generic form of the operation, which is not read"});
      else out.push_back({at, end, read({in, operation_at(code, end), at})});
    }
}

}  // namespace vl::use
