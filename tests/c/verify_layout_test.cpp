// The shared library through its header alone: the expected bytes are computed by hand from each layout, and the
// library refuses what exec refuses.
#include "oracle/c/verify_layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/c/caller.h"
#include "tests/support/process.h"

namespace vl {
namespace c_verify_layout_test {

using Units = std::vector<std::uint16_t>;

// f16[2,8,60] in sticks of 64: element (x0, x1, x2) in slot (x1, 0, x0, x2).
const char* const kSticks =
    "SpyreTensorLayout(device_size=[8, 1, 2, 64], stride_map =[60, 64, 480, 1], device_dtype=DataFormats.SEN169_FP16)";
constexpr std::size_t kElements = 2 * 8 * 60;

vl_request sticks(std::int64_t direction) {
  vl_request request{};
  request.size = sizeof request;
  request.direction = direction;
  request.tensor = "f16[2,8,60]";
  request.layout = kSticks;
  return request;
}

struct Prepared {
  int status = VL_BUG;
  std::string why;
  std::unique_ptr<vl_plan, void (*)(vl_plan*)> plan{nullptr, vl_free};
};

Prepared prepare(const vl_request& request) {
  Prepared out;
  char why[512] = "untouched";
  vl_plan* plan = nullptr;
  out.status = vl_prepare(&request, &plan, why, sizeof why);
  out.why = why;
  out.plan.reset(plan);
  return out;
}

Units numbers(std::size_t count) {
  Units out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<std::uint16_t>(k + 1);
  return out;
}

Units image_of(const Units& host, std::uint16_t fill) {
  Units image(8 * 2 * 64, fill);
  for (std::size_t x0 = 0; x0 < 2; ++x0)
    for (std::size_t x1 = 0; x1 < 8; ++x1)
      for (std::size_t x2 = 0; x2 < 60; ++x2) image[(x1 * 2 + x0) * 64 + x2] = host[(x0 * 8 + x1) * 60 + x2];
  return image;
}

TEST(Library, IsCalledFromC) { EXPECT_EQ(caller_round_trip(), VL_OK); }

TEST(Library, PacksAndUnpacksAtAnyAlignment) {
  for (const auto& [text, fill] : {std::pair<const char*, std::uint16_t>{nullptr, 0}, {"-inf", 0xfc00}}) {
    vl_request request = sticks(VL_PACK);
    request.fill = text;
    const Prepared pack = prepare(request);
    ASSERT_EQ(pack.status, VL_OK) << pack.why;
    EXPECT_EQ(pack.why, "");
    ASSERT_EQ(vl_source_bytes(pack.plan.get()), kElements * 2);
    ASSERT_EQ(vl_destination_bytes(pack.plan.get()), 2048U);
    const Prepared unpack = prepare(sticks(VL_UNPACK));
    ASSERT_EQ(unpack.status, VL_OK) << unpack.why;
    const Units host = numbers(kElements);
    const Units expected = image_of(host, fill);
    for (std::size_t shift = 0; shift < 66; shift += 13) {
      std::vector<unsigned char> source(kElements * 2 + 80, 0x11), image(2048 + 160, 0xEE), back = source;
      std::memcpy(source.data() + shift, host.data(), kElements * 2);
      ASSERT_EQ(vl_run(pack.plan.get(), source.data() + shift, image.data() + shift), VL_OK);
      EXPECT_EQ(std::memcmp(image.data() + shift, expected.data(), 2048), 0) << shift;
      for (std::size_t k = 0; k < image.size(); ++k)
        ASSERT_TRUE((k >= shift && k < shift + 2048) || image[k] == 0xEE) << k;
      ASSERT_EQ(vl_run(unpack.plan.get(), image.data() + shift, back.data() + shift), VL_OK);
      EXPECT_EQ(std::memcmp(back.data() + shift, host.data(), kElements * 2), 0) << shift;
    }
  }
}

// The host's memory is column-major with a hole of 2 units behind each column, and begins 5 units in.
TEST(Library, WalksThroughAStridedHostAndLeavesTheRestOfIt) {
  const std::int64_t strides[] = {1, 5};
  vl_request request{};
  request.size = sizeof request;
  request.tensor = "bf16[3,70]";
  request.layout = "SpyreTensorLayout((3, 70), (1, 5), torch.bfloat16, [0, 1])";  // slot (x1 / 64, x0, x1 % 64)
  request.strides = strides;
  request.rank = 2;
  request.offset = 5;
  const Prepared pack = prepare(request);
  ASSERT_EQ(pack.status, VL_OK) << pack.why;
  const std::size_t units = 5 + 2 + 69 * 5 + 1;
  ASSERT_EQ(vl_source_bytes(pack.plan.get()), units * 2);
  ASSERT_EQ(vl_destination_bytes(pack.plan.get()), 2U * 3 * 64 * 2);
  const Units host = numbers(units);
  Units expected(2 * 3 * 64, 0), image(2 * 3 * 64, 0xEEEE), back(units, 0xEEEE), untouched(units, 0xEEEE);
  for (std::size_t x0 = 0; x0 < 3; ++x0)
    for (std::size_t x1 = 0; x1 < 70; ++x1) {
      expected[(x1 / 64 * 3 + x0) * 64 + x1 % 64] = host[5 + x0 + 5 * x1];
      untouched[5 + x0 + 5 * x1] = host[5 + x0 + 5 * x1];
    }
  ASSERT_EQ(vl_run(pack.plan.get(), host.data(), image.data()), VL_OK);
  EXPECT_EQ(image, expected);
  request.direction = VL_UNPACK;
  const Prepared unpack = prepare(request);
  ASSERT_EQ(unpack.status, VL_OK) << unpack.why;
  ASSERT_EQ(vl_run(unpack.plan.get(), image.data(), back.data()), VL_OK);
  EXPECT_EQ(back, untouched);
}

// From rows of one stick each to lanes: element (i, j) is in lane 4 j + r for each r < 4, register m = i. The image has
// the axes in the order in which the text names them.
TEST(Library, MovesBetweenFamiliesAndWritesEveryReplica) {
  vl_request request{};
  request.size = sizeof request;
  request.direction = VL_MOVE;
  request.tensor = "f16[2,8]";
  request.layout = "SpyreTensorLayout((2, 8), torch.float16)";
  request.to = "S[(2,8):(1@m,4@laneid)] + R[4:1@laneid]";
  request.box = "laneid=32, m=3";
  request.fill = "bits:0x0007";
  const Prepared move = prepare(request);
  ASSERT_EQ(move.status, VL_OK) << move.why;
  ASSERT_EQ(vl_source_bytes(move.plan.get()), 2U * 64 * 2);
  ASSERT_EQ(vl_destination_bytes(move.plan.get()), 32U * 3 * 2);
  const Units sticks_of = numbers(128);
  Units expected(96, 7), image(96, 0xEEEE);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t r = 0; r < 4; ++r) expected[i * 32 + 4 * j + r] = sticks_of[64 * i + j];
  ASSERT_EQ(vl_run(move.plan.get(), sticks_of.data(), image.data()), VL_OK);
  EXPECT_EQ(image, expected);
}

TEST(Library, SaysWhenCopiesOfAnElementDiffer) {
  vl_request request{};
  request.size = sizeof request;
  request.tensor = "i16[8]";
  request.layout = "S[8:4@laneid] + R[4:1@laneid]";
  const Prepared pack = prepare(request);
  ASSERT_EQ(pack.status, VL_OK) << pack.why;
  Units host = numbers(8), image(32, 0xEEEE), back(8, 0xEEEE), expected(32);
  for (std::size_t lane = 0; lane < 32; ++lane) expected[lane] = host[lane / 4];
  ASSERT_EQ(vl_destination_bytes(pack.plan.get()), 64U);
  ASSERT_EQ(vl_run(pack.plan.get(), host.data(), image.data()), VL_OK);
  EXPECT_EQ(image, expected);
  request.direction = VL_UNPACK;
  const Prepared unpack = prepare(request);
  ASSERT_EQ(unpack.status, VL_OK) << unpack.why;
  char why[512] = "";
  EXPECT_EQ(vl_explain(unpack.plan.get(), image.data(), why, sizeof why), VL_OK);
  image[5 * 4 + 2] = 77;
  EXPECT_EQ(vl_run(unpack.plan.get(), image.data(), back.data()), VL_DIFFERS);
  EXPECT_EQ(back, Units(8, 0xEEEE)) << "nothing is written";
  EXPECT_EQ(vl_explain(unpack.plan.get(), image.data(), why, sizeof why), VL_DIFFERS);
  EXPECT_NE(std::string(why).find("[5]"), std::string::npos) << why;
  const void* sources[] = {expected.data(), image.data(), expected.data()};
  void* destinations[] = {back.data(), back.data(), back.data()};
  std::size_t done = 9;
  EXPECT_EQ(vl_run_many(unpack.plan.get(), 3, sources, destinations, &done), VL_DIFFERS);
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(back, host);
}

TEST(Library, RunsManyAndStopsAtTheFirstThatIsWrong) {
  const Prepared pack = prepare(sticks(VL_PACK));
  std::vector<Units> hosts, images(4, Units(1024, 0xEEEE));
  std::vector<const void*> sources;
  std::vector<void*> destinations;
  for (std::size_t n = 0; n < 4; ++n) {
    hosts.push_back(numbers(kElements));
    hosts.back()[0] = static_cast<std::uint16_t>(100 + n);
  }
  for (std::size_t n = 0; n < 4; ++n) sources.push_back(hosts[n].data()), destinations.push_back(images[n].data());
  std::size_t done = 9;
  EXPECT_EQ(vl_run_many(pack.plan.get(), 3, sources.data(), destinations.data(), &done), VL_OK);
  EXPECT_EQ(done, 3U);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(images[n], image_of(hosts[n], 0)) << n;
  EXPECT_EQ(images[3], Units(1024, 0xEEEE));
  sources[1] = nullptr;
  EXPECT_EQ(vl_run_many(pack.plan.get(), 4, sources.data(), destinations.data(), &done), VL_BAD_ARGUMENT);
  EXPECT_EQ(done, 1U);
  EXPECT_EQ(vl_run_many(pack.plan.get(), 0, nullptr, nullptr, nullptr), VL_OK);
  EXPECT_EQ(vl_run_many(pack.plan.get(), 1, nullptr, destinations.data(), nullptr), VL_BAD_ARGUMENT);
}

TEST(Library, OneHandleIsRunByManyThreads) {
  const Prepared pack = prepare(sticks(VL_PACK));
  const Units host = numbers(kElements), expected = image_of(host, 0);
  int wrong[4] = {0, 0, 0, 0};
  std::vector<std::thread> threads;
  for (int& mine : wrong)
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        Units image(1024, 0xEEEE);
        mine += vl_run(pack.plan.get(), host.data(), image.data()) != VL_OK || image != expected ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int mine : wrong) EXPECT_EQ(mine, 0);
}

