// The second way from texts to arrays: values are named by what they are and where they stand.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/reference_parts.h"

namespace vl::spyre::second {
namespace {

struct Format {
  std::string_view name;
  Index per_stick;  // elements in 128 bytes; 0: the format has no geometry
};

// What each device format fits into a stick.
constexpr Format kDeviceFormats[] = {
    {"SEN169_FP16", 64}, {"IEEE_FP32", 32},  {"SEN143_FP8", 128}, {"SEN152_FP8", 128}, {"SENINT8", 128},
    {"SENINT4", 256},    {"SENINT2", 512},   {"SENUINT2", 512},   {"SENINT16", 64},    {"IEEE_INT32", 32},
    {"SENUINT32", 32},   {"IEEE_INT64", 16}, {"BOOL", 128},       {"BFLOAT16", 64},    {"INVALID", 0},
    {"SEN153_FP9", 0},   {"SENINT24", 0},    {"SEN18F_FP24", 0},
};

// The same for PyTorch's types, by the device format that each becomes: int64 is narrowed to IEEE_INT32,
// uint8 becomes SENUINT32, bool and bfloat16 become SEN169_FP16.
constexpr Format kTorchTypes[] = {
    {"float16", 64},        {"half", 64},
    {"bfloat16", 64},       {"bool", 64},
    {"float32", 32},        {"float", 32},
    {"int32", 32},          {"int", 32},
    {"int64", 32},          {"long", 32},
    {"int16", 64},          {"short", 64},
    {"int8", 128},          {"qint8", 128},
    {"uint8", 32},          {"quint8", 32},
    {"float8_e4m3fn", 128}, {"float8_e5m2fnuz", 128},
    {"float8_e5m2", 128},   {"quint4x2", 512},
    {"quint2x4", 512},      {"float64", 0},
    {"double", 0},
};

std::optional<Index> per_stick_of(std::span<const Format> formats, std::string_view name) {
  for (const Format& format : formats)
    if (format.name == name) return format.per_stick;
  return std::nullopt;
}

bool is_type(std::string_view name) {
  return name.starts_with("torch.") || name.starts_with("DataFormats.") ||
         per_stick_of(kDeviceFormats, name).has_value();
}

// A value that carries its label, or whose kind tells what it is. `nested` are types in get_device_dtype(…).
std::optional<Error> say_word(Said& said, std::string_view label, std::string_view name, bool nested) {
  if (label == "dtype" || label == "device_dtype" || (label.empty() && is_type(name)))
    return say_type(said, name, nested || label == "device_dtype");
  const bool is_format = name.find("StickFormat.") != std::string_view::npos;
  if (label == "format" || (label.empty() && is_format)) said.old = true;
  else if (label == "element_arrangement" ||
           (label.empty() && (name.starts_with("ElementArrangement.") || said.per_stick >= 0)))
    said.words["arrangement"] = last_word(name);
  else if (label == "generation") said.words["generation"] = name;
  else if (label == "pad_all_dims" && (name == "True" || name == "False")) said.words["pad"] = name;
  else return wrong(fmt::format("{} {} is unknown", label, name));
  return std::nullopt;
}

std::optional<Error> say_list(Said& said, std::string_view label, const Indices& list) {
  static constexpr std::string_view kKnown[] = {"device_size", "stride_map", "dim_map",       "size",
                                                "strides",     "dim_order",  "device_strides"};
  if (label == "device_stride") label = "device_strides";
  if (std::ranges::find(kKnown, label) == std::end(kKnown)) return wrong(fmt::format("the field {} is unknown", label));
  if (!said.lists.emplace(label, list).second) return wrong(fmt::format("{} is there twice", label));
  return std::nullopt;
}

// The labels of a call's unlabelled lists, by how many there are and what they are of.
Result<std::vector<std::string_view>> labels_of(const Said& said, Shape shape, std::size_t before, std::size_t behind) {
  using Labels = std::vector<std::string_view>;
  const std::string_view generation = said.word("generation");
  if (shape == Shape::Tuple && before == 4) return Labels{"size", "strides", "device_size", "stride_map"};
  if (shape == Shape::Tuple && before == 5) return Labels{"size", "strides", "device_size", "dim_map", "stride_map"};
  if (shape != Shape::Layout && before + behind > 0) return wrong("lists without names");
  Labels labels;
  if (said.constructed) {
    if (before > 2 || behind > 1) return wrong("too many lists");
    if (before > 0) labels.emplace_back("size");
    if (before > 1) labels.emplace_back("strides");
    if (behind > 0) labels.emplace_back("dim_order");
    return labels;
  }
  const bool second_is_dims =
      said.old || said.list("dim_map") != nullptr || generation.starts_with("G0") || generation.starts_with("G1");
  if (before > 3 || behind > 0) return wrong("too many lists");
  if (before > 0) labels.emplace_back("device_size");
  if (before == 3) labels.emplace_back(said.old ? "device_strides" : "dim_map");
  if (before > 1)
    labels.emplace_back(before == 2 ? (second_is_dims ? "dim_map" : "stride_map")
                                    : (said.old ? "dim_map" : "stride_map"));
  return labels;
}

}  // namespace

std::optional<Error> say_type(Said& said, std::string_view name, bool asks_device) {
  if (said.per_stick >= 0) return wrong(fmt::format("a second type, {}", name));
  const bool torch = name.starts_with("torch.");
  said.constructed = torch && !asks_device;
  const std::string_view device = name.substr(name.starts_with("DataFormats.") ? 12 : 0);
  const auto per_stick = torch ? per_stick_of(kTorchTypes, name.substr(6)) : per_stick_of(kDeviceFormats, device);
  if (!per_stick || *per_stick == 0) return wrong(fmt::format("{} has no stick", name));
  said.per_stick = *per_stick;
  return std::nullopt;
}

Result<Said> say(const std::vector<Value>& values, Shape shape, std::string_view text) {
  Said said;
  std::vector<Indices> loose;
  std::size_t before = 0;
  for (const Value& value : values) {
    std::optional<Error> error;
    if (const auto* list = value.list()) {
      if (value.label.empty()) loose.push_back(*list);
      else error = say_list(said, value.label, *list);
      if (value.label.empty() && said.per_stick < 0) before = loose.size();
    } else if (const auto* name = value.name()) {
      const auto at = static_cast<std::size_t>(name->data() - text.data());
      error =
          say_word(said, value.label, *name, at > 0 && text[at - 1] == '(' && text.substr(0, at).ends_with("dtype("));
    } else if (const auto* flags = std::get_if<Flags>(&value.what)) {
      said.flags = *flags;
    } else if (std::holds_alternative<Index>(value.what)) {
      if (!value.label.empty() && value.label != "num_stick_dims") error = wrong("a number where a list should be");
      said.old = true;
    }
    if (error) return *error;
  }
  if (said.constructed && said.per_stick < 0) return wrong("there is no type");
  const auto labels = labels_of(said, shape, before, loose.size() - before);
  if (!labels) return labels.error();
  if (labels->size() != loose.size()) return wrong("lists without names");
  for (std::size_t i = 0; i < loose.size(); ++i)
    if (auto error = say_list(said, (*labels)[i], loose[i])) return *error;
  return said;
}

}  // namespace vl::spyre::second
