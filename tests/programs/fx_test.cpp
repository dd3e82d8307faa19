// What the importer of torch.fx makes of calls, line by line, written by hand from torch's schemas; what it refuses;
// and what is gone where a call writes in place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/program/function.h"
#include "tests/programs/imported.h"
#include "tests/support/sanitized.h"

namespace vl::program {
namespace programs_fx_test {

using programs_test::read;

Function only(const std::string& text) {
  auto all = read(text);
  EXPECT_EQ(all.size(), 1U) << text;
  return all.empty() ? Function{} : std::move(all[0]);
}

// The lines of a call of torch.ops.aten on a, b and c of f32[4, 6] whose result has a type; or why it is not known.
std::string lines_of(const std::string& call, const std::string& type, const std::string& a = "f32[4, 6]",
                     const std::string& b = "f32[4, 6]", const std::string& comment = "") {
  const Function function = only(fmt::format(
      "{}def forward(self, a: \"{}\", b: \"{}\", c: \"f32[4, 6]\"):\n    r: \"{}\" = torch.ops.{}\n    return "
      "(r,)\n",
      comment, a, b, type, call));
  if (!function.dataflow || function.steps.size() != 2) return "no dataflow";
  if (function.steps[0].known != Known::Judged) return "? " + function.steps[0].why;
  const std::string& text = function.dataflow->text;
  const std::size_t begin = text.find('\n', text.find("c = input")) + 1;
  return text.substr(begin, text.find("equal ") - begin);
}

struct Row {
  std::string call, type, lines, a = "f32[4, 6]", b = "f32[4, 6]";
};

TEST(Fx, SaysOperationsInTheLanguage) {
  const std::string m = "f32[4, 6]";
  const std::vector<Row> rows = {
      {"aten.exp.default(a)", m, "r = exp a\n"},
      {"aten.reciprocal.default(a)", m, "r = recip a\n"},
      {"aten.sub.Tensor(a, b)", m, "r = sub a b\n"},
      {"aten.add.Tensor(a, b, alpha = 1)", m, "r = add a b\n"},
      {"aten.add.Tensor(a, 2.5)", m, "r = add a 2.5\n"},
      {"aten.mul.Tensor(a, b)", m, "r = mul a b\n", m, "f32[6]"},
      {"aten.rsub.Scalar(a, 1)", m, "r = sub 1 a\n"},
      {"aten.pow.Tensor_Scalar(a, 2)", m, "r = pow a 2\n"},
      {"aten.lt.Scalar(a, 0)", "b8[4, 6]", "r = lt a 0 -> i1\n"},
      {"aten.where.self(a, b, c)", m, "r = where a b c\n", "b8[4, 6]"},
      {"aten.logical_not.default(a)", "b8[4, 6]", "r = eqz a -> i1\n"},
      {"aten.bitwise_and.Tensor(a, b)", "b8[4, 6]", "r = and a b\n", "b8[4, 6]", "b8[4, 6]"},
      {"aten.log2.default(a)", m, "r = unknown pointwise \"torch.ops.aten.log2.default\" a -> f32\n"},
      {"aten.gelu.default(a)", m, "r = gelu a\n"},
      {"aten.gelu.default(a, approximate = 'none')", m, "r = gelu a\n"},
      {"aten.clamp.default(a, 0, 6)", m, "t = max a 0\nr = min t 6\n"},
      {"aten.hardtanh.default(a, 0.0, max_val = 6.0)", m, "t = max a 0\nr = min t 6.0\n"},
      {"aten._to_copy.default(a, dtype = torch.bfloat16)", "bf16[4, 6]", "r = cast a bf16\n"},
      {"prims.convert_element_type.default(a, torch.float16)", "f16[4, 6]", "r = cast a f16\n"},
      {"aten.sum.default(a)", "f32[]", "r = sum a over 0,1\n"},
      {"aten.sum.dim_IntList(a, [-1], True)", "f32[4, 1]", "r = sum a over 1 keep\n"},
      {"aten.sum.dim_IntList(a, dim = [1], keepdim = False, dtype = None)", "f32[4]", "r = sum a over 1\n"},
      {"aten.mean.dim(a, [0])", "f32[6]", "r = mean a over 0\n"},
      {"aten.amax.default(a, [1], True)", "f32[4, 1]", "r = max a over 1 keep\n"},
      {"aten.prod.dim_int(a, 1)", "f32[4]", "r = prod a over 1\n"},
      {"aten.any.dim(a, 1)", "b8[4]", "r = any a over 1\n", "b8[4, 6]"},
      {"aten.argmax.default(a, -1)", "i64[4]", "t = argmax a over 1\nr = cast t i64\n"},
      {"aten._softmax.default(a, -1, False)", m, "r = softmax a over 1\n"},
      {"aten.cumsum.default(a, 0)", m, "r = cumsum a over 0\n"},
      {"aten.mm.default(a, b)", "f32[4, 4]", "r = matmul a b\n", m, "f32[6, 4]"},
      {"aten.addmm.default(c, a, b)", m, "t = matmul a b\nr = add t c\n", m, "f32[6, 6]"},
      {"aten.linear.default(a, b)", "f32[4, 5]", "r = matmul a b tb\n", m, "f32[5, 6]"},
      {"aten.full.default([4, 6], 0.5, dtype = torch.float32, device = device(type='cpu'))", m,
       "r = constant f32[4,6] 0.5\n"},
      {"aten.full.default([], -inf)", "f32[]", "r = constant f32[] -inf\n"},
      {"aten.zeros.default([4, 6])", m, "r = constant f32[4,6] 0\n"},
      {"aten.view.default(a, [24])", "f32[24]", "r = reshape a [24]\n"},
      {"aten.t.default(a)", "f32[6, 4]", "r = transpose a (1,0)\n"},
      {"aten.transpose.int(a, -2, -1)", "f32[6, 4]", "r = transpose a (1,0)\n"},
      {"aten.permute.default(a, [1, 0])", "f32[6, 4]", "r = transpose a (1,0)\n"},
      {"aten.expand.default(a, [4, 6])", m, "r = broadcast a to [4,6] (0,1)\n", "f32[4, 1]"},
      {"aten.cat.default([a, b])", "f32[8, 6]", "r = concat a b over 0\n"},
      {"aten.cat.default([a, b], -1)", "f32[4, 12]", "r = concat a b over 1\n"},
      {"aten.slice.Tensor(a, 1, 2, 9223372036854775807)", "f32[4, 4]", "r = slice a over 1 at 2..6\n"},
      {"aten.slice.Tensor(a, -1, -5, -1, 2)", "f32[4, 2]", "r = slice a over 1 at 1..5 step 2\n"},
      {"aten.slice.Tensor(a, 0, None, 3)", "f32[3, 6]", "r = slice a over 0 at 0..3\n"},
      {"aten.constant_pad_nd.default(a, [1, 2])", "f32[4, 9]", "r = pad a low (0,1) high (0,2) with 0\n"},
      {"aten.constant_pad_nd.default(a, [0, 0, 3, -1], 1.5)", m, "r = pad a low (3,0) high (-1,0) with 1.5\n"},
      {"aten.flip.default(a, [1])", m, "r = reverse a (1)\n"},
      {"aten.repeat.default(a, [1, 3])", "f32[4, 18]", "r = concat a a a over 1\n"},
      {"aten.native_layer_norm.default(a, [6], b, None, 1e-05)", "", "? its result has no type", m, "f32[6]"},
  };
  for (const Row& row : rows) EXPECT_EQ(lines_of(row.call, row.type, row.a, row.b), row.lines) << row.call;
}

TEST(Fx, RefusesFormsThatItDoesNotKnow) {
  const std::string m = "f32[4, 6]", h = "f16[4, 6]", i = "i64[4, 6]";
  const std::vector<Row> rows = {
      {"aten.frobnicate.default(a)", m, ""},
      {"aten.add.Tensor(a, b, alpha = 2)", m, "? its argument alpha is not known"},
      {"aten.addmm.default(a, b, c, beta = 0)", m, "? its argument beta is not known"},
      {"aten.gelu.default(a, approximate = 'tanh')", m, "? its argument approximate is not known"},
      {"aten.exp.default(a, b)", m, "? it has an argument that is not known"},
      {"aten.exp.default(a, rounding = 1)", m, "? it has an argument that is not known"},
      {"aten.exp.default(*args)", m, ""},
      {"aten.exp.default(x)", m, "? its operand x is not known"},
      {"aten.exp.default(a + b)", m, "? its operand a + b is not known"},
      {"aten.exp.default()", m, "? its argument self is missing"},
      {"aten.mul.Tensor(a, b)", m, "? it converts f16 to f32", m, h},
      {"aten.div.Tensor(a, 2)", m, "? it converts i64 to f32", i},
      {"aten.exp.default(a)", h, "? it converts f32 to f16"},
      {"aten.exp.default(a)", "b8[4, 6]", "? it converts f32 to i1"},
      {"aten.mul.Tensor(a, 1e-10)", h, "? 1e-10 is rounded", h},
      {"aten.mul.Tensor(a, 65520)", h, "? 65520 is rounded", h},
      {"aten.add.Tensor(a, 0.1)", "bf16[4, 6]", "? 0.1 is rounded", "bf16[4, 6]"},
      {"aten.full.default([4, 6], 0.1)", h, "? 0.1 is rounded"},
      {"aten.sum.dim_IntList(a, [2])", "f32[4]", "? a dimension that there is not"},
      {"aten.sum.dim_IntList(a, [1], dtype = torch.float64)", "f64[4]", "? its result has another type"},
      {"aten.any.dim(a, 1)", "b8[4]", "? its result has another type"},
      {"aten._softmax.default(a, -1, True)", m, "? its result has another type", h},
      {"aten.topk.default(a, 3, -1, False)", "f32[4, 3]", "? the least are not known"},
      {"aten.argmax.default(a)", "i64[]", "? it is over more than one dimension"},
      {"aten.clamp.default(a, 0)", m, "? its bounds are not known"},
      {"aten.slice.Tensor(a, 1, 5, 2)", "f32[4, 1]", "? a part that there is not"},
      {"aten.slice.Tensor(a, 4, 0, 1)", m, "? a dimension that there is not"},
      {"aten.slice.Tensor(a, 1, s0, 2)", m, "? its argument start is not known"},
      {"aten.constant_pad_nd.default(a, [1, 2, 3])", m, "? its amounts are not known"},
      {"aten.exp.default(a)", "f32[s0, 6]", "? its result has no type"},
      {"aten.exp.default(a)", "c64[4, 6]", "? its result has no type"},
  };
  for (const Row& row : rows) {
    // In tiles: of what has no padding it need not be known how elements are read.
    const std::string lines = lines_of(row.call, row.type, row.a, row.b, "# vl: tile(4,4)\n");
    EXPECT_EQ(lines.substr(0, 1), "?") << row.call << lines;
    if (!row.lines.empty()) EXPECT_EQ(lines, row.lines) << row.call;
  }
}

// A graph as graph.__str__ prints it is the same program as the code.
TEST(Fx, ReadsGraphsInEitherForm) {
  const Function code = only(
      "class GraphModule(torch.nn.Module):\n    def forward(self, a: \"f32[4, 6][6, 1]cpu\", n: \"Sym(s0)\"):\n"
      "        # File: x.py:3\n"
      "        e: \"f32[4, 6][6, 1]cpu\" = torch.ops.aten.exp.default(a);  a = None\n"
      "        topk = torch.ops.aten.topk.default(e, 3);  e = None\n"
      "        v: \"f32[4, 3]\" = topk[0]\n        i: \"i64[4, 3]\" = topk[1];  topk = None\n"
      "        return (v, i, None)\n");
  const Function graph = only(
      "graph():\n    %a : Tensor \"f32[4, 6][6, 1]cpu\" [num_users=1] = placeholder[target=a]\n"
      "    %e : Tensor \"f32[4, 6][6, 1]cpu\"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = "
      "(%a,), kwargs = {})\n"
      "    %topk : [num_users=2] = call_function[target=torch.ops.aten.topk.default](args = (%e, 3), kwargs = {})\n"
      "    %v : Tensor \"f32[4, 3]\" [num_users=1] = call_function[target=operator.getitem](args = (%topk, 0), kwargs "
      "= {})\n"
      "    %i : Tensor \"i64[4, 3]\" [num_users=1] = call_function[target=operator.getitem](args = (%topk, 1), kwargs "
      "= {})\n"
      "    return (v, i)\n");
  const std::string lines =
      "a = input f32[4,6]\ne = exp a\nv = topk e over 1 k 3\nt = topk-indices e over 1 k 3\ni = cast t i64\n"
      "equal any-nan+zero\noutput v i\n";
  EXPECT_EQ(code.name, "@forward");
  EXPECT_EQ(code.dataflow->text, lines);
  EXPECT_EQ(graph.name, "@graph");
  EXPECT_EQ(graph.dataflow->text, lines);
}

TEST(Fx, SaysWhatItCannotRead) {
  const auto refused = [](const std::string& text) { return only(text).refused; };
  EXPECT_NE(refused("opcode         name    target                  args     kwargs\n-----\nplaceholder x x () {}\n")
                .find("states no shapes"),
            std::string::npos);
  EXPECT_NE(refused("def forward(self, a):\n    e = torch.ops.aten.exp.default(a)\n    return e\n").find("no shapes"),
            std::string::npos);
  EXPECT_NE(refused("graph():\n    %a : [num_users=1] = placeholder[target=a]\n    %e : [num_users=1] = "
                    "call_function[target=torch.ops.aten.exp.default](args = (%a,), kwargs = {})\n    return e\n")
                .find("no shapes"),
            std::string::npos);
  const std::string head = "def forward(self, a: \"f32[4]\"):\n    e: \"f32[4]\" = torch.ops.aten.exp.default(a)\n";
  EXPECT_EQ(refused(head), "it has no return");
  EXPECT_EQ(refused(head + "    if e: pass\n    return e\n"), "which way it goes is not known: `if`");
  EXPECT_EQ(refused(head + "    x = (\n    return e\n"), "a line cannot be read");
  EXPECT_TRUE(read("def forward(self, a):\n    return self.layer(a)\n# torch.ops.\n").empty());
}

// What may have been written in place has no value, under any of its names; what lies elsewhere keeps its own.
TEST(Fx, LosesWhatMayHaveBeenWritten) {
  const auto text_of = [](const std::string& body) {
    const Function function = only("def forward(self, a: \"f32[4]\", b: \"f32[4]\"):\n" + body);
    return function.dataflow->text.substr(0, function.dataflow->text.find("equal "));
  };
  const std::string views =
      "    v: \"f32[2, 2]\" = torch.ops.aten.view.default(a, [2, 2])\n"
      "    e: \"f32[4]\" = torch.ops.aten.exp.default(a)\n";
  for (const char* write :
       {"torch.ops.aten.add_.Tensor(v, 1)", "torch.ops.aten.copy_.default(a, b)",
        "torch.ops.aten.__iand__.Tensor(v, b)", "torch.ops.aten.exp.out(b, out = a)",
        "torch.ops.aten.exp.default(b, out = v)", "torch.ops.mine.f.default(v)", "torch.foo(v)", "v.add_(1)",
        "torch.ops.aten._native_batch_norm_legit.default(b, None, None, v, b, True, 0.1, 1)"}) {
    const std::string text = text_of(fmt::format("{}    w: \"f32[4]\" = {}\n    return (a, v, b, e)\n", views, write));
    EXPECT_NE(text.find("unknown \"a.\" opaque"), std::string::npos) << write << text;
    EXPECT_NE(text.find("unknown \"v.\" opaque"), std::string::npos) << write << text;
    // Arguments may be views of one tensor.
    EXPECT_NE(text.find("unknown \"b.\" opaque"), std::string::npos) << write << text;
    EXPECT_EQ(text.find("unknown \"e"), std::string::npos) << write << text;
  }
  // A view by an operation that is not known, too.
  const std::string other = text_of(
      "    e: \"f32[4]\" = torch.ops.aten.exp.default(a)\n    u: \"f32[4]\" = torch.ops.aten.as_strided.default(e, "
      "[4], "
      "[1])\n    w: \"f32[4]\" = torch.ops.aten.relu_.default(u)\n    return (a, e)\n");
  EXPECT_NE(other.find("unknown \"e.\" opaque"), std::string::npos) << other;
  EXPECT_EQ(other.find("unknown \"a"), std::string::npos) << other;
  // What reads it afterwards is not known, and says why.
  const Function after = only(
      "def forward(self, a: \"f32[4]\"):\n    w: \"f32[4]\" = torch.ops.aten.exp_.default(a)\n    s: \"f32[]\" = "
      "torch.ops.aten.sum.default(a)\n    return s\n");
  EXPECT_EQ(after.steps[1].why, "torch.ops.aten.exp_.default may have written a");
}

// Values that are not named are read, too.
TEST(Fx, ReadsWhatItDoesNotName) {
  const Function function = only(
      "def forward(self, a: \"f32[4]\"):\n    w: \"f32[4]\" = self.weight\n"
      "    x: \"f32[4]\" = torch.ops.aten.frobnicate.default(a, self.other)\n"
      "    y: \"f32[4]\" = torch.ops.aten.frobnicate.default(w, [1], torch.float32)\n    return (x, y)\n");
  EXPECT_EQ(function.dataflow->text,
            "a = input f32[4]\nw = input f32[4]\nopaque = input u8[1] tile(2)\n"
            "x = unknown \"torch.ops.aten.frobnicate.default\" a opaque -> f32[4]\n"
            "y = unknown \"torch.ops.aten.frobnicate.default\" w -> f32[4]\n"
            "equal any-nan+zero\noutput x y\n");
}

TEST(Fx, ReadsWhatCommentsSay) {
  const auto all = read(
      "# vl: tile(8,16) padding x: 0 contents finite equal bits\n"
      "def forward(self, x: \"f32[4, 33]\", y: \"f16[5]\"):\n    return x\n"
      "# vl: padding x: 1 contents banana\n"
      "def forward(self, x: \"f32[4, 33]\"):\n    # vl: padding x: 2\n    return x\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].dataflow->text,
            "x = input f32[4,33] tile(8,16) padding 0 contents finite\ny = input f16[5] tile(16) contents finite\n"
            "equal bits\noutput x\n");
  EXPECT_EQ(all[1].dataflow->text.substr(0, all[1].dataflow->text.find('\n')),
            "x = input f32[4,33] tile(8,16) padding {1} contents finite");
  ASSERT_EQ(all[1].dataflow->notes.size(), 2U);
  EXPECT_EQ(all[1].dataflow->notes[0], "the comment `vl: contents banana` is not read and changes nothing");
  EXPECT_EQ(all[1].dataflow->notes[1], "the comment `vl: padding x: 2` is not read and changes nothing");
}

TEST(Fx, EndsOnTextsThatAreCutOrChanged) {
  const std::string whole =
      "# vl: tile(32,32) padding x: 0; b: 1 contents finite\nclass G(torch.nn.Module):\n"
      "    def forward(self, x: \"f32[4, 33]\", b: \"f32[33]\"):\n"
      "        add: \"f32[4, 33]\" = torch.ops.aten.add.Tensor(x, b, alpha = 1);  b = None\n"
      "        s: \"f32[4, 4]\" = torch.ops.aten.slice.Tensor(add, -1, 1, 9, 2)\n"
      "        topk = torch.ops.aten.topk.default(s, 3)\n        g: \"f32[4, 3]\" = topk[0];  topk = None\n"
      "        p: \"f32[5, 4]\" = torch.ops.aten.constant_pad_nd.default(g, [0, 1, 1, 0], 0.0)\n"
      "        c_: \"f32[4, 33]\" = torch.ops.aten.copy_.default(x, add)\n"
      "        r: \"f32[5, 1]\" = torch.ops.aten.sum.dim_IntList(p, [1], True)\n        return (r, c_)\n";
  programs_test::ends_on_changed(whole, "0123456789-()[]{}\"',:=;. \n");
}

}  // namespace programs_fx_test
}  // namespace vl::program
