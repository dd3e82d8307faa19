// parse_npy on arbitrary bytes: no crash, no leak, and what it accepts is written and read back the same.
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>

#include "oracle/reference/npy.h"
#include "verifier/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = vl::oracle::parse_npy(std::as_bytes(std::span(data, size)));
  if (!array) return 0;
  static const std::string path = "/tmp/npy_fuzzer-" + std::to_string(::getpid()) + ".npy";
  const auto error = vl::oracle::write_npy(path, *array);
  VL_CHECK(!error, "what was read cannot be written: " + error->message);
  const auto again = vl::oracle::read_npy(path);
  ::unlink(path.c_str());
  VL_CHECK(again.has_value() && *again == *array, "what was written is read differently");
  return 0;
}
