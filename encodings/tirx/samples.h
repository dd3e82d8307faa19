// Random layouts of TIRx for campaigns; what each function promises is said in encodings/use/campaign.h.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::tirx {

extern const use::Campaign kCampaign;

}  // namespace vl::tirx
