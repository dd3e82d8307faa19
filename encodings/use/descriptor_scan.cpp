#include "encodings/use/descriptor_scan.h"

#include <algorithm>

#include "encodings/use/descriptor_readers.h"

namespace vl::use {
namespace {

// In any text, and in code.
constexpr void (*kReaders[])(std::string_view, std::vector<SeenDescriptor>&) = {add_dumps, add_tirx_calls,
                                                                                add_pattern_dumps, add_operand_dumps};
constexpr void (*kCodeReaders[])(SourceLanguage, std::string_view, std::vector<SeenDescriptor>&) = {
    add_map_calls, add_triton, add_block_calls, add_data_copies, add_patterns, add_operand_calls};

// Where the name of a text does not say its language: statements of C end in a semicolon.
SourceLanguage language_of(const SourceBlock& block, std::string_view text) {
  if (block.named || block.language != SourceLanguage::Python) return block.language;
  return text.find(";\n") == std::string_view::npos ? SourceLanguage::Python : SourceLanguage::C;
}

}  // namespace

std::vector<SeenDescriptor> descriptors_in(std::string_view file, std::string_view text) {
  std::vector<SeenDescriptor> out;
  for (const auto read : kReaders) read(text, out);
  for (const SourceBlock& block : source_blocks(file, text)) {
    const std::string_view part = text.substr(block.begin, block.end - block.begin);
    const std::size_t first = out.size();
    if (!block.named) add_mlir(part, out);
    for (const auto read : kCodeReaders) read(language_of(block, part), part, out);
    for (std::size_t k = first; k < out.size(); ++k) out[k].begin += block.begin, out[k].end += block.begin;
  }
  std::ranges::stable_sort(out, {}, &SeenDescriptor::begin);
  return out;
}

}  // namespace vl::use
