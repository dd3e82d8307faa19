// Expressions, conditions and tensors with names on arbitrary bytes: no crash, errors within the text; what was
// accepted is printed and read back with the same value.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/map/rule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace map = vl::map;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto where = map::parse_conditions(text); !where)
    VL_CHECK(where.error().offset <= size, "an error behind the text of conditions");
  if (const auto tensor = map::parse_rule_tensor(text); !tensor)
    VL_CHECK(tensor.error().offset <= size, "an error behind the text of a tensor");
  const auto read = map::parse_expression(text);
  if (!read) {
    VL_CHECK(read.error().offset <= size, "an error behind the text of an expression");
    return 0;
  }
  std::vector<std::string> names;
  map::add_names(*read, names);
  map::Sizes at;
  for (std::size_t k = 0; k < names.size(); ++k) at[names[k]] = static_cast<vl::Index>(3 * k + 2);
  const auto again = map::parse_expression(map::print(*read));
  if (!again) return 0;  // printed, it may be too long
  const auto one = map::evaluate(*read, at), other = map::evaluate(*again, at);
  VL_CHECK(!one || !other || *one == *other, "what was printed has another value");
  return 0;
}
