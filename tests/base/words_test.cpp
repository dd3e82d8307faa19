// Words that are nearest to a wrong one.
#include "encodings/base/words.h"

#include <gtest/gtest.h>

#include <array>

namespace vl {
namespace base_words_test {

constexpr std::array<std::string_view, 4> kWords = {"onto", "injective", "in-bounds", "bijective"};

TEST(Nearest, IsTheWordWithTheFewestSlips) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {"injectiv", "injective"},                                // a letter left out
      {"INJECTIVE", "injective"},  {"injetcive", "injective"},  // neighbours exchanged
      {"bijectve", "bijective"},   {"inbounds", "in-bounds"},  {"ono", "onto"}, {"x", ""}, {"", ""},
      {"surjective", "injective"},  // 3 letters of 10
      {"conflict-free", ""},
  };
  for (const auto& [word, near] : table) EXPECT_EQ(nearest(word, kWords), near) << word;
  EXPECT_EQ(nearest(std::string(100000, 'x'), kWords), "");
}

TEST(OneOf, AsksAndLists) {
  EXPECT_EQ(one_of("ontoo", kWords), "did you mean 'onto'? expected one of onto, injective, in-bounds, bijective");
  EXPECT_EQ(one_of("zebra", kWords), "expected one of onto, injective, in-bounds, bijective");
}

}  // namespace base_words_test
}  // namespace vl
