// The host's side of a transfer: spreads a dense tensor to the host offsets of its elements, and gathers it again.
#include <fmt/format.h>

#include <cstring>
#include <new>

#include "oracle/reference/transfer.h"
#include "oracle/reference/wrong.h"

namespace vl::oracle {
namespace {

using Image = std::vector<std::byte>;
using Bytes = std::span<const std::byte>;

constexpr Index kLargestImage = Index{1} << 36;

Result<Image> filled(Index units, Bytes fill, std::string_view what) {
  const auto bytes = checked_mul(units, static_cast<Index>(fill.size()));
  if (!bytes || *bytes > kLargestImage) return wrong(fmt::format("the {} would have more than 2^36 bytes", what));
  try {
    Image image(static_cast<std::size_t>(*bytes));
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = fill[i % fill.size()];
    return image;
  } catch (const std::bad_alloc&) {
    return wrong(fmt::format("there is no memory for a {} of {} bytes", what, *bytes));
  }
}

// Units of the host's memory from its start to its last element.
Result<Index> host_units(const map::Layout& layout) {
  if (layout.logical().volume() == 0) return Index{0};
  Index low = layout.host_offset().constant;
  Index high = low;
  for (const map::Term& term : layout.host_offset().terms)
    if (!accumulate(term.coefficient < 0 ? low : high, term.coefficient, layout.logical().extent(term.input) - 1))
      return wrong("a host offset leaves 64 bits");
  if (low < 0) return wrong(fmt::format("an element has the host offset {}; expected offsets from 0", low));
  const auto units = checked_add(high, 1);
  return units ? Result<Index>(*units) : Result<Index>(wrong("a host offset leaves 64 bits"));
}

// visit(number of the element in the dense tensor, its host offset) for each element, until it answers false.
template <class Visit>
void each_element(const map::Layout& layout, Visit visit) {
  Point x(layout.logical().rank(), 0);
  for (Index i = 0; i < layout.logical().volume(); ++i, map::advance(layout.logical(), x))
    if (!visit(static_cast<std::size_t>(i), static_cast<std::size_t>(*map::value(layout.host_offset(), x)))) return;
}

std::optional<Error> spread(const map::Layout& layout, Bytes tensor, std::size_t unit, Image& memory) {
  std::vector<bool> there(memory.size() / unit);
  std::optional<Error> error;
  each_element(layout, [&](std::size_t element, std::size_t at) {
    const std::byte* const from = tensor.data() + element * unit;
    if (there[at] && std::memcmp(memory.data() + at * unit, from, unit) != 0)
      error = wrong(fmt::format("element [{}] is not the same as another one that has its host offset {}",
                                fmt::join(layout.logical().point(static_cast<Index>(element)), ", "), at));
    there[at] = true;
    std::memcpy(memory.data() + at * unit, from, unit);
    return !error;
  });
  return error;
}

}  // namespace

Result<Image> carry(const use::Transfer& transfer, const map::Layout& layout, Bytes data, std::size_t unit,
                    Bytes fill) {
  VL_CHECK(transfer.direction != use::Direction::DeviceToDevice && fill.size() == unit,
           "one host side, one unit of fill");
  const bool to_device = transfer.direction == use::Direction::HostToDevice;
  const Index units = (to_device ? layout.logical() : layout.physical()).volume();
  if (data.size() / unit != static_cast<std::size_t>(units) || data.size() % unit != 0)
    return Error{ErrorCode::Shape, fmt::format("{} bytes; expected {} units of {}", data.size(), units, unit)};
  const auto span = host_units(layout);
  if (!span) return span.error();
  auto host = filled(*span, fill, "host memory");
  if (!host) return host.error();
  if (to_device) {
    if (auto error = spread(layout, data, unit, *host)) return *error;
    auto device = filled(layout.physical().volume(), fill, "device image");
    if (!device) return device.error();
    return execute(transfer, *host, std::move(*device), unit);
  }
  const auto memory = execute(transfer, data, std::move(*host), unit);
  if (!memory) return memory.error();
  Image tensor(static_cast<std::size_t>(layout.logical().volume()) * unit);
  each_element(layout, [&](std::size_t element, std::size_t at) {
    std::memcpy(tensor.data() + element * unit, memory->data() + at * unit, unit);
    return true;
  });
  return tensor;
}

}  // namespace vl::oracle
