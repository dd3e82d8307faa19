#include "encodings/use/descriptor_scan.h"

#include <algorithm>

#include "encodings/use/descriptor_readers.h"

namespace vl::use {
namespace {

using Reader = void (*)(std::string_view text, std::vector<SeenDescriptor>& out);
constexpr Reader kReaders[] = {add_dumps, add_tirx_calls};

}  // namespace

std::vector<SeenDescriptor> descriptors_in(std::string_view text) {
  std::vector<SeenDescriptor> out;
  for (const Reader read : kReaders) read(text, out);
  std::ranges::stable_sort(out, {}, &SeenDescriptor::begin);
  return out;
}

}  // namespace vl::use
