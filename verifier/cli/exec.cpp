// exec: a layout applied to a .npy file by the naive executor. Everything is checked before the output is written.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "oracle/reference/executor.h"
#include "oracle/reference/npy.h"
#include "oracle/reference/transfer.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/judge.h"
#include "verifier/cli/nests_file.h"

namespace vl::cli {
namespace {

using oracle::NpyArray;

Diagnostic about(const std::string& file, std::string message) { return {file, 0, 0, std::move(message), {}, 0}; }

// The kinds of numpy dtypes that may carry a type's bits: its own, or unsigned integers (bf16, fp8, opaque data).
std::optional<Error> check_array(const NpyArray& array, map::ElementType type, const std::vector<Index>& shape) {
  const int bits = map::bits(type);
  if (bits % 8 != 0) return Error{ErrorCode::Value, fmt::format("{} has no units of whole bytes", map::name(type))};
  const std::string_view name = map::name(type);
  const char own = name == "bool" ? 'b' : name[0] == 'i' ? 'i' : name[0] == 'f' && bits >= 16 ? 'f' : 'u';
  const char kind = array.descr.size() > 1 ? array.descr[1] : '?';
  if (array.item_bytes != static_cast<std::size_t>(bits / 8) || (kind != own && kind != 'u'))
    return Error{ErrorCode::Io, fmt::format("the dtype is {}; expected {}{} for {}", array.descr, own, bits / 8, name)};
  if (array.shape != shape)
    return Error{ErrorCode::Shape, fmt::format("the shape is ({}); expected ({})", fmt::join(array.shape, ", "),
                                               fmt::join(shape, ", "))};
  return std::nullopt;
}

// exec map: int64 [n, rank] to int64 [n, physical rank].
Result<NpyArray> map_coordinates(const map::Layout& layout, const NpyArray& in) {
  const auto rank = static_cast<Index>(layout.logical().rank());
  if (in.descr != "<i8" || in.shape.size() != 2 || in.shape[1] != rank)
    return Error{ErrorCode::Shape, fmt::format("{} of shape ({}); expected <i8 of shape (n, {})", in.descr,
                                               fmt::join(in.shape, ", "), rank)};
  std::vector<Index> coordinates(in.data.size() / sizeof(Index));
  if (!in.data.empty()) std::memcpy(coordinates.data(), in.data.data(), in.data.size());
  if (rank == 0 && in.shape[0] != 1)
    return Error{ErrorCode::Shape, "a tensor of rank 0 has one element; expected shape (1, 0)"};
  auto slots = oracle::slots(layout, coordinates);
  if (!slots) return slots.error();
  NpyArray out{in.descr, {in.shape[0], static_cast<Index>(layout.physical().rank())}, in.item_bytes, {}};
  out.data.resize(slots->size() * sizeof(Index));
  if (!slots->empty()) std::memcpy(out.data.data(), slots->data(), out.data.size());
  return out;
}

// exec run: the host's file is the dense logical tensor, as for pack.
Result<NpyArray> run_nests_on(const map::Transfer& transfer, const Subject& subject, const NpyArray& in,
                              std::span<const std::byte> fill) {
  const map::Layout& layout = subject.reading.layout;
  const bool from_host = transfer.direction == map::Direction::HostToDevice;
  if (auto error = check_array(in, subject.tensor.type, map::extents_of(from_host ? layout.logical() : layout.physical())))
    return *error;
  auto data = oracle::carry(transfer, layout, in.data, in.item_bytes, fill);
  if (!data) return data.error();
  return NpyArray{in.descr, map::extents_of(from_host ? layout.physical() : layout.logical()), in.item_bytes, std::move(*data)};
}

Result<NpyArray> run(const ExecArguments& arguments, const Subject& subject, const map::Layout* to, const NpyArray& in,
                     std::span<const std::byte> fill) {
  using Verb = ExecArguments::Verb;
  const map::Layout& layout = subject.reading.layout;
  const map::ElementType type = subject.tensor.type;
  if (arguments.verb == Verb::Map) return map_coordinates(layout, in);
  const bool from_host = arguments.verb == Verb::Pack;
  if (auto error = check_array(in, type, map::extents_of(from_host ? layout.logical() : layout.physical()))) return *error;
  Result<std::vector<std::byte>> data =
      arguments.verb == Verb::Pack     ? oracle::pack(layout, in.data, in.item_bytes, fill)
      : arguments.verb == Verb::Unpack ? oracle::unpack(layout, in.data, in.item_bytes)
                                       : oracle::move(layout, *to, in.data, in.item_bytes, fill);
  if (!data) return data.error();
  const map::Space& shape = arguments.verb == Verb::Pack     ? layout.physical()
                            : arguments.verb == Verb::Unpack ? layout.logical()
                                                             : to->physical();
  return NpyArray{in.descr, map::extents_of(shape), in.item_bytes, std::move(*data)};
}

}  // namespace

int run_exec(const ExecArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  CaseRequest& asked = std::get<CaseRequest>(request);
  if (arguments.verb == ExecArguments::Verb::Move) asked.layout.file = "--from";
  auto subject = read_subject(asked);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&subject)) return bad_input(*diagnostic);
  std::optional<map::Transfer> nests;
  if (arguments.verb == ExecArguments::Verb::Run) {
    auto read = read_nests(arguments.nests);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
    nests = std::move(std::get<map::Transfer>(read));
    if (nests->direction == map::Direction::DeviceToDevice)
      return bad_input(about(arguments.nests, "expected h2d or d2h nests: run has one device image"));
  }
  std::optional<map::Layout> to;
  if (arguments.verb == ExecArguments::Verb::Move) {
    CaseRequest target = asked;
    target.layout = SourceText::option("--to", arguments.to);
    auto second = read_subject(target);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&second)) return bad_input(*diagnostic);
    const map::Reading& reading = std::get<Subject>(second).reading;
    if (!reading.unsupported.empty()) return bad_input(about("--to", reading.unsupported));
    to = reading.layout;
  }
  if (const std::string& why = std::get<Subject>(subject).reading.unsupported; !why.empty())
    return bad_input(about(asked.layout.file, why));
  auto fill = oracle::parse_fill(arguments.fill, std::get<Subject>(subject).tensor.type);
  const bool fills = arguments.verb == ExecArguments::Verb::Pack || arguments.verb == ExecArguments::Verb::Move || nests;
  if (fills && !fill) return bad_input(locate("--fill", arguments.fill, fill.error()));
  auto in = oracle::read_npy(arguments.in);
  if (!in) return bad_input(about("exec", in.error().message));  // the message names the file
  const auto padding = fills ? std::span<const std::byte>(*fill) : std::span<const std::byte>();
  auto out = nests ? run_nests_on(*nests, std::get<Subject>(subject), *in, padding)
                   : run(arguments, std::get<Subject>(subject), to ? &*to : nullptr, *in, padding);
  if (!out) return bad_input(about(arguments.in, out.error().message));
  if (const auto error = oracle::write_npy(arguments.out, *out)) return bad_input(about("exec", error->message));
  return 0;
}

}  // namespace vl::cli
