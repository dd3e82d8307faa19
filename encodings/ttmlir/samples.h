// Random layouts of tt-mlir for campaigns: rules A and B, and rule C. encodings/use/campaign.h states the law of each
// function.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::ttmlir {

extern const use::Campaign kMetalCampaign;
extern const use::Campaign kTtnnCampaign;

}  // namespace vl::ttmlir
