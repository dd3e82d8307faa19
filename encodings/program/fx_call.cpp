#include "encodings/program/fx_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "encodings/base/words.h"
#include "encodings/notation/mlir_text.h"

namespace vl::program {
namespace {

using python::Kind;
using python::Node;

bool is_none(const Node& node) { return node.kind == Kind::Name && node.text == "None"; }

// An attribute in MLIR's notation; nothing where it is none.
std::optional<std::string> in_mlir(const Node& node) {
  if (node.kind == Kind::Number) return std::string(node.text);
  if (node.kind == Kind::String) return std::string(python::string_of(node).value_or(""));
  if (node.kind == Kind::Name && (node.text == "True" || node.text == "False"))
    return node.text == "True" ? "true" : "false";
  if (node.kind == Kind::Name && node.text == "inf") return "inf";
  if (node.kind != Kind::List && node.kind != Kind::Tuple) return std::nullopt;
  std::vector<std::string_view> parts;
  for (const Node& part : node.parts) {
    if (part.kind != Kind::Number || !part.key.empty()) return std::nullopt;
    parts.push_back(part.text);
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// A word of a row's arguments: what it is named there, and here, and what it is where it is not said.
struct Word {
  std::string_view name, key, otherwise;
  bool operand = false, last = false, optional = false, unused = false, fixed = false;

  explicit Word(std::string_view text) {
    operand = text.starts_with('@') || text.starts_with('^');
    last = text.starts_with('^');
    unused = text.starts_with('-');
    if (operand || unused) text.remove_prefix(1);
    optional = text.ends_with('?');
    if (optional) text.remove_suffix(1);
    if (const std::size_t at = text.find("=="); at != std::string_view::npos) {
      fixed = true, otherwise = text.substr(at + 2), text = text.substr(0, at);
    } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
      otherwise = text.substr(colon + 1), text = text.substr(0, colon);
    }
    const std::size_t arrow = text.find('>');
    name = text.substr(0, arrow);
    key = arrow == std::string_view::npos ? name : text.substr(arrow + 1);
  }
};

bool is_same(std::string_view a, std::string_view b) {
  return a == b || (a.ends_with(".0") && a.substr(0, a.size() - 2) == b);
}

}  // namespace

std::optional<FxNode> fx_node(const Node& value) {
  const Node& item = value.kind == Kind::Call && !value.parts.empty() ? value.parts[0] : value;
  if (item.kind != Kind::Item || item.parts.size() != 2 || item.parts[0].kind != Kind::Name) return std::nullopt;
  const Node& target = item.parts[1];
  if (target.key != "target") return std::nullopt;
  return FxNode{item.parts[0].text, target.text};
}

std::optional<FxCall> fx_call(const Node& value) {
  if (value.kind != Kind::Call) return std::nullopt;
  FxCall out;
  if (const auto node = fx_node(value)) {
    out.callee = node->target, out.called = &value.parts[0];
    out.whole = node->word == "call_function" && value.parts.size() == 3;
    const Node *args = python::argument(value, "args"), *named = python::argument(value, "kwargs");
    if (args == nullptr || named == nullptr || args->kind != Kind::Tuple || named->kind != Kind::Dict) {
      out.whole = false;
      for (const Node& part : value.parts) out.given.push_back(&part);
      return out;
    }
    for (const Node& part : args->parts) out.given.push_back(&part);
    for (std::size_t i = 0; i + 1 < named->parts.size(); i += 2) {
      const Node& key = named->parts[i];
      out.named.emplace_back(python::string_of(key).value_or(key.text), &named->parts[i + 1]);
    }
    out.whole = out.whole && named->parts.size() % 2 == 0;
    return out;
  }
  out.callee = value.parts[0].text, out.called = &value.parts[0];
  out.whole = value.parts[0].kind == Kind::Name;
  for (std::size_t i = 1; i < value.parts.size(); ++i) {
    const Node& part = value.parts[i];
    if (part.key.empty()) out.given.push_back(&part);
    else out.named.emplace_back(part.key, &part);
  }
  return out;
}

const std::string* FxBound::attribute(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, [](const auto& each) { return std::string_view(each.first); });
  return found == attributes.end() ? nullptr : &found->second;
}

void FxBound::set(std::string_view key, std::string value) {
  for (auto& [name, old] : attributes)
    if (name == key) return void(old = std::move(value));
  attributes.emplace_back(key, std::move(value));
}

std::string FxBound::slice(const std::optional<mlir::TensorType>& of) {
  const auto number = [&](const char* key, Index otherwise) -> std::optional<Index> {
    const std::string* said = attribute(key);
    if (said == nullptr) return otherwise;
    const auto found = mlir::integers_of(*said);
    return found && found->size() == 1 ? std::optional((*found)[0]) : std::nullopt;
  };
  auto axis = number("dim", 0);
  const Index rank = of ? static_cast<Index>(of->shape.size()) : 0;
  if (axis && *axis < 0) *axis += rank;
  if (!axis || *axis < 0 || *axis >= rank) return "a dimension that there is not";
  const Index size = of->shape[static_cast<std::size_t>(*axis)];
  for (const auto& [key, otherwise] : {std::pair("begin", Index{0}), std::pair("end", size)}) {
    const auto said = number(key, otherwise);
    if (!said) return "its part is not known";
    set(key, fmt::format("{}", std::clamp<Index>(*said < 0 ? *said + size : *said, 0, size)));
  }
  return {};
}

std::string FxBound::pad(const std::optional<mlir::TensorType>& of) {
  const std::string* said = attribute("padding");
  const auto pairs = said == nullptr ? std::nullopt : mlir::integers_of(*said);
  if (!of || !pairs || pairs->size() % 2 != 0 || pairs->size() > 2 * of->shape.size())
    return "its amounts are not known";
  std::vector<Index> all(2 * of->shape.size(), 0);
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const std::size_t axis = of->shape.size() - 1 - i / 2;
    all[2 * axis + i % 2] = (*pairs)[i];
  }
  set("padding", fmt::format("[{}]", fmt::join(all, ", ")));
  return {};
}

