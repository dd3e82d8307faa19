#include "oracle/gate/throttle.h"

#include <algorithm>
#include <optional>

#include "oracle/fuzz/subject.h"
#include "oracle/gate/signature.h"

namespace vl::gate {
namespace {

// The last part of a signature: "injective,offset,down".
std::optional<KnownKind> kind_of(const OpTotals& row, const std::string& signature) {
  KnownKind out{row.family, row.op, {}, {}};
  std::string rest = signature.substr(signature.rfind('/') + 1);
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', at), rest.size());
    (at == 0 ? out.type : out.features.emplace_back()) = rest.substr(at, end - at);
    at = end + 1;
  }
  const bool is_class = out.type == "any" || out.type == "injective" || out.type == "bijective";
  return is_class ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

bool KnownKind::has(const Case& of) const {
  if (of.family != family || of.op->name != op || class_of(of) != type) return false;
  const auto here = features_of(of);
  return std::ranges::all_of(
      features, [&](const std::string& feature) { return std::ranges::find(here, feature) != here.end(); });
}

std::vector<KnownKind> known_kinds(const std::vector<OpTotals>& rows) {
  std::vector<KnownKind> out;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto same = [&](const OpTotals& row) { return row.family == rows[k].family && row.op == rows[k].op; };
    if (k > 0 && same(rows[k - 1])) continue;  // the first of an operation stands for all of its values
    for (const auto& [signature, hits] : rows[k].scouted) {
      const bool everywhere = std::ranges::all_of(rows, [&, &name = signature](const OpTotals& row) {
        const auto found = row.scouted.find(name);
        return !same(row) || (found != row.scouted.end() && found->second >= kHits);
      });
      if (auto kind = everywhere ? kind_of(rows[k], signature) : std::nullopt) out.push_back(std::move(*kind));
    }
  }
  return out;
}

bool is_throttled(const std::vector<KnownKind>& known, const Case& of, std::uint64_t index) {
  return oracle::mix(index ^ 0x9216d5d98979fb1bU) % kAskedOf != 0 &&
         std::ranges::any_of(known, [&](const KnownKind& kind) { return kind.has(of); });
}

}  // namespace vl::gate
