// Random layouts of Spyre for campaigns; what each function promises is said in encodings/use/campaign.h.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::spyre {

extern const use::Campaign kCampaign;

}  // namespace vl::spyre
