// Meaning: reads numbers, words and arguments out of a tree. It keeps the first error, as a Cursor does, and the first
// part that has no value: a name of the program around the text. If names stand for sizes, a number may be an
// expression of them: 32*G. It then counts as 1 in what is read, and `named` has it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/ttmetal/tree.h"
#include "encodings/ttmetal/ttmetal.h"
#include "encodings/use/named_sizes.h"

namespace vl::ttmetal {

using use::NamedSize;

class Meaning {
 public:
  Meaning() = default;
  /// In `text` names stand for sizes.
  explicit Meaning(std::string_view text) : text_(text) {}

  /// All that are no numbers, in the order in which they were read.
  [[nodiscard]] const std::vector<NamedSize>& named() const { return named_; }
  /// The numbers that were read since the last call. Empty where names stand for no sizes.
  [[nodiscard]] std::vector<map::Expression> taken() { return std::exchange(taken_, {}); }
  void keep(map::Expression number) {
    if (!text_.empty()) taken_.push_back(std::move(number));
  }

  void fail(ErrorCode code, std::string message, std::size_t offset);
  void fail(std::string message, std::size_t offset) { fail(ErrorCode::Syntax, std::move(message), offset); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// Records that nothing can be told of a part of the text.
  void leave_open(std::string reason);
  void leave_open(const Node& node, std::string_view what);
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

  /// The arguments of a call or a list by name; null where one is absent. A name may be two: "shape|shard_shape".
  /// Errors: too many, an unknown key, one twice.
  [[nodiscard]] std::vector<const Node*> arguments(const Node& call, std::span<const std::string_view> names);

  [[nodiscard]] Index number(const Node& node, std::string_view what);
  /// [1, 2], Shape([1, 2]), Shape{1, 2}, {1, 2}.
  [[nodiscard]] std::vector<Index> numbers(const Node& node, std::string_view what);
  /// The last part of a name, one of `words` where there are any; empty for null, None and std::nullopt.
  [[nodiscard]] std::string word(const Node* node, std::string_view what, std::span<const std::string_view> words);
  [[nodiscard]] bool flag(const Node& node);

 private:
  std::optional<Error> error_;
  std::string unknown_;
  std::string_view text_;  // empty: names stand for no sizes
  std::vector<NamedSize> named_;
  std::vector<map::Expression> taken_;
};

[[nodiscard]] bool is_none(const Node& node);

/// Whether a text, keys in front or not, is one of tt-mlir's words for an NdShardSpec (mlir_nd.cpp); and reads it from
/// behind the keys.
[[nodiscard]] bool is_mlir_nd(std::string_view text);
void take_mlir_nd(Cursor& cursor, Meaning& in, Spec& spec);

/// The spec of a text, of which `plain` is the text without comments.
[[nodiscard]] Result<Parsed> parse(std::string_view text, std::string_view plain, Meaning& in);

// The parts of specs.
[[nodiscard]] Tile tile_in(Meaning& in, const Node& node);
[[nodiscard]] std::vector<CoreRange> cores_in(Meaning& in, const Node& node);
[[nodiscard]] std::string dtype_in(Meaning& in, const Node& node);
void take_layout(Meaning& in, const Node& node, Spec& spec);    // TILE, PageConfig(…)
void take_shard(Meaning& in, const Node& node, Spec& spec);     // ShardSpec(…)
void take_nd_shard(Meaning& in, const Node& node, Spec& spec);  // NdShardSpec(…)
void take_memory(Meaning& in, const Node& node, Spec& spec);    // MemoryConfig(…), create_sharded_memory_config(…)
void take_created_memory(Meaning& in, const Node& node, Spec& spec);  // create_sharded_memory_config(…)

}  // namespace vl::ttmetal
