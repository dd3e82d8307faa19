#include "oracle/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
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
    if (level_ == 2 && in_metadata_) return true;
    if (level_ != 2 || key_ != "dtype") return value(fmt::format("\"{}\"", text));
    entries.back().dtype = std::move(text);
    return true;
  }
  bool start_object(std::size_t) override {
    if (level_ >= 2) return value("an object");
    if (++level_ == 2 && !in_metadata_) entries.push_back(Entry{std::move(key_), {}, {}, {}, {}});
    return true;
  }
  bool key(string_t& text) override {
    if (level_ == 2 && !in_metadata_) {
      if (text != "dtype" && text != "shape" && text != "data_offsets")
        return fail(fmt::format("tensor '{}' has the unknown key '{}'; expected dtype, shape and data_offsets",
                                entries.back().name, text));
      if (!entries.back().keys.insert(text).second)
        return fail(fmt::format("tensor '{}' has the key '{}' twice", entries.back().name, text));
    } else if (!(level_ == 1 ? names_ : metadata_).insert(text).second) {
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
  std::set<std::string> names_, metadata_;
};

/// The tensor of an entry, if it lies within the data.
Result<NamedTensor> tensor_of(Entry entry, Span data) {
  const auto wrong = [&](const std::string& what) { return io(fmt::format("tensor '{}': {}", entry.name, what)); };
  const auto dtype = dtype_of_safetensors(entry.dtype);
  if (!dtype) return wrong(fmt::format("the dtype '{}' is not supported", entry.dtype));
  if (entry.offsets.size() != 2) return wrong(fmt::format("{} data_offsets; expected 2", entry.offsets.size()));
  const Index begin = entry.offsets[0], end = entry.offsets[1];
  const auto bytes = array_bytes(*dtype, entry.shape);
  if (!bytes) return wrong(fmt::format("the shape [{}] does not fit in 64 bits", fmt::join(entry.shape, ",")));
  if (begin < 0 || end < begin || static_cast<std::size_t>(end) > data.size())
    return wrong(fmt::format("the data_offsets [{},{}] leave the {} bytes of data", begin, end, data.size()));
  if (static_cast<std::size_t>(end - begin) != *bytes)
    return wrong(fmt::format("{} of shape [{}] needs {} bytes, its data_offsets give {}", entry.dtype,
                             fmt::join(entry.shape, ","), *bytes, end - begin));
  const Span own = data.subspan(static_cast<std::size_t>(begin), *bytes);
  return NamedTensor{std::move(entry.name), {*dtype, std::move(entry.shape), own}};
}

std::optional<Error> check_cover(std::span<const NamedTensor> sorted, Span data) {
  const std::byte* at = data.data();
  for (const NamedTensor& tensor : sorted) {
    if (tensor.array.data.data() != at)
      return io(fmt::format("tensor '{}' starts at {}; expected {}, where the one before it ends", tensor.name,
                            tensor.array.data.data() - data.data(), at - data.data()));
    at += tensor.array.data.size();
  }
  if (at != data.data() + data.size())
    return io(fmt::format("{} bytes of data belong to no tensor", data.data() + data.size() - at));
  return std::nullopt;
}

/// The header's text; `data` becomes the bytes behind it.
Result<std::string_view> header_of(Span file, Span& data) {
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
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), length);
  if (!text.starts_with('{')) return io("the header is not a JSON object: it does not start with '{'");
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

Result<std::vector<NamedTensor>> parse_safetensors(Span file) {
  Span data;
  const auto text = header_of(file, data);
  if (!text) return text.error();
  // For the parser a zero byte would be the end of the text.
  if (text->find('\0') != std::string_view::npos) return io("the header is not JSON: it has a zero byte");
  Reader reader;
  if (!json::sax_parse(text->begin(), text->end(), &reader)) return io(reader.problem);
  std::vector<NamedTensor> tensors;
  for (Entry& entry : reader.entries) {
    auto tensor = tensor_of(std::move(entry), data);
    if (!tensor) return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  std::ranges::sort(tensors, {}, [](const NamedTensor& t) {
    return std::tuple(t.array.data.data(), t.array.data.size(), std::string_view(t.name));
  });
  if (auto error = check_cover(tensors, data)) return *error;
  return tensors;
}

std::string safetensors_header(std::string_view name, Dtype dtype, std::span<const Index> shape) {
  VL_CHECK(is_tensor_name(name) && array_bytes(dtype, shape), "a tensor that a file can hold");
  std::string text = fmt::format(R"({{{}:{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})", json(name).dump(),
                                 safetensors_name(dtype), fmt::join(shape, ","), *array_bytes(dtype, shape));
  text.append((64 - (kLengthBytes + text.size()) % 64) % 64, ' ');
  std::string out;
  for (std::size_t i = 0; i < kLengthBytes; ++i) out += static_cast<char>(std::uint64_t{text.size()} >> 8 * i & 0xff);
  return out + text;
}

bool is_tensor_name(std::string_view name) {
  // JSON is UTF-8: the library throws for other bytes, and to replace them would change the name.
  return !name.empty() && name != kMetadata &&
         json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>() == name;
}

}  // namespace vl::oracle
