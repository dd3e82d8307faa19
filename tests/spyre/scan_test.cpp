// Torch-Spyre's layouts in the texts in which they really stand, and texts that only look like them. What is expected
// is what a person reads there.
#include <gtest/gtest.h>

#include "tests/support/scan.h"
#include "verifier/session/reading.h"

namespace vl::spyre {
namespace spyre_scan_test {

using test::found_in;
using test::Lines;

// What torch-spyre prints for the default layout of f16[5,100,150].
const std::string kDocument =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
const std::string kNone = "the text states no tensor for it, and no --tensor is given";

// Verbatim from AdnanHoque/torch-spyre, source/inductor_debug/ir_pre_fusion.txt, commit 582a2d2953fd (Apache-2.0).
constexpr std::string_view kDump = R"(op0.outputs = [
    buf0: ComputedBuffer
    buf0.layout = FixedTiledLayout('spyre:0', torch.float16, size=[1, 512, 12800], stride=[6553600, 12800, 1], device_layout=SpyreTensorLayout(device_size=[512, 200, 1, 64], stride_map =[12800, 64, -1, 1], device_dtype=DataFormats.SEN169_FP16))
    buf0.users = [NodeUser(node=OUTPUT, can_inplace=False, is_weak=False)]
]
op0.sizes = ([512, 12800], [4096])
arg0_1_layout = FixedTiledLayout('spyre:0', torch.float16, size=[4096, 12800], stride=[12800, 1], device_layout=SpyreTensorLayout(device_size=[200, 4096, 64], stride_map =[64, 12800, 1], device_dtype=DataFormats.SEN169_FP16))
buf0_layout = FixedTiledLayout('spyre:0', torch.float16, size=[1, 512, 12800], stride=[6553600, 12800, 1], device_layout=SpyreTensorLayout(device_size=[512, 200, 1, 64], stride_map =[12800, 64, -1, 1], device_dtype=DataFormats.SEN169_FP16))
)";

TEST(SpyreScan, FindsEachLayoutOfADumpOnceWithTheTensorAroundIt) {
  EXPECT_EQ(found_in(kDump),
            (Lines{"3:126,8 SpyreTensorLayout(device_size=[512, 200, 1, 64], stride_map =[12800, 64, -1, 1], "
                   "device_dtype=DataFormats.SEN169_FP16) | f16[1,512,12800] strides 6553600,12800,1",
                   "7:113 SpyreTensorLayout(device_size=[200, 4096, 64], stride_map =[64, 12800, 1], "
                   "device_dtype=DataFormats.SEN169_FP16) | f16[4096,12800] strides 12800,1"}));
}

// The shape of torch-spyre's docs/source/compiler/coarse_tiling_loops.md: comments and breaks inside parentheses.
TEST(SpyreScan, JoinsLinesAndLeavesOutComments) {
  constexpr std::string_view kText = R"(  layout=FixedTiledLayout('spyre:0', torch.float16,
      size=[512,1024], stride=[1024,1],                   # HOST view (row-major)
      device_layout=SpyreTensorLayout(                    # PHYSICAL view (tiled)
          device_size=[16,512,64], stride_map=[64,1024,1],
          device_dtype=DataFormats.SEN169_FP16))
)";
  EXPECT_EQ(found_in(kText), (Lines{"3:21 SpyreTensorLayout(device_size=[16,512,64], stride_map=[64,1024,1], "
                                    "device_dtype=DataFormats.SEN169_FP16) | f16[512,1024] strides 1024,1"}));
}

