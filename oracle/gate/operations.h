// Operations: what a peer can be asked, as a table. oracle/adapters/README.md says it to those who write adapters.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vl::gate {

constexpr std::string_view kVersion = VL_VERSION;
constexpr int kGenerator = 4;  // another number: a case's name means another case

enum class OpKind : unsigned char {
  Place,      // where elements live: compared element by element
  PlaceAt,    // where some elements of a large tensor live
  SameMap,    // a layout claimed to be the same map: proved
  Back,       // which element lives in a slot
  Decide,     // yes or no: our verdict
  Derive,     // a layout made by an operation: its law, proved
  Measure,    // a number, or the strides
  Image,      // bytes
  Cost,       // wavefronts of an access
  Nests,      // loops of a transfer
  Reduce,     // bytes of a result
  Construct,  // whether a text is taken: construct.h
};

/// An argument of a request, and how it stands in JSON and in the text of a claim's key.
enum class ArgumentKind : unsigned char {
  Region,  // [[3,5],[0,2]] and "3:5, 0:2"
  List,    // [2,4] and "2,4"
  Number,  // 2 and "2"
  Text,    // "tx" and "tx"
  Layout,  // a layout: text and, where the peer wants it, parts
};

struct OpArgument {
  std::string_view key;
  ArgumentKind kind;
};

struct Operation {
  std::string_view name;
  OpKind kind;
  std::string_view claim;  // that judges it; empty: values are compared
  std::vector<OpArgument> arguments;
  bool numbers = false;  // its law is about functions of numbers, as CuTe's algebra is
};

[[nodiscard]] std::span<const Operation> operations();
/// Whether it is asked of layouts in which every element has a slot of its own, for the image that they have.
[[nodiscard]] bool is_about_images(const Operation& operation);
/// Whether it moves what the layout's image holds to that of another layout of the tensor, `to`.
[[nodiscard]] bool has_destination(const Operation& operation);
/// Whether its cases may have places that are far apart: what is asked needs no memory, and no table of slots.
[[nodiscard]] bool may_be_far(const Operation& operation);
/// Whether this build can judge it.
[[nodiscard]] bool has_claim(const Operation& operation);
/// Null if there is none of that name.
[[nodiscard]] const Operation* find_operation(std::string_view name);
[[nodiscard]] std::vector<std::string_view> operation_names();

}  // namespace vl::gate
