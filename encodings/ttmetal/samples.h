// Random specs of tt-metal for campaigns. encodings/use/campaign.h states the law of each function.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::ttmetal {

extern const use::Campaign kCampaign;

}  // namespace vl::ttmetal