TEST(Library, RefusesMemoriesThatAreNoneOrOverlap) {
  const Prepared pack = prepare(sticks(VL_PACK));
  std::vector<unsigned char> memory(6000, 0xEE);
  const std::vector<unsigned char> before = memory;
  const auto run = [&](std::ptrdiff_t source, std::ptrdiff_t destination) {
    return vl_run(pack.plan.get(), memory.data() + source, memory.data() + destination);
  };
  EXPECT_EQ(vl_run(pack.plan.get(), nullptr, memory.data()), VL_BAD_ARGUMENT);
  EXPECT_EQ(vl_run(pack.plan.get(), memory.data(), nullptr), VL_BAD_ARGUMENT);
  for (const auto& [source, destination] : {std::pair<int, int>{0, 0}, {0, 1919}, {2047, 0}, {500, 0}, {0, 1}})
    EXPECT_EQ(run(source, destination), VL_BAD_ARGUMENT) << source << " " << destination;
  EXPECT_EQ(memory, before);
  EXPECT_EQ(run(0, 1920), VL_OK);
  EXPECT_EQ(run(2048, 0), VL_OK);
}

TEST(Library, HasNothingToDoForATensorWithoutElements) {
  vl_request request = sticks(VL_UNPACK);
  request.tensor = "f16[0,64]";
  request.layout = "SpyreTensorLayout((0, 64), torch.float16)";
  const Prepared unpack = prepare(request);
  ASSERT_EQ(unpack.status, VL_OK) << unpack.why;
  ASSERT_EQ(vl_destination_bytes(unpack.plan.get()), 0U);
  const std::vector<unsigned char> image(vl_source_bytes(unpack.plan.get()) + 1);
  EXPECT_EQ(vl_run(unpack.plan.get(), image.data(), nullptr), VL_OK);
}

