// Matrix descriptors as libraries print and encode them. Neither says all that a descriptor of an operand has, so they
// are found and not read; the 64 bits are read as a layout: --layout wgmma:0x….
#include <fmt/format.h>

#include "encodings/use/code_calls.h"
#include "encodings/use/descriptor_values.h"

namespace vl::use {

// CUTLASS, arch/mma_sm90_desc.hpp: GmmaDescriptor: 0x4000004000010040, and five lines of its fields.
void add_operand_dumps(std::string_view text, std::vector<SeenDescriptor>& out) {
  constexpr std::string_view kSign = "GmmaDescriptor: 0x";
  for (std::size_t at = text.find(kSign); at != std::string_view::npos; at = text.find(kSign, at + 1)) {
    const std::size_t bits = at + kSign.size() - 2;
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", bits + 2), text.size());
    out.push_back({at, end,
                   fmt::format("a matrix descriptor without the operand's type and major; its bits are a layout: "
                               "wgmma:{}",
                               text.substr(bits, std::min<std::size_t>(end - bits, 18)))});
  }
}

// TVM: T.cuda.tcgen05.encode_matrix_descriptor(desc, address, ldo=, sdo=, swizzle=).
void add_operand_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  constexpr std::string_view kEncodeOperand = "encode_matrix_descriptor";
  if (language != SourceLanguage::Python || text.find(kEncodeOperand) == std::string_view::npos) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kEncodeOperand);
  for (const FoundCall& call : calls_in(values.brackets(), code, kEncodeOperand))
    if (call.name == kEncodeOperand)
      out.push_back({call.begin, call.end,
                     "a matrix descriptor whose call states neither the operand's type and major nor its address "
                     "(state it as a smemdesc(…))"});
}

}  // namespace vl::use
