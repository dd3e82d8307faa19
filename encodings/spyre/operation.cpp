// The rules of each kind of operation, stated over stick variables.
#include "encodings/spyre/operation.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::spyre {
namespace {

using use::OperationKind;
using use::RuleSet;

constexpr Index kNone = -1;     // no stick variable
constexpr Index kSeveral = -2;  // more than one

constexpr std::string_view kTwoValues = "EXX2";

class Rules {
 public:
  explicit Rules(const use::Operation& operation) : op_(operation) {
    for (std::size_t i = 0; i < op_.operands.size(); ++i) {
      sticks_.push_back(stick_of(op_, i));
      const auto layout = parse(op_.operands[i].reading.normal);
      VL_CHECK(layout.has_value(), "the normal form of a layout cannot be read");
      layouts_.push_back(*layout);
    }
  }

  use::Judgement judge() {
    if (op_.what->kind == OperationKind::Pointwise) passed_on();
    for (std::size_t i = 0; i < sticks_.size(); ++i) operand(i);
    kind_rules();
    if (op_.scales_given)
      for (std::size_t i = 0; i < sticks_.size(); ++i) scales(i);
    for (const Stick& stick : sticks_) out_.sticks.push_back(stick.text);
    for (const use::Operand& operand : op_.operands)
      out_.in_sticks.push_back(operand.reading.layout() ? std::nullopt : std::optional(in_sticks(operand)));
    Plan plan = plan_of(op_, sticks_);
    out_.padding = std::move(plan.needs);
    out_.no_plan = std::move(plan.why_none);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool documents() const { return op_.rules == RuleSet::Documents; }
  [[nodiscard]] std::size_t last() const { return op_.operands.size() - 1; }
  [[nodiscard]] std::string_view what() const { return op_.what->name; }
  [[nodiscard]] Index variable(std::size_t i) const {
    const auto& variables = sticks_[i].variables;
    return variables.empty() ? kNone : variables.size() > 1 ? kSeveral : static_cast<Index>(*variables.begin());
  }
  [[nodiscard]] std::string dim(Index variable) const {
    if (variable == kNone) return "no dimension";
    if (variable == kSeveral) return "several dimensions";
    return op_.dims[static_cast<std::size_t>(variable)].name;
  }
  [[nodiscard]] std::string stick(std::size_t i) const { return dim(variable(i)); }

  void say(std::size_t i, std::string statement, Index have, Index want, std::string words) {
    out_.constraints.push_back({i, {std::move(statement), have, want}, fmt::format("{} {}", name_of(op_, i), words)});
  }
  // The stick variable of operand i is `want`.
  void needs(std::size_t i, Index want, std::string_view why) {
    say(i, fmt::format("the stick of {} is on {}", op_.operands[i].role, dim(want)), variable(i), want,
        variable(i) == kNone ? fmt::format("has no stick dimension, {}", why)
                             : fmt::format("has its stick on {}, {}", stick(i), why));
  }

  // The rules for every operand of every operation.
  void operand(std::size_t i) {
    const use::Operand& operand = op_.operands[i];
    const Stick& stick = sticks_[i];
    for (const use::Rule& rule : operand.reading.rules) {
      if (rule.of_tensor) continue;
      say(i, rule.statement, rule.have, rule.want,
          fmt::format("is not well-formed: {}; here it is {} and should be {}", rule.statement, rule.have, rule.want));
    }
    if (!stick.decided) {
      out_.out_of_reach = fmt::format("the stick expression of {} cannot be derived at this size", name_of(op_, i));
    } else {
      const Index eps = layouts_[i].device_dtype.elements_per_stick;
      say(i, fmt::format("the stick expression of {} is Mod(v, {}), v or 0, up to an offset", operand.role, eps),
          stick.supported ? 1 : 0, 1,
          fmt::format("has the stick expression {}; operations take Mod(v, {}), a variable v alone, or 0", stick.text,
                      eps));
      if (stick.supported)
        say(i, fmt::format("the stick of {} starts at lane 0", operand.role), stick.offset, 0,
            fmt::format("has the stick expression {}: a stick that starts at lane {} can only be restickified",
                        stick.text, stick.offset));
    }
    const std::string& arrangement = layouts_[i].element_arrangement;
    const bool known = arrangement == "STANDARD" ||
                       (op_.what->kind == OperationKind::Exx2 && operand.result && arrangement == kTwoValues);
    if (!known)
      out_.unsupported =
          fmt::format("the rules do not cover the element arrangement {} of {}", arrangement, name_of(op_, i));
  }

  void kind_rules() {
    switch (op_.what->kind) {
      case OperationKind::Pointwise: documents() ? all_equal() : one_stick(); return;
      case OperationKind::LayerNormNorm: return layernormnorm();
      case OperationKind::Matmul: return matmul();
      case OperationKind::Reduction: return reduction();
      case OperationKind::Exx2: return exx2();
      case OperationKind::TopK: return topk();
      case OperationKind::Row:
      case OperationKind::RowToOne: out_.unsupported = fmt::format("no rules are known for {}", what()); return;
    }
    VL_CHECK(false, "unknown kind of operation");
  }

  // stick(A) = stick(B) = stick(C): all are compared with the last result's.
  void all_equal() {
    const Index want = variable(last());
    for (std::size_t i = 0; i < last(); ++i)
      needs(i, want,
            fmt::format("{} has it on {}: {} needs the same for all", name_of(op_, last()), dim(want), what()));
  }

  // #2082: at most one stick variable, and no operand has it outside of its stick.
  void one_stick() {
    std::optional<std::size_t> found;  // all are compared with a result's stick if there is one, else the first input's
    for (std::size_t i = 0; i <= last(); ++i)
      if (!sticks_[i].variables.empty() && (!found || op_.operands[i].result)) found = i;
    if (!found) return;
    const std::size_t measure = *found;
    const Index want = variable(measure);
    for (std::size_t i = 0; i <= last(); ++i) {
      if (!sticks_[i].variables.empty())
        needs(i, want,
              fmt::format("{} has it on {}: {} needs at most one stick dimension", name_of(op_, measure), dim(want),
                          what()));
      if (want == kSeveral) continue;
      const bool elsewhere = sticks_[i].elsewhere.contains(static_cast<std::size_t>(want));
      say(i, fmt::format("{} does not have {} outside its stick", op_.operands[i].role, dim(want)), elsewhere ? 1 : 0,
          0,
          fmt::format("has {} outside its stick, which is on {}; {} has its stick there", dim(want), stick(i),
                      name_of(op_, measure)));
    }
  }

  // If a layout is passed on unchanged, the numbers of elements per stick must be equal.
  void passed_on() {
    for (std::size_t i = 0; i < last(); ++i) {
      const SpyreTensorLayout& from = layouts_[i];
      const SpyreTensorLayout& to = layouts_[last()];
      if (from.device_size != to.device_size || from.stride_map != to.stride_map || from.dim_map != to.dim_map)
        continue;
      say(last(), fmt::format("a layout passed on from {} keeps its elements per stick", op_.operands[i].role),
          to.device_dtype.elements_per_stick, from.device_dtype.elements_per_stick,
          fmt::format("has the device sizes of {} with {} elements per stick, there it is {}", name_of(op_, i),
                      to.device_dtype.elements_per_stick, from.device_dtype.elements_per_stick));
    }
  }

  void layernormnorm() {
    const map::Tensor& x = op_.operands.front().tensor;
    const map::Tensor& out = op_.operands[last()].tensor;
    say(last(), "the result has x's sizes and strides", x.size == out.size && strides(x) == strides(out) ? 1 : 0, 1,
        "has other sizes or strides than operand 0 (x); layernormnorm takes no views");
    needs(last(), variable(0),
          fmt::format("{} has it on {}: layernormnorm keeps the stick", name_of(op_, 0), stick(0)));
    documents() ? all_equal() : one_stick();
  }

  static std::vector<Index> strides(const map::Tensor& tensor) {
    const auto strides = map::host_strides(tensor);
    VL_CHECK(strides.has_value(), "a tensor without strides was read");
    return *strides;
  }

  void matmul() {
    const MatmulRoles roles = matmul_roles(op_, sticks_[1]);
    const auto want = [&](const std::optional<std::size_t>& role) {
      return role && op_.dims[*role].extent > 1 ? static_cast<Index>(*role) : kNone;
    };
    const auto role = [&](std::size_t i, const std::optional<std::size_t>& dim, std::string_view usual) {
      const std::string name = dim ? op_.dims[*dim].name : std::string(usual);
      needs(i, want(dim), fmt::format("{} needs {}{}", what(), name, want(dim) == kNone ? ", which has size 1" : ""));
    };
    role(0, roles.k, "K");
    role(1, roles.n, "N");
    role(2, roles.n, "N");
  }

  [[nodiscard]] bool reduced(std::size_t d) const {
    return use::has_dim(op_.operands.front(), d) && !use::has_dim(op_.operands[last()], d);
  }

  void reduction() {
    const Index from = variable(0);
    if (from == kSeveral) return;  // refuted above
    const bool sparse = from != kNone && reduced(static_cast<std::size_t>(from));
    needs(last(), sparse ? kNone : from,
          sparse ? fmt::format("{} over the stick dimension {} needs a sparse result (a last -1)", what(), dim(from))
          : from == kNone ? fmt::format("{} of an input without stick has none either", what())
                          : fmt::format("{} keeps the input's stick, {}", what(), dim(from)));
    // #2082 for the pair: a sparse operand does not have the other's stick variable.
    if (from == kNone || sparse) return;
    say(last(), "the surviving stick is in the result's stick alone",
        sticks_[last()].elsewhere.contains(static_cast<std::size_t>(from)) ? 1 : 0, 0,
        fmt::format("has {} outside its stick; {} keeps the input's stick", dim(from), what()));
  }

  void exx2() {
    const Index from = variable(0);
    const bool along = from >= 0 && reduced(static_cast<std::size_t>(from));
    say(0, "the input's stick is the reduced dimension", along ? 1 : 0, 1,
        fmt::format("has its stick on {}, exx2 needs the reduced dimension", stick(0)));
    needs(last(), kNone, "exx2 needs a sparse result (a last -1)");
    const bool two = layouts_[last()].element_arrangement == kTwoValues;
    if (documents())
      say(last(), "a sparse result has one value per stick", two ? 2 : 1, 1,
          "keeps two values per stick (EXX2); the document knows sparse sticks of one");
    else
      say(last(), "the result of exx2 keeps two values per stick", two ? 2 : 1, 2,
          "keeps one value per stick; exx2 needs the element arrangement EXX2, which keeps two");
  }

  void topk() {
    for (std::size_t i = 0; i <= last(); ++i) {
      const Index have = variable(i);
      const bool searched = have >= 0 && reduced(static_cast<std::size_t>(have));
      const bool k = have >= 0 && !use::has_dim(op_.operands.front(), static_cast<std::size_t>(have));
      say(i, fmt::format("the stick of {} is neither the searched dimension nor k", op_.operands[i].role),
          searched || k ? 1 : 0, 0,
          fmt::format("has its stick on {}, which is {}; topk takes neither the searched dimension nor k", stick(i),
                      k ? "k" : "searched"));
    }
    one_stick();
  }

  // The scales that the user gave may have only the values of the rule set.
  void scales(std::size_t i) {
    const auto& scales = op_.operands[i].scales;
    const Index stick_dim = variable(op_.what->kind == OperationKind::Reduction || op_.what->kind == OperationKind::Exx2
                                         ? 0
                                         : last());  // of the operation: its input's when it reduces
    for (std::size_t d = 0; d < scales.size(); ++d) {
      const std::string& name = op_.dims[d].name;
      if (documents()) {
        if (scales[d] == use::kReducedStick)
          say(i, "a scale is a host dimension, -1 or -3", scales[d], use::kAbsent,
              fmt::format("has the scale -2 on {}; the document knows -1 and -3 only", name));
        continue;
      }
      if (scales[d] == use::kElided)
        say(i, "no scale is -3", scales[d], use::kAbsent,
            fmt::format("has the scale -3 on {}; since #787 every host dimension is kept", name));
      if (scales[d] != use::kAbsent && scales[d] != use::kReducedStick) continue;
      const bool drives = keeps_scales() && variable(i) == kNone && stick_dim == static_cast<Index>(d);
      say(i, fmt::format("the scale of {} on {} says whether its stick is reduced", op_.operands[i].role, name),
          scales[d], drives ? use::kReducedStick : use::kAbsent,
          drives ? fmt::format(
                       "has the scale -1 on {}, the stick dimension of {}, and no stick of its own: -2 drives the mask",
                       name, what())
                 : fmt::format("has the scale -2 on {}, which is not a stick dimension that it lacks", name));
    }
  }
  // Matmul and topk have no -2 (superdsc.py).
  [[nodiscard]] bool keeps_scales() const {
    return op_.what->kind != OperationKind::Matmul && op_.what->kind != OperationKind::TopK;
  }

  const use::Operation& op_;
  std::vector<Stick> sticks_;
  std::vector<SpyreTensorLayout> layouts_;
  use::Judgement out_;
};

}  // namespace

use::Judgement judge(const use::Operation& operation) { return Rules(operation).judge(); }

}  // namespace vl::spyre
