#include "oracle/reference/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "verifier/base/cursor.h"

namespace vl::oracle {
namespace {

static_assert(std::endian::native == std::endian::little, "data is passed on as little-endian bytes");

using Bytes = std::span<const std::byte>;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthAt = 8;           // magic, major, minor
constexpr std::size_t kShortest = 10;          // with the two bytes of a length of version 1.0
constexpr std::size_t kLongestHeader = 65535;  // NumPy itself reads 10000; the dict of rank 64 has about 1400
constexpr std::size_t kMostDims = 64;
constexpr std::size_t kAlignment = 64;

Error io(std::string message) { return Error{ErrorCode::Io, std::move(message)}; }

struct Header {
  std::string descr;
  std::vector<Index> shape;
  std::size_t item_bytes = 0;
  std::size_t data_bytes = 0;
};

// ---- the header

/// Bytes of one unit of a type; the error says what a type must be. "<f2" -> 2, "|u1" -> 1.
Result<std::size_t> item_bytes(std::string_view descr) {
  constexpr std::string_view kExpected =
      "expected bool, an integer or a float of 1, 2, 4 or 8 bytes, such as '<f2'";
  constexpr std::string_view kTypes[] = {"b1", "i1", "u1", "i2", "u2", "f2",
                                         "i4", "u4", "f4", "i8", "u8", "f8"};
  if (descr.size() != 3 || std::ranges::find(kTypes, descr.substr(1)) == std::end(kTypes))
    return io(fmt::format("the type '{}' is not supported: {}", descr, kExpected));
  const auto bytes = static_cast<std::size_t>(descr[2] - '0');
  const char order = descr[0];
  if (order == '>' && bytes > 1)
    return io(fmt::format("the type '{}' is big-endian; expected little-endian", descr));
  if (order != '<' && order != '=' && !(bytes == 1 && (order == '|' || order == '>')))
    return io(fmt::format("the type '{}' has no byte order: {}", descr, kExpected));
  return bytes;
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
    if (shape.size() > kMostDims) in.fail(fmt::format("the shape has more than {} sizes", kMostDims));
    comma = in.accept(",");
    if (!comma && in.peek() != ')')
      in.fail(fmt::format("expected ',' or ')' in the shape, found {}", in.found()));
  }
  in.expect(")");
  if (shape.size() == 1 && !comma)
    in.fail("the shape is a number in parentheses; expected a tuple such as (3,)");
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
    if (key == "descr")
      header.descr = quoted(in, "the type");
    else if (key == "fortran_order")
      fortran = boolean(in);
    else if (key == "shape")
      header.shape = tuple(in);
    else
      in.fail(fmt::format("unknown key '{}'; expected descr, fortran_order and shape", key));
  }
  in.expect("}");
  in.expect_end();
  if (in.failed()) return io(fmt::format("header, byte {}: {}", in.error().offset, in.error().message));
  for (const std::string_view key : {"descr", "fortran_order", "shape"})
    if (std::ranges::find(seen, key) == seen.end()) return io(fmt::format("the header has no key '{}'", key));
  if (fortran) return io("the data is column-major (fortran_order True); expected row-major");
  return header;
}

Result<std::size_t> data_bytes(const Header& header) {
  for (const Index extent : header.shape)
    if (extent < 0) return io(fmt::format("the size {} is negative", extent));
  const auto items = checked_product(header.shape);
  const auto bytes = items ? checked_mul(*items, static_cast<Index>(header.item_bytes)) : std::nullopt;
  if (!bytes) return io(fmt::format("the shape ({}) does not fit in 64 bits", fmt::join(header.shape, ", ")));
  return static_cast<std::size_t>(*bytes);
}

// ---- reading

