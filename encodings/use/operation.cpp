// Operations from shapes: dimensions and scales that the user does not give, and a check of given ones.
#include "encodings/use/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace vl::use {
namespace {

using enum OperationKind;

Error misfit(std::string message) { return Error{ErrorCode::Shape, std::move(message)}; }

struct Counted {
  std::size_t inputs = 0;
  std::size_t results = 0;
};

Counted count(const std::vector<Operand>& operands) {
  const auto results = static_cast<std::size_t>(std::ranges::count(operands, true, &Operand::result));
  return {operands.size() - results, results};
}

// One of the two results of topk alone.
bool is_of_indices(const OperationName& what) { return what.name == "topk-indices"; }

std::optional<Error> check_count(const OperationName& what, const Counted& counted) {
  bool fits = counted.inputs >= 1 && counted.results >= 1;
  switch (what.kind) {
    case Pointwise: break;
    case LayerNormNorm: fits = fits && counted.results == 1; break;
    case Reduction:
    case Exx2:
    case Row:
    case RowToOne: fits = counted.inputs == 1 && counted.results == 1; break;
    case TopK:
      fits = counted.inputs == 1 && (counted.results == 1 || (counted.results == 2 && !is_of_indices(what)));
      break;
    case Matmul: fits = counted.inputs == 2 && counted.results == 1; break;
  }
  if (fits) return std::nullopt;
  return misfit(fmt::format("{} takes {}; here are {} inputs and {} results", what.name, what.forms, counted.inputs,
                            counted.results));
}

void name_roles(const OperationName& what, std::vector<Operand>& operands, const Counted& counted) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool result = i >= counted.inputs;
    const std::size_t number = result ? i - counted.inputs : i;
    std::string& role = operands[i].role;
    switch (what.kind) {
      case Matmul: role = result ? "out" : number == 0 ? "x" : "y"; break;
      case TopK: role = !result ? "input" : number == 0 && !is_of_indices(what) ? "values" : "indices"; break;
      case Reduction:
      case Exx2:
      case Row:
      case RowToOne: role = result ? "result" : "input"; break;
      case LayerNormNorm: role = result ? "result" : number == 0 ? "x" : fmt::format("x{}", number); break;
      case Pointwise:
        role = !result ? (number < 26 ? std::string(1, static_cast<char>('a' + number)) : fmt::format("a{}", number))
               : counted.results == 1 ? "result"
                                      : fmt::format("result {}", number);
        break;
    }
  }
}

std::vector<OperationDim> numbered(std::span<const Index> extents) {
  std::vector<OperationDim> dims;
  for (std::size_t i = 0; i < extents.size(); ++i) dims.push_back({fmt::format("d{}", i), extents[i]});
  return dims;
}

std::string shape(const Operand& operand) { return fmt::format("[{}]", fmt::join(operand.tensor.size, ",")); }

// Scales of an operand that broadcasts to the first `rank` dimensions, aligned at the right.
std::optional<Error> broadcast(Operand& operand, std::span<const OperationDim> dims, std::size_t rank) {
  const std::vector<Index>& size = operand.tensor.size;
  operand.scales.assign(dims.size(), kAbsent);
  if (size.size() > rank) return misfit(fmt::format("{} has rank {}, the result {}", operand.role, size.size(), rank));
  for (std::size_t i = 0; i < size.size(); ++i) {
    const std::size_t dim = i + rank - size.size();
    if (size[i] == dims[dim].extent) operand.scales[dim] = static_cast<Index>(i);
    else if (size[i] != 1)
      return misfit(fmt::format("{} {} does not broadcast: its dimension {} has size {}, the operation's {} has {}",
                                operand.role, shape(operand), i, size[i], dims[dim].name, dims[dim].extent));
  }
  return std::nullopt;
}

std::optional<Error> derive_pointwise(Operation& operation) {
  operation.dims = numbered(operation.operands.back().tensor.size);
  for (Operand& operand : operation.operands) {
    if (operand.result && operand.tensor.size != operation.operands.back().tensor.size)
      return misfit("the results have different shapes");
    if (auto error = broadcast(operand, operation.dims, operation.dims.size())) return error;
  }
  return std::nullopt;
}

// The dimensions of `input` whose extents in order are `result`: all ways to choose them, up to two.
void embeddings(std::span<const Index> input, std::span<const Index> result, std::vector<std::size_t>& kept,
                std::size_t at, std::vector<std::vector<std::size_t>>& found) {
  if (found.size() > 1 || input.size() - at < result.size() - kept.size()) return;
  if (at == input.size()) {
    found.push_back(kept);
    return;
  }
  if (kept.size() < result.size() && input[at] == result[kept.size()]) {
    kept.push_back(at);
    embeddings(input, result, kept, at + 1, found);
    kept.pop_back();
  }
  embeddings(input, result, kept, at + 1, found);
}

