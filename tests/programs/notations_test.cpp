// Functions in Python's notations at the command line and as cases; texts by which a careless reader would prove what
// is not so; and one program in three notations, which is judged alike.
#include <random>

#include "tests/cli/records.h"
#include "tests/support/sanitized.h"

namespace vl {
namespace programs_notations_test {

// The verdicts about what the functions of a text return, a word each.
std::string verdicts_of(const Folder& folder, const std::string& name, const std::string& text) {
  const Ran ran = called({"check", "--programs", folder.file(name, text), "--format", "jsonl"});
  std::vector<std::string> out;
  for (const Json& record : records(ran.out).of("verdict"))
    if (record.contains("function") && record["claim"] == "chain-neutral")
      out.push_back(record["verdict"].get<std::string>());
  std::ranges::sort(out);
  return fmt::format("{}", fmt::join(out, " "));
}

std::string forward(const std::string& comment, const std::string& body) {
  return fmt::format("# vl: {}\nclass GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4, 33]\"):\n{}",
                     comment, body);
}

const std::string kSum =
    "        s: \"f32[4]\" = torch.ops.aten.sum.dim_IntList(x, [1]);  x = None\n        return (s,)\n";

TEST(Notations, AreToldByWhatStandsInATextWhateverItsName) {
  const Folder folder;
  for (const char* name : {"a.py", "b.txt", "c"}) {
    EXPECT_EQ(verdicts_of(folder, name, forward("tile(32,32) padding 0 contents finite", kSum)), "proved");
    EXPECT_EQ(verdicts_of(folder, name, forward("tile(32,32) padding 1 contents finite", kSum)), "refuted");
  }
  const Ran table = called(
      {"check", "--programs", folder.file("t.txt", "opcode  name  target  args  kwargs\n"), "--format", "jsonl"});
  EXPECT_EQ(table.code, 2);
  EXPECT_NE(table.out.find("states no shapes"), std::string::npos) << table.out;
  const std::string text = "schema = 1\n[[case]]\nid = \"p\"\nprogram = '''\n" +
                           forward("tile(32,32) padding 1 contents finite", kSum) +
                           "'''\nexpect = { chain-neutral = \"";
  EXPECT_EQ(called({"check", folder.file("p.toml", text + "refuted\" }\n")}).code, 0);
  EXPECT_EQ(called({"check", folder.file("q.toml", text + "proved\" }\n")}).code, 10);
}

const std::vector<std::pair<const char*, std::string>> kLost = {
    {"a write in place", "        c: \"f32[4]\" = torch.ops.aten.copy_.default(z, s)\n        return (z,)\n"},
    {"a write in place without a result", "        torch.ops.aten.copy_.default(z, s)\n        return (z,)\n"},
    {"a write of a view",
     "        v: \"f32[2, 2]\" = torch.ops.aten.view.default(z, [2, 2])\n        w: \"f32[2, 2]\" = "
     "torch.ops.aten.view.default(s, [2, 2])\n        u: \"f32[2, 2]\" = "
     "torch.ops.aten.add_.Tensor(v, w)\n        return (z,)\n"},
    {"a write of what it is a view of",
     "        v: \"f32[2, 2]\" = torch.ops.aten.view.default(z, [2, 2])\n        u: "
     "\"f32[4]\" = torch.ops.aten.add_.Tensor(z, s)\n        return (v,)\n"},
    {"a write of another name",
     "        y = z\n        u: \"f32[4]\" = torch.ops.aten.add_.Tensor(y, s)\n        return (z,)\n"},
    {"out by a keyword", "        u: \"f32[4]\" = torch.ops.aten.exp.out(s, out = z)\n        return (z,)\n"},
    {"out of another overload",
     "        u: \"f32[4]\" = torch.ops.aten.exp.default(s, out = z)\n        return (z,)\n"},
    {"an operation of someone else",
     "        u: \"f32[4]\" = torch.ops.mine.store.default(z, s)\n        return (z,)\n"},
    {"a kernel that writes what its dictionary names",
     "        u = torch.ops.higher_order.triton_kernel_wrapper_mutation(kwargs = "
     "{'out': z, 'in': s})\n        return (z,)\n"},
    {"a method", "        u: \"f32[4]\" = z.add_(s)\n        return (z,)\n"},
    {"a method of a view", "        u: \"f32[2, 2]\" = z.reshape(2, 2).add_(s)\n        return (z,)\n"},
    {"a view without a call",
     "        y: \"f32[4]\" = z.T\n        u: \"f32[4]\" = torch.ops.aten.add_.Tensor(y, s)\n        return (z,)\n"},
    {"what a view without a call is", "        y: \"f32[4]\" = s.T\n        return (y,)\n"},
    {"a function of a view without a call", "        torch.foo(z.T, s)\n        return (z,)\n"},
    {"an expression that reads", "        return (x.sum(),)\n"},
    {"an assignment to an attribute", "        z.data = s\n        return (z,)\n"},
    {"a write of several results",
     "        u = torch.ops.aten.sort.default(z)\n        torch.foo(u, s)\n        y: \"f32[4]\" = "
     "u[0]\n        return (y,)\n"},
    {"an assignment to a part", "        z[0] = s\n        return (z,)\n"},
    {"an operator that assigns", "        z += s\n        return (z,)\n"},
    {"a keyword that is added",
     "        u: \"f32[4]\" = torch.ops.aten.add.Tensor(z, z, alpha = s)\n        return (u,)\n"},
    {"a name that is given again", "        z: \"f32[4]\" = torch.ops.aten.exp.default(s)\n        return (z,)\n"},
    {"a name that is given what is not known", "        z = (s, z)\n        return (z,)\n"},
    {"several names", "        z, y = f(s)\n        return (z,)\n"},
    {"an expression that is returned", "        return (z + s,)\n"},
    {"a call that is returned", "        return pytree.tree_unflatten([z, s], spec)\n"},
    {"a list", "        u: \"f32[8]\" = torch.ops.aten.cat.default([z, s])\n        return (u,)\n"},
    {"a star", "        u: \"f32[4]\" = torch.ops.aten.exp.default(z, *s)\n        return (u,)\n"},
    {"a part of several results",
     "        u = torch.ops.aten.max.dim(x, 1)\n        z: \"f32[4]\" = u[0]\n        return (z,)\n"},
    {"a result whose type says otherwise",
     "        u: \"f32[4]\" = torch.ops.aten.amax.default(x, [1], True)\n        return (u,)\n"},
    {"a mean of integers", "        u: \"f32[4]\" = torch.ops.aten.mul.Tensor(s, 1)\n        return (u,)\n"},
    {"a random one", "        u: \"f32[4]\" = torch.ops.aten.bernoulli.default(s)\n        return (u,)\n"},
};

// In each, padding may reach what is returned.
TEST(Notations, NothingIsProvedByWhatIsLost) {
  const std::string bad =
      "        s: \"f32[4]\" = torch.ops.aten.sum.dim_IntList(x, [1])\n        z: \"f32[4]\" = "
      "torch.ops.aten.zeros.default([4])\n";
  const Folder folder;
  int number = 0;
  for (const auto& [why, body] : kLost) {
    const std::string name = fmt::format("{}.py", number++), text = forward("tile(32,32) contents finite", bad + body);
    const std::string found = verdicts_of(folder, name, text);
    EXPECT_NE(found, "") << why << text;
    // What is returned beside it may be proved.
    EXPECT_TRUE(found.find("unknown") != std::string::npos || found.find("refuted") != std::string::npos)
        << why << text;
  }
}

// A value of a program in three notations.
struct Value {
  std::string name;
  std::vector<int> shape;
};

// Writes one program into three notations at once, line by line.
class Writer {
 public:
  explicit Writer(std::string comment) : comment_(std::move(comment)) {}

