#include "oracle/fuzz/subject.h"

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::oracle {

std::vector<const use::Family*> campaign_families() {
  std::vector<const use::Family*> out;
  for (const use::Family* family : use::families())
    if (family->campaign != nullptr) out.push_back(family);
  return out;
}

const use::Family& campaign_family(std::string_view name) {
  for (const use::Family* family : use::families())
    if (family->campaign != nullptr && family->name == name) return *family;
  VL_CHECK(false, "a family without campaigns");
}

std::string text_of(const Subject& subject) { return subject.family->campaign->print(subject); }

Result<map::Layout> lower(const Subject& subject) { return subject.family->campaign->lower(subject); }

Subject subject_of(std::string_view family, std::uint64_t seed, std::uint64_t group) {
  const use::Campaign& campaign = *campaign_family(family).campaign;
  Random random(seed, campaign.stream, group);
  return campaign.draw(random, static_cast<unsigned>(group % 4), is_large(group));
}

bool is_large(std::uint64_t group) { return group % kLargeOf == kFirstLarge; }

Subject companion_of(const Subject& subject, Random& random) {
  map::Tensor tensor = subject.tensor;
  tensor.view_offset = 0;
  tensor.strides.reset();
  tensor.offset = 0;
  tensor.box.clear();
  const use::Campaign* maker = nullptr;
  for (const use::Family* family : campaign_families())
    if (family->campaign->companion != nullptr && family->campaign->draw_small != nullptr) maker = family->campaign;
  VL_CHECK(maker != nullptr, "no family offers a layout to move to");
  return maker->companion(tensor, random);
}

}  // namespace vl::oracle
