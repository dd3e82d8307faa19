// The kinds of descriptors: their fields, as the documents of their hardware call them, and what follows from these.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/use/descriptor.h"

namespace vl::use {
namespace {

constexpr auto kNumber = DescriptorRow::Takes::Number;
constexpr auto kList = DescriptorRow::Takes::List;
constexpr auto kWord = DescriptorRow::Takes::Word;
using map::Expression;

struct ElementType {
  std::string_view name;
  Index bits;
  std::string_view family;  // integer, floating, packed
};

// The types of CUDA's tensor maps, and those that others write for them. u4a8 is 16U4_ALIGN8B, u4a16 16U4_ALIGN16B and
// u6a16 16U6_ALIGN16B: 4 or 6 bits of which the memory holds 16 in a row.
constexpr std::array<ElementType, 20> kTypes = {
    {{"u8", 8, "integer"},         {"u16", 16, "integer"},   {"u32", 32, "integer"},      {"i32", 32, "integer"},
     {"u64", 64, "integer"},       {"i64", 64, "integer"},   {"f16", 16, "floating"},     {"f32", 32, "floating"},
     {"f64", 64, "floating"},      {"bf16", 16, "floating"}, {"f32_ftz", 32, "floating"}, {"tf32", 32, "floating"},
     {"tf32_ftz", 32, "floating"}, {"u4a8", 4, "packed"},    {"u4a16", 4, "packed"},      {"u6a16", 6, "packed"},
     {"i8", 8, "integer"},         {"i16", 16, "integer"},   {"f8", 8, "integer"},        {"u4", 4, "packed"}}};
constexpr std::string_view kMapTypes =
    "u8 u16 u32 i32 u64 i64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz u4a8 u4a16 u6a16 i8 i16";
constexpr std::string_view kOtherTypes = "u8 u16 u32 u64 i8 i16 i32 i64 f8 f16 bf16 f32 f64 tf32 u4";

constexpr DescriptorRow kType[] = {{"type", kWord, kMapTypes}};
constexpr DescriptorRow kAnyType[] = {{"type", kWord, kOtherTypes}};

const std::string* word_of(const DescriptorFields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : std::get_if<std::string>(&found->second.values.front());
}

std::size_t length_of(const DescriptorFields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? 0 : found->second.values.size();
}

void add_type(DescriptorFields& fields) {
  const std::string* type = word_of(fields, "type");
  const auto found = type == nullptr ? kTypes.end() : std::ranges::find(kTypes, *type, &ElementType::name);
  if (found == kTypes.end()) return;
  fields["bits"] = number_field(found->bits);
  fields["format"] = word_field(std::string(found->family));
}

Error lengths(std::string_view field, std::size_t have, std::size_t want, std::string_view of) {
  return {ErrorCode::Shape, fmt::format("'{}' has {} entries; expected {} for {}", field, have, want, of), 0};
}

// "yes" where every stride is what the dimensions inside of it take, "no" where one is not; nothing where names or
// packed values leave it open.
std::optional<std::string> dense(const DescriptorFields& fields) {
  const auto& dims = fields.find("dim")->second.values;
  const auto bits = std::get<Expression>(fields.find("bits")->second.values.front()).number();
  std::optional<Index> inner = bits && *bits % 8 == 0 ? std::optional(*bits / 8) : std::nullopt;
  for (std::size_t k = 0; inner && k + 1 < dims.size(); ++k) {
    const auto dim = std::get<Expression>(dims[k]).number();
    const auto stride = std::get<Expression>(fields.find("stride")->second.values[k]).number();
    if (!dim || !stride) return std::nullopt;
    inner = checked_mul(*inner, *dim);
    if (inner && *inner != *stride) return "no";
  }
  return inner ? std::optional<std::string>("yes") : std::nullopt;
}

std::optional<Error> derive_map(DescriptorFields& fields) {
  const std::size_t rank = length_of(fields, "dim");
  if (rank == 0) return Error{ErrorCode::Shape, "'dim' has no entry; expected 1 to 5", 0};
  if (!fields.contains("stride")) {
    if (rank > 1) return lengths("stride", 0, rank - 1, "the dimensions from the second on");
    fields["stride"] = numbers_field({});
  }
  if (length_of(fields, "stride") != rank - 1)
    return lengths("stride", length_of(fields, "stride"), rank - 1,
                   "the dimensions from the second on (the innermost stride is the element's size)");
  if (!fields.contains("step")) fields["step"] = numbers_field(std::vector<Expression>(rank, Expression(1)));
  for (const char* name : {"box", "step", "at"})
    if (fields.contains(name) && length_of(fields, name) != rank)
      return lengths(name, length_of(fields, name), rank, "the dimensions");
  fields["rank"] = number_field(static_cast<Index>(rank));
  add_type(fields);
  if (auto word_for = dense(fields)) fields["dense"] = word_field(std::move(*word_for));
  return std::nullopt;
}

constexpr std::string_view kSwizzles = "none 32B 64B 128B 128B_ATOM_32B 128B_ATOM_32B_FLIP_8B 128B_ATOM_64B 96B";
constexpr DescriptorRow kMapFields[] = {{"dim", kList, {}, {}, true},
                                        {"stride", kList},
                                        {"box", kList, {}, {}, true},
                                        {"step", kList},
                                        {"interleave", kWord, "none 16B 32B", "none"},
                                        {"swizzle", kWord, kSwizzles, "none"},
                                        {"fill", kWord, "zero nan", "zero"},
                                        {"base"},
                                        {"desc"},
                                        {"driver"},
                                        {"allocation"},
                                        {"bit21"},
                                        {"direction", kWord, "load store"},
                                        {"at", kList},
                                        {"shared"}};

// The same with the pixels of a window in place of a box: dimensions C, W, …, N; corners and offsets of all but C and
// N.
constexpr DescriptorRow kWindowFields[] = {{"dim", kList, {}, {}, true},
                                           {"stride", kList},
                                           {"lower", kList},
                                           {"upper", kList},
                                           {"channels", kNumber, {}, {}, true},
                                           {"pixels"},
                                           {"step", kList},
                                           {"offsets", kList},
                                           {"interleave", kWord, "none 16B 32B", "none"},
                                           {"swizzle", kWord, kSwizzles, "none"},
                                           {"fill", kWord, "zero nan", "zero"},
                                           {"base"},
                                           {"desc"},
                                           {"direction", kWord, "load store"},
                                           {"at", kList},
                                           {"shared"}};
std::optional<Error> derive_window(DescriptorFields& fields) {
  const std::size_t rank = length_of(fields, "dim");
  if (rank < 3) return lengths("dim", rank, 3, "channels, at least one dimension of pixels, and images");
  if (!fields.contains("step")) fields["step"] = numbers_field(std::vector<Expression>(rank, Expression(1)));
  if (fields.contains("stride") && length_of(fields, "stride") != rank - 1)
    return lengths("stride", length_of(fields, "stride"), rank - 1, "the dimensions from the second on");
  for (const char* name : {"step", "at"})
    if (fields.contains(name) && length_of(fields, name) != rank)
      return lengths(name, length_of(fields, name), rank, "the dimensions");
  for (const char* name : {"lower", "upper", "offsets"})
    if (fields.contains(name) && length_of(fields, name) != rank - 2)
      return lengths(name, length_of(fields, name), rank - 2, "the dimensions between channels and images");
  fields["rank"] = number_field(static_cast<Index>(rank));
  return add_type(fields), std::nullopt;
}

constexpr DescriptorRow kOperandWords[] = {
    {"unit", kWord, "wgmma tcgen05"}, {"major", kWord, "K MN"}, {"type", kWord, kOtherTypes}};
constexpr DescriptorRow kOperandFields[] = {
    {"start", kNumber, {}, {}, true},  {"lbo", kNumber, {}, "0"},
    {"sbo", kNumber, {}, "0"},         {"swizzle", kWord, "none 32B 64B 128B 128B_ATOM_32B", "none"},
    {"base_offset", kNumber, {}, "0"}, {"lbo_mode", kNumber, {}, "0"}};
std::optional<Error> derive_type(DescriptorFields& fields) { return add_type(fields), std::nullopt; }

// Intel's 2-D block: rows and columns of one block, `blocks` side by side; width and pitch of the surface in bytes.
constexpr DescriptorRow kBlockWords[] = {{"direction", kWord, "load store"}};
constexpr DescriptorRow kBlockFields[] = {{"bits", kNumber, {}, {}, true},
                                          {"columns", kNumber, {}, {}, true},
                                          {"rows", kNumber, {}, {}, true},
                                          {"blocks", kNumber, {}, "1"},
                                          {"width"},
                                          {"height"},
                                          {"pitch"},
                                          {"x"},
                                          {"y"},
                                          {"base"},
                                          {"mode", kWord, "plain transpose vnni", "plain"}};

constexpr DescriptorRow kTdmFields[] = {
    {"tile", kList, {}, {}, true}, {"tensor", kList}, {"stride", kList}, {"pad_every"}, {"pad_by"}, {"iterate"}};
std::optional<Error> derive_tdm(DescriptorFields& fields) {
  const std::size_t rank = length_of(fields, "tile");
  for (const char* name : {"tensor", "stride"})
    if (fields.contains(name) && length_of(fields, name) != rank)
      return lengths(name, length_of(fields, name), rank, "the tile's dimensions");
  if (fields.contains("pad_every") != fields.contains("pad_by"))
    return Error{ErrorCode::Shape, "'pad_every' and 'pad_by' go together", 0};
  fields["rank"] = number_field(static_cast<Index>(rank));
  if (fields.contains("stride") && rank > 0)
    fields["inner_stride"] = DescriptorField{{fields["stride"].values.back()}, false};
  return add_type(fields), std::nullopt;
}

constexpr DescriptorRow kBufferFields[] = {
    {"size", kList, {}, {}, true}, {"stride", kList, {}, {}, true}, {"offset"}, {"length"}, {"iterations"}};
std::optional<Error> derive_buffer(DescriptorFields& fields) {
  const std::size_t rank = length_of(fields, "size");
  if (rank == 0 || length_of(fields, "stride") != rank)
    return lengths("stride", length_of(fields, "stride"), rank, "the sizes, of which there is one at least");
  add_type(fields);
  const Expression bits = std::get<Expression>(fields["bits"].values.front());
  Expression words = bits;
  for (const FieldValue& size : fields["size"].values) words = words * std::get<Expression>(size);
  for (const char* name : {"size", "stride"}) {
    DescriptorField turned = fields[name];
    std::ranges::reverse(turned.values);
    fields[fmt::format("d_{}", name)] = std::move(turned);
  }
  fields["rank"] = number_field(static_cast<Index>(rank));
  fields["last"] = number_field(static_cast<Index>(rank) - 1);
  fields["inner_size"] = DescriptorField{{fields["size"].values.back()}, false};
  fields["inner_stride"] = DescriptorField{{fields["stride"].values.back()}, false};
  if (!fields.contains("length")) fields["length"] = number_field(Expression::of(Expression::Kind::Ceil, words, 32));
  return std::nullopt;
}

// NKI's access pattern: of each pair its step and its count, the partitions first.
constexpr DescriptorRow kPatternFields[] = {{"tensor", kList, {}, {}, true},
                                            {"step", kList, {}, {}, true},
                                            {"count", kList, {}, {}, true},
                                            {"offset", kNumber, {}, "0"}};
std::optional<Error> derive_pattern(DescriptorFields& fields) {
  const std::size_t rank = length_of(fields, "step");
  if (rank == 0 || length_of(fields, "tensor") == 0)
    return Error{ErrorCode::Shape, "'tensor' and 'step' have one entry at least, of the partitions", 0};
  if (length_of(fields, "count") != rank) return lengths("count", length_of(fields, "count"), rank, "the steps");
  Expression row = 1;
  const auto& extents = fields["tensor"].values;
  for (std::size_t k = 1; k < extents.size(); ++k) row = row * std::get<Expression>(extents[k]);
  fields["rank"] = number_field(static_cast<Index>(rank));
  fields["row"] = number_field(row);
  if (row.number().value_or(1) >= 1)
    fields["partition"] = number_field(
        Expression::of(Expression::Kind::Quotient, std::get<Expression>(fields["offset"].values.front()), row));
  return std::nullopt;
}

constexpr DescriptorRow kPadWords[] = {{"direction", kWord, "load store"}};
constexpr DescriptorRow kPadFields[] = {{"count", kNumber, {}, {}, true},
                                        {"length", kNumber, {}, {}, true},
                                        {"source_gap", kNumber, {}, "0"},
                                        {"target_gap", kNumber, {}, "0"},
                                        {"buffer"}};

constexpr DescriptorRow kNocWords[] = {{"source", kWord, "l1 dram pcie"}, {"target", kWord, "l1 dram pcie"}};
constexpr DescriptorRow kFromTo[] = {{"src"}, {"dst"}};
constexpr DescriptorRow kCopyFields[] = {
    {"size", kNumber, {}, {}, true}, {"src"}, {"dst"}, {"cache", kWord, "ca cg"}, {"source_size"}};
constexpr DescriptorRow kBulkFields[] = {{"size", kNumber, {}, {}, true}, {"src"}, {"dst"}};

constexpr std::array<DescriptorKind, 11> kKinds = {{
    {"tensormap", "a tensor map of CUDA", kType, kMapFields, derive_map, "rank bits format dense"},
    {"im2col", "a tensor map of CUDA for windows", kType, kWindowFields, derive_window, "rank bits format"},
    {"smemdesc", "a matrix descriptor of CUDA", kOperandWords, kOperandFields, derive_type, "bits format"},
    {"block2d", "a 2-D block of Intel's Xe", kBlockWords, kBlockFields},
    {"tdm", "a descriptor of AMD's tensor data mover", kAnyType, kTdmFields, derive_tdm,
     "rank bits format inner_stride"},
    {"dmabd", "a buffer descriptor of AMD's AI Engine", kAnyType, kBufferFields, derive_buffer,
     "rank bits format last inner_size inner_stride d_size d_stride"},
    {"nki", "an access pattern of NKI", {}, kPatternFields, derive_pattern, "rank row partition"},
    {"datacopypad", "a DataCopyPad of Ascend C", kPadWords, kPadFields},
    {"noc", "a transfer of Tenstorrent's network", kNocWords, kFromTo},
    {"cpasync", "a cp.async of PTX", {}, kCopyFields},
    {"cpbulk", "a cp.async.bulk of PTX", {}, kBulkFields},
}};

}  // namespace

std::span<const DescriptorKind> descriptor_kinds() { return kKinds; }

}  // namespace vl::use
