#include "verifier/checker/lemmas/book.h"

namespace vl::checker {

const char* const kBookDigest = "sha256:8f509eab4b90254a3b9ed0683c4d03db46e8343d174384e9400f2d4a9c6ae639";

}  // namespace vl::checker
