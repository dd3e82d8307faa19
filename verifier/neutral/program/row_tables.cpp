#include "verifier/neutral/program/row_tables.h"

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

constexpr int kMostDepth = 400;    // of lines that are followed at once; beyond, a table is the states
constexpr int kMostConstant = 64;  // the same, of a factor that is constant along a row

bool holds(const RowCase& a, const RowCase& b) {
  return b.elements.is_subset_of(a.elements) && b.pads.is_subset_of(a.pads) && b.some.is_subset_of(a.some);
}

RowCase united(const RowCase& a, const RowCase& b) {
  return {a.elements.united(b.elements), a.pads.united(b.pads), a.some.united(b.some)};
}

// A row has a NaN, or none but an infinity, or is finite throughout.
RowTable split_by_finite(const Format& format, const RowTable& table) {
  if (!format.is_float()) return table;
  const CodeSet finite = finite_codes(format), nan = nans(format), numbers = nan.complement(format);
  RowTable out;
  for (const RowCase& row : table) {
    const CodeSet some = row.elements.intersected(numbers);
    out.push_back({row.elements, row.pads, row.elements.intersected(nan)});
    out.push_back({some, row.pads, some.without(finite, format)});
    out.push_back({row.elements.intersected(finite), row.pads, row.some.intersected(finite)});
  }
  std::erase_if(out, [](const RowCase& row) { return row.elements.empty() || row.some.empty(); });
  return out;
}

class Depth {
 public:
  explicit Depth(int& depth) : depth_(depth) { ++depth_; }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  int& depth_;
};

}  // namespace

bool is_dead(const Format& format, const RowCase& row) { return row.elements.is_subset_of(nans(format)); }

RowTable joined(const Format& format, RowTable table) {
  RowTable out;
  for (RowCase& next : table) {
    if (next.elements.empty() || next.some.empty()) continue;
    next = {capped(format, next.elements), capped(format, next.pads), capped(format, next.some)};
    const auto alike = std::ranges::find_if(out, [&](const RowCase& other) {
      if (holds(other, next) || holds(next, other)) return true;
      return is_dead(format, other) == is_dead(format, next) && other.pads == next.pads;
    });
    if (alike == out.end()) out.push_back(std::move(next));
    else *alike = united(*alike, next);
  }
  // The last cases are of the rarest classes; the first one may be of dead rows.
  while (out.size() > kMostCases) {
    out[out.size() - 2] = united(out[out.size() - 2], out.back());
    out.pop_back();
  }
  return out;
}

std::vector<CodeSet> classes_of(const Format& format, const CodeSet& set) {
  if (!format.is_float()) return {set};
  std::vector<CodeSet> all{nans(format)};
  if (has_infinity(format)) {
    all.push_back(CodeSet::of(infinity(format, true)));
    all.push_back(CodeSet::of(infinity(format, false)));
  }
  all.push_back(zeros(format));
  all.push_back(finite_codes(format).without(zeros(format), format));
  std::vector<CodeSet> out;
  for (const CodeSet& each : all)
    if (CodeSet some = set.intersected(each); !some.empty()) out.push_back(std::move(some));
  return out;
}

bool is_nan_of_nan(const Node& node) {
  using enum Operation;
  switch (node.operation) {
    case Max:
    case Min: return node.rule == values::MaxRule::NanWins;
    case Sum:
    case Prod:
    case SumOfSquares:
    case Dot:
    case Exx2:
    case Mean:
    case LayerNorm:
    case RmsNorm:
    case Variance:
    case Welford:
    case Softmax:
    case LogSumExp: return true;
    default: return false;
  }
}

const RowTable& RowTables::of(std::size_t node, std::size_t dimension, Region others) {
  const std::tuple key{node, dimension, others};
  const auto known = tables_.find(key);
  if (known != tables_.end()) return known->second;
  const Depth depth(depth_);
  RowTable table = depth_ > kMostDepth ? RowTable{} : computed(node, dimension, others);
  if (table.empty()) table = one_case(node, dimension, others);
  return tables_.emplace(key, joined(*program_.nodes[node].type, std::move(table))).first->second;
}

RowTable RowTables::read_by(std::size_t reader, std::size_t node, std::size_t dimension, Region others) {
  RowTable out = of(node, dimension, others);
  const auto elements = states_.masked(reader, node, others),
             pads = states_.masked(reader, node, others | beyond(dimension));
  for (RowCase& row : out) {
    if (elements) row.elements = row.some = CodeSet::of(*elements);
    if (pads) row.pads = CodeSet::of(*pads);
  }
  return out;
}

CodeSet RowTables::set_read_by(std::size_t reader, std::size_t node, Region region) {
  const auto masked = states_.masked(reader, node, region);
  return masked ? CodeSet::of(*masked) : set(node, region);
}

