// Upstream's rules for well-formed layouts.
//
// Scopes: a thread axis counts units of one level within another. From the innermost level that is named outwards, each
// level has to be counted within only one level, and every axis has to be on that path: wgid (warpgroups in a block)
// beside laneid (threads in a warp) lacks the warps of a warpgroup. The rule is about axes of S, R and offsets if S
// names a thread axis; upstream does not check if only R or an offset names one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::None: return "none";
    case Scope::Kernel: return "kernel";
    case Scope::Cluster: return "cluster";
    case Scope::Cta: return "cta";
    case Scope::Warpgroup: return "warpgroup";
    case Scope::Warp: return "warp";
    case Scope::Thread: return "thread";
  }
  VL_CHECK(false, "an unknown scope");
}

template <class Number>
std::vector<use::Rule> scope_rules(const BasicTile<Number>& tile) {
  std::vector<use::Rule> rules;
  if (std::ranges::none_of(tile.shard, [](const auto& iter) { return is_thread(iter.axis); })) return rules;
  std::map<Scope, std::set<Scope>> within;  // for each level, the levels within which it is counted; innermost last
  for (const Axis axis : axes_of(tile))
    if (is_thread(axis)) within[info(axis).inner].insert(info(axis).outer);
  for (const auto& [inner, outer] : within)
    rules.push_back(
        {fmt::format("every {} is counted within one level", name(inner)), static_cast<Index>(outer.size()), 1});
  Index reached = 0;
  const Scope innermost = within.rbegin()->first;
  for (auto at = within.find(innermost); at != within.end(); at = within.find(*at->second.rbegin())) ++reached;
  rules.push_back({fmt::format("the levels of the thread axes connect from {} outwards", name(innermost)), reached,
                   static_cast<Index>(within.size())});
  return rules;
}

}  // namespace

template <class Number>
std::vector<use::Rule> rules_of(const BasicLayout<Number>& layout) {
  std::vector<use::Rule> rules;
  if (layout.tile) rules = scope_rules(*layout.tile);
  if (layout.swizzle)
    rules.push_back({fmt::format("atom_len is at least swizzle_len, {}", layout.swizzle->swizzle_len),
                     std::min(layout.swizzle->atom_len, layout.swizzle->swizzle_len), layout.swizzle->swizzle_len});
  return rules;
}
template std::vector<use::Rule> rules_of(const Layout&);
template std::vector<use::Rule> rules_of(const BasicLayout<map::Expression>&);

}  // namespace vl::tirx
