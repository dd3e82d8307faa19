// Boxes of tensor maps against a look at every byte that they move, computed here from the formulas of cuda.h and of
// the PTX document; what is not known of them; and texts that carry nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_carries_test {

using Numbers = std::vector<Index>;

// PTX ISA 9.0, 5.5.7: the bits of an address that are exchanged.
Index swizzled_byte(const std::string& mode, Index a) {
  if (mode == "32B") return a ^ (((a >> 7) & 1) << 4);
  if (mode == "64B") return a ^ (((a >> 7) & 3) << 4);
  if (mode == "128B") return a ^ (((a >> 7) & 7) << 4);
  if (mode == "128B_ATOM_32B") return a ^ (((a >> 7) & 3) << 5);
  if (mode == "128B_ATOM_64B") return a ^ (((a >> 7) & 1) << 6);
  return a;
}
Index span_of(const std::string& mode) { return mode == "none" ? 0 : mode == "32B" ? 32 : mode == "64B" ? 64 : 128; }

// One box; all lists innermost dimension first.
struct Box {
  Numbers at;
  Index shared = 0;
};

struct Tiles {
  std::string type, mode;
  bool load = true;
  Index bytes = 2;
  Numbers dim, stride, box, step;
  std::vector<Box> boxes;

  [[nodiscard]] Index tile(std::size_t i) const { return (box[i] + step[i] - 1) / step[i]; }
  [[nodiscard]] Index row() const { return mode == "none" ? tile(0) * bytes : span_of(mode); }
  [[nodiscard]] std::string text(const Box& of) const {
    return fmt::format("{} tensormap({}, dim ({}), stride ({}), box ({}), step ({}), swizzle {}) at ({}) {} {}",
                       load ? "load" : "store", type, fmt::join(dim, ","), fmt::join(stride, ","), fmt::join(box, ","),
                       fmt::join(step, ","), mode, fmt::join(of.at, ","), load ? "to" : "from", of.shared);
  }
  [[nodiscard]] Index offset(const Numbers& g) const {
    Index out = g[0] * bytes;
    for (std::size_t i = 1; i < g.size(); ++i) out += g[i] * stride[i - 1];
    return out;
  }
  // The bytes of shared memory that go with each byte offset of the tensor's memory.
  [[nodiscard]] std::multimap<Index, Index> moved() const {
    std::multimap<Index, Index> out;
    for (const Box& each : boxes) {
      Index count = 1;
      for (std::size_t i = 0; i < dim.size(); ++i) count *= tile(i);
      for (Index k = 0; k < count; ++k) {
        Index rest = k, place = 0, pitch = bytes;
        Numbers g(dim.size());
        bool inside = true;
        for (std::size_t i = 0; i < dim.size(); ++i) {
          const Index t = rest % tile(i);
          rest /= tile(i);
          g[i] = each.at[i] + t * step[i];
          inside = inside && g[i] >= 0 && g[i] < dim[i];
          place += t * pitch;
          pitch = i == 0 ? row() : pitch * tile(i);
        }
        if (inside) out.emplace(offset(g), swizzled_byte(mode, each.shared + place));
      }
    }
    return out;
  }
};

// Boxes that tile a tensor, each in a part of the shared memory of its own.
Tiles drawn(const auto& pick) {
  static constexpr const char* kModes[] = {"none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_64B"};
  static constexpr const char* kTypes[] = {"u8", "f16", "f32"};
  Tiles out;
  const Index width = pick(0, 2);
  out.type = kTypes[width], out.bytes = Index{1} << width, out.mode = kModes[pick(0, 5)], out.load = pick(0, 3) > 0;
  const auto rank = static_cast<std::size_t>(pick(1, 3));
  const Index row = out.mode == "none" ? 16 * pick(1, 2) : span_of(out.mode);
  for (std::size_t i = 0; i < rank; ++i) {
    out.box.push_back(i == 0 ? row / out.bytes : pick(1, i == 1 ? 20 : 2));
    out.dim.push_back(pick(1, 2 * out.box[i])), out.step.push_back(1);
    if (i > 0)
      out.stride.push_back(((i == 1 ? out.dim[0] * out.bytes : out.stride[i - 2] * out.dim[i - 1]) + 15) / 16 * 16 +
                           16 * pick(0, 1));
  }
  return out;
}

// Where each box begins, for the boxes of one dimension after the other; `parts` are their shared addresses, in order.
void deal_boxes(Tiles& tiles, Index start) {
  Index bytes = tiles.row();
  for (std::size_t i = 1; i < tiles.dim.size(); ++i) bytes *= tiles.box[i];
  bytes = (bytes + 1023) / 1024 * 1024;
  Numbers count;
  Index all = 1;
  for (std::size_t i = 0; i < tiles.dim.size(); ++i)
    count.push_back((tiles.dim[i] + tiles.box[i] - 1) / tiles.box[i]), all *= count[i];
  for (Index k = 0; k < all; ++k) {
    Box next;
    Index rest = k;
    for (std::size_t i = 0; i < count.size(); ++i) next.at.push_back(rest % count[i] * tiles.box[i]), rest /= count[i];
    next.shared = start + k * bytes;
    tiles.boxes.push_back(std::move(next));
  }
}