// A set that is asked for while it is computed is that of the states.
const CodeSet& RowTables::set(std::size_t node, Region region) {
  const auto [at, fresh] = sets_.try_emplace({node, region}, CodeSet());
  CodeSet& out = at->second;
  if (!fresh) return out;
  const Depth depth(depth_);
  out = states_.of(node)[region];
  if (depth_ > kMostDepth || out.empty() || states_.has_masks(node)) return out;
  if (CodeSet found = out.intersected(set_by_cases(node, region)); !found.empty()) out = std::move(found);
  return out;
}

RowTable RowTables::one_case(std::size_t at, std::size_t dimension, Region others) {
  const CodeSet& elements = set(at, others);
  const bool padded = exists(program_.nodes[at], others | beyond(dimension));
  RowCase row{elements, padded ? set(at, others | beyond(dimension)) : CodeSet(), elements};
  const Node& node = program_.nodes[at];
  if (others == 0 && std::ranges::find(node.finite_rows, dimension) != node.finite_rows.end())
    row.some = elements.intersected(finite_codes(*node.type));
  return {row};
}

// One value in the whole row, pads too.
RowTable RowTables::classes(std::size_t at, std::size_t dimension, Region others) {
  const bool padded = exists(program_.nodes[at], others | beyond(dimension));
  RowTable out;
  for (const CodeSet& each : classes_of(*program_.nodes[at].type, set(at, others)))
    out.push_back({each, padded ? each : CodeSet(), each});
  return out;
}

bool RowTables::is_constant(std::size_t node, std::size_t dimension, int depth) const {
  const Node& of = program_.nodes[node];
  if (depth > kMostConstant || states_.has_masks(node)) return false;
  const auto operand_is = [&](std::size_t operand) { return is_constant(operand, dimension, depth + 1); };
  switch (of.kind) {
    case Kind::Pointwise: return std::ranges::all_of(of.operands, operand_is);
    case Kind::Cast: return operand_is(of.operands[0]);
    case Kind::Transpose: return is_constant(of.operands[0], of.axes[dimension], depth + 1);
    case Kind::Broadcast: {
      const auto from = std::ranges::find(of.axes, dimension);
      return from == of.axes.end() ||
             is_constant(of.operands[0], static_cast<std::size_t>(from - of.axes.begin()), depth + 1);
    }
    default: return of.dimensions[dimension].padded() == 1;
  }
}

bool RowTables::is_mixed(const Node& node, std::size_t dimension) const {
  const auto constant = [&](std::size_t operand) { return is_constant(operand, dimension); };
  return std::ranges::any_of(node.operands, constant) && !std::ranges::all_of(node.operands, constant);
}

RowTable RowTables::computed(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  if (states_.has_masks(at)) return {};
  if (is_constant(at, dimension)) return classes(at, dimension, others);
  switch (node.kind) {
    case Kind::Pointwise: return of_function(at, dimension, others);
    case Kind::Cast: return of_cast(at, dimension, others);
    case Kind::Matmul: return of_matmul(at, dimension, others);
    case Kind::Row: return has_result_per_slot(node) && node.axes[0] == dimension ? of_row(at, others) : RowTable{};
    case Kind::Transpose:
    case Kind::Broadcast:
    case Kind::Mask:
    case Kind::Slice:
    case Kind::Concat: return of_moved(at, dimension, others);
    case Kind::Input:
    case Kind::Unknown:
    case Kind::Reduce:
    case Kind::Reshape:
    case Kind::Reverse: return {};
  }
  return {};
}

RowTable RowTables::of_cast(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  const Format& from = *program_.nodes[node.operands[0]].type;
  const auto cast = [&](const CodeSet& set) {
    return set.empty() ? CodeSet() : conversion_in(program_, from, *node.type, set);
  };
  RowTable out = read_by(at, node.operands[0], dimension, others);
  for (RowCase& row : out) row = {cast(row.elements), cast(row.pads), cast(row.some)};
  return out;
}

// Rows that are moved as they are; those that are joined or cut lose what their pads were.
RowTable RowTables::of_moved(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  switch (node.kind) {
    case Kind::Transpose: {
      Region from = 0;
      for (std::size_t i = 0; i < node.axes.size(); ++i)
        if ((others & beyond(i)) != 0) from |= beyond(node.axes[i]);
      return read_by(at, node.operands[0], node.axes[dimension], from);
    }
    case Kind::Broadcast: {
      const auto from = static_cast<std::size_t>(std::ranges::find(node.axes, dimension) - node.axes.begin());
      return read_by(at, node.operands[0], from, broadcast_from(node, others));
    }
    case Kind::Mask: {
      RowTable out = read_by(at, node.operands[0], dimension, others);
      const auto masked = [&](Region region) { return std::ranges::find(node.masked, region) != node.masked.end(); };
      for (RowCase& row : out) {
        if (masked(others)) row.elements = row.some = CodeSet::of(node.value);
        if (masked(others | beyond(dimension))) row.pads = CodeSet::of(node.value);
      }
      return out;
    }
    case Kind::Slice:
    case Kind::Concat: {
      if (node.axes[0] == dimension || (others & beyond(node.axes[0])) != 0) return {};
      RowTable out;
      for (const std::size_t operand : node.operands)
        for (RowCase& row : read_by(at, operand, dimension, others)) out.push_back(std::move(row));
      return out;
    }
    default: break;
  }
  VL_CHECK(false, "an operation that moves no rows");
  return {};
}