FxBound bound(const AtenRow& row, const FxCall& call) {
  FxBound out;
  if (!call.whole) return out.why = "its arguments cannot be read", out;
  std::vector<const Node*> last;
  std::vector<Index> segments;
  std::size_t next = 0, used = 0;
  bool by_name = false;
  for (const std::string_view text : words_of(row.arguments)) {
    if (text == "*") {
      by_name = true;
      continue;
    }
    if (text.starts_with('!')) {
      const std::size_t equals = text.find('=');
      out.attributes.emplace_back(text.substr(1, equals - 1), text.substr(equals + 1));
      continue;
    }
    const Word word(text);
    const auto said = std::ranges::find(call.named, word.name, [](const auto& each) { return each.first; });
    const Node* node = said == call.named.end() ? nullptr : said->second;
    used += node != nullptr ? 1 : 0;
    if (!by_name && next < call.given.size()) {
      if (node != nullptr) return out.why = fmt::format("its argument {} is given twice", word.name), out;
      node = call.given[next];
    }
    if (!by_name) ++next;
    if (word.operand) {
      const bool there = node != nullptr && !is_none(*node);
      segments.push_back(there ? 1 : 0);
      if (!there && !word.optional) return out.why = fmt::format("its argument {} is missing", word.name), out;
      if (!there) continue;
      auto& into = word.last ? last : out.operands;
      if (node->kind != Kind::List && node->kind != Kind::Tuple) into.push_back(node);
      else
        for (const Node& part : node->parts) into.push_back(&part);
      continue;
    }
    if (word.unused || node == nullptr || is_none(*node)) {
      if (!word.unused && !word.fixed && !word.otherwise.empty()) out.attributes.emplace_back(word.key, word.otherwise);
      continue;
    }
    auto value = in_mlir(*node);
    if (!value || (word.fixed && !is_same(*value, word.otherwise)))
      return out.why = fmt::format("its argument {} is not known", word.name), out;
    if (!word.fixed) out.attributes.emplace_back(word.key, std::move(*value));
  }
  if (next < call.given.size() || used < call.named.size())
    return out.why = "it has an argument that is not known", out;
  out.operands.insert(out.operands.end(), last.begin(), last.end());
  if (row.row.form == Form::Norm) {
    segments.resize(3);
    out.attributes.emplace_back("operandSegmentSizes", fmt::format("[{}]", fmt::join(segments, ", ")));
    if (out.attribute("epsilon") == nullptr) out.why = "its epsilon is not said";
  }
  return out;
}

