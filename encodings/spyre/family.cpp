// The family's entry in the registry: its own rules, and the warnings for the reader of an answer.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/spyre/arrangement.h"
#include "encodings/spyre/convert.h"
#include "encodings/spyre/expression.h"
#include "encodings/spyre/nests_log.h"
#include "encodings/spyre/operation.h"
#include "encodings/spyre/parts.h"
#include "encodings/spyre/rule_text.h"
#include "encodings/spyre/samples.h"
#include "encodings/spyre/scan.h"

namespace vl::spyre {
namespace {

constexpr std::array<std::string_view, 6> kDefaultClaims = {"well-formed", "in-bounds",       "injective",
                                                            "bijective",   "offset-identity", "padding"};

// Whether the tensor says itself that it is a view, and is one of the text's host: each of its dimensions walks along
// one of that host's. Example: f16[128,64] with strides 1,128 of (64, 128).
bool is_view(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  const auto dense = map::dense_strides(*layout.host_size);
  const auto strides = map::host_strides(tensor);
  if ((!tensor.strides && tensor.view_offset == 0) || !dense || !strides) return false;
  const std::vector<Index>& own = layout.host_strides ? *layout.host_strides : *dense;
  std::vector<bool> walked(own.size(), false);
  for (std::size_t d = 0; d < strides->size(); ++d) {
    if (tensor.size[d] == 1) continue;
    std::size_t h = 0;
    while (h < own.size() && (walked[h] || own[h] != (*strides)[d] || (*layout.host_size)[h] < tensor.size[d])) ++h;
    if (h == own.size()) return false;
    walked[h] = true;
  }
  return true;
}

// A constructor's own size is the tensor's: its rank, then every dimension. A view of the constructor's tensor has its
// own size.
void add_size_rules(const SpyreTensorLayout& layout, const map::Tensor& tensor, std::vector<use::Rule>& rules) {
  if (!layout.host_size || !layout.dim_order) return;
  const std::vector<Index>& own = *layout.host_size;
  if (own != tensor.size && is_view(layout, tensor)) return;
  const std::string both = fmt::format("the constructor's size [{}] and the tensor's size [{}]", fmt::join(own, ", "),
                                       fmt::join(tensor.size, ", "));
  rules.push_back({both + " have the same number of dimensions", static_cast<Index>(own.size()),
                   static_cast<Index>(tensor.size.size()), true});
  for (std::size_t d = 0; own.size() == tensor.size.size() && d < own.size(); ++d)
    rules.push_back({fmt::format("{} agree in dimension {}", both, d), own[d], tensor.size[d], true});
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

// A constructor's own type is stored as the tensor's: elements of as many bits, and in the same format. Derivations
// change the type.
void add_type_rule(const SpyreTensorLayout& layout, const map::Tensor& tensor, std::vector<use::Rule>& rules) {
  const auto usual = device_format_of_torch(torch_name(tensor.type));
  if (!layout.dim_order || !usual || usual->name == layout.device_dtype.name) return;
  const std::string both = fmt::format("the constructor's {} and the tensor's {}, stored as {},",
                                       layout.device_dtype.name, map::name(tensor.type), usual->name);
  const Index own = kStickBits / layout.device_dtype.elements_per_stick, of = kStickBits / usual->elements_per_stick;
  if (own != of) rules.push_back({both + " have elements of as many bits", own, of, true});
  else rules.push_back({both + " are one format", 0, 1, true});
}

std::vector<use::Rule> rules_of(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  std::vector<use::Rule> rules;
  add_size_rules(layout, tensor, rules);
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

// Torch-spyre's own type and host strides, where the text or the tensor says another.
void add_host_warnings(const SpyreTensorLayout& layout, const map::Tensor& tensor, std::vector<std::string>& out) {
  const auto usual = device_format_of_torch(torch_name(tensor.type));
  if (usual && usual->name != layout.device_dtype.name)
    out.push_back(fmt::format("torch-spyre stores {} as {}; this layout says {}", map::name(tensor.type), usual->name,
                              layout.device_dtype.name));
  if (layout.host_size && *layout.host_size != tensor.size) {
    if (!layout.dim_order || is_view(layout, tensor))  // else a rule says so
      out.push_back(fmt::format("the text gives the size [{}], the tensor has [{}]", fmt::join(*layout.host_size, ", "),
                                fmt::join(tensor.size, ", ")));
    return;
  }
  const auto strides = map::host_strides(tensor);
  if (!layout.host_strides || !strides || *strides == *layout.host_strides) return;
  out.push_back(tensor.strides ? fmt::format("the text gives the host strides [{}], the tensor has [{}]",
                                             fmt::join(*layout.host_strides, ", "), fmt::join(*strides, ", "))
                               : fmt::format("the text gives the host strides [{}]; the tensor is taken as "
                                             "dense row-major [{}] unless its strides are given too",
                                             fmt::join(*layout.host_strides, ", "), fmt::join(*strides, ", ")));
}

std::vector<std::string> warnings_of(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  std::vector<std::string> out = layout.notes;
  add_host_warnings(layout, tensor, out);
  const auto sticks = checked_product(std::span(layout.device_size).first(layout.device_size.size() - 1));
  if (tensor.size.empty() && sticks && *sticks > 1)
    out.push_back(fmt::format("the tensor {}[] has one element, and the layout has {} slots in {} sticks",
                              map::name(tensor.type), *sticks * layout.device_size.back(), *sticks));
  if (!layout.stride_map.empty() && !layout.dim_map.empty())
    out.emplace_back("stride_map decides; the dim_map beside it is not used");
  return out;
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  auto expression = read_expression(text, tensor);
  if (!expression) return expression.error();
  const SpyreTensorLayout* parsed = &expression->layout;
  auto layout = lower(*parsed, tensor);
  if (!layout) return layout.error();
  use::Reading reading{std::move(*layout),
                       rules_of(*parsed, tensor),
                       print(*parsed),
                       warnings_of(*parsed, tensor),
                       static_cast<int>(kStickBits / parsed->device_dtype.elements_per_stick),
                       {},
                       std::move(expression->notes)};
  reading.defined = std::move(expression->derived), reading.lawless = expression->lawless;
  reading.lanes = parsed->device_dtype.elements_per_stick;
  reading.unsized = unsized(parsed->device_size.back(), reading.lanes);
  if (reading.notes.empty()) add_type_rule(*parsed, tensor, reading.rules);  // without a derivation
  if (const values::Format* values = values_of(parsed->device_dtype)) reading.values = values->name;
  const auto arrangement = arrangement_of(*parsed, tensor);
  if (!parsed->unsupported.empty()) {
    reading.what = use::Undecidable{parsed->unsupported};
    reading.rules.clear();  // which rules hold for it, nobody has written down
  } else if (const auto* why = std::get_if<std::string>(&arrangement)) reading.what = use::Undecidable{*why};
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
                                       .read_rule = read_rule,
                                       .text_at = text_at,
                                       .judge = judge,
                                       .notations = kNotations,
                                       .convert = convert,
                                       .parts = &kParts,
                                       .nests_log = &kNestsLog,
                                       .campaign = &kCampaign,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::spyre
