// Whether a test is a fact, with the sanitizers, or a campaign, without: arithmetic takes ten times as long in a fact.
#pragma once

namespace vl::test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// The size of a law's scope where it is a fact, and where a campaign's file, which includes that of the fact, holds
/// it.
template <class Number>
constexpr Number fact_or_campaign(Number few, Number all) {
  return kSanitized ? few : all;
}

}  // namespace vl::test