std::string fx_type(std::string_view annotation) {
  if (const std::size_t quote = annotation.find_first_of("\"'"); quote != std::string_view::npos) {
    const std::size_t end = annotation.find(annotation[quote], quote + 1);
    if (end == std::string_view::npos) return {};
    annotation = annotation.substr(quote + 1, end - quote - 1);
  }
  constexpr std::array kTypes =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"f32", "f32"},
                                                                    {"f16", "f16"},
                                                                    {"bf16", "bf16"},
                                                                    {"f64", "f64"},
                                                                    {"b8", "i1"},
                                                                    {"i8", "i8"},
                                                                    {"u8", "ui8"},
                                                                    {"i16", "i16"},
                                                                    {"i32", "i32"},
                                                                    {"i64", "i64"},
                                                                    {"u16", "ui16"},
                                                                    {"u32", "ui32"},
                                                                    {"u64", "ui64"},
                                                                    {"f8e4m3fn", "f8E4M3FN"},
                                                                    {"f8e5m2", "f8E5M2"},
                                                                    {"f8e4m3fnuz", "f8E4M3FNUZ"},
                                                                    {"f8e5m2fnuz", "f8E5M2FNUZ"}});
  const std::size_t open = annotation.find('['), close = annotation.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const std::string_view name = mlir::trimmed(annotation.substr(0, open));
  const auto type = std::ranges::find(kTypes, name, [](const auto& each) { return each.first; });
  const auto sizes = mlir::integers_of(annotation.substr(open, close + 1 - open));
  if (type == kTypes.end() || !sizes || std::ranges::any_of(*sizes, [](Index size) { return size < 0; })) return {};
  std::string out = "tensor<";
  for (const Index size : *sizes) out += fmt::format("{}x", size);
  return out + std::string(type->second) + ">";
}

bool has_number(std::string_view element, std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return number == "true" || number == "false";
  if (!element.starts_with("f8") && element != "f16" && element != "bf16") return true;
  if (value == 0 || std::abs(value) == 1) return true;
  if (element.starts_with("f8")) return false;
  if (std::isinf(value)) return true;
  const int digits = element == "f16" ? 11 : 8, largest = element == "f16" ? 16 : 128,
            smallest = element == "f16" ? -24 : -133;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const double last = std::ldexp(mantissa, std::min(digits, exponent - smallest));
  return exponent <= largest && exponent > smallest && last == std::floor(last);
}

bool is_foreign(const FxCall& call) {
  return !call.callee.starts_with("torch.ops.aten.") && !call.callee.starts_with("torch.ops.prims.");
}

bool may_write(const FxCall& call) {
  if (is_foreign(call)) return true;
  const std::string_view name = call.callee.substr(call.callee.find('.', std::string_view("torch.ops.").size()) + 1);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return true;
  const std::string_view base = name.substr(0, dot), overload = name.substr(dot + 1);
  const bool dunder = base.starts_with("__") && base.ends_with("__");
  if (dunder ? base.starts_with("__i") : base.ends_with('_')) return true;
  if (overload.find("out") != std::string_view::npos) return true;
  if (std::ranges::any_of(call.named,
                          [](const auto& each) { return each.first.find("out") != std::string_view::npos; }))
    return true;
  // Those that write running statistics, noise or weights, whatever their names.
  constexpr std::array<std::string_view, 8> kWriting{"batch_norm",   "instance_norm", "rrelu",    "_rnn",
                                                     "fused_moving", "_foreach",      "set_data", "resize"};
  return std::ranges::any_of(kWriting,
                             [&](std::string_view part) { return base.find(part) != std::string_view::npos; });
}

}  // namespace vl::program
