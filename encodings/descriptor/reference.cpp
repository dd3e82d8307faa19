// Matrix descriptors, the second meaning: fields read by hand, the 64 bits shifted as PTX's table shows them, and the
// byte of each element by the sentences of PTX's section on canonical layouts, one byte after the other.
#include "encodings/use/reference.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <string>

namespace vl::descriptor {
namespace {

struct Said {
  bool mn_major = false;
  std::int64_t start = 0, lbo = 0, sbo = 0;
  int mode = 0;  // 0, 32, 64, 128, and 132 of atoms of 32 bytes
};

std::string_view next_word(std::string_view& text) {
  const std::string_view skip = " \t\r\n(),:";
  text.remove_prefix(std::min(text.find_first_not_of(skip), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(skip));
  text.remove_prefix(word.size());
  return word;
}

int mode_of(std::string_view word) {
  if (word == "128B_ATOM_32B") return 132;
  if (word == "128B") return 128;
  if (word == "64B") return 64;
  return word == "32B" ? 32 : 0;
}

std::int64_t number_of(std::string_view word) {
  const int base = word.starts_with("0x") ? 16 : 10;
  if (base == 16) word.remove_prefix(2);
  std::int64_t out = 0;
  std::from_chars(word.data(), word.data() + word.size(), out, base);
  return out;
}

Said said_of(std::string_view text) {
  Said out;
  std::string_view first = next_word(text);
  if (first != "smemdesc") {
    std::string_view word = next_word(text);
    std::uint64_t bits = 0;
    std::from_chars(word.data() + 2, word.data() + word.size(), bits, 16);
    out.start = static_cast<std::int64_t>(bits % (1U << 14)) * 16;
    out.lbo = static_cast<std::int64_t>((bits >> 16) % (1U << 14)) * 16;
    out.sbo = static_cast<std::int64_t>((bits >> 32) % (1U << 14)) * 16;
    if (first == "wgmma") {
      const int modes[] = {0, 128, 64, 32};
      out.mode = modes[bits >> 62];
    } else {
      const int modes[] = {0, 132, 128, 0, 64, 0, 32, 0};
      out.mode = modes[bits >> 61];
    }
    out.mn_major = next_word(text) == "MN";
    return out;
  }
  next_word(text);
  out.mn_major = next_word(text) == "MN";
  next_word(text);
  for (std::string_view name = next_word(text); !name.empty(); name = next_word(text)) {
    const std::string_view value = next_word(text);
    if (name == "start") out.start = number_of(value);
    if (name == "lbo") out.lbo = number_of(value);
    if (name == "sbo") out.sbo = number_of(value);
    if (name == "swizzle") out.mode = mode_of(value);
  }
  return out;
}

// In halves of a byte, so that elements of 4 bits have addresses.
std::int64_t address(const Said& said, std::int64_t mn, std::int64_t k, std::int64_t halves) {
  const std::int64_t along = (said.mn_major ? mn : k) * halves, across = said.mn_major ? k : mn;
  const std::int64_t column = along / 32, rest = along % 32;
  const std::int64_t span = said.mode == 132 ? 128 : said.mode, rows = said.mode == 132 ? 4 : 8;
  std::int64_t byte = said.start;
  if (!said.mn_major && span == 0) byte += 16 * (across % 8) + said.sbo * (across / 8) + said.lbo * column;
  if (!said.mn_major && span != 0) byte += span * (across % rows) + said.sbo * (across / rows) + 16 * column;
  if (said.mn_major && span == 0) byte += said.sbo * column + 16 * (across % 8) + said.lbo * (across / 8);
  if (said.mn_major && span != 0) {
    const std::int64_t columns = span / 16;
    byte +=
        16 * (column % columns) + said.lbo * (column / columns) + span * (across % rows) + said.sbo * (across / rows);
  }
  const std::int64_t line = byte / 128;  // the swizzle exchanges the chunks of a line
  if (said.mode == 32) byte ^= (line % 2) * 16;
  if (said.mode == 64) byte ^= (line % 4) * 16;
  if (said.mode == 128) byte ^= (line % 8) * 16;
  if (said.mode == 132) byte ^= (line % 4) * 32;
  return byte * 2 + rest;
}

Result<use::Slots> slots_of(std::string_view text, const map::Tensor& tensor) {
  const Said said = said_of(text);
  const std::int64_t halves = map::bits(tensor.type) / 4;
  std::optional<std::int64_t> most;
  if (!tensor.box.empty()) most = tensor.box.front().extent;
  return use::Slots([said, halves, most](std::span<const Index> element) -> std::vector<Point> {
    const std::int64_t place = address(said, element[0], element[1], halves) / halves;
    if (most && place >= *most) return {};
    return {Point{place}};
  });
}

}  // namespace

[[nodiscard]] const use::Reference& reference();
const use::Reference& reference() {
  static constexpr use::Reference kReference{"descriptor", slots_of};
  return kReference;
}

}  // namespace vl::descriptor
