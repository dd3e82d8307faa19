// Descriptor: what hardware is told of a transfer or of a matrix operand, as fields with names. It is data: nothing
// here knows what a field means, but for the fields that others give (`derived`). Targets (target.h) have rules about
// them.
//
// The canonical text is  KIND(WORD, …, FIELD VALUE, …), with the kind's words first and its fields in any order:
//   tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B)
// Dimensions are in the order of the hardware's own document: innermost first for tensor maps, outermost first for TDM,
// AIE and NKI. Numbers may be expressions in names for sizes: stride (2*K).
//
// A tensor map may be part of a transfer:
//   load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 1024
//   store tensormap(u8, dim (466,32), stride (512), box (128,32)) at (384,0) from 0
//
// A field that the text does not state is absent. Rules about it are not judged, and nobody proves them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/map/expression.h"

namespace vl::use {

/// A number, maybe with names for sizes; or a word of the notation: "128B".
using FieldValue = std::variant<map::Expression, std::string>;

/// The values of a field; a list has any number of them, another field one.
struct DescriptorField {
  std::vector<FieldValue> values;
  bool list = false;

  bool operator==(const DescriptorField&) const = default;
};

using DescriptorFields = std::map<std::string, DescriptorField, std::less<>>;

struct Descriptor {
  std::string kind;  // "tensormap"
  DescriptorFields fields;

  bool operator==(const Descriptor&) const = default;
};

/// One field of a kind.
struct DescriptorRow {
  enum class Takes { Number, List, Word };
  std::string_view name;
  Takes takes = Takes::Number;
  std::string_view words = {};   // of a Word: all that there are, separated by blanks
  std::string_view absent = {};  // what it is where the text does not say; empty: not known
  bool needed = false;           // a text without it is an error
};

/// One kind of descriptor.
struct DescriptorKind {
  std::string_view name;
  std::string_view what;                 // "a tensor map of CUDA"
  std::span<const DescriptorRow> words;  // without names, in this order
  std::span<const DescriptorRow> fields;
  /// Adds fields that follow from others ("rank", "bits"), or says why the fields are none: lists of other lengths.
  std::optional<Error> (*derive)(DescriptorFields& fields) = nullptr;
  std::string_view derived = {};  // their names, separated by blanks
};

/// All kinds: tensormap, im2col, smemdesc, block2d, tdm, dmabd, nki, datacopypad, noc, cpasync, cpbulk
/// (descriptor_kinds.cpp).
[[nodiscard]] std::span<const DescriptorKind> descriptor_kinds();
/// Null if there is none of that name.
[[nodiscard]] const DescriptorKind* descriptor_kind(std::string_view name);
/// Whether rules about the kind may name that field: one of its own, or a derived one.
[[nodiscard]] bool has_field(const DescriptorKind& kind, std::string_view field);

/// Whether a text begins as a descriptor: a kind, or `load` or `store` before one.
[[nodiscard]] bool is_descriptor(std::string_view text);

/// Reads a canonical text, and derives. Errors: Syntax (also an unknown field, a field that is given twice or that is
/// missing), Value (a word that the field has not), Shape (lists whose lengths do not fit), those of expressions.
/// Example: tensormap(f16, dim (256,128), stride (512), box (64,64)) has rank 2, bits 16 and step (1,1).
[[nodiscard]] Result<Descriptor> parse_descriptor(std::string_view text);

/// A descriptor of these fields, of which a text in another notation is the source: fills what is absent, and derives.
/// Errors: those of parse but Syntax.
[[nodiscard]] Result<Descriptor> descriptor_of(std::string_view kind, DescriptorFields fields);

/// Its canonical text, which reads as the same descriptor.
[[nodiscard]] std::string print(const Descriptor& descriptor);

/// The numbers of a field. Errors: Value for a field that is not stated, and for names for sizes in it.
[[nodiscard]] Result<std::vector<Index>> numbers_in(const Descriptor& descriptor, std::string_view field);

/// The names for sizes in its numbers, each once.
[[nodiscard]] std::vector<std::string> names_of(const Descriptor& descriptor);
/// The same with numbers in the place of names; a number of which a name is left stays as it is. Errors: those of
/// descriptor_of and of expressions.
[[nodiscard]] Result<Descriptor> with_sizes(Descriptor descriptor, const map::Sizes& sizes);

/// One number, one word, and a list of numbers as a field.
[[nodiscard]] DescriptorField number_field(map::Expression value);
[[nodiscard]] DescriptorField word_field(std::string value);
[[nodiscard]] DescriptorField numbers_field(std::vector<map::Expression> values);

}  // namespace vl::use
