// The DCI vectors of torch-spyre: the nests that its runtime printed, or that an independent model of its algorithm
// gives, against synthesised nests. The order of loops and the strides of loops of extent 1 do not matter for a
// transfer, so the test compares the moves, with multiplicity, and the number of nests.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/spyre/spyre.h"
#include "encodings/use/synthesis.h"
#include "oracle/reference/transfer.h"
#include "tests/support/spyre_brute.h"
#include "verifier/session/nests_file.h"

namespace vl {
namespace oracle_nest_vectors_campaign {

using use::Direction;
using use::Transfer;
using Moves = std::vector<std::pair<Index, Index>>;

struct Vector {
  const char* name;
  std::vector<Index> host;
  std::vector<Index> device_size;
  std::vector<Index> stride_map;
  const char* nests;  // innermost first: size|host stride|device stride|host offset,device offset
};

const std::vector<Vector> kVectors = {
    {"document 000, DMA example", {1024, 256}, {4, 1024, 64}, {64, 256, 1}, "[64,1024,4]|[1,256,64]|[1,64,65536]|0,0"},
    {"30, log of issue 1303",
     {1, 3, 128},
     {3, 2, 1, 64},
     {128, 64, -1, 1},
     "[64,1,2,3]|[1,384,64,128]|[1,64,64,128]|0,0"},
    {"log of issue 488", {64}, {1, 64}, {64, 1}, "[64,1]|[1,64]|[1,64]|0,0"},
    {"2", {120}, {2, 64}, {64, 1}, "[64,1]|[1,64]|[1,64]|0,0 ; [56,1] 64,64"},
    {"4", {512, 240}, {4, 512, 64}, {64, 240, 1}, "[64,512,3]|[1,240,64]|[1,64,32768]|0,0 ; [48,512,1] 192,98304"},
    {"15",
     {5, 100, 150},
     {100, 3, 5, 64},
     {150, 64, 15000, 1},
     "[64,5,2,100]|[1,15000,64,150]|[1,64,320,960]|0,0 ; [22,5,1,100] 128,640"},
    {"17",
     {50, 10, 200},
     {10, 4, 50, 64},
     {200, 64, 2000, 1},
     "[64,50,3,10]|[1,2000,64,200]|[1,64,3200,12800]|0,0 ; [8,50,1,10] 192,9600"},
    {"14, sparse", {512, 256}, {256, 1, 512, 64}, {1, -1, 256, -1}, "[1,512,1,256]|[1,256,1,1]|[1,64,32768,32768]|0,0"},
    {"36, folded", {40, 60}, {38, 64}, {64, 1}, "[64,37]|[1,64]|[1,64]|0,0 ; [32,1] 2368,2368"},
    {"40, tiled",
     {4800},
     {3, 2, 14, 64},
     {120, 64, 360, 1},
     "[64,13,1,3]|[1,360,64,120]|[1,64,896,1792]|0,0 ; [64,1,1,1] 4680,832 ; [56,13,1,3] 64,896 ; [56,1,1,1] "
     "4744,1728"},
    {"43, tiled",
     {40, 60},
     {3, 4, 3, 1, 2, 64},
     {600, 180, 60, 64, 1800, 1},
     "[60,1,1,3,3,3]|[1,1800,64,60,180,600]|[1,64,128,128,384,1536]|0,0 ; [60,1,1,3,3,1] 1800,64 ; "
     "[60,1,1,1,1,3] 540,1152 ; [60,1,1,1,1,1] 2340,1216"},
};

Moves moves(const Transfer& transfer) {
  Moves out;
  const auto error = oracle::for_each_move(transfer, [&](const oracle::Move& move) {
    out.emplace_back(move.source, move.destination);
    return true;
  });
  EXPECT_FALSE(error) << error->message;
  std::ranges::sort(out);
  return out;
}

// The moves that the layout asks for, element by element, by the rule and without the map or any nest.
Moves wanted(const Vector& vector) {
  const auto strides = *map::dense_strides(vector.host);
  Moves out;
  const map::Space space = *map::Space::create(map::Space::dims("x", vector.host));
  Point x(vector.host.size(), 0);
  do {
    Index offset = 0;
    for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * strides[i];
    out.emplace_back(offset, test::greedy_slot(test::raw_layout(vector.device_size, vector.stride_map), offset));
  } while (map::advance(space, x));
  std::ranges::sort(out);
  return out;
}

TEST(NestVectors, AreWhatIsSynthesised) {
  std::size_t compared = 0;
  for (const Vector& vector : kVectors) {
    const auto given = session::parse_nests(vector.nests);
    ASSERT_TRUE(given.has_value()) << vector.name << ": " << given.error().message;
    map::Tensor tensor;
    tensor.size = vector.host;
    const auto layout = spyre::lower(test::raw_layout(vector.device_size, vector.stride_map), tensor);
    ASSERT_TRUE(layout.has_value()) << vector.name;
    const auto made = use::synthesise(*layout, Direction::HostToDevice);
    ASSERT_TRUE(made.has_value()) << vector.name << ": " << made.error().message;
    EXPECT_EQ(made->nests.size(), given->nests.size()) << vector.name;
    const Moves want = wanted(vector);
    EXPECT_TRUE(moves(*made) == want) << vector.name;
    EXPECT_TRUE(moves(*given) == want) << vector.name;
    const auto back = use::synthesise(*layout, Direction::DeviceToHost);
    ASSERT_TRUE(back.has_value()) << vector.name;
    EXPECT_TRUE(moves(use::reversed(*back)) == want) << vector.name;
    compared += want.size();
  }
  EXPECT_EQ(compared, 262144U + 384 + 64 + 120 + 122880 + 75000 + 100000 + 131072 + 2400 + 4800 + 2400);
}

}  // namespace oracle_nest_vectors_campaign
}  // namespace vl
