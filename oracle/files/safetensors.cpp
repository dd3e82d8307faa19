#include "oracle/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "oracle/files/io_error.h"

namespace vl::oracle {
namespace {

using nlohmann::json;
using Span = std::span<const std::byte>;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kLengthBytes = 8;

/// The header's statement about one tensor, before it is checked.
struct Entry {
  std::string name;
  std::string dtype;
  std::vector<Index> shape;
  std::vector<Index> offsets;
  std::set<std::string> keys;
};

/// Takes the header while it is parsed; a value in a wrong place, or a repeated key, ends the parsing. A document
/// object model would keep only the last of two equal keys. Levels: 1 the header, 2 a tensor or the metadata, 3 a list
/// in it.
class Reader final : public json::json_sax_t {
 public:
  std::vector<Entry> entries;
  std::optional<std::vector<std::pair<std::string, std::string>>> metadata;
  std::string problem;

  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("a truth value"); }
  bool number_float(number_float_t, const string_t& text) override { return value(text); }
  bool binary(binary_t&) override { return value("binary data"); }
  bool number_integer(number_integer_t number) override { return integer(number); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<number_unsigned_t>(std::numeric_limits<Index>::max()))
      return fail(fmt::format("the number {} does not fit in 64 bits", number));
    return integer(static_cast<Index>(number));
  }
  bool string(string_t& text) override {
    if (level_ == 2 && in_metadata_) {
      metadata->emplace_back(key_, std::move(text));
      return true;
    }
    if (level_ != 2 || key_ != "dtype") return value(fmt::format("\"{}\"", text));
    entries.back().dtype = std::move(text);
    return true;
  }
  bool start_object(std::size_t) override {
    if (level_ >= 2) return value("an object");
    if (++level_ < 2) return true;
    if (in_metadata_) metadata.emplace();
    else entries.push_back(Entry{std::move(key_), {}, {}, {}, {}});
    return true;
  }
  bool key(string_t& text) override {
    if (level_ == 2 && !in_metadata_) {
      if (text != "dtype" && text != "shape" && text != "data_offsets")
        return fail(fmt::format("tensor '{}' has the unknown key '{}'; expected dtype, shape and data_offsets",
                                entries.back().name, text));
      if (!entries.back().keys.insert(text).second)
        return fail(fmt::format("tensor '{}' has the key '{}' twice", entries.back().name, text));
    } else if (!(level_ == 1 ? names_ : words_).insert(text).second) {
      return fail(fmt::format("the key '{}' is there twice", text));
    }
    if (level_ == 1) in_metadata_ = text == kMetadata;
    key_ = std::move(text);
    return true;
  }
  bool end_object() override {
    if (level_-- == 2 && !in_metadata_ && entries.back().keys.size() != 3)
      return fail(fmt::format("tensor '{}' has only the keys {}; expected dtype, shape and data_offsets",
                              entries.back().name, fmt::join(entries.back().keys, ", ")));
    return true;
  }
  bool start_array(std::size_t) override {
    if (level_ != 2 || in_metadata_ || (key_ != "shape" && key_ != "data_offsets")) return value("a list");
    ++level_;
    return true;
  }
  bool end_array() override {
    --level_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    return fail(fmt::format("the header is not JSON at byte {}: {}", position, error.what()));
  }

 private:
  bool fail(std::string message) {
    problem = std::move(message);
    return false;
  }
  bool value(std::string_view what) {
    if (level_ == 0) return fail("the header is not a JSON object");
    if (level_ == 1) return fail(fmt::format("'{}' is {}; expected an object", key_, what));
    if (in_metadata_) return fail(fmt::format("the metadata's '{}' is {}; expected a string", key_, what));
    const std::string_view expected = key_ == "dtype" ? "a string" : level_ == 2 ? "a list" : "whole numbers";
    return fail(
        fmt::format("tensor '{}': '{}' is or holds {}; expected {}", entries.back().name, key_, what, expected));
  }
  bool integer(Index number) {
    if (level_ != 3) return value(std::to_string(number));
    (key_ == "shape" ? entries.back().shape : entries.back().offsets).push_back(number);
    return true;
  }