TEST(SpyreScan, LeavesOutThePrefixesOfLogLines) {
  constexpr std::string_view kText =
      "V1123 03:00:01.123000 77 torch/_inductor/graph.py:567] [0/0] [__output_code] buf0 = spyre_empty_with_layout(\n"
      "V1123 03:00:01.124000 77 torch/_inductor/graph.py:567] [0/0] [__output_code]     (2, 64), (64, 1),\n"
      "V1123 03:00:01.125000 77 torch/_inductor/graph.py:567] [0/0] [__output_code]     torch.float16, "
      "SpyreTensorLayout(device_size=[1, 2, 64],\n"
      "V1123 03:00:01.126000 77 torch/_inductor/graph.py:567] [0/0] [__output_code]     stride_map =[64, 64, 1], "
      "device_dtype=DataFormats.SEN169_FP16))\n";
  EXPECT_EQ(found_in(kText), (Lines{"3:97 SpyreTensorLayout(device_size=[1, 2, 64], stride_map =[64, 64, 1], "
                                    "device_dtype=DataFormats.SEN169_FP16) | f16[2,64] strides 64,1"}));
}

TEST(SpyreScan, LeavesOutColourCodes) {
  constexpr std::string_view kText =
      "\x1b[2m12:00:01\x1b[0m size=[5, 100, 150] \x1b[1;35mSpyreTensorLayout\x1b[0m\x1b[1m(\x1b[0m\x1b[33mdevice_size"
      "\x1b[0m=[100, 3, 5, 64], \x1b[33mstride_map\x1b[0m =[150, 64, 15000, 1], "
      "\x1b[33mdevice_dtype\x1b[0m=DataFormats.SEN169_FP16\x1b[1m)\x1b[0m\n";
  EXPECT_EQ(found_in(kText), (Lines{fmt::format("1:44 {} | f16[5,100,150]", kDocument)}));
}

TEST(SpyreScan, TakesTheTensorOfAConstructor) {
  constexpr std::string_view kText = R"py(
        x_stl = SpyreTensorLayout(
            [512, 8, 256], [2048, 256, 1], torch.float16, [2, 1, 0]
        )
        y = x.to(device_layout=SpyreTensorLayout((4, 64), torch.float32,))
        >>> SpyreTensorLayout((5, 100, 150),
        ...                   torch.float16)
)py";
  EXPECT_EQ(found_in(kText), (Lines{"2:17 SpyreTensorLayout([512, 8, 256], [2048, 256, 1], torch.float16, [2, 1, 0]) | "
                                    "f16[512,8,256] strides 2048,256,1",
                                    "5:32 SpyreTensorLayout((4, 64), torch.float32,) | f32[4,64]",
                                    "6:13 SpyreTensorLayout((5, 100, 150), torch.float16) | f16[5,100,150]"}));
}

TEST(SpyreScan, JoinsATextThatIsContinuedOnTheNextLine) {
  constexpr std::string_view kText = R"py(  expected = (
      "SpyreTensorLayout(device_size=[4, 512, 64], "
      "stride_map =[64, 256, 1], device_dtype=DataFormats.SEN169_FP16)"))py";
  EXPECT_EQ(found_in(kText), (Lines{"2:8 SpyreTensorLayout(device_size=[4, 512, 64], stride_map =[64, 256, 1], "
                                    "device_dtype=DataFormats.SEN169_FP16) ! " +
                                    kNone}));
}

// The form of torch-spyre's tests/configs/model_ops_tests/*.yaml.
TEST(SpyreScan, ReadsFieldsAndTheirSiblings) {
  constexpr std::string_view kYaml = R"(args:
  - tensor:
      shape: [1, 1, 41]
      stride: [41, 41, 1]
      storage_offset: 7
      dtype: torch.int64
      init_args:
        high: 2147483647
      device_layout:
        device_size: [2, 1, 32]
        stride_map: [32, -1, 1]
        device_dtype: torch.int32
  - tensor:
      shape: [9, 9]
)";
  EXPECT_EQ(found_in(kYaml), (Lines{"10:9 device_size=[2, 1, 32], stride_map=[32, -1, 1], "
                                    "device_dtype=DataFormats.IEEE_INT32 | i64[1,1,41] strides 41,41,1 offset 7"}));
  EXPECT_EQ(found_in("{\"device_size\": [2, 64], \"stride_map\": [64, 1]}"),
            (Lines{"1:3 device_size=[2, 64], stride_map=[64, 1] ! " + kNone}));
  EXPECT_EQ(
      found_in(
          "size:    [128, 256]\nstride:  [256, 1]\ndevice_size:     [4, 128, 64]\nstride_map:      [64, 256, 1]\n"),
      (Lines{"3:1 device_size=[4, 128, 64], stride_map=[64, 256, 1] | f16[128,256] strides 256,1"}));
}

