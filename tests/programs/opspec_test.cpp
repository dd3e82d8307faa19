// What the importer of Torch-Spyre makes of lists of OpSpec, written by hand; what it refuses; and what becomes of
// buffers that are written over.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/program/function.h"
#include "tests/programs/imported.h"
#include "tests/programs/opspecs.h"
#include "tests/support/sanitized.h"

namespace vl::program {
namespace programs_opspec_test {

using programs_test::kernel;
using programs_test::lines_in;
using programs_test::read;
using programs_test::spec;
using programs_test::tensor;

Function only(const std::string& specs, const std::string& comment = "") {
  auto all = read(kernel(specs, comment));
  EXPECT_EQ(all.size(), 1U) << specs;
  return all.empty() ? Function{} : std::move(all[0]);
}

const std::string kTwo = "sympify('c0'): (sympify('4'), 1), sympify('c1'): (sympify('67'), 1)";
const std::string kThree = "c0: (5, 1), c1: (64, 1), c2: (67, 1)";
const std::string kRow = "floor(c1/64);c0;Mod(c1, 64)";
constexpr long kA = 0, kB = 1L << 34, kC = 1L << 35;

std::string x(bool input, int argument, long offset, const std::string& more = "") {
  return tensor(input, argument, "[2, 4, 64]", kRow, offset, more);
}
std::string sum_of(bool input, int argument, long offset) {
  return tensor(input, argument, "[1, 4, 64]", "0;c0;0", offset);
}
std::string pair_of() { return x(true, 0, kA) + x(false, 1, kB); }

std::string lines_of(const std::string& specs, const std::string& comment = "") {
  return lines_in(only(specs, comment));
}

struct Row {
  std::string specs, lines, comment = "";
};

TEST(OpSpec, SaysOperationsInTheLanguage) {
  const std::string xk = "floor(c2/64);c0;Mod(c2, 64)", yk = "floor(c1/64);c2;Mod(c1, 64)";
  const auto product = [&](const std::string& size) {
    return spec("batchmatmul", true, kThree,
                tensor(true, 0, "[2, 5, 64]", xk, kA) + tensor(true, 1, size, yk, kB) +
                    tensor(false, 2, "[1, 5, 64]", kRow, kC));
  };
  const std::vector<Row> rows = {
      {spec("exp", false, kTwo, pair_of()), "a1 = exp a0\noutput a1\n"},
      {spec("add", false, kTwo, x(true, 0, kA) + x(true, 1, kB) + x(false, 2, kC)), "a2 = add a0 a1\noutput a2\n"},
      // One element a row is repeated along the row.
      {spec("sub", false, kTwo, x(true, 0, kA) + sum_of(true, 1, kB) + x(false, 2, kC)), "a2 = sub a0 a1\noutput a2\n"},
      {spec("sum", true, kTwo, x(true, 0, kA) + sum_of(false, 1, kB)),
       "t = sum a0 over 1 keep\na1 = reshape t [4,1] tile(64)\noutput a1\n"},
      {spec("max", true, kTwo, x(true, 0, kA) + tensor(false, 1, "[2, 1, 64]", "floor(c1/64);0;Mod(c1, 64)", kB)),
       "a1 = max a0 over 0 keep\noutput a1\n"},
      {spec("max", true, kTwo, x(true, 0, kA) + tensor(false, 1, "[2, 64]", "floor(c1/64);Mod(c1, 64)", kB)),
       "a1 = max a0 over 0\noutput a1\n"},
      {spec("mean", true, kTwo, x(true, 0, kA) + sum_of(false, 1, kB), "{'constants': {'scaling_factor': 0.01492537}}"),
       "t = mean a0 over 1 keep\na1 = reshape t [4,1] tile(64)\noutput a1\n"},
      {spec("exp", false, kTwo, pair_of(), "{'constants': {'samv-maskvalue': -10000.0}}"),
       "t = mask a0 with -10000.0\na1 = exp t\noutput a1\n"},
      {spec("identity", false, kTwo, pair_of()), "output a0\n"},
      {spec("ReStickifyOpHBM", false, kTwo,
            x(true, 0, kA) + tensor(false, 1, "[1, 67, 64]", "floor(c0/64);c1;Mod(c0, 64)", kB)),
       "t = transpose a0 (1,0)\na1 = reshape t [67,4] tile(64)\noutput a1\n"},
      {product("[1, 128, 64]"), "a2 = matmul a0 a1 contract (1) (0)\noutput a2\n"},
      // Behind 67 rows is other memory.
      {product("[1, 67, 64]"), "t = reshape a1 [67,64] tile(128,1)\na2 = matmul a0 t contract (1) (0)\noutput a2\n"},
      {product("[1, 128, 64]"), "t = mask a0 with 0\na2 = matmul t a1 contract (1) (0)\noutput a2\n",
       "# vl: tail zero\n"},
      // A step that is read again has a number of none; what is in its place later is another one.
      {spec("exp", false, kTwo, x(true, 0, kA) + x(false, -1, kB)) +
           spec("abs", false, kTwo, x(true, -1, kB) + x(false, 1, kC)) +
           spec("neg", false, kTwo, x(true, 1, kC) + x(false, -1, kB)) +
           spec("relu", false, kTwo, x(true, -1, kB) + x(false, 0, kA)),
       "hbm_17179869184 = exp a0\na1 = abs hbm_17179869184\nhbm_17179869184.1 = neg a1\na0.1 = relu hbm_17179869184.1\n"
       "output a1 a0.1\n"},
      // What nothing reads is left behind, too.
      {spec("exp", false, kTwo, x(true, 0, kA) + x(false, -1, kB)),
       "hbm_17179869184 = exp a0\noutput hbm_17179869184\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(lines_of(row.specs, row.comment), row.lines) << row.specs;
}

// As torch-spyre #879 prints it: dimensions of the host, of the iteration and of the device by their numbers.
TEST(OpSpec, ReadsOneKernelSpec) {
  const auto argument = [](bool input, int number, const char* host, const char* goes, const char* layout) {
    return fmt::format(
        "TensorArg(is_input={}, arg_index={}, dtype=torch.float16, host_size={}, it_dim_map={}, allocation={{}}, "
        "device_layout=SpyreTensorLayout({}, device_dtype=DataFormats.SEN169_FP16)), ",
        input ? "True" : "False", number, host, goes, layout);
  };
  const auto lines = [&](const char* host) {
    const auto all = read(
        fmt::format("k = async_compile.sdsc('k',\n    KernelSpec(op='max', is_reduction=True, iteration_space=[4, 67], "
                    "op_info={{'n_cores_used': 1}}, args=[{}{}]))\n",
                    argument(true, 0, host, "[0, 1]", "device_size=[2, 4, 64], dim_map =[1, 0, 1]"),
                    argument(false, 1, "[4, 1]", "[0, -1]", "device_size=[1, 1, 4, 64], dim_map =[1, -1, 0, -1]")));
    if (all.size() != 1 || !all[0].dataflow) return std::string("no dataflow");
    return all[0].steps[0].why.empty() ? all[0].dataflow->text : "? " + all[0].steps[0].why;
  };
  EXPECT_EQ(lines("[4, 67]"),
            "a0 = input dl16[4,67] tile(128)\nt = max a0 over 1 keep\na1 = reshape t [4,1] tile(64)\nequal "
            "any-nan+zero\noutput a1\n");
  EXPECT_EQ(lines("[4, 66]"), "? its host_size has 66, and the iteration 67");
  EXPECT_EQ(lines("[4]"), "? its host_size, it_dim_map and dim_map are not known");
}

TEST(OpSpec, RefusesWhatItDoesNotKnowOrWhatContradicts) {
  const auto from = [](const std::string& input) { return spec("exp", false, kTwo, input + x(false, 1, kB)); };
  const std::vector<Row> rows = {
      {from(x(true, 0, kA, ", stride_map=[64, 64, 67, 1]")), "its stride_map has 4 entries, and its device_size 3"},
      {from(tensor(true, 0, "[2, 4, 64]", "floor(c1/64);0;c0;Mod(c1, 64)", kA)),
       "its device_coordinates has 4 entries, and its device_size 3"},
      {from(tensor(true, 0, "[1, 4, 64]", kRow, kA)), "c1 goes to 67, and its device_size to 64"},
      {from(tensor(true, 0, "[2, 3, 64]", kRow, kA)), "c0 goes to 4, and its device_size to 3"},
      {from(tensor(true, 0, "[3, 4, 64]", kRow, kA)), "it has sticks to which its iteration does not come"},
      {from(tensor(true, 0, "[2, 6, 64]", kRow, kA)), "its iteration does not come to all rows of [2, 6, 64]"},
      {from(tensor(true, 0, "[3, 4, 32]", "floor(c1/32);c0;Mod(c1, 32)", kA)),
       "its device_size ends in 32, and a stick of SEN169_FP16 has 64"},
      {from(tensor(true, 0, "[2, 4, 64]", "floor(c1/32);c0;Mod(c1, 64)", kA)),
       "its sticks and its lanes are split by other numbers"},
      {from(tensor(true, 0, "[2, 4, 64]", "floor(c1/64);c0 + 1;Mod(c1, 64)", kA)), "a coordinate that is not known"},
      {from(tensor(true, 0, "[2, 4, 64]", "floor(c1/64);c7;Mod(c1, 64)", kA)),
       "its symbol c7 is not one of the iteration"},
      {from(x(true, 0, kA, ", device_tile_advance_expr=sympify('t0*4')")),
       "its device_tile_advance_expr sympify('t0*4') is not known"},
      {spec("exp", false, kTwo,
            x(true, 0, kA).replace(x(true, 0, kA).find("SEN169_FP16"), 11, "SENINT8") + x(false, 1, kB)),
       "its device_dtype SENINT8 is not known"},
      {spec("frobnicate", false, kTwo, pair_of()), ""},
      {spec("exp", true, kTwo, pair_of()), "is_reduction says otherwise"},
      {spec("sum", false, kTwo, x(true, 0, kA) + sum_of(false, 1, kB)), "is_reduction says otherwise"},
      {spec("add", false, kTwo, pair_of()), "it has 1 inputs"},
      {spec("exp", false, kTwo, pair_of(), "{'constants': {'slope': 2}}"), "its constant 'slope' is not known"},
      {spec("exp", false, kTwo, pair_of(), "{'mode': 1}"), "its op_info 'mode' is not known"},
      {spec("mean", true, kTwo, x(true, 0, kA) + sum_of(false, 1, kB), "{'constants': {'scaling_factor': 0.25}}"),
       "its constant 'scaling_factor' is not known"},
      {spec("exp", false, "c0: (4, 1), c1: (67, 2)", pair_of(), "{'constants': {'samv-maskvalue': 0}}"),
       "it masks lanes of a dimension that cores share"},
      {spec("exp", false, "c0: (s0, 1), c1: (67, 1)", pair_of()),
       "its iteration_space is not one of symbols and numbers"},
      {spec("exp", false, kTwo, pair_of(), "{}", ", tiled_symbols=['c0']"),
       "its tiled_symbols are not those of each loop around it"},
      {spec("exp", false, kTwo, x(true, 0, kA)), "it has not one output"},
      {spec("sum", true, kTwo, x(true, 0, kA) + tensor(false, 1, "[2, 4, 64]", kRow, kB)),
       "the dimensions of its result are not those of its operand"},
      {"LoopSpec(count=s0, body=[" + spec("exp", false, kTwo, pair_of()) + "]),\n", "its count is no number"},
      {"UnimplementedOp(op='x'),\n", "what it writes is not known"},
      // Its second operand has no lanes for N: what is behind its rows would be beside padding.
      {spec("batchmatmul", true, "c0: (5, 1), c1: (65, 1), c2: (67, 1)",
            tensor(true, 0, "[2, 5, 64]", "floor(c2/64);c0;Mod(c2, 64)", kA) +
                tensor(true, 1, "[2, 67, 64]", "floor(c1/64);c2;Mod(c1, 64)", kB) +
                tensor(false, 2, "[2, 5, 64]", kRow, kC)),
       "behind the rows of its second operand is other memory, beside padding"},
  };
  for (const Row& row : rows) {
    const std::string lines = lines_of(row.specs);
    EXPECT_EQ(lines.substr(0, 2), "? ") << row.specs << lines;
    if (!row.lines.empty()) EXPECT_EQ(lines, "? " + row.lines) << row.specs;
  }
}

// What is read of a place is what was written there, whole and alike, or it is not known.
TEST(OpSpec, LosesWhatIsWrittenOver) {
  const auto has = [](const std::string& specs, const std::string& line) {
    const Function function = only(specs);
    EXPECT_TRUE(function.dataflow.has_value());
    return function.dataflow && function.dataflow->text.find(line) != std::string::npos;
  };
  const std::string first = spec("exp", false, kTwo, pair_of());
  const auto again = [](const std::string& input, long offset = kC) {
    return spec("abs", false, kTwo, input + x(false, 2, offset));
  };
  EXPECT_TRUE(has(first + again(x(true, 1, kB)), "a2 = abs a1\n"));
  // In part, from another place, and in another shape.
  EXPECT_TRUE(has(first + again(x(true, 3, kB + 128)), "a2 = unknown \"OpSpec.abs\" opaque"));
  EXPECT_TRUE(has(first + again(tensor(true, 1, "[2, 5, 64]", kRow, kB)), "a2 = unknown \"OpSpec.abs\" opaque"));
  // A second result that takes bytes of the first: it is gone, and it is still what the kernel leaves behind.
  const std::string over = first + spec("neg", false, kTwo, x(true, 0, kA) + x(false, 3, kB + 512));
  EXPECT_TRUE(has(over + again(x(true, 1, kB)), "a2 = unknown \"OpSpec.abs\" opaque"));
  EXPECT_TRUE(has(over, "unknown \"a1.\" opaque -> u8[1]\n"));
  // What is left of it is no argument of the kernel.
  const auto half = [](bool input, int argument, long offset) {
    return tensor(input, argument, "[1, 4, 64]", kRow, offset);
  };
  EXPECT_TRUE(has(over + spec("abs", false, "c0: (4, 1), c1: (64, 1)", half(true, 5, kB) + half(false, 2, kC)),
                  "a2 = unknown \"OpSpec.abs\" opaque"));
  // An argument that is written over.
  EXPECT_TRUE(has(spec("neg", false, kTwo, x(true, 0, kA) + x(false, 3, kA + 1)) + again(x(true, 0, kA)),
                  "a2 = unknown \"OpSpec.abs\" opaque"));
  // In another space the same offset is another buffer.
  std::string lx = x(true, 5, kB);
  lx.replace(lx.find("'hbm'"), 5, "'lx'");
  EXPECT_TRUE(has(first + again(lx), "a2 = abs a5\n"));
  // What may write anywhere.
  for (const std::string& any :
       {std::string("UnimplementedOp(op='x'),\n"), std::string("LoopSpec(count=s0, body=[]),\n"),
        spec("exp", false, kTwo,
             x(true, 0, kA) + tensor(false, 3, "[2, 4, 64]", "floor(c1/64);c0 + 8;Mod(c1, 64)", kC)),
        spec("exp", false, kTwo, x(true, 0, kA) + x(false, 3, kC) + x(false, 4, 2 * kC))}) {
    EXPECT_TRUE(has(first + any + again(x(true, 1, kB), 3 * kC), "a2 = unknown \"OpSpec.abs\" opaque")) << any;
    EXPECT_TRUE(has(first + any + again(x(true, 9, 5 * kC), 3 * kC), "a2 = unknown \"OpSpec.abs\" opaque")) << any;
    EXPECT_TRUE(has(first + any, "unknown \"a1.\" opaque -> u8[1]\n")) << any;
  }
}

TEST(OpSpec, SaysThatAKernelCannotBeRead) {
  std::string text = kernel(spec("exp", false, kTwo, pair_of()));
  text.erase(text.rfind(']'), 1);
  const auto all = read(text + kernel(spec("exp", false, kTwo, pair_of())));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].refused, "a bracket or a string of it is not closed");
  EXPECT_EQ(all[1].refused, "");
}

// Before tensors had places their numbers said which they are.
TEST(OpSpec, TellsTensorsWithoutAPlaceByTheirNumbers) {
  std::string specs = spec("exp", false, kTwo, pair_of()) + spec("abs", false, kTwo, x(true, 1, kB) + x(false, 2, kC));
  for (const long offset : {kC, kB, kA})
    for (const std::string said = fmt::format("'hbm': {}", offset); specs.find(said) != std::string::npos;)
      specs.erase(specs.find(said), said.size());
  EXPECT_EQ(lines_of(specs), "a1 = exp a0\na2 = abs a1\noutput a1 a2\n");
  std::string none = specs;
  none.replace(none.find("arg_index=1"), 11, "arg_index=-1");
  EXPECT_EQ(lines_of(none), "? it is not said where it lies");
}

// As torch-spyre #1303 prints it, beside the superdsc lines.
TEST(OpSpec, NamesTheOperationsOfALog) {
  const std::string log =
      "[DEBUG] [spyre_kernel] op_spec: mean, is_reduction=True, iteration_space={c0: (3, 1), c1: (128, 1)}, "
      "op_info={}\n"
      "[DEBUG] [spyre_kernel] kernel_load: buf0, shape=[1, 3, 1], device_size=[3, 1, 1, 1, 64]\n"
      "[DEBUG] [spyre_kernel] kernel_load: buf2, shape=[1, 3, 128], device_size=[3, 2, 1, 64]\n"
      "[DEBUG] [spyre_kernel] kernel_store: buf3 (type: PointwiseOp), shape=[1, 3, 128], device_size=[1, 2, 3, 64], "
      "op_info={}\n"
      "[DEBUG] [spyre_kernel] op_spec: add, is_reduction=False, iteration_space={c0: (3, 3), c1: (128, 2)}, "
      "op_info={}\n"
      "[DEBUG] [spyre_kernel] kernel_load: buf3, shape=[1, 3, 128], device_size=[1, 2, 3, 64]\n"
      "[DEBUG] [spyre_kernel] kernel_load: arg1_1, shape=[128], device_size=[2, 64]\n"
      "[DEBUG] [spyre_kernel] kernel_store: buf4 (type: PointwiseOp), shape=[1, 3, 128], device_size=[1, 2, 3, 64], "
      "op_info={}\n"
      "[DEBUG] [spyre_kernel] op_spec: sub, is_reduction=False, iteration_space={c0: (3, 3), c1: (128, 2)}, "
      "op_info={}\n";
  const auto all = read(log);
  ASSERT_EQ(all.size(), 1U);
  ASSERT_TRUE(all[0].dataflow.has_value());
  EXPECT_EQ(all[0].dataflow->outputs, std::vector<std::string>{"buf4"});
  std::string words;
  for (const Step& step : all[0].steps)
    if (step.known == Known::Unknown)
      words += fmt::format("{} {} {}\n", std::ranges::count(log.substr(0, step.offset), '\n') + 1, step.operation,
                           step.result);
  EXPECT_EQ(words, "1 OpSpec.mean \n5 OpSpec.add buf3\n9 OpSpec.sub buf4\n");
  // Where the kernels stand in the text, too, they say more.
  const auto both = read(log + kernel(spec("exp", false, kTwo, pair_of())));
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(lines_in(both[0]), "a1 = exp a0\noutput a1\n");
}

TEST(OpSpec, EndsOnTextsThatAreCutOrChanged) {
  const std::string whole = kernel(spec("exp", false, kTwo, pair_of(), "{'constants': {'samv-maskvalue': 0}}") +
                                       spec("batchmatmul", true, kThree,
                                            tensor(true, 0, "[2, 5, 64]", "floor(c2/64);c0;Mod(c2, 64)", kA) +
                                                tensor(true, 1, "[1, 67, 64]", "floor(c1/64);c2;Mod(c1, 64)", kB) +
                                                tensor(false, 2, "[1, 5, 64]", kRow, kC)),
                                   "# vl: device padding a0: 0 contents finite; a stick has 64 lanes\n");
  programs_test::ends_on_changed(whole, "0123456789-()[]{}\"',:=;. /\n");
}

}  // namespace programs_opspec_test
}  // namespace vl::program
