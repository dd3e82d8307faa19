// Numbers of cuda.h: the enumerations of tensor maps.
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "encodings/base/check.h"
#include "encodings/use/descriptor_readers.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

// The words of the enumerations of cuda.h, in the order of their numbers.
constexpr std::array<std::string_view, 16> kTypeWords = {"u8",       "u16",  "u32",   "i32",  "u64",     "i64",
                                                         "f16",      "f32",  "f64",   "bf16", "f32_ftz", "tf32",
                                                         "tf32_ftz", "u4a8", "u4a16", "u6a16"};
constexpr std::array<std::string_view, 3> kInterleaveWords = {"none", "16B", "32B"};
constexpr std::array<std::string_view, 7> kSwizzleWords = {
    "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
constexpr std::array<std::string_view, 2> kFillWords = {"zero", "nan"};

// The same in cuda.h.
constexpr std::array<std::string_view, 4> kPrefixes = {"CU_TENSOR_MAP_DATA_TYPE_", "CU_TENSOR_MAP_INTERLEAVE_",
                                                       "CU_TENSOR_MAP_SWIZZLE_", "CU_TENSOR_MAP_FLOAT_OOB_FILL_"};
constexpr std::array<std::string_view, 16> kTypeNames = {
    "UINT8",   "UINT16",   "UINT32",      "INT32",    "UINT64",       "INT64",        "FLOAT16",       "FLOAT32",
    "FLOAT64", "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"};
constexpr std::array<std::string_view, 3> kInterleaveNames = {"NONE", "16B", "32B"};
constexpr std::array<std::string_view, 7> kSwizzleNames = {
    "NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
constexpr std::array<std::string_view, 2> kFillNames = {"NONE", "NAN_REQUEST_ZERO_FMA"};

std::span<const std::string_view> names_of_map(MapWord of) {
  switch (of) {
    case MapWord::Type: return kTypeNames;
    case MapWord::Interleave: return kInterleaveNames;
    case MapWord::Swizzle: return kSwizzleNames;
    case MapWord::Fill: return kFillNames;
  }
  VL_CHECK(false, "a name of no enumeration");
}

std::span<const std::string_view> words_of_map(MapWord of) {
  switch (of) {
    case MapWord::Type: return kTypeWords;
    case MapWord::Interleave: return kInterleaveWords;
    case MapWord::Swizzle: return kSwizzleWords;
    case MapWord::Fill: return kFillWords;
  }
  VL_CHECK(false, "a word of no enumeration");
}

}  // namespace

OrWhy<Descriptor> made(std::string_view kind, DescriptorFields fields) {
  auto out = descriptor_of(kind, std::move(fields));
  if (!out) return out.error().message;
  return std::move(*out);
}

std::optional<DescriptorField> map_word(MapWord of, std::optional<Index> number) {
  const auto words = words_of_map(of);
  if (!number || *number < 0 || *number >= static_cast<Index>(words.size())) return std::nullopt;
  return word_field(std::string(words[static_cast<std::size_t>(*number)]));
}

std::optional<DescriptorField> map_word(MapWord of, std::string_view name) {
  const auto& prefix = kPrefixes[static_cast<std::size_t>(of)];
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto names = names_of_map(of);
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : map_word(of, static_cast<Index>(found - names.begin()));
}

std::optional<Index> first_number(std::string_view text) {
  text = trimmed(text);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  Index out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, hexadecimal ? 16 : 10);
  const std::string_view rest = trimmed({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  return error == std::errc{} && (rest.empty() || rest.front() == '(') ? std::optional(out) : std::nullopt;
}

}  // namespace vl::use