// The reduced dimensions of the input: given, or by the shapes.
Result<std::vector<bool>> reduced_dims(const Operand& input, const Operand& result,
                                       const std::optional<std::vector<Index>>& named) {
  const std::vector<Index>& from = input.tensor.size;
  const std::vector<Index>& to = result.tensor.size;
  std::vector<bool> reduced(from.size(), false);
  if (named) {
    for (const Index dim : *named) {
      if (dim < 0 || dim >= static_cast<Index>(from.size()) || reduced[static_cast<std::size_t>(dim)])
        return misfit(
            fmt::format("the reduced dimension {} is named twice or is none of the input {}", dim, shape(input)));
      reduced[static_cast<std::size_t>(dim)] = true;
    }
    return reduced;
  }
  if (from.size() == to.size()) {
    for (std::size_t i = 0; i < from.size(); ++i) reduced[i] = to[i] == 1 && from[i] > 1;
    return reduced;
  }
  std::vector<std::vector<std::size_t>> found;
  std::vector<std::size_t> kept;
  if (from.size() > to.size() && from.size() <= 16) embeddings(from, to, kept, 0, found);
  if (found.size() != 1)
    return misfit(fmt::format("{} {} to {} {}: {}; name the reduced dimensions", input.role, shape(input), result.role,
                              shape(result),
                              found.empty() ? "no dimensions can be dropped to give that shape"
                                            : "more than one choice of dimensions gives that shape"));
  reduced.assign(from.size(), true);
  for (const std::size_t dim : found.front()) reduced[dim] = false;
  return reduced;
}

std::optional<Error> derive_reduction(Operation& operation, const OperationHints& hints) {
  Operand& input = operation.operands.front();
  Operand& result = operation.operands.back();
  const auto reduced = reduced_dims(input, result, hints.reduced);
  if (!reduced) return reduced.error();
  if (std::ranges::find(*reduced, true) == reduced->end())
    return misfit(
        fmt::format("nothing is reduced from {} to {}; name the reduced dimensions", shape(input), shape(result)));
  operation.dims = numbered(input.tensor.size);
  const bool keeps = result.tensor.size.size() == input.tensor.size.size();
  Index next = 0;
  for (std::size_t i = 0; i < operation.dims.size(); ++i) {
    input.scales.push_back(static_cast<Index>(i));
    result.scales.push_back((*reduced)[i] ? kAbsent : keeps ? static_cast<Index>(i) : next);
    next += (*reduced)[i] ? 0 : 1;
    const Index wanted = (*reduced)[i] ? 1 : input.tensor.size[i];
    const bool fits = keeps ? result.tensor.size[i] == wanted
                            : (*reduced)[i] || (next <= static_cast<Index>(result.tensor.size.size()) &&
                                                result.tensor.size[static_cast<std::size_t>(next - 1)] == wanted);
    if (!fits)
      return misfit(fmt::format("the result {} is not {} with these dimensions reduced", shape(result), shape(input)));
  }
  if (!keeps && next != static_cast<Index>(result.tensor.size.size()))
    return misfit(fmt::format("the result {} is not {} with these dimensions reduced", shape(result), shape(input)));
  return std::nullopt;
}

// The result has the input's shape; what a row is has to be said.
std::optional<Error> derive_row(Operation& operation, const OperationHints& hints) {
  Operand& input = operation.operands.front();
  Operand& result = operation.operands.back();
  if (!hints.reduced)
    return misfit(fmt::format("name the dimensions along which {} has its rows", operation.what->name));
  if (input.tensor.size != result.tensor.size)
    return misfit(fmt::format("the result {} of {} is not of the input's shape {}", shape(result), operation.what->name,
                              shape(input)));
  operation.dims = numbered(input.tensor.size);
  for (std::size_t i = 0; i < operation.dims.size(); ++i)
    for (Operand* operand : {&input, &result}) operand->scales.push_back(static_cast<Index>(i));
  return std::nullopt;
}