std::size_t little_endian(Bytes bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

/// Where the data starts, from a file's first 12 bytes (or all of it, when it is shorter) and its size.
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

/// The header in `start`, which ends where the data starts, of a file of that size.
Result<Header> parse_header(Bytes start, std::size_t file_bytes) {
  const std::size_t dict = kLengthAt + (std::to_integer<int>(start[6]) == 1 ? 2 : 4);
  const Bytes text = start.subspan(dict);
  auto header = parse_dict(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  if (!header) return header;
  const auto unit = item_bytes(header->descr);
  if (!unit) return unit.error();
  header->item_bytes = *unit;
  header->descr[0] = *unit == 1 ? '|' : '<';
  const auto bytes = data_bytes(*header);
  if (!bytes) return bytes.error();
  header->data_bytes = *bytes;
  const std::size_t found = file_bytes - start.size();
  if (found != *bytes)
    return io(fmt::format("{} of shape ({}) needs {} bytes of data, the file has {}", header->descr,
                          fmt::join(header->shape, ", "), *bytes, found));
  return header;
}

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }
  /// False when the system reports a late error of an earlier write.
  /// Requires: get() >= 0.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

Error system_error(std::string_view doing) {
  return io(fmt::format("{}: {}", doing, std::generic_category().message(errno)));
}

/// Fills `into` from where the file stands.
std::optional<Error> read_all(int file, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::read(file, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot be read");
    if (got == 0)
      return io(fmt::format("the file became shorter while it was read: {} bytes miss", into.size()));
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

Result<NpyArray> read_open(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return system_error("cannot be looked at");
  if (!S_ISREG(status.st_mode)) return io("not a regular file");
  const auto file_bytes = static_cast<std::size_t>(status.st_size);
  std::vector<std::byte> start(std::min<std::size_t>(file_bytes, 12));
  if (auto error = read_all(file, start)) return *error;
  const auto data = data_start(start, file_bytes);
  if (!data) return data.error();
  const std::size_t known = std::min(start.size(), *data);
  start.resize(*data);
  if (::lseek(file, static_cast<off_t>(known), SEEK_SET) < 0) return system_error("cannot be read");
  if (auto error = read_all(file, std::span(start).subspan(known))) return *error;
  auto header = parse_header(start, file_bytes);
  if (!header) return header.error();
  NpyArray array{std::move(header->descr), std::move(header->shape), header->item_bytes, {}};
  array.data.resize(header->data_bytes);
  if (auto error = read_all(file, array.data)) return *error;
  return array;
}

// ---- writing

/// Everything before the data, as numpy.save writes it: room for the first size to grow to 21 digits, then
/// spaces and a newline up to a multiple of 64. A header that would end there without a space gets 64 more,
/// as NumPy does.
std::string header_text(const NpyArray& array) {
  const std::string sizes = array.shape.size() == 1 ? fmt::format("{},", array.shape[0])
                                                    : fmt::format("{}", fmt::join(array.shape, ", "));
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", array.descr, sizes);
  if (!array.shape.empty()) dict.append(21 - fmt::formatted_size("{}", array.shape[0]), ' ');
  dict.append(kAlignment - (kShortest + dict.size() + 1) % kAlignment, ' ');
  dict += '\n';
  std::string out(kMagic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, dict.size() & 0xff, dict.size() >> 8})
    out += static_cast<char>(byte);
  return out + dict;
}

std::optional<Error> check(const NpyArray& array) {
  const auto unit = item_bytes(array.descr);
  if (!unit) return unit.error();
  if (array.descr[0] != (*unit == 1 ? '|' : '<') || array.item_bytes != *unit)
    return io(fmt::format("the type '{}' is not one that NumPy writes for units of {} bytes", array.descr,
                          array.item_bytes));
  if (array.shape.size() > kMostDims) return io(fmt::format("the shape has more than {} sizes", kMostDims));
  const auto bytes = data_bytes(Header{array.descr, array.shape, *unit, 0});
  if (!bytes) return bytes.error();
  if (*bytes != array.data.size())
    return io(fmt::format("the shape needs {} bytes of data, the array has {}", *bytes, array.data.size()));
  return std::nullopt;
}

std::optional<Error> write_all(int file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_error("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return std::nullopt;
}

/// Creates a file of a name that nobody has in the folder of `path`, and sets `name` to it.
int create_beside(const std::string& path, std::string& name) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);  // npos + 1 == 0: the working folder
  int descriptor = -1;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = fmt::format("{}.npy-{}-{}.tmp", folder, ::getpid(), attempt);
    descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  return descriptor;
}

std::optional<Error> fill_and_rename(File& file, const std::string& name, const std::string& path,
                                     const NpyArray& array) {
  const std::string header = header_text(array);
  if (auto error = write_all(file.get(), std::as_bytes(std::span(header)))) return error;
  if (auto error = write_all(file.get(), array.data)) return error;
  if (::fsync(file.get()) != 0 || !file.close()) return system_error("cannot be written");
  if (::rename(name.c_str(), path.c_str()) != 0) return system_error("cannot be put in its place");
  return std::nullopt;
}

std::optional<Error> write(const std::string& path, const NpyArray& array) {
  if (auto error = check(array)) return error;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return io("is there and not a regular file");
  std::string name;
  File file(create_beside(path, name));
  if (file.get() < 0) return system_error("cannot be created");
  auto error = fill_and_rename(file, name, path, array);
  if (error) ::unlink(name.c_str());
  return error;
}

Error at(const std::string& path, const Error& error) {
  return Error{error.code, fmt::format("{}: {}", path, error.message), error.offset};
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const std::byte> file) {
  const auto data = data_start(file.first(std::min<std::size_t>(file.size(), 12)), file.size());
  if (!data) return data.error();
  auto header = parse_header(file.first(*data), file.size());
  if (!header) return header.error();
  const Bytes bytes = file.subspan(*data);
  return NpyArray{std::move(header->descr), std::move(header->shape), header->item_bytes,
                  std::vector<std::byte>(bytes.begin(), bytes.end())};
}

Result<NpyArray> read_npy(const std::string& path) {
  // Not blocking: opening a pipe must answer "not a regular file" instead of waiting for a writer.
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return at(path, system_error("cannot be opened"));
  auto array = read_open(file.get());
  if (!array) return at(path, array.error());
  return array;
}

std::optional<Error> write_npy(const std::string& path, const NpyArray& array) {
  auto error = write(path, array);
  if (error) error = at(path, *error);
  return error;
}

}  // namespace vl::oracle
