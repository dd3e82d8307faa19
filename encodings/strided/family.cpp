// The family's entry in the registry, and the blueprint of a view.
#include <array>

#include "encodings/strided/scan.h"
#include "encodings/strided/strided.h"

namespace vl::strided {
namespace {

constexpr std::string_view kForms =
    "size=(2, 3, 4, 5), stride=(60, 1, 15, 3), storage_offset=0 · torch.Size([2, 3]), stride (3, 1)   (elements)\n"
    "empty_strided_cuda((2, 3), (3, 1), torch.float32) · reinterpret_tensor(b, (2, 3), (3, 1), 4) · FixedLayout(…)\n"
    "shape=(3, 4), strides=(32, 8), dtype=float64   (NumPy: bytes) · (3, 4), strides (4, 1) elements\n"
    "DLTensor(shape=[3, 4], strides=[4, 1], byte_offset=0) · ne=[4, 3], nb=[2, 8]   (ggml: bytes, ne[0] is last)\n"
    "memref<2x3xf32, strided<[1, 4], offset: 2>> · size=(2, 3, 4, 5), memory_format=channels_last\n"
    "  and steps: torch.arange(6).view(2, 3).t()[1:] · size=(4, 1), stride=(1, 1).expand(4, 3) · .contiguous()\n"
    "  integers may be arithmetic, and names stand for sizes; the tensor has the sizes of the text";

template <class N>
std::optional<Error> wrong_tensor(const Said<N>& said, const map::BasicTensor<N>& tensor) {
  if (said.type && *said.type != tensor.type)
    return Error{ErrorCode::Value, fmt::format("the text states elements of {}, the tensor has {}",
                                               map::name(*said.type), map::name(tensor.type))};
  const auto same = [](const N& a, const N& b) { return is_same(a, b); };
  if (!std::ranges::equal(said.view.size, tensor.size, same))
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor is {}, and the text says {}", words(tensor.size), words(said.view.size))};
  if (tensor.box.size() > 1 || (!tensor.box.empty() && tensor.box.front().axis != map::kMemoryAxis))
    return Error{ErrorCode::Box, "a strided view has the one axis m"};
  return std::nullopt;
}

// Where the lowest place of names is, is not known.
std::optional<Error> may_be_negative(std::string_view, Index) { return std::nullopt; }
std::optional<Error> may_be_negative(std::string_view what, const map::Expression& number) {
  if (map::is_never_negative(number)) return std::nullopt;
  return Error{ErrorCode::Value,
               fmt::format("the {} {} may be below 0; expected one that by its form is not", what, words(number))};
}

struct Strided {
  // Each dimension is a number of its own, with one digit.
  template <class N>
  static Result<map::Blueprint<N>> blueprint(use::Numbers<N>& text, const map::BasicTensor<N>& tensor) {
    const Said<N> said = take_said(text, tensor.type);
    if (said.wrong) return *said.wrong;
    if (auto wrong = wrong_tensor(said, tensor)) return *wrong;
    const View<N>& view = said.view;
    map::Blueprint<N> out;
    out.named_axes = true;
    out.logical = view.size;
    map::BasicPlace<N>& place = out.places.emplace_back();
    place.name = map::kMemoryAxis;
    place.constant = view.offset;
    if (auto wrong = may_be_negative("offset", view.offset)) return *wrong;
    map::Reach<N> reach(view.offset);
    for (std::size_t k = 0; k < view.size.size(); ++k) {
      out.strides.emplace_back(1);
      out.numbers.push_back({{k}, 1, {}});
      out.levels.push_back({1, view.size[k]});
      place.terms.push_back({k, view.stride[k]});
      const bool empty = known(view.size[k]) == 0;
      if (!reach.add(view.stride[k], empty ? N(1) : view.size[k]))
        return Error{ErrorCode::Overflow, "places beyond 64 bits"};
      if (auto wrong = may_be_negative("stride", view.stride[k])) return *wrong;
    }
    const auto span = reach.span();
    if (!span) return Error{ErrorCode::Overflow, "places beyond 64 bits"};
    if (const auto low = reach.below_0())
      return Error{ErrorCode::Value, fmt::format("the lowest place is {}, and the storage begins at 0; state with "
                                                 "storage_offset where element 0 lies",
                                                 *low)};
    if (!tensor.box.empty()) out.fits.push_back(*span);
    reach.add_fits(out.fits);
    place.filled = place.extent = tensor.box.empty() ? *span : N(tensor.box.front().extent);
    return out;
  }
};

}  // namespace

[[nodiscard]] const use::Family& family();
const use::Family& family() {
  static constexpr use::Family kFamily{.name = "strided",
                                       .forms = kForms,
                                       .default_claims = use::kNotationClaims,
                                       .recognises = strided::recognises,
                                       .read = use::read_notation<Strided, Index>,
                                       .read_rule = use::read_notation<Strided, map::Expression>,
                                       .text_at = use::notation_at<Strided>,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::strided