  Value input(const std::string& name, std::vector<int> shape) {
    inputs_.push_back({name, std::move(shape)});
    return inputs_.back();
  }
  Value unary(std::size_t which, const Value& a) {
    constexpr std::array<std::array<const char*, 3>, 6> kNames = {{{"exp", "exponential", "exp"},
                                                                   {"abs", "abs", "abs"},
                                                                   {"neg", "negate", "neg"},
                                                                   {"tanh", "tanh", "tanh"},
                                                                   {"sigmoid", "logistic", "sigmoid"},
                                                                   {"rsqrt", "rsqrt", "rsqrt"}}};
    const auto& names = kNames[which % kNames.size()];
    return pointwise(names[0], names[1], fmt::format("{}.default", names[2]), {a});
  }
  Value binary(std::size_t which, const Value& a, const Value& b) {
    constexpr std::array<std::array<const char*, 3>, 4> kNames = {{{"add", "add", "add.Tensor"},
                                                                   {"subtract", "subtract", "sub.Tensor"},
                                                                   {"multiply", "multiply", "mul.Tensor"},
                                                                   {"maximum", "maximum", "maximum.default"}}};
    const auto& names = kNames[which % kNames.size()];
    return pointwise(names[0], names[1], names[2], {a, b});
  }
  Value reduce(bool sum, int axis, const Value& a) {
    const Value out = made({a.shape[axis == 0 ? 1 : 0]});
    ttir(out, fmt::format("\"ttir.{}\"(%{}) <{{dim_arg = [{} : i32], keep_dim = false}}> : ({})", sum ? "sum" : "max",
                          a.name, axis, tensor(a)));
    hlo_ +=
        fmt::format("  %c{0} = stablehlo.constant dense<{1}> : tensor<f32>\n", out.name, sum ? "0.0" : "0xFF800000");
    hlo(out, fmt::format("stablehlo.reduce(%{} init: %c{}) applies stablehlo.{} across dimensions = [{}] : ({}, "
                         "tensor<f32>)",
                         a.name, out.name, sum ? "add" : "maximum", axis, tensor(a)));
    fx(out, sum ? fmt::format("sum.dim_IntList({}, [{}])", a.name, axis)
                : fmt::format("amax.default({}, [{}])", a.name, axis));
    return out;
  }
  Value matmul(const Value& a, const Value& b) {
    const Value out = made({a.shape[0], b.shape[1]});
    ttir(out, fmt::format("\"ttir.matmul\"(%{}, %{}) <{{transpose_a = false, transpose_b = false}}> : ({}, {})", a.name,
                          b.name, tensor(a), tensor(b)));
    hlo(out, fmt::format("stablehlo.dot_general %{}, %{}, contracting_dims = [1] x [0] : ({}, {})", a.name, b.name,
                         tensor(a), tensor(b)));
    fx(out, fmt::format("mm.default({}, {})", a.name, b.name));
    return out;
  }
  Value transpose(const Value& a) {
    const Value out = made({a.shape[1], a.shape[0]});
    ttir(out, fmt::format("\"ttir.permute\"(%{}) <{{permutation = array<i64: 1, 0>}}> : ({})", a.name, tensor(a)));
    hlo(out, fmt::format("stablehlo.transpose %{}, dims = [1, 0] : ({})", a.name, tensor(a)));
    fx(out, fmt::format("permute.default({}, [1, 0])", a.name));
    return out;
  }
  Value concat(const Value& a, const Value& b) {
    const Value out = made({a.shape[0], a.shape[1] + b.shape[1]});
    ttir(out, fmt::format("\"ttir.concat\"(%{}, %{}) <{{dim = 1 : si32}}> : ({}, {})", a.name, b.name, tensor(a),
                          tensor(b)));
    hlo(out, fmt::format("stablehlo.concatenate %{}, %{}, dim = 1 : ({}, {})", a.name, b.name, tensor(a), tensor(b)));
    fx(out, fmt::format("cat.default([{}, {}], 1)", a.name, b.name));
    return out;
  }
  Value slice(const Value& a, int begin, int end) {
    const Value out = made({a.shape[0], end - begin});
    ttir(out,
         fmt::format(
             "\"ttir.slice_static\"(%{}) <{{begins = [0 : i32, {} : i32], ends = [{} : i32, {} : i32], step = [1 : "
             "i32, 1 : i32]}}> : ({})",
             a.name, begin, a.shape[0], end, tensor(a)));
    hlo(out, fmt::format("stablehlo.slice %{} [0:{}, {}:{}] : ({})", a.name, a.shape[0], begin, end, tensor(a)));
    fx(out, fmt::format("slice.Tensor({}, 1, {}, {})", a.name, begin, end));
    return out;
  }