// The form of torch-spyre's tests/tensor/test_tensor_layout.py.
TEST(SpyreScan, ReadsTheTablesOfTests) {
  constexpr std::string_view kText = R"py(
    @parametrize(
        "sizes,strides,device_size,stride_map",
        [
            # Permuted [60, 40] to [40, 60]
            ([40, 60], [1, 40], [1, 40, 64], [2560, 1, 40]),
            ([60], [1], [1, 512, 64],
             [64, 0, 1]),
        ],
    )
    @parametrize("a,b", [([1, 2], [3, 4], [5, 6], [7, 8])])
)py";
  const std::string row =
      " ! it is a row of a table: the code below it says of which tensor, which need not have the row's sizes";
  EXPECT_EQ(found_in(kText), (Lines{"6:13 ([40, 60], [1, 40], [1, 40, 64], [2560, 1, 40])" + row,
                                    "7:13 ([60], [1], [1, 512, 64], [64, 0, 1])" + row}));
}

TEST(SpyreScan, TakesTheSizeOfTheLineOnlyIfThereIsOne) {
  const std::string tail = "device_dtype=DataFormats.IEEE_FP32)";
  const std::string raw = "SpyreTensorLayout(device_size=[1, 2, 32], stride_map =[32, 32, 1], " + tail;
  EXPECT_EQ(found_in("DEBUG size=[2, 32] stride=[32, 1] stl=" + raw),
            (Lines{"1:39 " + raw + " | f32[2,32] strides 32,1"}));
  EXPECT_EQ(found_in("DEBUG stl=" + raw + " size=[2, 32]"), (Lines{"1:11 " + raw + " | f32[2,32]"}));
  EXPECT_EQ(found_in("DEBUG size=[2, 32] to size=[4, 16] stl=" + raw), (Lines{"1:40 " + raw + " ! " + kNone}));
  EXPECT_EQ(found_in("DEBUG size=[2, 32]\nstl=" + raw), (Lines{"2:5 " + raw + " ! " + kNone}));
  EXPECT_EQ(found_in("f(size=[2, 32], g=[" + raw + "])"), (Lines{"1:20 " + raw + " | f32[2,32]"}));
}

// A constructor says its tensor; what is written out has names, and no tensor of its own.
TEST(SpyreScan, ReadsLayoutsWithNames) {
  const auto scanned = test::scanned(
      "a = SpyreTensorLayout((N, M + 1, 150), torch.float16)\n"
      "b = SpyreTensorLayout(device_size=[M, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)\n");
  ASSERT_EQ(scanned.all.size(), 2U);
  const auto* stated = std::get_if<session::Sighting>(&scanned.all[0]);
  ASSERT_NE(stated, nullptr);
  EXPECT_EQ(stated->request.tensor.text, "f16[N,M + 1,150]");
  const auto* skipped = std::get_if<session::SkippedText>(&scanned.all[1]);
  ASSERT_NE(skipped, nullptr);
  EXPECT_EQ(skipped->reason, "the text states no tensor for it, and no --tensor is given");
}

