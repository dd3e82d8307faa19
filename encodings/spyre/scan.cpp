#include "encodings/spyre/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/spyre/rule_text.h"
#include "encodings/spyre/scan_host.h"
#include "encodings/spyre/spyre.h"
#include "encodings/use/clip.h"

namespace vl::spyre {
namespace {

using use::Clip;
using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 4> kAnchors = {{{"SpyreTensorLayout", '(', false},
                                                  {"TensorArg", '(', false},
                                                  {"device_size", '[', true},
                                                  {"parametrize", '(', false}}};

constexpr int kMostComments = 32;  // lines of them in a table

// A test of torch-spyre slices its tensor first: ([120], [1], [1, 64], [64, 1]) is right there, for f16[60].
constexpr std::string_view kRow =
    "it is a row of a table: the code below it says of which tensor, which need not have the row's sizes";
constexpr std::string_view kNoMap =
    "it has a device_size and neither a stride_map nor a dim_map, so it does not say where elements live";

// The first name that stands where a list, a number or a dtype is needed; empty if there is none.
std::string_view unknown_name(std::string_view call) {
  static constexpr std::array<std::string_view, 5> kPlain = {"True", "False", "None", "get_device_dtype", "torch"};
  for (std::size_t at = call.find('(') + 1; at < call.size();) {
    if (!use::is_word(call[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < call.size() && (use::is_word(call[end]) || call[end] == '.')) ++end;
    const std::string_view name = call.substr(at, end - at);
    const std::size_t next = std::min(call.find_first_not_of(' ', end), call.size());
    const bool keyword = next < call.size() && call[next] == '=' && !call.substr(next).starts_with("==");
    const bool enumerator = name.find("DataFormats.") != std::string_view::npos || name.starts_with("StickFormat.") ||
                            name.find("ElementArrangement.") != std::string_view::npos || name.starts_with("SEN") ||
                            name.starts_with("IEEE_") || stated_type(name) || device_format_of_torch(name);
    const bool number = name[0] >= '0' && name[0] <= '9';
    if (!keyword && !enumerator && !number && std::ranges::find(kPlain, name) == kPlain.end()) return name;
    at = end;
  }
  return {};
}

// Says why a text that does not parse is not simply wrong; if it is, its reading gives the error.
void leave(Found& found, std::string_view call) {
  if (use::is_abbreviated(call))
    return use::leave_unread(found, use::kAbbreviated, "the text is abbreviated: '...' stands for a part of it");
  if (const std::string_view name = unknown_name(call); !name.empty())
    return use::leave_unread(found, use::kUnboundNames,
                             fmt::format("'{}' is a name, not a number or a list of numbers", name));
  if (const std::size_t sign = call.find_first_of("*+/%"); sign != std::string_view::npos)
    return use::leave_unread(found, use::kOtherNotation,
                             fmt::format("'{}' is arithmetic; only numbers are read", call[sign]));
  found.tensor = "f16[1]";
}

// The type whose device format a layout has, for a text that states none.
std::optional<map::ElementType> type_of_format(std::string_view format) {
  using FormatRow = std::pair<std::string_view, map::ElementType>;
  for (const auto& [name, type] :
       {FormatRow{"SEN169_FP16", map::ElementType::F16}, FormatRow{"IEEE_FP32", map::ElementType::F32},
        FormatRow{"IEEE_INT32", map::ElementType::I32}, FormatRow{"IEEE_INT64", map::ElementType::I64},
        FormatRow{"SENINT8", map::ElementType::I8}, FormatRow{"SENUINT32", map::ElementType::U8},
        FormatRow{"SENINT16", map::ElementType::I16}, FormatRow{"SEN143_FP8", map::ElementType::F8E4M3},
        FormatRow{"SEN152_FP8", map::ElementType::F8E5M2}, FormatRow{"SENINT4", map::ElementType::I4},
        FormatRow{"BFLOAT16", map::ElementType::Bf16}, FormatRow{"BOOL", map::ElementType::Bool}})
    if (name == format) return type;
  return std::nullopt;
}

std::string listed(std::span<const map::Expression> list) {
  std::string out;
  for (const map::Expression& one : list) out += fmt::format("{}{}", out.empty() ? "" : ",", map::print(one));
  return out;
}

// The tensor that is stated around a layout; `type` is the layout's own where nothing else is said. Its names are
// added.
void state_host(Found& found, const StatedHost& host, std::optional<map::ElementType> type) {
  if (host.type) type = host.type;
  if (!type) return;
  found.tensor = fmt::format("{}[{}]", map::name(*type), listed(host.size));
  if (host.strides) found.strides = listed(*host.strides);
  found.storage_offset = host.offset;
  for (const auto* list : {&host.size, host.strides ? &*host.strides : nullptr})
    if (list != nullptr)
      for (const map::Expression& one : *list) map::add_names(one, found.names);
}

// The tensor of a layout that was read from its cleaned text: what a call that takes both says, else the constructor's
// own, else what stands around it.
void state_tensor(Found& found, const SpyreTensorLayout& layout, const Passage& passage) {
  auto type = type_of_format(layout.device_dtype.name);
  const std::size_t torch = found.layout.find("torch.");
  if (const auto stated =
          torch == std::string::npos ? std::nullopt : stated_type(std::string_view(found.layout).substr(torch)))
    type = stated;
  const auto take = [&](const std::optional<StatedHost>& host) {
    Found stated = found;
    if (host) state_host(stated, *host, type);
    // A host with names says nothing of a layout of numbers.
    if (!stated.tensor || !stated.names.empty()) return false;
    found = std::move(stated);
    return true;
  };
  const std::size_t end = found.offset + found.length;
  if (!layout.host_size) {
    take(stated_host(passage.text, found.offset, end, passage.definitions));
    return;
  }
  if (take(host_of_call(passage.text, found.offset, end, passage.definitions))) return;
  if (type) found.tensor = fmt::format("{}[{}]", map::name(*type), fmt::join(*layout.host_size, ","));
  if (layout.host_strides) found.strides = fmt::format("{}", fmt::join(*layout.host_strides, ","));
}

// Reads the finding's text and fills the rest of it.
void read_found(Found& found, const Passage& passage) {
  const auto usual = device_format_of_torch("torch.float16");
  const auto layout = parse(found.layout, &*usual);
  if (layout) {
    state_tensor(found, *layout, passage);
    return;
  }
  if (auto rule = use::is_abbreviated(found.layout) ? std::nullopt : rule_says(found.layout)) {
    found.names = std::move(rule->names);
    const std::size_t end = found.offset + found.length;
    const auto host = host_of_call(passage.text, found.offset, end, passage.definitions);
    if (const auto type = host ? host->type : std::nullopt; rule->tensor && type) {
      state_host(found, *host, type);
    } else if (rule->tensor) {
      found.tensor = map::print(*rule->tensor);
      if (rule->tensor->strides) found.strides = listed(*rule->tensor->strides);
    } else if (const auto around = stated_host(passage.text, found.offset, end, passage.definitions)) {
      state_host(found, *around, type_of_format(rule->format));
    }
    return;
  }
  leave(found, found.layout);
}

std::vector<Found> call_at(const Passage& passage, std::string_view word) {
  if (use::is_declared(passage.text, passage.word)) return {};
  Clip clip(passage.text, passage.bracket);
  const bool closed = clip.take_brackets();
  const std::string_view inside = clip.text();
  const bool lists = inside.find('[') != std::string_view::npos && inside.find_first_of("0123456789") != inside.npos;
  Found found{passage.word,
              clip.offset() - passage.word,
              std::string(word) + use::bound(inside, passage.definitions),
              {},
              {},
              0,
              {}};
  if (!closed) {
    if (!lists || !clip.at_end()) return {};
    const std::string_view seen = passage.text.substr(passage.word, found.length);
    found.length = std::min(found.length, seen.find('\n'));  // what follows is not known to belong to it
    use::leave_unread(found, use::kUnclosed, "its parenthesis is not closed");
    return {found};
  }
  if (inside.find_first_not_of("() ") == std::string_view::npos) return {};
  if (word == "TensorArg") {
    if (inside.find("device_size") == std::string_view::npos) return {};
    if (inside.find("stride_map") == std::string_view::npos && inside.find("dim_map") == std::string_view::npos) {
      found.reason = kNoMap;
      return {found};
    }
  } else if (use::has_parameters(found.layout)) {
    return {};
  }
  read_found(found, passage);
  return {found};
}

// The name of a field and what separates it from its value; empty if something else is next.
std::string_view take_field(std::string_view text, std::size_t& at) {
  static constexpr std::array<std::string_view, 6> kFields = {"device_size",    "stride_map",    "dim_map",
                                                              "device_strides", "device_stride", "device_dtype"};
  std::size_t start = text.find_first_not_of(" \t\r\n,\"'", at);
  if (start == std::string_view::npos) return {};
  if (text.substr(start).starts_with("self.")) start += 5;
  for (const std::string_view field : kFields) {
    if (!text.substr(start).starts_with(field)) continue;
    const std::size_t value = text.find_first_not_of(" \t\"'", start + field.size());
    if (value == std::string_view::npos || (text[value] != '=' && text[value] != ':')) continue;
    at = std::min(text.find_first_not_of(" \t", value + 1), text.size());
    return field;
  }
  return {};
}

// device_size=[…], stride_map=[…][, device_dtype=…]: what follows the first field as long as fields follow.
std::vector<Found> fields_at(const Passage& passage) {
  Found found{passage.word, 0, {}, {}, {}, 0, {}};
  std::vector<std::string_view> seen;
  std::size_t at = passage.word;
  for (std::string_view field = take_field(passage.text, at); !field.empty(); field = take_field(passage.text, at)) {
    if (std::ranges::find(seen, field) != seen.end()) break;
    seen.push_back(field);
    Clip clip(passage.text, at);
    if (field == "device_dtype") static_cast<void>(clip.take_word());
    else if (clip.peek() != '[' || !clip.take_brackets()) break;
    std::string value = use::bound(clip.text(), passage.definitions);
    if (value.starts_with("torch.")) {
      const auto format = device_format_of_torch(value);
      if (format) value = fmt::format("DataFormats.{}", format->name);
    }
    if (value.empty()) break;
    found.layout += fmt::format("{}{}={}", found.layout.empty() ? "" : ", ", field, value);
    at = clip.offset();
    found.length = at - found.offset;
  }
  if (found.layout.find("stride_map") == std::string::npos && found.layout.find("dim_map") == std::string::npos)
    return {};
  const auto usual = device_format_of_torch("torch.float16");
  if (const auto layout = parse(found.layout, &*usual)) {
    state_tensor(found, *layout, passage);
    return {found};
  }
  leave(found, "(" + found.layout);
  return {found};
}

// The tuples of a table whose header names the columns.
class Table {
 public:
  Table(const Passage& passage, std::vector<Found>& out) : passage_(passage), out_(out) {}

  void read() {
    const std::string_view text = passage_.text.substr(0, passage_.bracket + use::kAhead);
    std::size_t at = text.find_first_not_of(" \t\r\n", passage_.bracket + 1);
    if (at == std::string_view::npos || (text[at] != '"' && text[at] != '\'')) return;
    const std::size_t close = text.find(text[at], at + 1);
    if (close == std::string_view::npos || close - at > 200 || !is_header(text.substr(at + 1, close - at - 1))) return;
    at = text.find_first_not_of(" \t\r\n,", close + 1);
    if (at == std::string_view::npos || text[at] != '[') return;
    ++at;
    for (int comments = 0;;) {
      at = text.find_first_not_of(" \t\r\n,", at);
      if (at == std::string_view::npos || (text[at] != '(' && text[at] != '#')) return;
      if (text[at] == '#') {
        if (++comments > kMostComments) return;
        at = text.find('\n', at);
        if (at == std::string_view::npos) return;
        continue;
      }
      Clip clip(text, at);
      if (!clip.take_brackets()) return;
      row(at, clip);
      at = clip.offset();
    }
  }

 private:
  // The columns of a tuple that parse() reads: sizes, strides, device_size[, dim_map], stride_map.
  static bool is_header(std::string_view header) {
    std::string names;
    for (const char c : header)
      if (c != ' ') names += c;
    for (const std::string_view size : {"sizes", "size", "shape", "host_size"})
      for (const std::string_view stride : {"strides", "stride", "host_stride", "host_strides"})
        for (const std::string_view map : {"stride_map", "dim_map,stride_map"})
          if (names == fmt::format("{},{},device_size,{}", size, stride, map)) return true;
    return false;
  }

  void row(std::size_t at, const Clip& clip) {
    Found found{at, clip.offset() - at, use::bound(clip.text(), passage_.definitions), {}, {}, 0, {}};
    const auto usual = device_format_of_torch("torch.float16");
    const auto layout = parse(found.layout, &*usual);
    if (!layout) {
      leave(found, found.layout);
    } else {
      found.reason = kRow;
    }
    out_.push_back(std::move(found));
  }

  const Passage& passage_;
  std::vector<Found>& out_;
};

std::vector<Found> found_at(const Passage& passage, const use::Anchor& anchor) {
  if (anchor.field) return fields_at(passage);
  if (anchor.word != "parametrize") return call_at(passage, anchor.word);
  std::vector<Found> out;
  Table(passage, out).read();
  return out;
}

}  // namespace

const use::Scan kScan{kAnchors, found_at, {}, {}, kHostCalls};

}  // namespace vl::spyre
