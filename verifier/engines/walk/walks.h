// The parts of the enumerate engine: about layouts, about moves and about lanes (engine.h).
#pragma once

#include "verifier/engines/engine.h"

namespace vl::engines {

[[nodiscard]] Answer walk_layouts(const Question& question, const Options& options);
[[nodiscard]] Answer walk_moves(const TransferQuestion& question);
[[nodiscard]] Answer walk_lanes(const BankQuestion& question, const Options& options);

[[nodiscard]] std::optional<Witness> first_point_early(const Question& question, Index most);
[[nodiscard]] std::optional<Witness> first_instance_early(const BankQuestion& question, Index most);

}  // namespace vl::engines
