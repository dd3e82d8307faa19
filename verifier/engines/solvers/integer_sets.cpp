#include "verifier/engines/solvers/integer_sets.h"

#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <isl/version.h>

#include <limits>
#include <memory>
#include <optional>

namespace vl::engines {
namespace {

using smt::Undecided;

static_assert(sizeof(long) == sizeof(Index), "isl takes coefficients as long");

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Context = std::unique_ptr<isl_ctx, Free<isl_ctx_free>>;
using BasicSet = std::unique_ptr<isl_basic_set, Free<isl_basic_set_free>>;
using IslPoint = std::unique_ptr<isl_point, Free<isl_point_free>>;

// isl frees what it takes, and gives nothing after an error: every call below passes nothing on as nothing.
isl_mat* matrix_of(isl_ctx* context, std::size_t columns, const std::vector<map::Row>& a,
                   const std::vector<map::Row>& b) {
  isl_mat* matrix = isl_mat_alloc(context, static_cast<unsigned>(a.size() + b.size()), static_cast<unsigned>(columns));
  int at = 0;
  for (const auto* rows : {&a, &b})
    for (const map::Row& row : *rows) {
      for (std::size_t c = 0; c < columns; ++c) matrix = isl_mat_set_element_si(matrix, at, static_cast<int>(c), 0);
      matrix = isl_mat_set_element_val(matrix, at, 0, isl_val_int_from_si(context, row.constant));
      for (const map::Term& term : row.terms)
        matrix = isl_mat_set_element_val(matrix, at, static_cast<int>(term.input + 1),
                                         isl_val_int_from_si(context, term.coefficient));
      ++at;
    }
  return matrix;
}

BasicSet set_of(isl_ctx* context, const IntegerSets& sets, const Constraints& alternative) {
  const std::size_t columns = sets.unknowns + 1;
  isl_mat* zero = matrix_of(context, columns, sets.common.zero, alternative.zero);
  isl_mat* non_negative = matrix_of(context, columns, sets.common.non_negative, alternative.non_negative);
  isl_space* space = isl_space_set_alloc(context, 0, static_cast<unsigned>(sets.shown));
  return BasicSet(isl_basic_set_from_constraint_matrices(space, zero, non_negative, isl_dim_cst, isl_dim_set,
                                                         isl_dim_div, isl_dim_param));
}

std::optional<std::vector<Index>> coordinates(isl_point* point, std::size_t count) {
  std::vector<Index> values;
  for (std::size_t i = 0; i < count; ++i) {
    isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(i));
    const bool fits = value != nullptr && isl_val_is_int(value) == isl_bool_true &&
                      isl_val_cmp_si(value, std::numeric_limits<Index>::max()) <= 0 &&
                      isl_val_cmp_si(value, std::numeric_limits<Index>::min()) >= 0;
    if (fits) values.push_back(isl_val_get_num_si(value));
    isl_val_free(value);
    if (!fits) return std::nullopt;
  }
  return values;
}

// The first `count` coordinates of a point of the set; nothing after an error, and of a set without points.
std::optional<std::vector<Index>> sample_of(isl_set* set, std::size_t count) {
  const IslPoint point(isl_set_sample_point(set));
  if (!point || isl_point_is_void(point.get()) != isl_bool_false) return std::nullopt;
  return coordinates(point.get(), count);
}

Undecided fault(isl_ctx* context) {
  const char* said = isl_ctx_last_error_msg(context);
  switch (isl_ctx_last_error(context)) {
    case isl_error_quota: return {Undecided::Why::ResourceLimit, "isl used up its operations"};
    case isl_error_alloc: return {Undecided::Why::Memory, "isl ran out of memory"};
    case isl_error_none: return {Undecided::Why::Incomplete, "a point beyond 64 bits"};
    case isl_error_abort:
    case isl_error_unknown:
    case isl_error_internal:
    case isl_error_invalid:
    case isl_error_unsupported: break;
  }
  return {Undecided::Why::SolverFault, said != nullptr ? said : "isl gave no answer"};
}

}  // namespace

Emptiness point_of(const IntegerSets& sets, std::uint64_t operations) {
  const Context context(isl_ctx_alloc());
  if (!context) return Undecided{Undecided::Why::Memory, "isl ran out of memory"};
  isl_options_set_on_error(context.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context.get(), operations);
  std::size_t first = 0;
  for (; first < sets.alternatives.size(); ++first) {
    const BasicSet set = set_of(context.get(), sets, sets.alternatives[first]);
    const isl_bool empty = isl_basic_set_is_empty(set.get());
    if (empty == isl_bool_error) return fault(context.get());
    if (empty == isl_bool_false) break;
  }
  if (first == sets.alternatives.size()) return smt::Unsatisfiable{};

  isl_ctx_reset_operations(context.get());
  std::optional<std::vector<Index>> smallest;
  for (std::size_t i = first; i < sets.alternatives.size(); ++i) {
    isl_set* minimum = isl_basic_set_lexmin(set_of(context.get(), sets, sets.alternatives[i]).release());
    const isl_bool empty = isl_set_is_empty(minimum);
    if (empty == isl_bool_true) {
      isl_set_free(minimum);
      continue;
    }
    auto values = sample_of(minimum, sets.shown);
    if (!values) {
      smallest.reset();
      break;
    }
    if (!smallest || *values < *smallest) smallest = std::move(values);
  }
  if (smallest) return Sample{std::move(*smallest), true};
  isl_ctx_reset_operations(context.get());
  isl_ctx_reset_error(context.get());
  if (auto any = sample_of(isl_set_from_basic_set(set_of(context.get(), sets, sets.alternatives[first]).release()),
                           sets.shown))
    return Sample{std::move(*any), false};
  return fault(context.get());
}

// isl says "isl-0.25-GMP" and a line end.
std::string isl_name() {
  const std::string text = isl_version();
  const std::size_t first = text.find_first_of("0123456789");
  return first == std::string::npos ? text : text.substr(first, text.find_first_not_of("0123456789.", first) - first);
}

}  // namespace vl::engines
