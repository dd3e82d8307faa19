#include "encodings/tirx/axes.h"

#include <algorithm>
#include <array>

#include "encodings/base/check.h"
#include "encodings/map/layout.h"

namespace vl::tirx {
namespace {

constexpr Index kTmemLaneBytes = 2048;  // 512 columns of 4 bytes
constexpr Index kPsumBankElements = 512;

// bx, by and bz are blocks of the kernel; later versions of upstream call that level differently.
constexpr std::array<AxisInfo, 18> kAxes = {{
    {Axis::Bx, "bx", Scope::Kernel, Scope::Cta},
    {Axis::By, "by", Scope::Kernel, Scope::Cta},
    {Axis::Bz, "bz", Scope::Kernel, Scope::Cta},
    {Axis::Cbx, "cbx", Scope::Cluster, Scope::Cta},
    {Axis::Cby, "cby", Scope::Cluster, Scope::Cta},
    {Axis::Cbz, "cbz", Scope::Cluster, Scope::Cta},
    {Axis::Tx, "tx", Scope::Cta, Scope::Thread},
    {Axis::Warpid, "warpid", Scope::Cta, Scope::Warp},
    {Axis::Laneid, "laneid", Scope::Warp, Scope::Thread, 32},
    {Axis::Wgid, "wgid", Scope::Cta, Scope::Warpgroup},
    {Axis::TidInWg, "tid_in_wg", Scope::Warpgroup, Scope::Thread, 128},
    {Axis::WidInWg, "wid_in_wg", Scope::Warpgroup, Scope::Warp, 4},
    {Axis::M, "m"},
    {Axis::P, "P", Scope::None, Scope::None, 128},
    {Axis::F, "F"},
    {Axis::Bank, "Bank", Scope::None, Scope::None, 8},
    {Axis::TCol, "TCol", Scope::None, Scope::None, 0, kTmemLaneBytes},
    {Axis::TLane, "TLane", Scope::None, Scope::None, 128},
}};
static_assert(kAxes[static_cast<std::size_t>(Axis::M)].name == map::kMemoryAxis);

}  // namespace

std::span<const AxisInfo> axes() { return kAxes; }

const AxisInfo& info(Axis axis) { return kAxes[static_cast<std::size_t>(axis)]; }

std::optional<Axis> axis_of(std::string_view name) {
  if (name == "m") return Axis::M;  // which most names are
  const auto found = std::ranges::find(kAxes, name, &AxisInfo::name);
  if (found == kAxes.end()) return std::nullopt;
  return found->axis;
}

bool is_thread(Axis axis) { return info(axis).inner != Scope::None; }

std::optional<Index> capacity(Axis axis, int element_bits, bool with_bank) {
  VL_CHECK(element_bits > 0, "the capacity of an axis in elements without bits");
  const AxisInfo& row = info(axis);
  if (row.capacity != 0) return row.capacity;
  if (row.capacity_bytes != 0) return row.capacity_bytes * 8 / element_bits;
  if (axis == Axis::F && with_bank) return kPsumBankElements;
  return std::nullopt;
}

}  // namespace vl::tirx
