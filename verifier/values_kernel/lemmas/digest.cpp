#include "verifier/values_kernel/lemmas/book.h"

namespace vl::values_kernel {

const char* const kBookDigest = "sha256:42dac45891802942119c807906c104de685714b7d0b4900df76ccea04a5f9e37";

}  // namespace vl::values_kernel