  int level_ = 0;
  bool in_metadata_ = false;
  std::string key_;
  std::set<std::string> names_, words_;
};

/// An entry and its data. Of a dtype that is unknown, the data is as long as the offsets say.
struct Located {
  Entry entry;
  std::optional<Dtype> dtype;
  Span own;
};

/// The place of an entry, if it lies within the data.
Result<Located> locate(Entry entry, Span data) {
  const auto wrong = [&](const std::string& what) { return io(fmt::format("tensor '{}': {}", entry.name, what)); };
  const auto dtype = dtype_of_safetensors(entry.dtype);
  if (entry.offsets.size() != 2) return wrong(fmt::format("{} data_offsets; expected 2", entry.offsets.size()));
  const Index begin = entry.offsets[0], end = entry.offsets[1];
  const auto bytes = array_bytes(dtype.value_or(Dtype{}), entry.shape);
  if (!bytes) return wrong(fmt::format("the shape [{}] does not fit in 64 bits", fmt::join(entry.shape, ",")));
  if (begin < 0 || end < begin || static_cast<std::size_t>(end) > data.size())
    return wrong(fmt::format("the data_offsets [{},{}] leave the {} bytes of data", begin, end, data.size()));
  const auto length = static_cast<std::size_t>(end - begin);
  if (dtype && length != *bytes)
    return wrong(fmt::format("{} of shape [{}] needs {} bytes, its data_offsets give {}", entry.dtype,
                             fmt::join(entry.shape, ","), *bytes, length));
  return Located{std::move(entry), dtype, data.subspan(static_cast<std::size_t>(begin), length)};
}

std::optional<Error> check_cover(std::span<const Located> sorted, Span data) {
  const std::byte* at = data.data();
  for (const Located& tensor : sorted) {
    if (tensor.own.data() != at)
      return io(fmt::format("tensor '{}' starts at {}; expected {}, where the one before it ends", tensor.entry.name,
                            tensor.own.data() - data.data(), at - data.data()));
    at += tensor.own.size();
  }
  if (at != data.data() + data.size())
    return io(fmt::format("{} bytes of data belong to no tensor", data.data() + data.size() - at));
  return std::nullopt;
}

/// A copy of the header's text, which cannot change while it is parsed; `data` becomes the bytes behind it.
Result<std::string> header_of(Span file, Span& data) {
  if (file.size() < kLengthBytes)
    return io(fmt::format("the file has {} bytes; a safetensors file starts with 8 bytes of its header's length",
                          file.size()));
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
  if (length > kMostSafetensorsHeader)
    return io(fmt::format("the header has {} bytes; expected at most {}", length, kMostSafetensorsHeader));
  const Span rest = file.subspan(kLengthBytes);
  if (length > rest.size()) return io(fmt::format("the header has {} bytes, but only {} follow", length, rest.size()));
  data = rest.subspan(length);
  std::string text(reinterpret_cast<const char*>(rest.data()), length);
  if (!text.starts_with('{')) return io("the header is not a JSON object: it does not start with '{'");
  text.resize(text.find_last_not_of(' ') + 1);
  // For the parser a zero byte would be the end of the text.
  if (text.find('\0') != std::string::npos) return io("the header is not JSON: it has a zero byte");
  return text;
}

/// Everything that a file says; the tensors in the order of their data.
struct Parsed {
  std::vector<Located> tensors;
  std::optional<std::vector<std::pair<std::string, std::string>>> metadata;
};

Result<Parsed> parse_all(Span file) {
  Span data;
  const auto text = header_of(file, data);
  if (!text) return text.error();
  Reader reader;
  if (!json::sax_parse(text->begin(), text->end(), &reader)) return io(reader.problem);
  Parsed all;
  all.metadata = std::move(reader.metadata);
  for (Entry& entry : reader.entries) {
    auto tensor = locate(std::move(entry), data);
    if (!tensor) return tensor.error();
    all.tensors.push_back(std::move(*tensor));
  }
  std::ranges::sort(all.tensors, {}, [](const Located& t) {
    return std::tuple(t.own.data(), t.own.size(), std::string_view(t.entry.name));
  });
  if (auto error = check_cover(all.tensors, data)) return *error;
  return all;
}

