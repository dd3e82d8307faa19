// Random layouts of TIRx for campaigns; encodings/use/campaign.h states the law of each function.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::tirx {

extern const use::Campaign kCampaign;

}  // namespace vl::tirx