// Results of a row of the left operand (or, along the other dimension, of a column of the right one).
RowTable RowTables::of_matmul(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  const std::size_t rank = node.dimensions.size();
  if (dimension + 2 < rank) return {};
  const bool along_columns = dimension + 1 == rank;  // one row of the left operand
  const std::size_t fixed = along_columns ? 0 : 1;
  const std::size_t inner = rank - 1 - fixed, other_inner = rank - 2 + fixed;
  const Region of_fixed = others & ~beyond(inner), of_other = others & ~beyond(other_inner);
  const std::size_t one = node.operands[fixed], other = node.operands[1 - fixed];
  const bool has_pads = exists(program_.nodes[one], beyond(inner));
  const auto results = [&](const RowCase& row, Region at_other, bool reads) {
    const auto products = [&](const CodeSet& ours, const CodeSet& theirs) {
      return along_columns ? image_of_pairs(program_, images_, node, ours, theirs)
                           : image_of_pairs(program_, images_, node, theirs, ours);
    };
    CodeSet out = products(row.elements, set_read_by(at, other, at_other));
    if (reads && has_pads) out = out.united(products(row.pads, set_read_by(at, other, at_other | beyond(other_inner))));
    if (!out.empty()) out = image_of_products(program_, node, out);
    // A product with an infinity or NaN is one, and so is a sum with it.
    const Format &type = *program_.nodes[one].type, &result = *node.type;
    if (!type.is_float()) return out;
    if (row.some.is_subset_of(nans(type))) return out.intersected(nans(result));
    return row.some.intersected(finite_codes(type)).empty() ? out.without(finite_codes(result), result) : out;
  };
  const Region outside = beyond(dimension);
  const bool padded = exists(node, others | outside);
  RowTable out;
  for (const RowCase& row : split_by_finite(*program_.nodes[one].type, read_by(at, one, inner, of_fixed))) {
    const CodeSet elements = results(row, of_other, states_.reads_padding(at, others));
    out.push_back({elements, padded ? results(row, of_other | outside, true) : CodeSet(), elements});
  }
  return out;
}

CodeSet RowTables::set_by_cases(std::size_t at, Region region) {
  const Node& node = program_.nodes[at];
  CodeSet all = CodeSet::all(*node.type);
  // Of rows along a dimension, whose pads the region may be.
  const auto along = [&](std::size_t dimension) {
    CodeSet out;
    for (const RowCase& row : of(at, dimension, region & ~beyond(dimension)))
      out = out.united((region & beyond(dimension)) != 0 ? row.pads : row.elements);
    return out;
  };
  switch (node.kind) {
    case Kind::Pointwise: {
      std::vector<CodeSet> operands;
      for (const std::size_t operand : node.operands) operands.push_back(set_read_by(at, operand, region));
      if (is_twice(node)) operands.pop_back();
      CodeSet out = image(node, node.function, operands);
      for (std::size_t i = 0; i < node.dimensions.size(); ++i)
        if (is_mixed(node, i)) out = out.intersected(along(i));
      return out;
    }
    case Kind::Cast:
      return conversion_in(program_, *program_.nodes[node.operands[0]].type, *node.type,
                           set_read_by(at, node.operands[0], region));
    case Kind::Transpose: {
      Region from = 0;
      for (std::size_t i = 0; i < node.axes.size(); ++i)
        if ((region & beyond(i)) != 0) from |= beyond(node.axes[i]);
      return set_read_by(at, node.operands[0], from);
    }
    case Kind::Broadcast: return set_read_by(at, node.operands[0], broadcast_from(node, region));
    case Kind::Reshape: return region == 0 ? set_read_by(at, node.operands[0], 0) : all;
    case Kind::Slice:
    case Kind::Concat: {
      if ((region & beyond(node.axes[0])) != 0) return all;
      CodeSet out;
      for (const std::size_t operand : node.operands) out = out.united(set_read_by(at, operand, region));
      return out;
    }
    case Kind::Mask:
      return std::ranges::find(node.masked, region) != node.masked.end() ? all
                                                                         : set_read_by(at, node.operands[0], region);
    case Kind::Reduce: return node.axes.size() == 1 ? of_reduction(at, region) : all;
    case Kind::Row: return has_result_per_slot(node) ? along(node.axes[0]) : all;
    case Kind::Matmul: return along(node.dimensions.size() - 1);
    case Kind::Input:
    case Kind::Unknown:
    case Kind::Reverse: return all;
  }
  return all;
}

}  // namespace vl::neutral::program