/// The bytes of one element: of an unknown dtype, what the length and the shape give, if that can align anything.
std::size_t unit_of(const Located& tensor) {
  if (tensor.dtype) return tensor.dtype->bytes;
  const std::size_t elements = *array_bytes(Dtype{}, tensor.entry.shape);
  const std::size_t unit = elements > 0 && tensor.own.size() % elements == 0 ? tensor.own.size() / elements : 1;
  return std::has_single_bit(unit) ? unit : 1;
}

std::string entry_text(std::string_view name, std::string_view dtype, std::span<const Index> shape, std::size_t begin,
                       std::size_t bytes) {
  return fmt::format(R"({}:{{"dtype":{},"shape":[{}],"data_offsets":[{},{}]}})", json(name).dump(), json(dtype).dump(),
                     fmt::join(shape, ","), begin, begin + bytes);
}

std::string metadata_text(std::span<const std::pair<std::string, std::string>> metadata) {
  std::vector<std::string> words;
  for (const auto& [key, value] : metadata) words.push_back(fmt::format("{}:{}", json(key).dump(), json(value).dump()));
  return fmt::format(R"("{}":{{{}}})", kMetadata, fmt::join(words, ","));
}

}  // namespace

Result<std::vector<NamedTensor>> parse_safetensors(Span file) {
  auto all = parse_all(file);
  if (!all) return all.error();
  std::vector<NamedTensor> tensors;
  for (Located& tensor : all->tensors) {
    if (!tensor.dtype)
      return io(fmt::format("tensor '{}': the dtype '{}' is not supported", tensor.entry.name, tensor.entry.dtype));
    tensors.push_back({std::move(tensor.entry.name), {*tensor.dtype, std::move(tensor.entry.shape), tensor.own}});
  }
  return tensors;
}

Result<SafetensorsFrame> safetensors_frame(std::string_view name, Dtype dtype, std::span<const Index> shape,
                                           std::optional<Span> older) {
  VL_CHECK(is_tensor_name(name) && array_bytes(dtype, shape), "a tensor that a file can hold");
  auto all = older ? parse_all(*older) : Result<Parsed>(Parsed{});
  if (!all) return all.error();
  std::erase_if(all->tensors, [&](const Located& tensor) { return tensor.entry.name == name; });
  std::ranges::stable_sort(all->tensors, std::greater<>(), unit_of);
  SafetensorsFrame frame;
  std::vector<std::string> entries;
  std::size_t at = 0, begin = 0;
  if (all->metadata) entries.push_back(metadata_text(*all->metadata));
  const auto add_own = [&] {
    begin = at;
    entries.push_back(entry_text(name, safetensors_name(dtype), shape, at, *array_bytes(dtype, shape)));
    at += *array_bytes(dtype, shape);
  };
  bool added = false;
  for (const Located& tensor : all->tensors) {
    if (!added && unit_of(tensor) <= dtype.bytes) {
      add_own();
      added = true;
    }
    (added ? frame.behind : frame.before).push_back(tensor.own);
    entries.push_back(entry_text(tensor.entry.name, tensor.entry.dtype, tensor.entry.shape, at, tensor.own.size()));
    at += tensor.own.size();
  }
  if (!added) add_own();
  std::string text = fmt::format("{{{}}}", fmt::join(entries, ","));
  const std::size_t front = kLengthBytes + text.size() + (begin % 8 == 0 ? begin : 0);
  text.append((64 - front % 64) % 64, ' ');
  if (text.size() > kMostSafetensorsHeader)
    return io(fmt::format("the header has {} bytes; expected at most {}", text.size(), kMostSafetensorsHeader));
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    frame.header += static_cast<char>(std::uint64_t{text.size()} >> 8 * i & 0xff);
  frame.header += text;
  return frame;
}

bool is_tensor_name(std::string_view name) {
  // JSON is UTF-8: the library throws for other bytes, and to replace them would change the name.
  return !name.empty() && name != kMetadata &&
         json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>() == name;
}

}  // namespace vl::oracle
