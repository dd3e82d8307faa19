// Coordinates of index expressions: torch-spyre's tests/tensor/test_coordinates.py states, for an access index = offset
// + Σ coefficient·p (some with p % n or p // n in it), the coordinate of each dimension of a host tensor or a device
// box. Here they are the digits of the index by the strides of that box, evaluated through the IR.
//
// Upstream's answers are formal: p2 + 25 on a dimension of 30 ignores the carry if p2 > 4. So each row is compared at
// the points whose stated coordinates all lie inside the box, and states the number of these points.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"
#include "tests/support/spyre_brute.h"

namespace vl::spyre {
namespace spyre_coordinates_test {

using List = std::vector<Index>;
using P = const List&;

struct Row {
  const char* name;  // of the upstream test, and which of its statements
  List size, strides;
  List ranges;
  std::function<Index(P)> index;
  std::function<List(P)> coordinates;
  Index all = 1;  // 1: every point compared lies inside; 0: some are left out
};

const std::vector<Row> kRows = {
    {"compute_coordinates: B, S, E -> B, E/H, S, H",
     {2, 256, 4096},
     {1048576, 4096, 1},
     {2, 32, 256, 128},
     [](P p) { return 1048576 * p[0] + 128 * p[1] + 4096 * p[2] + p[3]; },
     [](P p) {
       return List{p[0], p[2], 128 * p[1] + p[3]};
     }},
    {"compute_coordinates: B, S, E -> B*S, E",
     {2, 256, 4096},
     {1048576, 4096, 1},
     {512, 4096},
     [](P p) { return 4096 * p[0] + p[1]; },
     [](P p) {
       return List{p[0] / 256, p[0] % 256, p[1]};
     }},
    {"compute_coordinates: explicit Mod",
     {2, 256, 4096},
     {1048576, 4096, 1},
     {512, 4096},
     [](P p) { return 4096 * (p[0] % 256) + p[1]; },
     [](P p) {
       return List{0, p[0] % 256, p[1]};
     }},
    {"compute_coordinates: size 1, stride > 0",
     {3, 1, 128},
     {128, 128, 1},
     {3, 128},
     [](P p) { return 128 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], 0, p[1]};
     }},
    {"compute_coordinates: size 1, stride < 0",
     {3, 1, 128},
     {128, -1, 1},
     {3, 128},
     [](P p) { return 128 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], 0, p[1]};
     }},
    {"compute_coordinates: sizes 1",
     {4, 1, 1, 3, 1, 128},
     {384, 384, -1, 128, -1, 1},
     {4, 1, 1, 3, 1, 128},
     [](P p) { return 384 * p[0] + 128 * p[3] + p[5]; },
     [](P p) { return List{p[0], 0, 0, p[3], 0, p[5]}; }},
    {"compute_coordinates: stride 0",
     {3, 42, 128},
     {128, 0, 1},
     {3, 42, 128},
     [](P p) { return 128 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], 0, p[1]};
     }},
    {"compute_coordinates: split along 0",
     {9, 15, 384},
     {5760, 384, 1},
     {3, 15, 384},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 17280; },
     [](P p) {
       return List{p[0] + 3, p[1], p[2]};
     }},
    {"compute_coordinates: split along 1",
     {9, 15, 384},
     {5760, 384, 1},
     {9, 5, 384},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 1920; },
     [](P p) {
       return List{p[0], p[1] + 5, p[2]};
     }},
    {"compute_coordinates: split along 2",
     {9, 15, 384},
     {5760, 384, 1},
     {9, 15, 128},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 128; },
     [](P p) {
       return List{p[0], p[1], p[2] + 128};
     }},
    {"compute_coordinates: offset 1855 across dimensions",
     {10, 20, 30},
     {600, 30, 1},
     {10, 20, 30},
     [](P p) { return 600 * p[0] + 30 * p[1] + p[2] + 1855; },
     [](P p) {
       return List{p[0] + 3, p[1] + 1, p[2] + 25};
     },
     0},
    {"compute_coordinates_mixed_radix_flattened_dim",
     {1, 32, 64, 128},
     {262144, 8192, 128, 1},
     {64, 4096},
     [](P p) { return 128 * p[0] + 8192 * (p[1] / 128 % 32) + p[1] % 128; },
     [](P p) {
       return List{0, p[1] / 128 % 32, p[0], p[1] % 128};
     }},
    {"compute_device_coordinates: B, S, E -> B, E/H, S, H",
     {256, 64, 2, 64},
     {4096, 64, 1048576, 1},
     {2, 32, 256, 128},
     [](P p) { return 1048576 * p[0] + 128 * p[1] + 4096 * p[2] + p[3]; },
     [](P p) {
       return List{p[2], 2 * p[1] + p[3] / 64, p[0], p[3] % 64};
     }},
    {"compute_device_coordinates: B, S, E -> B*S, E",
     {256, 64, 2, 64},
     {4096, 64, 1048576, 1},
     {512, 4096},
     [](P p) { return 4096 * p[0] + p[1]; },
     [](P p) {
       return List{p[0] % 256, p[1] / 64, p[0] / 256, p[1] % 64};
     }},
    {"compute_device_coordinates: split along 0",
     {15, 6, 9, 64},
     {384, 64, 5760, 1},
     {3, 15, 384},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 17280; },
     [](P p) {
       return List{p[1], p[2] / 64, p[0] + 3, p[2] % 64};
     }},
    {"compute_device_coordinates: split along 1",
     {15, 6, 9, 64},
     {384, 64, 5760, 1},
     {9, 5, 384},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 1920; },
     [](P p) {
       return List{p[1] + 5, p[2] / 64, p[0], p[2] % 64};
     }},
    {"compute_device_coordinates: split along 2",
     {15, 6, 9, 64},
     {384, 64, 5760, 1},
     {9, 15, 128},
     [](P p) { return 5760 * p[0] + 384 * p[1] + p[2] + 128; },
     [](P p) {
       return List{p[1], p[2] / 64 + 2, p[0], p[2] % 64};
     }},
    {"compute_device_coordinates: offset 200",
     {256, 64, 2, 64},
     {4096, 64, 1048576, 1},
     {2, 32, 256, 128},
     [](P p) { return 1048576 * p[0] + 128 * p[1] + 4096 * p[2] + p[3] + 200; },
     [](P p) {
       return List{p[2], 2 * p[1] + p[3] / 64 + 3, p[0], p[3] % 64 + 8};
     },
     0},
    {"offset_across_padded_row: single_row",
     {2, 4, 64},
     {64, 100, 1},
     {3, 100},
     [](P p) { return 100 + 100 * p[0] + p[1]; },
     [](P p) {
       return List{p[1] / 64, p[0] + 1, p[1] % 64};
     }},
    {"offset_across_padded_row: multi_row",
     {2, 5, 64},
     {64, 100, 1},
     {3, 100},
     [](P p) { return 200 + 100 * p[0] + p[1]; },
     [](P p) {
       return List{p[1] / 64, p[0] + 2, p[1] % 64};
     }},
    {"offset_across_padded_row: wider_padding",
     {3, 4, 64},
     {64, 130, 1},
     {3, 130},
     [](P p) { return 130 + 130 * p[0] + p[1]; },
     [](P p) {
       return List{p[1] / 64, p[0] + 1, p[1] % 64};
     }},
    {"offset_across_padded_row: multi_dim",
     {2, 3, 3, 64},
     {64, 300, 100, 1},
     {2, 3, 100},
     [](P p) { return 300 + 300 * p[0] + 100 * p[1] + p[2]; },
     [](P p) {
       return List{p[2] / 64, p[0] + 1, p[1], p[2] % 64};
     }},
    {"offset_across_padded_row: middle_dim",
     {2, 3, 5, 64},
     {64, 500, 100, 1},
     {3, 3, 100},
     [](P p) { return 200 + 500 * p[0] + 100 * p[1] + p[2]; },
     [](P p) {
       return List{p[2] / 64, p[0], p[1] + 2, p[2] % 64};
     }},
    {"unrepresentable stick candidates: floor(d2/128) in the stick",
     {512, 128, 1, 1, 64},
     {4096, 1, 8192, -1, 128},
     {512, 4096},
     [](P p) { return 4096 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], p[1] % 128, 0, 0, p[1] / 128};
     }},
    {"reversed_dim_rejected: the ascending access",
     {4, 64},
     {64, 1},
     {4, 64},
     [](P p) { return 64 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], p[1]};
     }},
    // Upstream's compiler refuses to walk a dimension backwards; the digits are still defined.
    {"reversed_dim_rejected: dimension 0 backwards",
     {4, 64},
     {64, 1},
     {4, 64},
     [](P p) { return 192 - 64 * p[0] + p[1]; },
     [](P p) {
       return List{3 - p[0], p[1]};
     }},
    {"reversed_dim_rejected: the stick backwards",
     {4, 64},
     {64, 1},
     {4, 64},
     [](P p) { return 64 * p[0] - p[1] + 63; },
     [](P p) {
       return List{p[0], 63 - p[1]};
     }},
    {"canonicalizes_same_graph_attention_flatten",
     {64, 64, 1, 64},
     {4096, 64, -1, 1},
     {64, 4096},
     [](P p) { return 4096 * p[0] + p[1]; },
     [](P p) {
       return List{p[0], p[1] / 64, 0, p[1] % 64};
     }},
    {"flat_dense_projection_layout",
     {12, 2048, 64},
     {64, 768, 1},
     {2048, 768},
     [](P p) { return 768 * p[0] + p[1]; },
     [](P p) {
       return List{p[1] / 64, p[0], p[1] % 64};
     }},
};

