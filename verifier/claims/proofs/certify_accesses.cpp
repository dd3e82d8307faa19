#include "verifier/claims/proofs/certify_accesses.h"

#include <algorithm>
#include <limits>

#include "encodings/map/text.h"
#include "verifier/checker/accesses.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::claims {
namespace {

using checker::AccessText;
using checker::Evidence;
using engines::Reach;

constexpr Index kMostWalk = Index{1} << 20;   // of the checker
constexpr Index kMostTried = Index{1} << 16;  // lanes of instances walked over to see whether the rest can be free
constexpr std::size_t kMostVariables = 4;     // all subsets of which are tried

const char* text_of(use::Comparison comparison) {
  switch (comparison) {
    case use::Comparison::AtMostZero: return "<=0";
    case use::Comparison::IsZero: return "=0";
    case use::Comparison::IsNotZero: return "!=0";
  }
  VL_CHECK(false, "unknown comparison");
}

Evidence evidence_of(std::vector<bool> free) {
  Evidence out;
  out.free = std::move(free);
  return out;
}

// A limit that no access reaches: what is left to show is that the free variables change nothing.
bool shows(const AccessText& access, Evidence evidence) {
  checker::Statement statement;
  statement.access = access, statement.at_most = std::numeric_limits<Index>::max();
  return unless_rejected([&] { return checker::check_access("conflicts", statement, evidence), true; });
}

// Which variables are free, and how many lanes of instances are left to walk over.
struct Choice {
  std::vector<bool> free;
  checker::Wide walked = 1;
};

std::vector<Choice> choices(const checker::Space& domain) {
  const std::size_t variables = domain.rank() - 1;
  std::vector<Choice> out;
  for (std::size_t walked = 0; walked < (variables <= kMostVariables ? std::size_t{1} << variables : 1); ++walked) {
    Choice choice{std::vector<bool>(domain.rank(), true), domain.extents[0]};
    choice.free[0] = false;
    for (std::size_t i = 0; i < variables; ++i) {
      if ((walked >> i & 1) == 0) continue;
      choice.free[i + 1] = false;
      choice.walked = choice.walked * domain.extents[i + 1];
    }
    out.push_back(std::move(choice));
  }
  std::ranges::stable_sort(out, {}, &Choice::walked);
  return out;
}

}  // namespace

AccessText access_statement(const Reach& reach) {
  auto none = map::Map::create(reach.bytes.domain(), {map::Affine{}});
  VL_CHECK(none.has_value(), "a map without outputs is a map");
  std::vector<std::string> conditions;
  for (const use::Comparison comparison : reach.conditions) conditions.emplace_back(text_of(comparison));
  return {map::print(reach.bytes),
          map::print(reach.coordinates),
          map::print(reach.when ? *reach.when : *none),
          std::move(conditions),
          map::print(reach.logical),
          reach.width,
          reach.phases,
          reach.banks,
          reach.bytes_per_bank,
          reach.broadcasts,
          reach.pairs ? std::optional(AccessText::Pairs{reach.pairs->distances, reach.pairs->phases}) : std::nullopt};
}

std::vector<Evidence> access_evidence(const AccessText& access, Index walk) {
  const checker::Space domain = checker::parse_map(access.bytes).domain;
  const checker::Wide all = domain.volume();
  std::vector<Evidence> out;
  if (all > walk)
    for (const Choice& choice : choices(domain)) {
      if (!out.empty() || choice.walked > kMostTried || choice.walked > all / 2) continue;
      Evidence evidence = evidence_of(choice.free);
      if (shows(access, evidence)) out.push_back(std::move(evidence));
    }
  if (all <= kMostWalk) out.push_back(evidence_of(std::vector<bool>(domain.rank(), false)));
  return out;
}

}  // namespace vl::claims
