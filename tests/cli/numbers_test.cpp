// Numbers and times on the command line.
#include "verifier/cli/numbers.h"

#include <gtest/gtest.h>

namespace vl::cli {
namespace cli_numbers_test {

TEST(WholeNumber, IsReadWithAPowerOfTen) {
  for (const auto& [text, want] : {std::pair{"0", "0"},
                                   {"7", "7"},
                                   {"1e6", "1000000"},
                                   {"2.5e3", "2500"},
                                   {"1E2", "100"},
                                   {"0.5e1", "5"},
                                   {"18446744073709551615", "18446744073709551615"},
                                   {"1e19", "10000000000000000000"}}) {
    std::string spelled = text;
    EXPECT_EQ(spell_whole_number(spelled), "") << text;
    EXPECT_EQ(spelled, want) << text;
  }
}

TEST(WholeNumber, IsRefusedOtherwise) {
  for (const char* text : {"", "-1", "+1", "07", "1.5", "1e", "e3", "1e20", "2e19", "18446744073709551616", "1e-3",
                           "0x10", "1.e3", ".5e1", "1.25e1", "1e6 ", "ten"}) {
    std::string spelled = text;
    EXPECT_NE(spell_whole_number(spelled), "") << text;
    EXPECT_EQ(spelled, text);
  }
}

TEST(Seconds, AreReadWithAUnit) {
  for (const auto& [text, want] :
       {std::pair{"90", 90.0}, {"0.5", 0.5}, {"90s", 90.0}, {"5m", 300.0}, {"1.5h", 5400.0}}) {
    std::string spelled = text;
    EXPECT_EQ(spell_seconds(spelled), "") << text;
    EXPECT_EQ(std::stod(spelled), want) << text;
  }
  for (const char* text : {"", "m", "-1", "5 m", "1e3", "nan", "inf", "0x10", "1.2.3", "5d"}) {
    std::string spelled = text;
    EXPECT_NE(spell_seconds(spelled), "") << text;
  }
}

}  // namespace cli_numbers_test
}  // namespace vl::cli
