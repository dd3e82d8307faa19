// Every family's read() and read_rule() on arbitrary text, with a few tensors: no crash, and an error that points into
// the text. The normal text of an accepted layout is read as the same map. The first byte selects the tensor.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "encodings/base/check.h"
#include "encodings/map/tensor.h"
#include "encodings/use/family.h"
#include "encodings/use/parts.h"

namespace {

using vl::map::Tensor;

const std::array<Tensor, 8>& tensors() {
  using List = std::vector<vl::Index>;
  const auto make = [](List size, std::optional<List> strides, vl::Index view) {
    Tensor tensor;
    tensor.size = std::move(size);
    tensor.strides = std::move(strides);
    tensor.view_offset = view;
    return tensor;
  };
  static const std::array<Tensor, 8> all = {make({5, 100, 150}, {}, 0),
                                            make({}, {}, 0),
                                            make({0, 64}, {}, 0),
                                            make({512, 256}, List{1, 512}, 3),
                                            make({4, 1, 63}, List{0, -7, 2}, 0),
                                            make({vl::Index{1} << 40, 1 << 20}, {}, 1),
                                            make({8, 8}, {}, 0),
                                            make({512}, {}, 0)};
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Tensor& tensor = tensors()[data[0] % tensors().size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const vl::map::RuleTensor named{tensor.type, {vl::map::Expression::named("M"), vl::map::Expression::named("N")}};
  for (const vl::use::Family* family : vl::use::families()) {
    static_cast<void>(family->recognises(text));
    if (family->read_rule != nullptr) {
      if (const auto rule = family->read_rule(text, named); !rule)
        VL_CHECK(rule.error().offset <= text.size(), "an error of a text with names beyond the text");
      else if (family->text_at != nullptr) static_cast<void>(family->text_at(text, {{"M", 3}, {"N", 70}}));
    }
    if (family->parts != nullptr)
      if (const auto tree = family->parts->read(text); !tree)
        VL_CHECK(tree.error().offset <= text.size(), "an error beyond the tree");
    const auto reading = family->read(text, tensor);
    if (!reading) {
      VL_CHECK(!reading.error().message.empty(), "an error without a message");
      VL_CHECK(reading.error().offset <= text.size(), "an error beyond the text");
      continue;
    }
    if (const auto tree =
            family->parts != nullptr ? family->parts->print(text, tensor) : vl::Result<std::string>(vl::Error{});
        tree)
      VL_CHECK(family->parts->read(*tree).has_value(), "a printed tree is rejected: " + *tree);
    VL_CHECK(family->recognises(reading->normal), "the normal text is not recognised: " + reading->normal);
    const auto again = family->read(reading->normal, tensor);
    VL_CHECK(again.has_value(), "the normal text is rejected: " + reading->normal);
    VL_CHECK(again->normal == reading->normal, "the normal text has another normal text: " + reading->normal);
    const vl::map::Layout* first = reading->layout();
    const vl::map::Layout* second = again->layout();
    VL_CHECK((first == nullptr) == (second == nullptr), "the normal text is not as decidable: " + reading->normal);
    VL_CHECK(first == nullptr || (second->map() == first->map() && second->physical() == first->physical()),
             "the normal text means another map: " + reading->normal);
  }
  return 0;
}
