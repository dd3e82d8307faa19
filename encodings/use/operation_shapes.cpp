// The rules of an operation that need no layout: scales fit the shapes, and each operand has the dimensions of its
// role.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/operation.h"

namespace vl::use {
namespace {

class Shapes {
 public:
  explicit Shapes(const Operation& operation) : op_(operation) {}

  std::vector<Constraint> constraints() {
    for (std::size_t i = 0; i < op_.operands.size(); ++i) {
      entries(i);
      hosts(i);
    }
    roles();
    return std::move(out_);
  }

 private:
  void say(std::size_t operand, std::string statement, Index have, Index want, std::string words) {
    out_.push_back({operand, {std::move(statement), have, want}, fmt::format("{} {}", name_of(op_, operand), words)});
  }

  // Extents agree, and only dimensions of size 1 are elided.
  void entries(std::size_t i) {
    const Operand& operand = op_.operands[i];
    for (std::size_t d = 0; d < op_.dims.size(); ++d) {
      const auto& [dim, extent] = op_.dims[d];
      const Index scale = operand.scales[d];
      if (scale >= 0) {
        const Index size = operand.tensor.size[static_cast<std::size_t>(scale)];
        say(i, fmt::format("{}'s host dimension {} has the extent of {}", operand.role, scale, dim), size, extent,
            fmt::format("names its host dimension {} of size {} for {}, which has extent {}{}", scale, size, dim,
                        extent, size == 1 ? "; a broadcast dimension is -1" : ""));
      } else if (scale == kElided) {
        say(i, fmt::format("only dimensions of size 1 are elided: {} of {}", dim, operand.role), extent, 1,
            fmt::format("elides {} with -3, which has extent {}; only size 1 can be elided", dim, extent));
      }
    }
  }

  // Each host dimension is named once; those of size 1 need not be.
  void hosts(std::size_t i) {
    const Operand& operand = op_.operands[i];
    for (std::size_t h = 0; h < operand.tensor.size.size(); ++h) {
      const auto named = std::ranges::count(operand.scales, static_cast<Index>(h));
      if (operand.tensor.size[h] == 1 && named == 0) continue;
      say(i, fmt::format("{}'s host dimension {} is one operation dimension", operand.role, h), named, 1,
          named == 0 ? fmt::format("has a host dimension {} of size {} that no operation dimension names", h,
                                   operand.tensor.size[h])
                     : fmt::format("names its host dimension {} for {} operation dimensions", h, named));
    }
  }

  [[nodiscard]] std::vector<std::size_t> dims_where(auto holds) const {
    std::vector<std::size_t> out;
    for (std::size_t d = 0; d < op_.dims.size(); ++d)
      if (holds(d)) out.push_back(d);
    return out;
  }
  [[nodiscard]] bool elides() const {
    return std::ranges::any_of(op_.operands, [](const Operand& operand) {
      return std::ranges::find(operand.scales, kElided) != operand.scales.end();
    });
  }

  // The operand has every dimension of size > 1 that `holds`.
  void has_all(std::size_t i, auto holds, std::string_view why) {
    for (std::size_t d = 0; d < op_.dims.size(); ++d)
      if (op_.dims[d].extent > 1 && holds(d))
        say(i, fmt::format("{} has the dimension {}", op_.operands[i].role, op_.dims[d].name),
            has_dim(op_.operands[i], d) ? 1 : 0, 1, fmt::format("lacks {}: {}", op_.dims[d].name, why));
  }

  void roles() {
    const std::vector<Operand>& operands = op_.operands;
    const std::size_t last = operands.size() - 1;
    switch (op_.what->kind) {
      case OperationKind::Pointwise:
      case OperationKind::LayerNormNorm:
        for (std::size_t i = 0; i <= last; ++i)
          if (operands[i].result)
            has_all(
                i, [](std::size_t) { return true; }, "a pointwise operation reduces nothing");
        return;
      case OperationKind::Row:
        for (std::size_t i = 0; i <= last; ++i)
          has_all(
              i, [](std::size_t) { return true; }, "input and result have the same shape");
        return;
      case OperationKind::Reduction:
      case OperationKind::RowToOne:
      case OperationKind::Exx2: {
        has_all(
            0, [](std::size_t) { return true; }, "a reduction's input has every dimension");
        const auto reduced =
            dims_where([&](std::size_t d) { return has_dim(operands[0], d) && !has_dim(operands[last], d); });
        say(last, "some dimension is reduced", reduced.empty() ? 0 : 1, 1,
            "has every dimension of the input: nothing is reduced");
        return;
      }
      case OperationKind::TopK: {
        for (std::size_t i = 1; i <= last; ++i) {
          const auto lost =
              dims_where([&](std::size_t d) { return has_dim(operands[0], d) && !has_dim(operands[i], d); });
          const auto won =
              dims_where([&](std::size_t d) { return !has_dim(operands[0], d) && has_dim(operands[i], d); });
          say(i, "one dimension is searched", static_cast<Index>(lost.size()), 1,
              fmt::format("lacks {} dimensions of the input; topk searches one", lost.size()));
          say(i, "one dimension is k", static_cast<Index>(won.size()), 1,
              fmt::format("has {} dimensions that the input lacks; topk has one, k", won.size()));
        }
        return;
      }
      case OperationKind::Matmul: return matmul_roles();
    }
    VL_CHECK(false, "unknown kind of operation");
  }

  // By symbols: K is in x and y and not in out, N in y and out and not in x.
  void matmul_roles() {
    const auto& operands = op_.operands;
    const auto in = [&](std::size_t i, std::size_t d) { return has_dim(operands[i], d); };
    const auto k = dims_where([&](std::size_t d) { return in(0, d) && in(1, d) && !in(2, d); });
    const auto n = dims_where([&](std::size_t d) { return !in(0, d) && in(1, d) && in(2, d); });
    if (!elides() || k.size() > 1)
      say(0, "x and y share one dimension that out lacks (K)", static_cast<Index>(k.size()), 1,
          fmt::format("shares {} dimensions with y that out lacks; matmul needs one, K", k.size()));
    if (!elides())
      say(1, "y and out share a dimension that x lacks (N)", n.empty() ? 0 : 1, 1,
          "shares no dimension with out that x lacks; matmul needs one, N");
    has_all(
        2, [&](std::size_t d) { return in(0, d) != in(1, d); }, "what only one input has is not summed by a matmul");
  }

  const Operation& op_;
  std::vector<Constraint> out_;
};

}  // namespace

std::vector<Constraint> shape_constraints(const Operation& operation) { return Shapes(operation).constraints(); }

}  // namespace vl::use