  [[nodiscard]] std::string in_mlir(bool is_ttir, const Value& out) const {
    std::string inputs;
    for (const Value& each : inputs_)
      inputs += fmt::format("{}%{}: {}", inputs.empty() ? "" : ", ", each.name, tensor(each));
    return fmt::format("// vl: {}\nfunc.func @f({}) -> {} {{\n{}  return %{} : {}\n}}\n", comment_, inputs, tensor(out),
                       is_ttir ? ttir_ : hlo_, out.name, tensor(out));
  }
  [[nodiscard]] std::string in_fx(const Value& out) const {
    std::string inputs;
    for (const Value& each : inputs_) inputs += fmt::format(", {}: \"{}\"", each.name, annotation(each));
    return fmt::format("# vl: {}\ndef forward(self{}):\n{}    return ({},)\n", comment_, inputs, fx_, out.name);
  }

 private:
  static std::string tensor(const Value& value) { return fmt::format("tensor<{}xf32>", fmt::join(value.shape, "x")); }
  static std::string annotation(const Value& value) { return fmt::format("f32[{}]", fmt::join(value.shape, ", ")); }
  Value made(std::vector<int> shape) { return {fmt::format("v{}", number_++), std::move(shape)}; }
  void ttir(const Value& out, const std::string& text) {
    ttir_ += fmt::format("  %{} = {} -> {}\n", out.name, text, tensor(out));
  }
  void hlo(const Value& out, const std::string& text) {
    hlo_ += fmt::format("  %{} = {} -> {}\n", out.name, text, tensor(out));
  }
  void fx(const Value& out, const std::string& text) {
    fx_ += fmt::format("    {}: \"{}\" = torch.ops.aten.{}\n", out.name, annotation(out), text);
  }
  Value pointwise(const char* in_ttir, const char* in_hlo, const std::string& in_fx,
                  const std::vector<Value>& operands) {
    const Value out = made(operands[0].shape);
    std::string names, types, plain;
    for (const Value& each : operands) {
      const char* comma = names.empty() ? "" : ", ";
      names += comma + ("%" + each.name), types += comma + tensor(each), plain += comma + each.name;
    }
    ttir(out, fmt::format("\"ttir.{}\"({}) : ({})", in_ttir, names, types));
    hlo_ += fmt::format("  %{} = stablehlo.{} {} : {}\n", out.name, in_hlo, names, tensor(out));
    fx(out, fmt::format("{}({})", in_fx, plain));
    return out;
  }