// The layout that these boxes carry: a split of each coordinate by the box, strides, and the swizzle. Outermost first.
map::Layout layout_of(const Tiles& tiles, Index start) {
  const std::size_t rank = tiles.dim.size();
  std::vector<map::Dim> dims;
  map::LayoutParts parts;
  map::Row place{start / tiles.bytes, {}};
  Index box_stride = tiles.boxes.size() > 1 ? (tiles.boxes[1].shared - tiles.boxes[0].shared) / tiles.bytes : 1;
  Index pitch = 1;
  for (std::size_t i = 0; i < rank; ++i) {  // from the innermost, which is the last
    const std::size_t last = rank - 1 - i;
    parts.map.emplace_back(map::Split{last, {tiles.box[i], 1}});
    place.terms.push_back({2 * last, box_stride}), place.terms.push_back({2 * last + 1, pitch});
    box_stride *= (tiles.dim[i] + tiles.box[i] - 1) / tiles.box[i];
    pitch = i == 0 ? tiles.row() / tiles.bytes : pitch * tiles.box[i];
    parts.host_offset.terms.push_back({last, i == 0 ? 1 : tiles.stride[i - 1] / tiles.bytes});
  }
  for (std::size_t k = 0; k < rank; ++k)
    dims.push_back({fmt::format("x{}", k), tiles.dim[rank - 1 - k], map::Unit::Element});
  std::ranges::sort(place.terms, {}, &map::Term::input),
      std::ranges::sort(parts.host_offset.terms, {}, &map::Term::input);
  parts.map.emplace_back(map::Affine{{place}});
  const int width = tiles.bytes == 4 ? 2 : tiles.bytes == 2 ? 1 : 0;
  const std::map<std::string, std::array<int, 3>> bits = {{"32B", {1, 4, 3}},
                                                          {"64B", {2, 4, 3}},
                                                          {"128B", {3, 4, 3}},
                                                          {"128B_ATOM_32B", {2, 5, 2}},
                                                          {"128B_ATOM_64B", {1, 6, 1}}};
  if (const auto found = bits.find(tiles.mode); found != bits.end())
    parts.map.emplace_back(map::Swizzle{0, found->second[1] - width, found->second[0], found->second[2]});
  parts.logical = *map::Space::create(std::move(dims));
  parts.physical = *map::Space::create({{"m", Index{1} << 20, map::Unit::Element}});
  parts.named_axes = true;
  return *map::Layout::create(std::move(parts));
}

// Makes one of them wrong, or leaves a number that does not matter.
void spoil(Tiles& tiles, const auto& pick) {
  Box& one = tiles.boxes[static_cast<std::size_t>(pick(0, static_cast<Index>(tiles.boxes.size()) - 1))];
  switch (pick(0, 6)) {
    case 0: one.shared += 128 * pick(1, 8); break;
    case 1:
      one.at[static_cast<std::size_t>(pick(0, static_cast<Index>(one.at.size()) - 1))] += 2 * pick(0, 1) - 1;
      break;
    case 2: tiles.boxes.push_back(Box(one)); break;
    case 3: std::swap(one, tiles.boxes.back()), tiles.boxes.pop_back(); break;
    case 4:
      if (!tiles.stride.empty()) tiles.stride.back() += 16;
      break;
    case 5:
      if (tiles.dim.size() > 1) tiles.step.back() = 2;
      break;
    default: tiles.dim.back() += 1;
  }
}

// The first element, row-major, that is not carried once with the byte that it has; and whether a byte is moved that is
// no element's.
struct Truth {
  std::optional<Point> wrong;
  bool strays = false;
};
Truth looked_at(const Tiles& right, const Tiles& asked) {
  Truth out;
  std::multimap<Index, Index> want;
  for (const auto& [tensor, byte] : right.moved()) want.emplace(tensor, byte);
  const auto moved = asked.moved();
  for (const auto& [tensor, byte] : moved) out.strays = out.strays || !want.contains(tensor);
  Point x(right.dim.size(), 0);  // outermost first
  const auto next = [&] {
    for (std::size_t k = x.size(); k-- > 0; x[k] = 0)
      if (++x[k] < right.dim[x.size() - 1 - k]) return true;
    return false;
  };
  do {
    const Index tensor = right.offset(Numbers(x.rbegin(), x.rend()));
    if (moved.count(tensor) == 1 && moved.find(tensor)->second == want.find(tensor)->second) continue;
    return out.wrong = x, out;
  } while (next());
  return out;
}