TEST(SpyreScan, SaysWhyALayoutIsNotJudged) {
  const auto reason = [](std::string_view text) {
    const auto scanned = test::scanned(text);
    const auto* skipped = scanned.all.size() == 1 ? std::get_if<session::SkippedText>(&scanned.all[0]) : nullptr;
    return skipped == nullptr ? std::string("not one that is skipped") : skipped->reason;
  };
  EXPECT_EQ(reason("a SpyreTensorLayout(...) of"), "the text is abbreviated: '...' stands for a part of it");
  EXPECT_EQ(reason("SpyreTensorLayout([256, 64], ..., [1, 0])"),
            "the text is abbreviated: '...' stands for a part of it");
  EXPECT_EQ(reason("SpyreTensorLayout(device_size, stride_map, get_device_dtype(torch.float16))"),
            "'device_size' is a name, not a number or a list of numbers");
  EXPECT_EQ(reason("SpyreTensorLayout([2 * 64], torch.float16)"), "'*' is arithmetic; only numbers are read");
  EXPECT_EQ(reason("buf0 SpyreTensorLayout(device_size=[4, 512, 64], stride_map =[64, 25"),
            "its parenthesis is not closed");
  EXPECT_EQ(reason("TensorArg(is_input=True, device_dtype=DataFormats.SEN169_FP16, device_size=[2, 64],\n"
                   "  device_coordinates=[floor(c0/64), c0], allocation={'hbm': 0})"),
            "it has a device_size and neither a stride_map nor a dim_map, so it does not say where elements live");
  EXPECT_EQ(reason(kDocument), kNone);
}

TEST(SpyreScan, ADefaultTensorAndDefinitionsReachTheTexts) {
  session::ScanOptions options;
  options.otherwise.tensor = session::SourceText::option("--tensor", "f16[5,100,150]");
  options.definitions = {{"B", 5}, {"torch", 1}};
  EXPECT_EQ(found_in(kDocument + "\nSpyreTensorLayout((B, 100, 150), torch.float16)", options),
            (Lines{"1:1 " + kDocument + " | f16[5,100,150]",
                   "2:1 SpyreTensorLayout((5, 100, 150), torch.float16) | f16[5,100,150]"}));
}

TEST(SpyreScan, ATextThatIsAllThereAndWrongIsAnErrorWhereItStands) {
  const auto scanned = test::scanned("x\n  SpyreTensorLayout([2, 3], [3], torch.float16, [0, 1])\n");
  ASSERT_EQ(scanned.all.size(), 1U);
  const auto& found = std::get<session::Sighting>(scanned.all[0]);
  EXPECT_EQ(found.request.id, "log:2:3");
  const auto read = session::read_unproved(found.request);
  ASSERT_TRUE(std::holds_alternative<session::TextError>(read));
  const Diagnostic diagnostic = std::get<session::TextError>(read).diagnose();
  EXPECT_EQ(diagnostic.file, "log");
  EXPECT_EQ(diagnostic.line, 2U);
  EXPECT_EQ(diagnostic.column, 29U);  // of [3], 26 behind the layout's begin
  EXPECT_NE(diagnostic.message.find("strides"), std::string::npos) << diagnostic.message;
}

TEST(SpyreScan, LooksAlikeAndIsNone) {
  for (const char* text :
       {"class SpyreTensorLayout(Layout):", "SpyreTensorLayout() = default;", "~SpyreTensorLayout()",
        "explicit SpyreTensorLayout(const SpyreTensorLayout& other);",
        "SpyreTensorLayout(std::vector<int64_t> host_size, c10::ScalarType dtype);",
        "def __init__(self, stl: SpyreTensorLayout): pass", "MySpyreTensorLayout([1], torch.float16)",
        "SpyreTensorLayout(size: list[int], dtype: torch.dtype)", "ss << \"SpyreTensorLayout(\"; f([1]);",
        "self.assertEqual(stl.device_size, [1, 64])", "device_size=[4, 64]",
        "max_device_size=[4, 64], stride_map=[64, 1]", "class TensorArg(Base):", "TensorArg(name, index)",
        "([40, 60], [60, 1], [1, 60, 64], [3840, 1, 60])", "DataConversionInfo: {\"dcsi_\":[{\"size_\":[64,1]}]}",
        "x_stl.device_size = list(sizes)"})
    EXPECT_EQ(found_in(text), Lines{}) << text;
}

}  // namespace spyre_scan_test
}  // namespace vl::spyre