struct Reject {
  const char* name;
  int status;
  const char* says;
  std::function<void(vl_request&)> change;
};

const std::int64_t kStrides[] = {480, 60, 1};
const std::int64_t kFar[] = {std::int64_t{1} << 62, 60, 1};
const std::int64_t kBelow[] = {-480, 60, 1};

const Reject kRejects[] = {
    {"size 0", VL_BAD_ARGUMENT, "size", [](vl_request& r) { r.size = 0; }},
    {"a size cut short", VL_BAD_ARGUMENT, "size", [](vl_request& r) { r.size = sizeof r - 1; }},
    {"a size without end", VL_BAD_ARGUMENT, "size", [](vl_request& r) { r.size = ~std::uint64_t{0}; }},
    {"a direction that is none", VL_BAD_ARGUMENT, "direction: 3", [](vl_request& r) { r.direction = 3; }},
    {"a direction below 0", VL_BAD_ARGUMENT, "direction: -1", [](vl_request& r) { r.direction = -1; }},
    {"no tensor", VL_BAD_ARGUMENT, "tensor", [](vl_request& r) { r.tensor = nullptr; }},
    {"no layout", VL_BAD_ARGUMENT, "layout", [](vl_request& r) { r.layout = nullptr; }},
    {"a move to nowhere", VL_BAD_ARGUMENT, "to:", [](vl_request& r) { r.direction = VL_MOVE; }},
    {"a pack with two layouts", VL_BAD_ARGUMENT, "to:", [](vl_request& r) { r.to = kSticks; }},
    {"a rank without strides", VL_BAD_ARGUMENT, "strides", [](vl_request& r) { r.rank = 3; }},
    {"two strides for three dimensions", VL_BAD_SHAPE, "2 strides for a tensor of rank 3",
     [](vl_request& r) { r.strides = kStrides, r.rank = 2; }},
    {"a tensor that is no text of one", VL_BAD_TEXT, "tensor", [](vl_request& r) { r.tensor = "f16[2,8,60"; }},
    {"an empty tensor text", VL_BAD_TEXT, "tensor", [](vl_request& r) { r.tensor = ""; }},
    {"a negative extent", VL_BAD_VALUE, "tensor", [](vl_request& r) { r.tensor = "f16[2,-8,60]"; }},
    {"an extent beyond 64 bits", VL_OVERFLOW, "tensor", [](vl_request& r) { r.tensor = "f16[99999999999999999999]"; }},
    {"a volume beyond 64 bits", VL_OVERFLOW, "", [](vl_request& r) { r.tensor = "f16[4294967296,4294967296,60]"; }},
    {"a layout of no family", VL_BAD_TEXT, "no family", [](vl_request& r) { r.layout = "Sticks(64)"; }},
    {"an empty layout", VL_BAD_TEXT, "no family", [](vl_request& r) { r.layout = ""; }},
    {"a family that is none", VL_BAD_TEXT, "no such family", [](vl_request& r) { r.family = "sypre"; }},
    {"another family's layout", VL_BAD_TEXT, "layout", [](vl_request& r) { r.family = "tirx"; }},
    {"a layout with a mistake", VL_BAD_TEXT, "layout at byte",
     [](vl_request& r) { r.layout = "SpyreTensorLayout(device_size=[8, 1, 2, 64], stride_map =[60, 64"; }},
    {"a layout that loses elements", VL_NO_PLAN, "no certified plan",
     [](vl_request& r) {
       r.layout =
           "SpyreTensorLayout(device_size=[4, 1, 2, 64], stride_map =[60, 64, 480, 1], "
           "device_dtype=DataFormats.SEN169_FP16)";
     }},
    {"operations that need a proof", VL_NO_PLAN, "has to be proved",
     [](vl_request& r) {
       r.tensor = "f16[1,4]";
       r.layout = "S[(4,4,4,4):(64,4,16,1)].slice((16,16), ((2,3),(6,10)))";
     }},
    {"a fill that is none", VL_BAD_TEXT, "fill", [](vl_request& r) { r.fill = "zero"; }},
    {"a fill beyond the type", VL_BAD_VALUE, "65504", [](vl_request& r) { r.fill = "1e9"; }},
    {"elements without whole bytes", VL_BAD_VALUE, "i4",
     [](vl_request& r) { r.tensor = "i4[8]", r.layout = "S[8:1]"; }},
    {"a box where no axis has a name", VL_BAD_VALUE, "box", [](vl_request& r) { r.box = "laneid=32"; }},
    {"a box that is none", VL_BAD_TEXT, "box", [](vl_request& r) { r.box = "laneid"; }},
    {"an offset below 0", VL_BAD_VALUE, "offset", [](vl_request& r) { r.offset = -1; }},
    {"an offset beyond 64 bits", VL_OVERFLOW, "", [](vl_request& r) { r.offset = INT64_MAX; }},
    {"strides beyond 64 bits", VL_OVERFLOW, "",
     [](vl_request& r) { r.strides = kFar, r.rank = 3, r.offset = INT64_MAX; }},
    {"strides that leave the memory", VL_BAD_VALUE, "",
     [](vl_request& r) {
       r.strides = kBelow, r.rank = 3;
       r.layout =
           "SpyreTensorLayout(device_size=[8, 1, 2, 64], stride_map =[60, 64, -480, 1], "
           "device_dtype=DataFormats.SEN169_FP16)";
     }},
};

