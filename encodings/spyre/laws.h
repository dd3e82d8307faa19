// Laws of derivations: by another rule than derive.h, what they have to give. A layout that a constructor gives stays
// one: restickify exchanges two dimensions of its dim order, rescale changes the format, resize the size. So the law is
// the constructor's layout for the order, the format and the tensor that result. A raw layout states no order; its
// orders are those with which the constructor gives it, and they have to agree on the result.
//
// Example: [2,65,1,2,64], [4160,64,64,8320,1] of (2,2,65,64) f16 is the constructor's for [0,1,2,3] alone; the law of
// .restickify(2) is its layout for [0,1,3,2]: [2,64,2,2,64], [4160,1,4096,8320,64].
#pragma once

#include "encodings/spyre/derive.h"

namespace vl::spyre {

constexpr std::size_t kMostRankOfOrders = 7;  // of a raw layout whose dim order is searched

/// Every dim order with which the constructor gives this layout to that host, a last -1 included.
/// Requires: host.size.size() <= kMostRankOfOrders.
[[nodiscard]] std::vector<std::vector<Index>> orders_of(const SpyreTensorLayout& layout, const Host& host);

/// What a derivation is about.
struct Derived {
  const SpyreTensorLayout& before;
  const SpyreTensorLayout& after;
  std::optional<Host> host;        // before; nothing: it is not known
  std::optional<Host> host_after;  // nothing: it stays
  std::optional<Index> to = {};    // of a restickify: the host dimension that has the stick then
};

/// The law; nothing where no constructor's rule gives the layout before, or where several do that differ after it.
[[nodiscard]] std::optional<SpyreTensorLayout> law_of(const Derived& derived);

}  // namespace vl::spyre
