// Readers of descriptors in longer texts: one per notation, each in a file of its own. A reader adds what it finds to
// `out`, in any order, and takes time in proportion to the text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "encodings/use/descriptor_scan.h"
#include "encodings/use/stated_numbers.h"

namespace vl::use {

/// What is read, or why it is not.
template <class T>
using OrWhy = std::variant<T, std::string>;

/// The descriptor of these fields, or why they do not make one.
[[nodiscard]] OrWhy<Descriptor> made(std::string_view kind, DescriptorFields fields);

/// Dumps of CUTLASS, tilelang and TVM (descriptor_dumps.cpp).
void add_dumps(std::string_view text, std::vector<SeenDescriptor>& out);
/// T.call_packed of TIRx (descriptor_tirx.cpp).
void add_tirx_calls(std::string_view text, std::vector<SeenDescriptor>& out);

/// Calls of cuTensorMapEncodeTiled in C and Python (descriptor_calls.cpp).
void add_map_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);

/// __spirv_Subgroup2DBlock*INTEL in C (descriptor_xe.cpp).
void add_block_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);
/// DataCopyPad of Ascend C (descriptor_ascend.cpp).
void add_data_copies(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);
/// .ap(pattern=…) of NKI in Python, and its compiler's dumps (descriptor_nki.cpp).
void add_patterns(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);
void add_pattern_dumps(std::string_view text, std::vector<SeenDescriptor>& out);
/// Matrix descriptors: GmmaDescriptor of CUTLASS, encode_matrix_descriptor of TVM (descriptor_operands.cpp).
void add_operand_dumps(std::string_view text, std::vector<SeenDescriptor>& out);
void add_operand_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);
/// Triton's make_tensor_descriptor and TensorDescriptor (descriptor_triton.cpp).
void add_triton(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out);

/// Operations of nvgpu, triton_gen, xevm, amdgpu, aie and aiex (descriptor_mlir.cpp).
void add_mlir(std::string_view text, std::vector<SeenDescriptor>& out);

/// A field of a tensor map by the number that cuda.h gives its word; nothing where it names no such number.
enum class MapWord { Type, Interleave, Swizzle, Fill };
[[nodiscard]] std::optional<DescriptorField> map_word(MapWord of, std::optional<Index> number);
/// The same by its name in cuda.h: CU_TENSOR_MAP_SWIZZLE_128B.
[[nodiscard]] std::optional<DescriptorField> map_word(MapWord of, std::string_view name);

/// The number of "6 (CU_TENSOR_MAP_DATA_TYPE_FLOAT16)" or "0x6"; nothing for anything else than a number and a remark
/// in brackets.
[[nodiscard]] std::optional<Index> first_number(std::string_view text);

}  // namespace vl::use
