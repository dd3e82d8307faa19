// What the checker takes from the kernel: numbers that never wrap, the budget, and the maps of statements.
#pragma once

#include "verifier/kernel/core/layout.h"
#include "verifier/kernel/core/polynomial.h"
#include "verifier/kernel/reader/map_text.h"

namespace vl::checker {
using kernel::charge;
using kernel::charge_sorting;
using kernel::Concrete;
using kernel::enter;
using kernel::evaluate;
using kernel::Evaluator;
using kernel::for_each;
using kernel::gcd;
using kernel::Held;
using kernel::hold;
using kernel::keep;
using kernel::kMostBytes;
using kernel::kMostWork;
using kernel::Layout;
using kernel::Map;
using kernel::Metered;
using kernel::needs_more_work;
using kernel::OverBudget;
using kernel::parse_map;
using kernel::parse_row;
using kernel::parse_space;
using kernel::Point;
using kernel::Polynomial;
using kernel::Rejected;
using kernel::release;
using kernel::require;
using kernel::Row;
using kernel::run;
using kernel::Space;
using kernel::Stage;
using kernel::Wide;
using kernel::work_left;
using kernel::work_of_thread;
using kernel::WorkLeft;
}  // namespace vl::checker
