// What a SpyreTensorLayout text with names says: its call with expressions for numbers, and .restickify(…) behind it.
//
// Example: (N, M) of f16 says the device size [ceil(M/64), N, 64] and the strides [64, M, 1]; with .restickify(0)
// behind it [ceil(N/64), M, 64] and [64*M, 1, M]. A size of 1 has the stride -1.
#pragma once

#include "encodings/base/cursor.h"
#include "encodings/map/rule.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// A list of expressions, or a word.
struct RuleArgument {
  std::string_view keyword;
  std::optional<std::vector<map::Expression>> list;
  std::string_view word;
  std::size_t offset = 0;
  std::vector<std::pair<std::size_t, std::size_t>> spans = {};  // of the list's expressions in the text
};

/// A restickify in a text: the layout that it gives, and by its law (laws.h) the constructor's for the dim order with
/// two dimensions exchanged.
struct RuleMove {
  std::string operation;  // "restickify(1)"
  std::vector<map::Expression> device_size, stride_map;
  std::vector<map::Expression> law_device_size, law_stride_map;
};

/// What a text says, with expressions for numbers.
struct RuleSaid {
  std::vector<map::Expression> device_size;
  std::vector<map::Expression> stride_map;  // empty iff dim_map decides
  std::vector<Index> dim_map;
  DeviceFormat format;
  std::optional<std::vector<map::Expression>> host_size;
  std::optional<map::ElementType> host_type;
  std::vector<map::Expression> host_strides;  // of a constructor
  std::vector<Index> slots;                   // which host dimension each device dimension is of, of a constructor
  std::vector<Index> dim_order = {};          // of a constructor, after the moves
  std::vector<RuleMove> moves = {};
  std::vector<map::Expression> fits;  // what is computed besides, in 64 bits: bytes, further strides
  std::string unsupported;            // not empty: what of it is not encoded for all sizes
};

/// The arguments of the call at the cursor, which stands behind it then.
[[nodiscard]] std::vector<RuleArgument> take_rule_call(Cursor& in);
/// The whole text. Errors: Syntax, Value, Shape, Overflow, with their place.
[[nodiscard]] Result<RuleSaid> read_rule_call(std::string_view text);

}  // namespace vl::spyre
