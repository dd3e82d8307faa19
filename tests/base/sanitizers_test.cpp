// All code that runs under the sanitizers is compiled with them, tests included. A test object without them would bring
// its own copies of inline functions and templates, and the linker takes the first copy: then our code would run
// unchecked, without a message.
#include <gtest/gtest.h>

#include "encodings/base/cursor.h"

extern "C" void __asan_init() __attribute__((weak));  // NOLINT: the sanitizer's name

namespace vl {
namespace base_sanitizers_test {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCompiledWith = true;
#else
constexpr bool kCompiledWith = false;
#endif

TEST(Sanitizers, AreInTheTestsExactlyWhereTheyAreLinked) {
  EXPECT_EQ(kCompiledWith, &__asan_init != nullptr);
  EXPECT_TRUE(kCompiledWith) << "facts are run by the preset asan alone";
}

TEST(SanitizersDeathTest, SeeWhatAnInlineFunctionOfAHeaderReads) {
  std::string* volatile text = new std::string("a text that is too long for the string itself");
  Cursor in(*text);
  delete text;
  EXPECT_DEATH((void)in.peek(), "heap-use-after-free");
}

TEST(SanitizersDeathTest, SeeATestsOwnReads) {
  int* volatile number = new int(7);
  delete number;
  EXPECT_DEATH((void)std::to_string(*number), "heap-use-after-free");
}

}  // namespace base_sanitizers_test
}  // namespace vl