std::optional<Error> derive_topk(Operation& operation, const OperationHints& hints) {
  Operand& input = operation.operands.front();
  const std::vector<Index>& from = input.tensor.size;
  const std::vector<Index>& to = operation.operands.back().tensor.size;
  if (from.size() != to.size())
    return misfit(fmt::format("topk keeps the rank; here it is {} and {}", from.size(), to.size()));
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i]) changed.push_back(i);
  if (hints.reduced) {
    if (hints.reduced->size() != 1 || hints.reduced->front() < 0 ||
        hints.reduced->front() >= static_cast<Index>(from.size()))
      return misfit("topk reduces one dimension of its input");
    const auto named = static_cast<std::size_t>(hints.reduced->front());
    if (changed.size() > 1 || (changed.size() == 1 && changed.front() != named))
      return misfit(fmt::format("topk of dimension {} does not turn {} into {}", named, shape(input),
                                shape(operation.operands.back())));
    changed = {named};
  }
  if (changed.size() != 1)
    return misfit(fmt::format("topk changes one extent; from {} to {} it changes {}. Name the reduced dimension",
                              shape(input), shape(operation.operands.back()), changed.size()));
  operation.dims = numbered(from);
  operation.dims.push_back({"k", to[changed.front()]});
  for (Operand& operand : operation.operands) {
    if (operand.result && operand.tensor.size != to) return misfit("the results have different shapes");
    for (std::size_t i = 0; i < from.size(); ++i)
      operand.scales.push_back(operand.result && i == changed.front() ? kAbsent : static_cast<Index>(i));
    operand.scales.push_back(operand.result ? static_cast<Index>(changed.front()) : kAbsent);
  }
  return std::nullopt;
}

std::optional<Error> derive_matmul(Operation& operation) {
  Operand& x = operation.operands[0];
  Operand& y = operation.operands[1];
  Operand& out = operation.operands[2];
  const std::size_t rank = out.tensor.size.size();
  const bool flat = operation.what->name == "matmul";
  if (rank < 2 || (flat && rank != 2) || (!flat && rank < 3))
    return misfit(fmt::format("{} takes {}; out here is {}", operation.what->name, operation.what->forms, shape(out)));
  for (const Operand* input : {&x, &y})
    if (input->tensor.size.size() < 2 || input->tensor.size.size() > rank)
      return misfit(fmt::format("{} takes {}; {} here is {}", operation.what->name, operation.what->forms, input->role,
                                shape(*input)));
  const std::size_t batches = rank - 2;
  for (std::size_t b = 0; b < batches; ++b)
    operation.dims.push_back({batches == 1 ? "B" : fmt::format("B{}", b), out.tensor.size[b]});
  operation.dims.push_back({"M", out.tensor.size[batches]});
  operation.dims.push_back({"K", x.tensor.size.back()});
  operation.dims.push_back({"N", out.tensor.size.back()});
  // The two operation dimensions, behind the batches, of the last two host dimensions.
  const std::array<std::array<std::size_t, 2>, 3> last = {{{0, 1}, {1, 2}, {0, 2}}};
  for (std::size_t i = 0; i < 3; ++i) {
    Operand& operand = operation.operands[i];
    const std::vector<Index>& size = operand.tensor.size;
    Operand batch = operand;
    batch.tensor.size.resize(size.size() - 2);
    if (auto error = broadcast(batch, operation.dims, batches)) return error;
    operand.scales = batch.scales;
    for (std::size_t j = 0; j < 2; ++j) {
      const OperationDim& dim = operation.dims[batches + last[i][j]];
      const std::size_t host = size.size() - 2 + j;
      if (size[host] != dim.extent)
        return misfit(fmt::format("{} {} has {} = {}, the others have {}", operand.role, shape(operand), dim.name,
                                  size[host], dim.extent));
      operand.scales[batches + last[i][j]] = static_cast<Index>(host);
    }
  }
  return std::nullopt;
}

std::optional<Error> derive(Operation& operation, const OperationHints& hints) {
  const OperationKind kind = operation.what->kind;
  const bool takes = kind == Reduction || kind == Exx2 || kind == TopK || kind == Row || kind == RowToOne;
  if (hints.reduced && !takes) return misfit(fmt::format("{} reduces nothing", operation.what->name));
  switch (kind) {
    case Pointwise:
    case LayerNormNorm: return derive_pointwise(operation);
    case Reduction:
    case Exx2:
    case RowToOne: return derive_reduction(operation, hints);
    case Row: return derive_row(operation, hints);
    case TopK: return derive_topk(operation, hints);
    case Matmul: return derive_matmul(operation);
  }
  VL_CHECK(false, "unknown kind of operation");
}

// Names for dimensions of which only the number is known.
std::vector<OperationDim> default_dims(OperationKind kind, std::size_t count) {
  std::vector<OperationDim> dims = numbered(std::vector<Index>(count, 1));
  if (kind == Matmul && (count == 3 || count == 4)) {
    const std::array<const char*, 4> names = {"B", "M", "K", "N"};
    for (std::size_t i = 0; i < count; ++i) dims[i].name = names[i + 4 - count];
  }
  return dims;
}

std::optional<Error> check_entries(const Operand& operand, std::size_t count) {
  if (operand.scales.size() != count)
    return misfit(
        fmt::format("{} has {} scales, the operation has {} dimensions", operand.role, operand.scales.size(), count));
  const auto rank = static_cast<Index>(operand.tensor.size.size());
  for (const Index scale : operand.scales)
    if (scale < kElided || scale >= rank)
      return Error{ErrorCode::Value,
                   fmt::format("{} is not a scale of {}; expected a host dimension below {}, -1, -2 or -3", scale,
                               operand.role, rank)};
  return std::nullopt;
}

