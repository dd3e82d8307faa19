// Initial values: what a source says of a name of a list or of an enumerator at the place where it is given its value,
// if it stays so. C: `uint64_t dims[2] = {K, M};`, `std::array<uint64_t, 2> dims{K, M};`, `auto mode = MODE_A;`, in the
// innermost braces around a place that declare the name. Python: `dims = [K, M]`, in the function around a place, or
// in the file where the function binds no such name.
//
// A name that is bound twice, that is assigned or changed before the place (in a loop around both: anywhere in it), or
// that is handed to a function that may change it, has no initial value, and the reason says so.
//
// Example: of `uint32_t box[2] = {64, 128}; f(box); encode(box);` the name box has {64, 128} at f and none at encode.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "encodings/use/brackets.h"

namespace vl::use {

constexpr std::size_t kLongestInitial = 4096;  // bytes

/// Why there is no value.
struct NoInitial {
  std::string reason;
};

class Initials {
 public:
  /// `code` is plain, and lives as long as `brackets`. Calls of functions whose name has `reader` in it change nothing.
  Initials(SourceLanguage language, std::string_view code, const Brackets& brackets, std::string_view reader);

  /// The text of the value of a name at a place. `kept`: what it holds does not matter, only that it is bound once.
  [[nodiscard]] std::variant<std::string_view, NoInitial> at(std::string_view name, std::size_t place,
                                                             bool kept = false) const;

 private:
  struct Scope {
    std::size_t begin = 0, end = 0, parent = 0;
    bool loop = false;
  };
  struct Bound {
    std::string_view value = {};  // empty: not known
    std::size_t begin = 0;
    std::size_t changed = std::string_view::npos;  // the first place; so is
    std::size_t rebound = std::string_view::npos;
  };
  class Reading;
  class CReading;
  class PythonReading;

  [[nodiscard]] std::optional<std::size_t> scope_at(std::size_t place) const;
  /// The innermost scope from `scope` on that binds a name; null where none does.
  [[nodiscard]] const Bound* find(std::string_view name, std::size_t scope, std::size_t& in) const;

  std::vector<Scope> scopes_;  // in the order of their begin; the first is the file
  std::unordered_map<std::string_view, std::unordered_map<std::size_t, Bound>> bound_;
};

}  // namespace vl::use
