// The table of claims. A claim is declared here and defined in its own file.
#include "verifier/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vl::claims {

// clang-format off
extern const Claim kWellFormed, kInBounds, kInjective, kOnto, kBijective, kOffsetIdentity, kPadding, kBytes;
extern const Claim kRowContiguous, kEqual, kReplicasDisjoint, kInverse, kDisjoint, kAligned, kFits, kMaskExact, kRemap, kViewInBounds, kViewElements, kMoveImplements, kContiguous;
extern const Claim kOccupied, kPaddingKind, kRowAligned;
extern const Claim kSlice, kCanonical, kGroup, kTile, kDirectSum, kPermute;
extern const Claim kBroadcast, kPack, kUnpack, kFuse, kSplit, kSwizzle;
extern const Claim kCompose, kCoalesce, kLeftInverse, kRightInverse, kDivide, kProduct, kComplement;
extern const Claim kConflictFree, kConflicts, kWavefronts, kPartition;
extern const Claim kNestsInBounds, kCoversOnce, kImplements, kNoOverlap, kSymmetric, kMovesAligned, kCompatible, kNeutral, kPaddingState, kStoreable, kAccepts, kCarries, kFills, kKeeps;

std::span<const Claim> claims() {
  static const std::array kClaims = {
      kWellFormed, kInBounds, kInjective, kOnto, kBijective, kOffsetIdentity, kPadding, kBytes,
      kRowContiguous, kRowAligned, kEqual, kReplicasDisjoint, kInverse, kDisjoint, kAligned, kFits, kMaskExact, kRemap, kViewInBounds, kViewElements, kMoveImplements, kContiguous, kOccupied, kPaddingKind,
      kSlice, kCanonical, kGroup, kTile, kDirectSum, kPermute,
      kBroadcast, kPack, kUnpack, kFuse, kSplit, kSwizzle,
      kCompose, kCoalesce, kLeftInverse, kRightInverse, kDivide, kProduct, kComplement,
      kConflictFree, kConflicts, kWavefronts, kPartition,
      kNestsInBounds, kCoversOnce, kImplements, kNoOverlap, kSymmetric, kMovesAligned, kCompatible, kNeutral, kPaddingState, kStoreable, kAccepts, kCarries, kFills, kKeeps,
  };
  return kClaims;
}
// clang-format on

std::string_view needs(const Claim& claim) {
  return std::visit([]<class About>(DecideOf<About>) { return About::needs; }, claim.decide);
}

std::vector<std::string_view> Keys::list() const {
  std::vector<std::string_view> out;
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    out.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

bool Keys::has(std::string_view key) const {
  const std::vector<std::string_view> known = list();
  return std::ranges::find(known, key) != known.end();
}

const Claim* find_claim(std::string_view name, bool of_nests) {
  const auto all = claims();
  const auto found = std::ranges::find_if(
      all, [&](const Claim& claim) { return claim.name == name && is_about_nests(claim) == of_nests; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Subject> bind(const Claim& claim, Offer& offer) {
  offer.numbers = claim.numbers;
  offer.of_slots = claim.of_slots;
  return std::visit(
      [&]<class About>(DecideOf<About>) {
        const std::optional<About> about = About::bind(offer);
        return about ? std::optional<Subject>(*about) : std::nullopt;
      },
      claim.decide);
}

namespace {

std::string in_words(const std::vector<engines::Disagreement>& disagreements) {
  const engines::Disagreement& first = disagreements.front();
  return fmt::format("asked for '{}', {} answers '{}' and {} '{}'", first.question, first.one.engine,
                     engines::describe(first.one.answer), first.other.engine, engines::describe(first.other.answer));
}

}  // namespace

Judged decide(const Claim& claim, const Subject& subject, const engines::Options& options) {
  Inquiry inquiry(options);
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict = std::visit(
      [&]<class About>(DecideOf<About> decide) {
        const auto* about = std::get_if<About>(&subject);
        VL_CHECK(about != nullptr, fmt::format("{} is asked of what it is not about", claim.name));
        return decide(*about, inquiry);
      },
      claim.decide);
  const auto time = std::chrono::steady_clock::now() - start;
  if (!inquiry.disagreements().empty())
    verdict = Unknown{Reason::EnginesDisagree, in_words(inquiry.disagreements()), inquiry.engine()};
  return Judged{std::move(verdict), inquiry.attempts(), time, inquiry.disagreements()};
}

}  // namespace vl::claims