// The given scales; an extent that is not given is the largest one of the operands.
std::optional<Error> take_scales(Operation& operation, const OperationHints& hints) {
  if (hints.reduced && operation.what->kind != Row) return misfit("scales already say what is reduced");
  if (!hints.reduced && operation.what->kind == Row)
    return misfit(fmt::format("name the dimensions along which {} has its rows", operation.what->name));
  const std::size_t count = hints.dims ? hints.dims->size() : operation.operands.front().scales.size();
  for (const Operand& operand : operation.operands)
    if (auto error = check_entries(operand, count)) return error;
  operation.dims = hints.dims ? *hints.dims : default_dims(operation.what->kind, count);
  for (std::size_t d = 0; d < count && !hints.dims; ++d)
    for (const Operand& operand : operation.operands)
      if (has_dim(operand, d)) {
        Index& extent = operation.dims[d].extent;
        extent = std::max(extent, operand.tensor.size[static_cast<std::size_t>(operand.scales[d])]);
      }
  return std::nullopt;
}

// The operation's dimensions that the input's dimensions `named` are.
std::optional<Error> take_row(Operation& operation, const std::vector<Index>& named) {
  const Operand& input = operation.operands.front();
  for (const Index dim : named) {
    const auto at = std::ranges::find(input.scales, dim);
    const auto d = static_cast<std::size_t>(at - input.scales.begin());
    if (dim < 0 || at == input.scales.end() || std::ranges::find(operation.row, d) != operation.row.end())
      return misfit(
          fmt::format("the dimension {} of a row is named twice or is none of the input {}", dim, shape(input)));
    operation.row.push_back(d);
  }
  if (operation.row.empty()) return misfit("a row has at least one dimension");
  std::ranges::sort(operation.row);
  return std::nullopt;
}

// The dimensions that a user named, in the order of those that the shapes gave, if they have the same names.
std::vector<OperationDim> in_order(const std::vector<OperationDim>& derived, const std::vector<OperationDim>& named) {
  std::vector<OperationDim> out;
  for (const OperationDim& dim : derived) {
    const auto found = std::ranges::find(named, dim.name, &OperationDim::name);
    if (found == named.end()) return named;
    out.push_back(*found);
  }
  return out;
}

}  // namespace

std::string_view name(RuleSet rules) { return rules == RuleSet::Documents ? "documents" : "upstream"; }

std::optional<RuleSet> rule_set_of(std::string_view text) {
  for (const RuleSet rules : {RuleSet::Documents, RuleSet::Upstream})
    if (name(rules) == text) return rules;
  return std::nullopt;
}

bool has_dim(const Operand& operand, std::size_t dim) { return operand.scales[dim] >= 0; }

std::string name_of(const Operation& operation, std::size_t operand) {
  return fmt::format("operand {} ({})", operand, operation.operands[operand].role);
}

Result<Operation> create_operation(const OperationName& what, RuleSet rules, const Family& family,
                                   std::vector<Operand> operands, const OperationHints& hints) {
  const Counted counted = count(operands);
  if (auto error = check_count(what, counted)) return *error;
  std::stable_partition(operands.begin(), operands.end(), [](const Operand& operand) { return !operand.result; });
  name_roles(what, operands, counted);
  Operation operation{&what, rules, {}, std::move(operands), false, &family};
  const auto given = std::ranges::count_if(operation.operands, [](const Operand& o) { return !o.scales.empty(); });
  operation.scales_given = given > 0;
  if (given > 0 && given != static_cast<std::ptrdiff_t>(operation.operands.size()))
    return misfit(fmt::format("{} of {} operands have scales; expected all or none", given, operation.operands.size()));
  auto error = operation.scales_given ? take_scales(operation, hints) : derive(operation, hints);
  if (!error && what.kind == Row) error = take_row(operation, *hints.reduced);
  if (error) return *error;
  if (hints.dims) {
    std::set<std::string_view> names;
    for (const OperationDim& dim : *hints.dims)
      if (!names.insert(dim.name).second) return misfit(fmt::format("the dimension {} is named twice", dim.name));
    if (hints.dims->size() != operation.dims.size())
      return misfit(
          fmt::format("{} dimensions are named, the operation has {}", hints.dims->size(), operation.dims.size()));
    const std::vector<OperationDim> dims = operation.scales_given ? *hints.dims : in_order(operation.dims, *hints.dims);
    for (std::size_t d = 0; d < operation.dims.size(); ++d)
      if (dims[d].extent != operation.dims[d].extent)
        return misfit(fmt::format("{} is given as {}, the shapes say {}", dims[d].name, dims[d].extent,
                                  operation.dims[d].extent));
    operation.dims = dims;
  }
  return operation;
}

}  // namespace vl::use
