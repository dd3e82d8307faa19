#include "oracle/gate/bulk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace vl::gate {
namespace {

constexpr std::uint64_t kCanaryWord = 0xc5a7e1d93b0f6428U;

}  // namespace

Bulk::Bulk() : file_(::memfd_create("layout-gate", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file_.get() < 0 || ::ftruncate(file_.get(), kBulkBytes) != 0) return;
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return;
  void* memory = ::mmap(nullptr, kBulkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
}

Bulk::~Bulk() {
  if (memory_ != nullptr) ::munmap(memory_, kBulkBytes);
}

void Bulk::prepare(const BulkSlot& slot, std::uint64_t drawn) const {
  auto* words = reinterpret_cast<std::uint64_t*>(at(slot.at));
  const std::size_t count = slot.bytes / 8, around = kCanary / 8;
  for (std::size_t k = 0; k < count; ++k) words[k] = pattern_word(drawn, k);
  std::fill(words - around, words, kCanaryWord);
  std::fill(words + count, words + count + around, kCanaryWord);
}

bool Bulk::canaries_hold(const BulkSlot& slot) const {
  const auto* words = reinterpret_cast<const std::uint64_t*>(at(slot.at));
  const std::size_t count = slot.bytes / 8;
  std::uint64_t changed = 0;
  for (std::size_t k = 1; k <= kCanary / 8; ++k)
    changed |= (words[-static_cast<std::ptrdiff_t>(k)] ^ kCanaryWord) | (words[count + k - 1] ^ kCanaryWord);
  return changed == 0;
}

}  // namespace vl::gate
