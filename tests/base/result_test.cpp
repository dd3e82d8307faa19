// Result: a value or an error, never both; reading the wrong one is a bug.
#include "encodings/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace vl {
namespace base_result_test {

Error sample() { return Error{ErrorCode::Shape, "ranks differ", 7}; }

TEST(Result, HoldsAValue) {
  const Result<int> result = 5;
  EXPECT_TRUE(result.has_value());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 5);
  EXPECT_EQ(result.value(), 5);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = sample();
  EXPECT_FALSE(result.has_value());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().code, ErrorCode::Shape);
  EXPECT_EQ(result.error().message, "ranks differ");
  EXPECT_EQ(result.error().offset, 7U);
}

TEST(Result, LetsItsValueBeChangedAndMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  **result = 4;
  const std::unique_ptr<int> out = *std::move(result);
  EXPECT_EQ(*out, 4);
}

TEST(Result, RefusesToGiveAValueItDoesNotHave) {
  Result<std::string> result = sample();
  EXPECT_THROW(static_cast<void>(result.value()), InternalError);
  EXPECT_THROW(static_cast<void>(*result), InternalError);
  EXPECT_THROW(static_cast<void>(result->size()), InternalError);
}

TEST(Result, RefusesToGiveAnErrorItDoesNotHave) {
  const Result<int> result = 5;
  EXPECT_THROW(static_cast<void>(result.error()), InternalError);
}

TEST(Result, NamesTheErrorThatWasNotLookedAt) {
  const Result<int> result = sample();
  try {
    static_cast<void>(result.value());
    FAIL() << "no exception";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("ranks differ"), std::string::npos) << error.what();
  }
}

TEST(ErrorCodes, HaveNamesOfTheirOwn) {
  EXPECT_EQ(name(ErrorCode::Syntax), "syntax");
  EXPECT_EQ(name(ErrorCode::Value), "value");
  EXPECT_EQ(name(ErrorCode::Overflow), "overflow");
  EXPECT_EQ(name(ErrorCode::Shape), "shape");
  EXPECT_EQ(name(ErrorCode::NotComposable), "not-composable");
  EXPECT_EQ(name(ErrorCode::NotInvertible), "not-invertible");
  EXPECT_EQ(name(ErrorCode::Io), "io");
}

TEST(ErrorCodes, ThatDoNotExistAreABug) { EXPECT_THROW(static_cast<void>(name(ErrorCode{99})), InternalError); }

TEST(Check, PassesATrueCondition) { EXPECT_NO_THROW(VL_CHECK(1 + 1 == 2, "arithmetic")); }

TEST(Check, ThrowsPlaceConditionAndMessage) {
  const int line = __LINE__ + 2;
  try {
    VL_CHECK(1 + 1 == 3, "arithmetic");
    FAIL() << "no exception";
  } catch (const InternalError& error) {
    EXPECT_EQ(std::string(error.what()),
              std::string(__FILE__) + ":" + std::to_string(line) + ": 1 + 1 == 3: arithmetic");
  }
}

TEST(Check, DoesNotBuildTheMessageOfATrueCondition) {
  int built = 0;
  const auto message = [&] {
    ++built;
    return std::string("costly");
  };
  VL_CHECK(built == 0, message());
  EXPECT_EQ(built, 0);
}

}  // namespace base_result_test
}  // namespace vl