// Both sides of every boundary that a stick of 64 or a head of 128 makes, and the ends.
List samples(Index range) {
  List out;
  for (const Index value : {0, 1, 5, 31, 62, 63, 64, 65, 99, 127, 128, 129, 255, 256, 1023}) out.push_back(value);
  out.push_back(range / 2);
  out.push_back(range - 1);
  std::erase_if(out, [&](Index value) { return value >= range; });
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// A line of offsets 0 to the last one that the box knows, so that element o is the index o.
map::Layout line_on(const Row& row) {
  Index last = 0;
  for (std::size_t j = 0; j < row.size.size(); ++j) last += (row.size[j] - 1) * std::max<Index>(row.strides[j], 0);
  map::Tensor line;
  line.size = {last + 1};
  auto layout = lower(test::raw_layout(row.size, row.strides), line);
  VL_CHECK(layout.has_value(), "a box of the table");
  return std::move(*layout);
}

TEST(Coordinates, AreTheDigitsOfTheIndex) {
  Index compared = 0;
  for (const Row& row : kRows) {
    const map::Layout layout = line_on(row);
    const Point replica(layout.replicas().rank(), 0);
    List counts;
    std::vector<List> values;
    for (const Index range : row.ranges) {
      values.push_back(samples(range));
      counts.push_back(static_cast<Index>(values.back().size()));
    }
    Index inside = 0, outside = 0;
    for (Index n = 0; n < test::product(counts); ++n) {
      List p = test::point_at(n, counts);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = values[i][static_cast<std::size_t>(p[i])];
      const List stated = row.coordinates(p);
      if (!test::inside(stated, row.size)) {
        ++outside;
        continue;
      }
      Point outputs = map::outputs_at(layout, List{row.index(p)}, replica);
      ASSERT_TRUE(layout.is_slot(outputs)) << row.name << fmt::format(" at {}", p);
      outputs.resize(row.size.size());
      ASSERT_EQ(outputs, stated) << row.name << fmt::format(" at {}", p);
      ++inside;
    }
    EXPECT_GE(inside, 12) << row.name;
    EXPECT_EQ(outside == 0, row.all == 1) << row.name << ": " << outside << " outside";
    compared += inside;
  }
  EXPECT_EQ(kRows.size(), 29U);
  EXPECT_GT(compared, 7'000);
}

// test_decompose_constant_offset_unpeelable_falls_back: offset 1 is not a sum of steps of 200 and 2.
TEST(Coordinates, OfAnOffsetThatNoStepReachesDoNotExist) {
  map::Tensor line;
  line.size = {3};
  const auto layout = lower(test::raw_layout({10, 10}, {200, 2}), line);
  ASSERT_TRUE(layout.has_value());
  EXPECT_TRUE(layout->is_slot(map::outputs_at(*layout, List{0}, {})));
  EXPECT_FALSE(layout->is_slot(map::outputs_at(*layout, List{1}, {})));
  EXPECT_TRUE(layout->is_slot(map::outputs_at(*layout, List{2}, {})));
}

}  // namespace spyre_coordinates_test
}  // namespace vl::spyre