  std::string comment_, ttir_, hlo_, fx_;
  std::vector<Value> inputs_;
  int number_ = 0;
};

// A chain of up to three steps, and what reads padding at its end.
Value chain(Writer& into, std::mt19937& random) {
  const int rows = 3 + static_cast<int>(random() % 2) * 30, columns = 30 + static_cast<int>(random() % 5);
  const Value a = into.input("a", {rows, columns}), b = into.input("b", {rows, columns}),
              c = into.input("c", {columns, 8});
  Value at = a;
  for (unsigned i = random() % 4; i > 0; --i) {
    const unsigned kind = random() % 8;
    if (kind < 4) at = into.unary(random(), at);
    else if (kind < 6 && at.shape == b.shape) at = into.binary(random(), at, b);
    else if (kind == 6) at = into.transpose(at);
    else if (random() % 2 == 0) at = into.concat(at, at);
    else at = into.slice(at, 1, at.shape[1] - static_cast<int>(random() % 3));
  }
  if (random() % 3 == 0 && at.shape[1] == c.shape[0]) return into.matmul(at, c);
  return into.reduce(random() % 3 != 0, static_cast<int>(random() % 2), at);
}

TEST(Notations, OneProgramInThreeIsJudgedAlike) {
  const Folder folder;
  std::mt19937 random(5);
  std::map<std::string, int> counts;
  const int programs = test::fact_or_campaign(16, 300);
  for (int k = 0; k < programs; ++k) {
    constexpr std::array<const char*, 4> kPadding{"0", "-inf", "unwritten", "{1}"};
    const auto state = [&] { return kPadding[random() % kPadding.size()]; };
    Writer text(fmt::format("tile(32,32) padding a: {}; b: {}; c: {} contents finite", state(), state(), state()));
    const Value out = chain(text, random);
    const std::string one = verdicts_of(folder, "a.mlir", text.in_mlir(true, out));
    EXPECT_EQ(verdicts_of(folder, "b.mlir", text.in_mlir(false, out)), one) << text.in_mlir(false, out);
    EXPECT_EQ(verdicts_of(folder, "c.py", text.in_fx(out)), one) << text.in_fx(out);
    ++counts[one];
  }
  EXPECT_GE(counts["proved"], programs / 8);  // which programs are drawn depends on the compiler
  EXPECT_GE(counts["refuted"], programs / 8);
  EXPECT_EQ(counts[""], 0);
}

}  // namespace programs_notations_test
}  // namespace vl
