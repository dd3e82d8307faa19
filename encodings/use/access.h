// Access: the element at which each lane of a warp starts, in one instruction. Coordinates are those of the logical
// tensor, because the layout between them and the memory is judged.
//
//   lanes=32 width=16 at=[lane % 16, lane / 16 * 8]
//   lanes=8 width=2 at=[lane, j] for j=0:64                    for every column
//   ldmatrix.x4 at=[lane % 16 + 16*i, lane / 16 * 8] for i=0:4
//   lanes=32 width=4 at=[lane, 0] when lane < 20               predicated lanes; at most 256 conditions
//   lanes=32 width=16 at=[lane % 8, lane / 8 * 8] base=1024    the buffer starts at any multiple of 1024 bytes
//   load lanes=32 width=16 at=[lane / 4, 0]                what loads cost where lanes agree in pairs (hardware.h)
//   lanes=32 width=4 tv=S[(8,4,2):(…)]                         thread and value to element, as a layout (see tv below)
//   lanes=8 width=16 at=[R + lane, 8*C]                        for all sizes: R and C are names that a caller knows
//
// Expressions are integers, `lane` and the variables of `for`, with + - * / %, C's precedence, left-associative, and
// floor division. A divisor is a positive constant; a product has a constant factor; a name of a size is not divided.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "encodings/map/expression.h"
#include "encodings/map/layout.h"

namespace vl::use {

/// A condition on lanes: outputs of Access::when are compared with 0.
enum class Comparison { AtMostZero, IsZero, IsNotZero };

/// What a plain access does. Unsaid: it costs what a store costs, which is no less than a load.
enum class Purpose { Unsaid, Load, Store };

struct Access {
  std::string instruction;  // "ldmatrix.x4", …; empty: a plain load or store
  Purpose purpose = Purpose::Unsaid;
  Index lanes = 32;
  Index width = 4;               // bytes per lane; 16 of a matrix instruction
  map::Space free;               // the variables of `for`, in order, each counted from 0; then `names`, which are 0
  std::vector<Index> first;      // the first value of each variable: i=2:4 is first 2, extent 2
  std::vector<map::Stage> at;    // (lane, free…) -> logical coordinates; empty iff tv is not
  std::vector<map::Stage> when;  // (lane, free…) -> one value per condition; empty: all lanes are active
  std::vector<Comparison> conditions;
  std::optional<Index> base;  // bytes: the buffer starts at any multiple; absent: at 0
  bool absolute = false;      // with base: the swizzle works on absolute addresses, as in hardware
  std::string tv;             // a layout (thread, value) -> number of the element, row-major; read by its family
  std::size_t tv_offset = 0;  // of tv in the text

  std::vector<std::string> names;       // of sizes, that `at` has
  std::vector<map::Expression> origin;  // what they add to each coordinate: R and 8*C above; empty without names
};

/// Reads an access. Errors, at their offset in the text: Syntax; Value (a width that is not a power of two up to 16,
/// lanes outside 1..64, `load` or `store` of a matrix instruction, a divisor that is not positive, an unknown
/// variable); Overflow. `sizes`: names that may stand in `at`, where no variable of `for` has that name.
[[nodiscard]] Result<Access> parse_access(std::string_view text, std::span<const std::string> sizes = {});

}  // namespace vl::use
