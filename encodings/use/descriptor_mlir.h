// What readers of descriptors in MLIR share: the values and names of a text, and one operation in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "encodings/notation/mlir.h"
#include "encodings/use/descriptor_readers.h"

namespace vl::use {

/// What a text of MLIR says of its values and of its types' names.
class MlirText {
 public:
  /// Takes time in proportion to the text.
  explicit MlirText(std::string_view text);

  /// The text with blanks in the place of comments.
  [[nodiscard]] std::string_view code() const { return code_; }
  [[nodiscard]] const mlir::Names& names() const { return names_; }

  /// What a value is, "arith.constant 64 : index"; empty where that is not known, or where a function has several of
  /// that name that differ.
  [[nodiscard]] std::string_view definition(std::string_view name, std::size_t place) const;
  /// The number of "64", "%c64" or "%c64 : index".
  [[nodiscard]] std::optional<Index> number(std::string_view operand, std::size_t place) const;

 private:
  struct Definition {
    std::size_t begin;
    std::string_view text;
  };
  void blank();
  void value(std::size_t at);
  void alias(std::size_t at);

  std::string code_;
  std::vector<std::size_t> functions_;  // where they begin
  std::unordered_map<std::string_view, std::vector<Definition>> values_;
  mlir::Names names_;
};

/// One operation: what follows its name, and where it stands.
struct MlirOperation {
  const MlirText& in;
  std::string_view rest;
  std::size_t place = 0;

  /// The part in brackets after a word: "%a, %b" of `box[%a, %b]`. Nothing without that word.
  [[nodiscard]] std::optional<std::string_view> after(std::string_view word) const;
  /// The numbers of a list of constants; nothing where one is not known.
  [[nodiscard]] std::optional<std::vector<Index>> numbers(std::string_view list) const;
};

/// The value of a key in "tensor = …, swizzle = none"; empty without it.
[[nodiscard]] std::string_view value_of(std::string_view list, std::string_view key);

[[nodiscard]] DescriptorField constants_field(const std::vector<Index>& numbers);

/// A type of elements, its word in descriptors, and its bits.
struct MlirType {
  std::string_view element, of;
  Index bits;
};
/// Null for one that is not known.
[[nodiscard]] const MlirType* element_of(std::string_view word);

/// Readers of one operation each.
[[nodiscard]] OrWhy<Descriptor> of_nvgpu(const MlirOperation& op);
[[nodiscard]] OrWhy<Descriptor> of_block_load(const MlirOperation& op);
[[nodiscard]] OrWhy<Descriptor> of_block_store(const MlirOperation& op);
[[nodiscard]] OrWhy<Descriptor> of_tdm(const MlirOperation& op);
[[nodiscard]] OrWhy<Descriptor> of_dma_bd(const MlirOperation& op);
[[nodiscard]] OrWhy<Descriptor> of_memcpy_nd(const MlirOperation& op);

}  // namespace vl::use
