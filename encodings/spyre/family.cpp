// The family's entry in the registry: its own rules, and the notes for the reader of an answer.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/spyre/arrangement.h"
#include "encodings/spyre/convert.h"
#include "encodings/spyre/expression.h"
#include "encodings/spyre/nests_log.h"
#include "encodings/spyre/operation.h"
#include "encodings/spyre/samples.h"
#include "encodings/spyre/scan.h"

namespace vl::spyre {
namespace {

constexpr std::array<std::string_view, 6> kDefaultClaims = {"well-formed", "in-bounds",       "injective",
                                                            "bijective",   "offset-identity", "padding"};

std::vector<use::Rule> rules_of(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  std::vector<use::Rule> rules;
  rules.push_back({fmt::format("the last device dimension is one stick: {} elements of {}",
                               layout.device_dtype.elements_per_stick, layout.device_dtype.name),
                   layout.device_size.back(), layout.device_dtype.elements_per_stick});
  for (std::size_t host = 0; layout.stride_map.empty() && host < tensor.size.size(); ++host) {
    const bool named = std::ranges::find(layout.dim_map, static_cast<Index>(host)) != layout.dim_map.end();
    if (tensor.size[host] != 1)
      rules.push_back({fmt::format("dim_map names host dimension {} at least once", host), named ? 1 : 0, 1});
  }
  return rules;
}

// The PyTorch dtype of an element type; empty if there is none.
std::string_view torch_name(map::ElementType type) {
  switch (type) {
    case map::ElementType::Bool: return "bool";
    case map::ElementType::I8: return "int8";
    case map::ElementType::U8: return "uint8";
    case map::ElementType::I16: return "int16";
    case map::ElementType::I32: return "int32";
    case map::ElementType::I64: return "int64";
    case map::ElementType::F8E4M3: return "float8_e4m3fn";
    case map::ElementType::F8E5M2: return "float8_e5m2fnuz";
    case map::ElementType::F16: return "float16";
    case map::ElementType::Bf16: return "bfloat16";
    case map::ElementType::F32: return "float32";
    case map::ElementType::I4:
    case map::ElementType::U16:
    case map::ElementType::U32:
    case map::ElementType::F64:
    case map::ElementType::Bfp8:
    case map::ElementType::Bfp4: return {};
  }
  VL_CHECK(false, "unknown element type");
}

std::vector<std::string> notes_of(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  std::vector<std::string> notes = layout.notes;
  if (layout.host_size && *layout.host_size != tensor.size)
    notes.push_back(fmt::format("the constructor was given the size [{}], the tensor has [{}]",
                                fmt::join(*layout.host_size, ", "), fmt::join(tensor.size, ", ")));
  const auto usual = device_format_of_torch(torch_name(tensor.type));
  if (usual && usual->name != layout.device_dtype.name)
    notes.push_back(fmt::format("torch-spyre stores {} as {}; this layout says {}", map::name(tensor.type), usual->name,
                                layout.device_dtype.name));
  if (layout.host_strides && !tensor.strides) {
    const auto dense = map::dense_strides(tensor.size);
    if (dense && *dense != *layout.host_strides)
      notes.push_back(
          fmt::format("the constructor was given host strides [{}]; the tensor is taken as dense "
                      "row-major [{}] unless its strides are given too",
                      fmt::join(*layout.host_strides, ", "), fmt::join(*dense, ", ")));
  }
  if (!layout.stride_map.empty() && !layout.dim_map.empty())
    notes.emplace_back("stride_map decides; the dim_map beside it is not used");
  return notes;
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  auto expression = read_expression(text, tensor);
  if (!expression) return expression.error();
  const SpyreTensorLayout* parsed = &expression->layout;
  auto layout = lower(*parsed, tensor);
  if (!layout) return layout.error();
  std::vector<std::string> notes = std::move(expression->notes);
  std::ranges::move(notes_of(*parsed, tensor), std::back_inserter(notes));
  use::Reading reading{std::move(*layout),
                       rules_of(*parsed, tensor),
                       print(*parsed),
                       std::move(notes),
                       static_cast<int>(kStickBits / parsed->device_dtype.elements_per_stick),
                       {}};
  const auto arrangement = arrangement_of(*parsed, tensor);
  if (!parsed->unsupported.empty()) reading.what = use::Undecidable{parsed->unsupported};
  else if (const auto* why = std::get_if<std::string>(&arrangement)) reading.what = use::Undecidable{*why};
  return reading;
}

constexpr std::string_view kForms =
    "SpyreTensorLayout(device_size=[…], stride_map =[…], device_dtype=DataFormats.…)\n"
    "SpyreTensorLayout(device_size=[…], dim_map =[…], device_dtype=DataFormats.…)\n"
    "SpyreTensorLayout((5, 100, 150), torch.float16[, dim_order])\n"
    "SpyreTensorLayout((5, 100, 150), (15000, 150, 1), torch.float16, dim_order)   (a last -1 = sparse)\n"
    "LAYOUT.restickify(1) · LAYOUT.rescale(torch.float32[, extent=150]) · LAYOUT.resize((5, 100, 75))   (derived "
    "layouts)\n"
    "rescale_stl_for_dtype(LAYOUT, torch.float32, stick_extent=150)\n"
    "  older constructors: generation=G0, G0b, G1a, G1, G2draft or S3; pad_all_dims=True or [False, True, True]\n"
    "SpyreTensorLayout([…], [device_strides], [dim_map], 1, StickFormat.Dense)\n"
    "([sizes], [strides], [device_size], [dim_map,] [stride_map])\n"
    "device_size=[…], stride_map=[…]   (also with ':'; the type is the tensor's)\n"
    "TensorArg(device_size=[…], stride_map=[…], device_dtype=…, device_coordinates=…)";

constexpr std::array<std::string_view, 2> kNotations = {"dim_map", "stride_map"};

}  // namespace

Result<SpyreTensorLayout> read_for(std::string_view text, const map::Tensor& tensor) {
  const auto usual = device_format_of_torch(torch_name(tensor.type));
  return parse(text, usual ? &*usual : nullptr);
}

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "spyre",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = &spyre::recognises,
                                       .read = read,
                                       .judge = judge,
                                       .notations = kNotations,
                                       .convert = convert,
                                       .nests_log = &kNestsLog,
                                       .campaign = &kCampaign,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::spyre
