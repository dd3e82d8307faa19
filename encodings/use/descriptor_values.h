// Values of the arguments of calls in C and Python: lists of numbers, numbers, and words of cuda.h. Names of lists and
// of words are followed to their initial values; names in numbers stay names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "encodings/use/descriptor_readers.h"
#include "encodings/use/initials.h"

namespace vl::use {

class CodeValues {
 public:
  /// `text` as it stands, `code` plain; both live as long.
  CodeValues(SourceLanguage language, std::string_view text, std::string_view code, std::string_view reader);

  [[nodiscard]] const Brackets& brackets() const { return brackets_; }
  [[nodiscard]] SourceLanguage language() const { return language_; }

  /// The numbers of "{K, M}", "[U64(K), M]", "(ctypes.c_uint64 * 2)(K, M)", "dims", "dims.data()", "&dims[1]" or
  /// "dims + 1", as they are at `place`: the first `count`, or all if it is npos. An argument is a part of `code`.
  [[nodiscard]] OrWhy<std::vector<map::Expression>> numbers(std::string_view argument, std::size_t place,
                                                            std::size_t count) const;
  /// The same, not read.
  [[nodiscard]] OrWhy<std::vector<std::string_view>> list(std::string_view argument, std::size_t place) const;
  /// The value of a name that is bound once, whatever it holds by then.
  [[nodiscard]] OrWhy<std::string_view> bound(std::string_view name, std::size_t place) const;
  /// "(uint64_t)K * sizeof(half)" is 2*K.
  [[nodiscard]] OrWhy<map::Expression> number(std::string_view argument, std::size_t place) const;
  /// "CU_TENSOR_MAP_SWIZZLE_128B", "CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B", "3", "(CUtensorMapSwizzle)3", or a
  /// name of one.
  [[nodiscard]] OrWhy<DescriptorField> word(MapWord of, std::string_view argument, std::size_t place) const;
  /// The parts of what stands within the bracket with which a text begins, which is a part of `code`.
  [[nodiscard]] std::vector<std::string_view> within(std::string_view list) const;
  /// The number that it is, with those that the source gives its names.
  [[nodiscard]] std::optional<Index> integer(std::string_view argument, std::size_t place) const;

 private:
  [[nodiscard]] OrWhy<std::vector<std::string_view>> entries(std::string_view argument, std::size_t place,
                                                             std::size_t count, int deep = 0) const;
  [[nodiscard]] OrWhy<std::vector<std::string_view>> c_entries(std::string_view argument, std::size_t place,
                                                               int deep) const;
  [[nodiscard]] OrWhy<std::vector<std::string_view>> python_entries(std::string_view argument, std::size_t place,
                                                                    std::size_t count, int deep) const;
  [[nodiscard]] std::string readable(std::string_view argument, std::size_t place, int deep) const;

  SourceLanguage language_;
  std::string_view code_;
  Brackets brackets_;
  Initials initials_;
  std::unique_ptr<NamesOfSource> names_;
  std::unordered_map<std::string_view, std::string_view> types_;  // names of types in C
};

}  // namespace vl::use
