// The values that the names of a torch.fx graph stand for, and which of them may lie in one memory: a view is a part of
// what it is a view of, and arguments may be parts of each other. What is written is gone under all of its names.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vl::program {

class FxValues {
 public:
  struct Held {
    std::string value;  // its name, which no other value has; empty: it may have been written
    std::string_view type = {};
    std::size_t memory = 0;
    std::string_view writer = {};  // what may have written it
  };
  static constexpr std::size_t kOutside = 0;  // the memory of arguments, and of all that a graph does not make

  /// Names have no '%'. Null if there is no such value.
  [[nodiscard]] const Held* find(std::string_view name) const;
  /// The name of its value now; of none, one that no value has: "x?".
  [[nodiscard]] std::string value_of(std::string_view name) const;
  /// A name for a value.
  [[nodiscard]] std::string fresh(std::string_view name);
  [[nodiscard]] std::size_t fresh_memory();

  void define(std::string_view name, Held held);
  void forget(std::string_view name);
  /// They may lie in one memory from here on. Takes time in proportion to the smaller one, in names.
  void join(std::size_t a, std::size_t b);
  void write(std::size_t memory, std::string_view writer);

 private:
  std::size_t root(std::size_t memory);

  std::map<std::string, Held, std::less<>> held_;
  std::map<std::string, int, std::less<>> taken_;
  std::vector<std::size_t> parent_{kOutside};
  std::vector<std::vector<std::string>> names_{{}};  // of the values of a memory
};

}  // namespace vl::program
