// TIRx layouts, the second meaning: the four steps of TVM's document ("Tensor Layout", 004_aaf373591abbdff6.txt) and
// its formula of the swizzle, one after the other, with sets. It uses neither the IR nor the family's parser.
//
//   flat = Σ x_d · Π_{e>d} S_e                    c_k = floor(flat / Π_{l>k} e_l) mod e_k
//   D(x)[a] = Σ_{a_k = a} c_k · s_k               L(x) = { D(x) + O + r }, r over all combinations of the replica
//   addr(m) = f(m >> M) · 2^M + m mod 2^M         f(x) = x xor ((x & ((2^B - 1) << S)) >> S)
//
// In the other direction f(x) = x xor ((x & (2^B - 1)) << S). A slot is a tuple over the axes that are named or
// declared: those of D and R in the order of the text, then the others in the order of kOrder. It exists if every
// coordinate is below the declared extent, else the axis' capacity, else 1 + the largest coordinate before the swizzle.
#include "encodings/use/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "encodings/tirx/reference_text.h"

namespace vl::tirx {
namespace {

using second::Said;
using second::Triple;

constexpr std::array<std::string_view, 18> kOrder = {"bx", "by",     "bz",     "cbx",  "cby",       "cbz",
                                                     "tx", "warpid", "laneid", "wgid", "tid_in_wg", "wid_in_wg",
                                                     "m",  "P",      "F",      "Bank", "TCol",      "TLane"};
constexpr Index kMostCopies = Index{1} << 24;  // of one element; more copies are refused
constexpr Index kMostIters = 512;

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

// 32 lanes per warp, 4 warps and 128 threads per warpgroup; 128 lanes and 512 columns of 4 bytes of tensor memory; 128
// partitions, 8 banks of 512 elements.
std::optional<Index> room(const std::string& axis, const Said& said, const map::Tensor& tensor) {
  const auto names_bank = [](const Triple& triple) { return triple.axis == "Bank"; };
  if (axis == "laneid") return 32;
  if (axis == "wid_in_wg") return 4;
  if (axis == "tid_in_wg" || axis == "TLane" || axis == "P") return 128;
  if (axis == "TCol") return 512 * 32 / map::bits(tensor.type);
  if (axis == "Bank") return 8;
  const bool banks = std::ranges::any_of(said.d, names_bank) || std::ranges::any_of(said.r, names_bank);
  if (axis == "F" && (banks || said.o.contains("Bank"))) return 512;
  return std::nullopt;
}

struct Frame {
  std::vector<std::string> axes;
  std::map<std::string, Index> end;  // of each axis: coordinates are below this
};

Result<Frame> frame_of(const Said& said, const map::Tensor& tensor) {
  std::map<std::string, Index> largest = said.o;
  std::map<std::string, Index> least = said.o;
  for (const auto* triples : {&said.d, &said.r})
    for (const Triple& triple : *triples)
      if (!accumulate(largest[triple.axis], std::max<Index>(triple.stride, 0), triple.extent - 1) ||
          !accumulate(least[triple.axis], std::min<Index>(triple.stride, 0), triple.extent - 1))
        return wrong("a coordinate beyond 64 bits");
  if (said.swizzle && least.contains("m") && least["m"] < 0) return wrong("a swizzle of negative addresses");
  Frame frame;
  for (const map::Extent& declared : tensor.box) largest.try_emplace(declared.axis, 0);
  std::vector<std::string> order;
  for (const auto* triples : {&said.d, &said.r})
    for (const Triple& triple : *triples) order.push_back(triple.axis);
  order.insert(order.end(), kOrder.begin(), kOrder.end());
  for (const std::string& axis : order) {
    if (!largest.contains(axis) || frame.end.contains(axis)) continue;
    frame.axes.push_back(axis);
    const auto declared = std::ranges::find(tensor.box, axis, &map::Extent::axis);
    const auto span = checked_add(largest[axis], 1);
    if (!span) return wrong("a span beyond 64 bits");
    frame.end[axis] = declared != tensor.box.end() ? declared->extent : room(axis, said, tensor).value_or(*span);
  }
  if (frame.axes.size() != largest.size()) return wrong("an axis that does not exist");
  return frame;
}

std::vector<Index> split(Index flat, const std::vector<Triple>& iters) {
  std::vector<Index> c(iters.size());
  for (std::size_t k = iters.size(); k-- > 0; flat /= iters[k].extent) c[k] = flat % iters[k].extent;
  return c;
}

Index swizzled(const second::Xor& how, Index m) {
  const Index x = m >> how.per_element;
  const Index ones = (Index{1} << how.swizzle_len) - 1;
  const Index y = how.inner ? x ^ ((x & (ones << how.atom_len)) >> how.atom_len) : x ^ ((x & ones) << how.atom_len);
  return (y << how.per_element) + (m & ((Index{1} << how.per_element) - 1));
}

std::vector<Point> slots_of(const Said& said, const Frame& frame, const map::Tensor& tensor, std::span<const Index> x) {
  Index flat = 0;
  for (std::size_t d = 0; d < x.size(); ++d) flat = flat * tensor.size[d] + x[d];
  std::map<std::string, Index> base = said.o;
  const std::vector<Index> c = split(flat, said.d);
  for (std::size_t k = 0; k < c.size(); ++k) base[said.d[k].axis] += c[k] * said.d[k].stride;
  Index copies = 1;
  for (const Triple& triple : said.r) copies *= triple.extent;
  std::set<Point> slots;
  for (Index copy = 0; copy < copies; ++copy) {
    std::map<std::string, Index> at = base;
    const std::vector<Index> r = split(copy, said.r);
    for (std::size_t t = 0; t < r.size(); ++t) at[said.r[t].axis] += r[t] * said.r[t].stride;
    if (said.swizzle) at["m"] = swizzled(*said.swizzle, at["m"]);
    Point slot;
    bool inside = true;
    for (const std::string& axis : frame.axes) {
      slot.push_back(at[axis]);
      inside = inside && at[axis] >= 0 && at[axis] < frame.end.at(axis);
    }
    if (inside) slots.insert(std::move(slot));
  }
  return {slots.begin(), slots.end()};
}

std::optional<Error> check(const Said& said, const map::Tensor& tensor) {
  Index elements = 1, copies = 1, size = 1;
  if (said.d.size() + said.r.size() > kMostIters) return wrong("too many iters");
  const auto grow = [](Index& product, Index factor) {
    const auto next = checked_mul(product, factor);
    product = next.value_or(0);
    return next.has_value() && factor >= 1;
  };
  for (const Index extent : tensor.size)
    if (!grow(size, extent)) return wrong("a tensor without elements, or with too many");
  for (const Triple& triple : said.d)
    if (!grow(elements, triple.extent)) return wrong("an extent below 1, or too many elements");
  for (const Triple& triple : said.r)
    if (!grow(copies, triple.extent) || copies > kMostCopies) return wrong("too many replicas to list");
  if (size != elements) return Error{ErrorCode::Shape, fmt::format("{} elements in a layout of {}", size, elements)};
  if (!said.swizzle) return std::nullopt;
  const second::Xor& how = *said.swizzle;
  for (const Index number : {how.per_element, how.swizzle_len, how.atom_len})
    if (number < 0 || number > 62) return wrong("a swizzle beyond 62 bits");
  if (how.per_element + how.swizzle_len + how.atom_len > 62) return wrong("a swizzle beyond 62 bits");
  return std::nullopt;
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  auto said = second::read_said(text);
  if (!said) return said.error();
  if (!said->tile) {
    const auto elements = checked_product(tensor.size);
    said->d = {{elements.value_or(0), 1, "m"}};
  }
  if (auto error = check(*said, tensor)) return *error;
  auto frame = frame_of(*said, tensor);
  if (!frame) return frame.error();
  return use::Slots([said = std::move(*said), frame = std::move(*frame), tensor](std::span<const Index> x) {
    return slots_of(said, frame, tensor, x);
  });
}

}  // namespace

const use::Reference& reference() {
  static constexpr use::Reference kReference{"tirx", slots};
  return kReference;
}

}  // namespace vl::tirx
