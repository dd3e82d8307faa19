#include "encodings/use/notation.h"

namespace vl::use {
namespace {

// Whether its levels count the tensor's elements.
template <class N>
bool counts(const map::Blueprint<N>& blueprint) {
  return !blueprint.decodes && blueprint.numbers.empty();
}

// A view begins where its number says, or not at all.
template <class N>
std::optional<Error> wrong_start(const map::Blueprint<N>& blueprint, const map::BasicTensor<N>& tensor) {
  if (blueprint.decodes || tensor.view_offset == N(0)) return std::nullopt;
  return Error{ErrorCode::Value, "the layout says itself where it starts, and has no view offset"};
}

}  // namespace

Reading reading_of(std::string_view text, map::ElementType type) {
  Reading out{Undecidable{}, {}, std::string(text), {}, map::bits(type), {}};
  out.values = map::name(type);
  return out;
}

Result<map::Layout> made_of(map::Blueprint<Index> blueprint, const map::Tensor& tensor) {
  if (auto wrong = wrong_start(blueprint, tensor)) return *wrong;
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  if (blueprint.logical.empty())
    blueprint.logical = tensor.size, blueprint.strides = map::row_major_weights(host->logical);
  if (counts(blueprint)) {
    const auto& levels = blueprint.levels;
    const auto elements = levels.empty() ? 1 : checked_mul(levels.front().weight, levels.front().extent);
    if (!elements) return Error{ErrorCode::Overflow, "the size does not fit in 64 bits"};
    if (*elements != host->logical.volume())
      return Error{ErrorCode::Shape,
                   fmt::format("the tensor has {} elements, the layout {}", host->logical.volume(), *elements)};
  }
  return map::layout_of(blueprint, std::move(host->logical), std::move(host->offset));
}

Result<map::Rule> made_of(map::Blueprint<map::Expression> blueprint, const map::RuleTensor& tensor) {
  if (auto wrong = wrong_start(blueprint, tensor)) return *wrong;
  if (blueprint.logical.empty()) {
    blueprint.logical = tensor.size, blueprint.strides.resize(tensor.size.size());
    map::Expression number = 1;
    for (std::size_t i = tensor.size.size(); i-- > 0; number = number * tensor.size[i]) blueprint.strides[i] = number;
  }
  if (counts(blueprint)) return map::counting_rule(std::move(blueprint), map::product_of(tensor.size), "the layout");
  map::Rule out{std::move(blueprint), {}, {}};
  for (std::string& name : map::names_of(out)) out.symbols.push_back({std::move(name), 1});
  return out;
}

}  // namespace vl::use
