// Random layouts of TIRx for campaigns; encodings/use/campaign.h states the law of each function.
#pragma once

#include "encodings/use/campaign.h"

namespace vl::tirx {

extern const use::Campaign kCampaign;

// Its steps to other samples (samples_steps.cpp).
void smaller_samples(const use::Sample& from, const use::TakeSample& take);
void plainer_samples(const use::Sample& from, const use::TakeSample& take);
void paired_samples(const use::Sample& from, const use::TakeSample& take);

}  // namespace vl::tirx