TEST(Library, RefusesWhatItCannotDoAndSaysWhy) {
  for (const Reject& row : kRejects) {
    vl_request request = sticks(VL_PACK);
    row.change(request);
    const Prepared made = prepare(request);
    EXPECT_EQ(made.status, row.status) << row.name << ": " << made.why;
    EXPECT_EQ(made.plan.get(), nullptr) << row.name;
    EXPECT_NE(made.why, "") << row.name;
    EXPECT_NE(made.why.find(row.says), std::string::npos) << row.name << ": " << made.why;
  }
}

TEST(Library, TakesALongerRequestAsLongAsItSaysNothingNew) {
  struct Later {
    vl_request known;
    std::uint64_t more = 0;
  } later{sticks(VL_PACK), 0};
  later.known.size = sizeof later;
  EXPECT_EQ(prepare(later.known).status, VL_OK);
  later.more = 1;
  EXPECT_EQ(prepare(later.known).status, VL_BAD_ARGUMENT);
}

TEST(Library, CutsItsReasonToTheRoomThatThereIs) {
  vl_request request = sticks(VL_PACK);
  request.layout = "Sticks(64)";
  vl_plan* plan = reinterpret_cast<vl_plan*>(&request);
  char why[8] = "+++++++";
  EXPECT_EQ(vl_prepare(&request, &plan, why, 4), VL_BAD_TEXT);
  EXPECT_STREQ(why, "lay");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(why[4], '+');
  EXPECT_EQ(vl_prepare(&request, &plan, why, 0), VL_BAD_TEXT);
  EXPECT_EQ(vl_prepare(&request, &plan, nullptr, 100), VL_BAD_TEXT);
  EXPECT_EQ(vl_prepare(nullptr, &plan, nullptr, 0), VL_BAD_ARGUMENT);
  EXPECT_EQ(vl_prepare(&request, nullptr, nullptr, 0), VL_BAD_ARGUMENT);
  vl_free(nullptr);
}

