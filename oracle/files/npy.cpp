#include "oracle/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "encodings/base/cursor.h"
#include "oracle/files/io_error.h"

namespace vl::oracle {
namespace {

static_assert(std::endian::native == std::endian::little, "data is passed on as little-endian bytes");

using Bytes = std::span<const std::byte>;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthAt = 8;                           // magic, major, minor
constexpr std::size_t kShortest = 10;                          // with the two bytes of a length of version 1.0
constexpr std::size_t kLongestHeader = kLongestNpyStart - 12;  // NumPy itself reads 10000; rank 64 has about 1400
constexpr std::size_t kAlignment = 64;

struct Header {
  std::string descr;
  std::vector<Index> shape;
};

// ---- the header

/// A type by its name; the error states the allowed types. "<f2" -> {Float, 2}.
Result<Dtype> dtype_of_npy(std::string_view descr) {
  constexpr std::string_view kExpected = "expected bool, an integer or a float of 1, 2, 4 or 8 bytes, such as '<f2'";
  constexpr std::string_view kTypes[] = {"b1", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"};
  if (descr.size() != 3 || std::ranges::find(kTypes, descr.substr(1)) == std::end(kTypes))
    return io(fmt::format("the type '{}' is not supported: {}", descr, kExpected));
  const auto bytes = static_cast<std::size_t>(descr[2] - '0');
  const char order = descr[0];
  if (order == '>' && bytes > 1) return io(fmt::format("the type '{}' is big-endian; expected little-endian", descr));
  if (order != '<' && order != '=' && !(bytes == 1 && (order == '|' || order == '>')))
    return io(fmt::format("the type '{}' has no byte order: {}", descr, kExpected));
  const char kind = descr[1];
  if (kind == 'b') return Dtype{Dtype::Kind::Bool, bytes};
  return Dtype{kind == 'i' ? Dtype::Kind::Signed : kind == 'u' ? Dtype::Kind::Unsigned : Dtype::Kind::Float, bytes};
}

/// A string literal without escapes, in either quote. Requires nothing: a failed cursor gives "".
std::string_view quoted(Cursor& in, std::string_view what) {
  const char quote = in.peek();
  if (quote != '\'' && quote != '"') {
    in.fail(fmt::format("expected {} in quotes, found {}", what, in.found()));
    return {};
  }
  const std::size_t start = in.offset() + 1;
  const std::size_t end = in.text().find(quote, start);
  if (end == std::string_view::npos) {
    in.fail(fmt::format("{} has no closing quote", what));
    return {};
  }
  const std::string_view literal = in.text().substr(start, end - start);
  if (literal.find('\\') != std::string_view::npos) in.fail(fmt::format("{} has an escape", what));
  in.accept(in.text().substr(start - 1, literal.size() + 2));
  return literal;
}

/// A tuple of Python: (), (3,), (5, 7). One size alone needs its comma.
std::vector<Index> tuple(Cursor& in) {
  std::vector<Index> shape;
  bool comma = true;
  in.expect("(");
  while (!in.failed() && in.peek() != ')') {
    if (!comma) in.expect(",");
    if (in.peek() == '+') in.fail(fmt::format("expected a size, found {}", in.found()));
    shape.push_back(in.integer("a size"));
    if (shape.size() > kMostNpyDims) in.fail(fmt::format("the shape has more than {} sizes", kMostNpyDims));
    comma = in.accept(",");
    if (!comma && in.peek() != ')') in.fail(fmt::format("expected ',' or ')' in the shape, found {}", in.found()));
  }
  in.expect(")");
  if (shape.size() == 1 && !comma) in.fail("the shape is a number in parentheses; expected a tuple such as (3,)");
  return shape;
}

bool boolean(Cursor& in) {
  if (in.accept("True")) return true;
  in.expect("False");
  return false;
}

Result<Header> parse_dict(std::string_view text) {
  Cursor in(text);
  Header header;
  bool fortran = false;
  std::vector<std::string_view> seen;
  in.expect("{");
  while (!in.failed() && in.peek() != '}') {
    if (!seen.empty()) {
      in.expect(",");
      if (in.peek() == '}') break;
    }
    const std::string_view key = quoted(in, "a key");
    if (std::ranges::find(seen, key) != seen.end()) in.fail(fmt::format("the key '{}' is there twice", key));
    seen.push_back(key);
    in.expect(":");
    if (key == "descr") header.descr = quoted(in, "the type");
    else if (key == "fortran_order") fortran = boolean(in);
    else if (key == "shape") header.shape = tuple(in);
    else in.fail(fmt::format("unknown key '{}'; expected descr, fortran_order and shape", key));
  }
  in.expect("}");
  in.expect_end();
  if (in.failed()) return io(fmt::format("header, byte {}: {}", in.error().offset, in.error().message));
  for (const std::string_view key : {"descr", "fortran_order", "shape"})
    if (std::ranges::find(seen, key) == seen.end()) return io(fmt::format("the header has no key '{}'", key));
  if (fortran) return io("the data is column-major (fortran_order True); expected row-major");
  return header;
}

// ---- reading

std::size_t little_endian(Bytes bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

/// The start of the data, from a file's first 12 bytes (or the whole file, if it is shorter) and its size.
Result<std::size_t> data_start(Bytes start, std::size_t file_bytes) {
  if (start.size() < kMagic.size() || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0)
    return io("not a .npy file: expected it to start with \\x93NUMPY");
  if (start.size() < kShortest)
    return io(fmt::format("the file ends after {} bytes, within the header's length", start.size()));
  const int major = std::to_integer<int>(start[6]), minor = std::to_integer<int>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    return io(fmt::format("version {}.{} of the .npy format; expected 1.0, 2.0 or 3.0", major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  if (start.size() < kLengthAt + width)
    return io(fmt::format("the file ends after {} bytes, within the header's length", start.size()));
  const std::size_t length = little_endian(start.subspan(kLengthAt, width));
  const std::size_t rest = file_bytes - kLengthAt - width;
  if (length > rest) return io(fmt::format("the header has {} bytes, but only {} follow", length, rest));
  if (length > kLongestHeader)
    return io(fmt::format("the header has {} bytes; expected at most {}", length, kLongestHeader));
  return kLengthAt + width + length;
}

std::optional<Error> check_sizes(const Header& header, Dtype dtype) {
  for (const Index extent : header.shape)
    if (extent < 0) return io(fmt::format("the size {} is negative", extent));
  if (!array_bytes(dtype, header.shape))
    return io(fmt::format("the shape ({}) does not fit in 64 bits", fmt::join(header.shape, ", ")));
  return std::nullopt;
}

}  // namespace

Result<ArrayHeader> parse_npy_header(Bytes first, std::size_t file_bytes) {
  const auto start = data_start(first.first(std::min<std::size_t>(first.size(), 12)), file_bytes);
  if (!start) return start.error();
  const std::size_t dict = kLengthAt + (std::to_integer<int>(first[6]) == 1 ? 2 : 4);
  const Bytes text = first.subspan(dict, *start - dict);
  auto header = parse_dict(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  if (!header) return header.error();
  const auto dtype = dtype_of_npy(header->descr);
  if (!dtype) return dtype.error();
  if (auto error = check_sizes(*header, *dtype)) return *error;
  const std::size_t bytes = *array_bytes(*dtype, header->shape);
  if (file_bytes - *start != bytes)
    return io(fmt::format("{} of shape ({}) needs {} bytes of data, the file has {}", npy_name(*dtype),
                          fmt::join(header->shape, ", "), bytes, file_bytes - *start));
  return ArrayHeader{*dtype, std::move(header->shape), *start};
}

Result<ArrayView> parse_npy(Bytes file) {
  auto header = parse_npy_header(file, file.size());
  if (!header) return header.error();
  return ArrayView{header->dtype, std::move(header->shape), file.subspan(header->start)};
}

// Room for the first size to grow to 21 digits, then spaces and a newline up to a multiple of 64. A header that would
// end there without a space gets 64 more, as in NumPy.
std::string npy_header(Dtype dtype, std::span<const Index> shape) {
  VL_CHECK(shape.size() <= kMostNpyDims && array_bytes(dtype, shape), "a shape that an array can have");
  const std::string sizes =
      shape.size() == 1 ? fmt::format("{},", shape[0]) : fmt::format("{}", fmt::join(shape, ", "));
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_name(dtype), sizes);
  if (!shape.empty()) dict.append(21 - fmt::formatted_size("{}", shape[0]), ' ');
  dict.append(kAlignment - (kShortest + dict.size() + 1) % kAlignment, ' ');
  dict += '\n';
  std::string out(kMagic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, dict.size() & 0xff, dict.size() >> 8})
    out += static_cast<char>(byte);
  return out + dict;
}

}  // namespace vl::oracle