TEST(Carries, IsProvedIffEveryByteGoesWhereTheLayoutHasIt) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(500, 20000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Tiles right = drawn(pick);
    const Index start = 1024 * pick(0, 2) + (pick(0, 3) == 0 ? 128 * pick(0, 7) : 0);
    deal_boxes(right, start);
    if (right.boxes.size() > 40) return;
    const map::Layout layout = layout_of(right, 0);
    Tiles asked = right;
    if (pick(0, 2) > 0) spoil(asked, pick);
    if (asked.boxes.empty()) return;
    std::vector<use::Descriptor> read;
    for (const Box& box : asked.boxes) {
      RC_LOG() << asked.text(box) << "\n";
      auto made = use::parse_descriptor(asked.text(box));
      RC_ASSERT(made.has_value());
      read.push_back(std::move(*made));
    }
    const auto tiles = use::tile_moves(read);
    RC_ASSERT(tiles.has_value());
    RC_ASSERT(tiles->unknown == "");
    // The swizzle acts on addresses: from a start that is no whole period the layout is another one.
    const map::Layout& placed = start % 1024 == 0 ? layout : layout_of(right, start);
    const Index base = start % 1024 == 0 ? start : 0;
    const Truth truth = looked_at(right, asked);
    const auto verdict = decide(*find_claim("carries"), Carried{placed, *tiles, base}, {}).verdict;
    const bool wrong = truth.wrong || truth.strays;
    RC_ASSERT(question::word(verdict) == (wrong ? "refuted" : "proved"));
    ++count[truth.wrong ? "element" : truth.strays ? "stray" : "proved"];
    if (!truth.wrong) return;
    const auto& shown = std::get<question::Refuted>(verdict).counterexample;
    RC_ASSERT(shown.minimal);
    RC_ASSERT(std::get<Point>(shown.fields[0].second) == *truth.wrong);
  });
  for (const auto& [kind, times] : count) fmt::print("{}: {}\n", kind, times);
  EXPECT_GE(count["proved"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["element"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["stray"], test::fact_or_campaign(3, 100));
}

// What no document states is not known; what no tensor map can say is wrong.
TEST(Carries, SaysWhatIsNotKnownAndWhatIsWrong) {
  struct Row {
    std::vector<const char*> texts;
    const char* unknown;
    const char* wrong;
  };
  const Row rows[] = {
      {{"load tensormap(f16, dim (64,64), stride (128), box (32,8), swizzle 128B) at (0,0) to 0"}, "narrower", ""},
      {{"load tensormap(f16, dim (256,64), stride (512), box (128,8), swizzle 128B) at (0,0) to 0"}, "wider", ""},
      {{"load tensormap(u4a16, dim (128,64), stride (64), box (128,8)) at (0,0) to 0"}, "packed", ""},
      {{"load tensormap(f16, dim (64,64,4), stride (128,8192), box (8,8,4), interleave 16B) at (0,0,0) to 0"},
       "interleaved",
       ""},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8), swizzle 96B) at (0,0) to 0"}, "no name", ""},
      {{"tensormap(f16, dim (64,64), stride (128), box (64,8))"}, "", "coordinates"},
      {{"smemdesc(wgmma, K, f16, start 0, sbo 1024, swizzle 128B)"}, "", "coordinates"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 3"}, "", "whole number"},
      {{"load tensormap(f16, dim (64,64), stride (129), box (64,8)) at (0,0) to 0"}, "", "whole number"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,0)) at (0,0) to 0"}, "", "dimension 1"},
      {{"load tensormap(f16, dim (64,N), stride (128), box (64,8)) at (0,0) to 0"}, "", "names for sizes"},
      {{"load tensormap(f16, dim (64,64), stride (9223372036854775806), box (64,8)) at (0,8) to 0"}, "", "64 bits"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 0",
        "store tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,8) from 1024"},
       "",
       "one direction"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 0",
        "load tensormap(f16, dim (64,64), stride (128), box (64,8), swizzle 128B) at (0,8) to 1024"},
       "",
       "one swizzle"},
  };
  for (const Row& row : rows) {
    std::vector<use::Descriptor> read;
    for (const char* text : row.texts) {
      auto made = use::parse_descriptor(text);
      ASSERT_TRUE(made.has_value()) << text << ": " << made.error().message;
      read.push_back(std::move(*made));
    }
    const auto tiles = use::tile_moves(read);
    if (*row.wrong != '\0') {
      ASSERT_FALSE(tiles.has_value()) << row.texts[0];
      EXPECT_NE(tiles.error().message.find(row.wrong), std::string::npos) << tiles.error().message;
      continue;
    }
    ASSERT_TRUE(tiles.has_value()) << row.texts[0] << ": " << tiles.error().message;
    EXPECT_NE(tiles->unknown.find(row.unknown), std::string::npos) << row.texts[0] << ": " << tiles->unknown;
  }
}

}  // namespace claims_carries_test
}  // namespace vl::claims
