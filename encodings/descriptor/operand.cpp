// The two texts of a matrix descriptor, and its 64 bits.
#include "encodings/descriptor/operand.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "encodings/use/descriptor.h"

namespace vl::descriptor {
namespace {

constexpr Index kMostBytes = Index{1} << 18;

struct Code {
  Span span;
  std::string_view word;
  std::optional<std::uint64_t> wgmma;
  std::uint64_t tcgen05;
};
constexpr std::array<Code, 5> kCodes = {{{Span::None, "none", 0, 0},
                                         {Span::B128, "128B", 1, 2},
                                         {Span::B64, "64B", 2, 4},
                                         {Span::B32, "32B", 3, 6},
                                         {Span::Atom32, "128B_ATOM_32B", std::nullopt, 1}}};

std::uint64_t field(std::uint64_t bits, unsigned at, unsigned count) {
  return (bits >> at) & ((std::uint64_t{1} << count) - 1);
}

Result<Index> number_of(const use::Descriptor& from, const char* name) {
  const auto& value = std::get<map::Expression>(from.fields.at(name).values.front());
  if (const auto number = value.number()) return *number;
  return Error{ErrorCode::Value, fmt::format("'{}' is {}, and no number", name, map::print(value)), 0};
}

Result<Operand> of_fields(std::string_view text) {
  const auto read = use::parse_descriptor(text);
  if (!read) return read.error();
  const auto word_in = [&](const char* name) { return std::get<std::string>(read->fields.at(name).values.front()); };
  Operand out;
  out.unit = word_in("unit") == "wgmma" ? Unit::Wgmma : Unit::Tcgen05;
  out.mn_major = word_in("major") == "MN";
  for (const Code& code : kCodes)
    if (code.word == word_in("swizzle")) out.span = code.span;
  for (const auto& [name, into] : {std::pair("start", &out.start),
                                   {"lbo", &out.lbo},
                                   {"sbo", &out.sbo},
                                   {"base_offset", &out.base_offset},
                                   {"lbo_mode", &out.lbo_mode}}) {
    const auto number = number_of(*read, name);
    if (!number) return number.error();
    *into = *number;
  }
  const auto bits = number_of(*read, "bits");
  if (!bits) return bits.error();
  out.bits = static_cast<int>(*bits);
  if (const auto encoded = encode(out); !encoded) return encoded.error();
  return out;
}

}  // namespace

Result<std::uint64_t> encode(const Operand& operand) {
  std::uint64_t out = operand.unit == Unit::Tcgen05 ? std::uint64_t{1} << 46 : 0;
  for (const auto& [name, value, at] : {std::tuple("start", operand.start, 0U), std::tuple("lbo", operand.lbo, 16U),
                                        std::tuple("sbo", operand.sbo, 32U)}) {
    if (value % 16 != 0 || value < 0 || value >= kMostBytes)
      return Error{ErrorCode::Value, fmt::format("'{}' is {}; expected a multiple of 16 below 2^18", name, value), 0};
    out |= static_cast<std::uint64_t>(value >> 4) << at;
  }
  const bool wgmma = operand.unit == Unit::Wgmma;
  if (operand.base_offset < 0 || operand.base_offset > 7 || operand.lbo_mode < 0 || operand.lbo_mode > (wgmma ? 0 : 1))
    return Error{ErrorCode::Value, "base_offset has three bits, and lbo_mode one, of tcgen05 alone", 0};
  out |= static_cast<std::uint64_t>(operand.base_offset) << 49 | static_cast<std::uint64_t>(operand.lbo_mode) << 52;
  for (const Code& code : kCodes) {
    if (code.span != operand.span) continue;
    if (wgmma && !code.wgmma) return Error{ErrorCode::Value, "wgmma has no swizzle 128B_ATOM_32B", 0};
    out |= wgmma ? *code.wgmma << 62 : code.tcgen05 << 61;
  }
  return out;
}

Result<Operand> decode(Unit unit, std::uint64_t bits) {
  Operand out;
  out.unit = unit;
  out.start = static_cast<Index>(field(bits, 0, 14) << 4);
  out.lbo = static_cast<Index>(field(bits, 16, 14) << 4);
  out.sbo = static_cast<Index>(field(bits, 32, 14) << 4);
  out.base_offset = static_cast<Index>(field(bits, 49, 3));
  const bool wgmma = unit == Unit::Wgmma;
  if (!wgmma) out.lbo_mode = static_cast<Index>(field(bits, 52, 1));
  const std::uint64_t code = wgmma ? field(bits, 62, 2) : field(bits, 61, 3);
  bool known = false;
  for (const Code& each : kCodes)
    if (wgmma ? each.wgmma == code : each.tcgen05 == code) out.span = each.span, known = true;
  if (!known)
    return Error{ErrorCode::Value, fmt::format("{} is no swizzle of tcgen05; expected 0, 1, 2, 4 or 6", code), 0};
  if (!wgmma && field(bits, 46, 2) != 1)
    return Error{ErrorCode::Value, fmt::format("the version is {}; expected 1 of tcgen05", field(bits, 46, 2)), 0};
  const auto again = encode(out);
  if (!again || *again != bits)
    return Error{ErrorCode::Value, fmt::format("{:#x} has bits that belong to no field", bits & ~again.value()), 0};
  return out;
}

Result<Operand> parse(std::string_view text) {
  Cursor in(text);
  const bool wgmma = in.accept("wgmma");
  if (!wgmma && !in.accept("tcgen05")) return of_fields(text);
  in.expect(":");
  in.skip_space();
  if (!text.substr(in.offset()).starts_with("0x")) in.fail("expected 0x and 64 bits, as in wgmma:0x4000004000010040");
  in.move_to(std::min(in.offset() + 2, text.size()));
  const std::size_t at = in.offset();
  std::uint64_t bits = 0;
  const char* const begin = text.data() + std::min(at, text.size());
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), bits, 16);
  if (error != std::errc{}) in.fail(ErrorCode::Syntax, "expected 64 bits, as in wgmma:0x4000004000010040", at);
  in.move_to(static_cast<std::size_t>(end - text.data()));
  const bool mn_major = in.accept("MN"), k_major = !mn_major && in.accept("K");
  in.expect_end();
  if (in.failed()) return in.error();
  auto out = decode(wgmma ? Unit::Wgmma : Unit::Tcgen05, bits);
  if (!out) return Error{out.error().code, out.error().message, at};
  out->mn_major = mn_major, out->assumed = !mn_major && !k_major;
  return out;
}

std::string print(const Operand& operand) {
  return fmt::format("{}:{:#018x} {}", operand.unit == Unit::Wgmma ? "wgmma" : "tcgen05", *encode(operand),
                     operand.mn_major ? "MN" : "K");
}

}  // namespace vl::descriptor