TEST(Library, TellsTheWarningsAboutTheTexts) {
  vl_request request = sticks(VL_PACK);
  char text[256] = "untouched";
  EXPECT_EQ(vl_warnings(prepare(request).plan.get(), text, sizeof text), 0U);
  EXPECT_STREQ(text, "");
  // An f16 tensor in the format that upstream uses for f32: 32 elements a stick.
  request.layout = "SpyreTensorLayout((2, 8, 60), torch.float32)";
  const Prepared prepared = prepare(request);
  ASSERT_EQ(prepared.status, VL_OK) << prepared.why;
  EXPECT_EQ(vl_warnings(prepared.plan.get(), text, sizeof text), 1U);
  EXPECT_NE(std::string(text).find("IEEE_FP32"), std::string::npos) << text;
  EXPECT_EQ(vl_warnings(prepared.plan.get(), text, 4), 1U);
  EXPECT_EQ(std::string(text).size(), 3U);
  EXPECT_EQ(vl_warnings(prepared.plan.get(), nullptr, 0), 1U);
}

// ---- the file

std::string library() { return test::program("libverify-layout.so"); }

TEST(LibraryFile, ExportsItsFunctionsOnly) {
  const test::Ran names = test::run("/usr/bin/nm", {"-D", "--defined-only", "--format=posix", library()});
  ASSERT_EQ(names.code, 0) << names.err;
  std::istringstream lines(names.out);
  std::vector<std::string> functions;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("VERIFY_LAYOUT_")) functions.push_back(line.substr(0, line.find(' ')));
  std::vector<std::string> expected;
  for (const char* first : {"vl_destination_bytes", "vl_explain", "vl_free", "vl_prepare", "vl_run", "vl_run_many",
                            "vl_source_bytes", "vl_warnings"})
    expected.push_back(std::string(first) + "@@VERIFY_LAYOUT_1");
  for (const char* second :
       {"vl_check", "vl_layout_free", "vl_layout_open", "vl_layout_place", "vl_layout_shape", "vl_layout_text",
        "vl_layout_unit", "vl_report_code", "vl_report_free", "vl_report_verdicts", "vl_report_write", "vl_version"})
    expected.push_back(std::string(second) + "@@VERIFY_LAYOUT_2");
  std::ranges::sort(expected);
  std::ranges::sort(functions);
  EXPECT_EQ(functions, expected);
}

}  // namespace c_verify_layout_test
}  // namespace vl
