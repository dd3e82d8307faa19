// Data of constants: dense<[[0.0, 1.0], [2.0, 3.0]]>, dense<"0x0000803F…">. Few of them are said as constants of one
// number each, which concat and broadcast put together; what is larger, or not printed (dense_resource<…>), is data
// that are not looked at: any elements, in both runs the same.
//
// Example: dense<[0.0, 0.0, 0xFF800000]> : tensor<3xf32> is
//   t = constant f32[2] 0
//   t.1 = constant f32[1] bits:0xFF800000
//   c = concat t t.1 over 0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

constexpr Index kMostElements = 4096, kMostPieces = 64;

// Elements of a text of hexadecimal bytes, in which the lowest byte of each comes first.
std::vector<std::string> elements_of_bytes(std::string_view digits, std::size_t bytes) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + 2 * bytes <= digits.size(); at += 2 * bytes) {
    std::string code;
    for (std::size_t i = bytes; i-- > 0;) code += digits.substr(at + 2 * i, 2);
    out.push_back(number_in_language("0x" + code));
  }
  return out;
}

std::size_t bytes_of(std::string_view type) {
  const std::size_t digit = type.find_first_of("0123456789");
  if (type == "f32" || type == "i32" || type == "u32") return 4;
  if (type == "f16" || type == "bf16" || type == "i16" || type == "u16") return 2;
  return digit != std::string_view::npos && type.substr(digit) == "8" && digit == 1 ? 1 : 0;  // i8, u8
}

// Row by row; nothing where they are not printed, or not so many as the type has.
std::optional<std::vector<std::string>> elements_of(std::string_view said, std::string_view type, Index count) {
  std::vector<std::string> out;
  if (count > kMostElements) return std::nullopt;
  if (said.starts_with("\"0x") && said.ends_with('"')) {
    const std::size_t bytes = bytes_of(type);
    if (bytes == 0 || said.size() != 4 + 2 * bytes * static_cast<std::size_t>(count)) return std::nullopt;
    out = elements_of_bytes(said.substr(3, said.size() - 4), bytes);
  } else {
    if (!said.starts_with('[')) return std::nullopt;
    for (std::size_t at = 0; at < said.size();) {
      const std::size_t end = std::min(said.find_first_of("[],", at), said.size());
      if (const std::string_view word = mlir::trimmed(said.substr(at, end - at)); !word.empty())
        out.push_back(number_in_language(word));
      at = end + 1;
    }
  }
  const auto unread = [](const std::string& each) { return each.empty(); };
  if (static_cast<Index>(out.size()) != count || std::ranges::any_of(out, unread)) return std::nullopt;
  return out;
}

// The lines of data: blocks of elements that are alike are constants, and equal blocks one that is broadcast.
class Pieces {
 public:
  Pieces(const Value& of, const std::vector<std::string>& elements) : of_(of), elements_(elements) {}

  /// The word for the elements from `first` on of which these many stand in dimension `d`, and all in those behind it;
  /// in the dimensions before it there is one. `part` makes a line.
  std::string block(std::size_t d, Index first, Index count, const std::function<std::string(std::string)>& part) {
    std::vector<Index> sizes(of_.shape.size(), 1);
    std::copy(of_.shape.begin() + static_cast<std::ptrdiff_t>(d), of_.shape.end(),
              sizes.begin() + static_cast<std::ptrdiff_t>(d));
    sizes[d] = count;
    const Index below = stride(d);
    const auto begin = elements_.begin() + first;
    const bool alike =
        std::all_of(begin, begin + count * below, [&](const std::string& each) { return each == *begin; });
    ++made_;
    if (alike) return fmt::format("constant {}[{}] {}", of_.type, fmt::join(sizes, ","), *begin);
    std::vector<std::string> parts;
    for (Index at = 0; at < count && made_ <= kMostPieces;) {
      Index end = at + 1;
      while (end < count && std::equal(begin + at * below, begin + (at + 1) * below, begin + end * below)) ++end;
      const bool whole = at == 0 && end == count;
      parts.push_back(run(d, first + at * below, end - at, sizes, part));
      if (whole) return parts[0];
      parts.back() = part(parts.back());
      at = end;
    }
    return fmt::format("concat {} over {}", fmt::join(parts, " "), d);
  }

  [[nodiscard]] bool is_too_long() const { return made_ > kMostPieces; }

 private:
  [[nodiscard]] Index stride(std::size_t d) const {
    Index out = 1;
    for (std::size_t i = d + 1; i < of_.shape.size(); ++i) out *= of_.shape[i];
    return out;
  }

  // Blocks that are the same.
  std::string run(std::size_t d, Index first, Index count, std::vector<Index> sizes,
                  const std::function<std::string(std::string)>& part) {
    const auto begin = elements_.begin() + first;
    const bool alike = std::all_of(begin, begin + stride(d), [&](const std::string& each) { return each == *begin; });
    sizes[d] = count;
    if (alike) return ++made_, fmt::format("constant {}[{}] {}", of_.type, fmt::join(sizes, ","), *begin);
    std::string one = block(d + 1, first, of_.shape[d + 1], part);
    return count == 1 ? one : fmt::format("broadcast {} over {} to {}", part(std::move(one)), d, count);
  }

  const Value& of_;
  const std::vector<std::string>& elements_;
  Index made_ = 0;
};

}  // namespace

bool Translator::data(const mlir::Operation& operation, std::string_view said, Value& out) {
  const auto count = checked_product(out.shape);
  const auto elements = count && *count > 0 && !out.shape.empty() && out.quantised.empty()
                            ? elements_of(said, out.type, *count)
                            : std::nullopt;
  if (elements) {
    Pieces counted(out, *elements), pieces(out, *elements);
    (void)counted.block(0, 0, out.shape[0], [](std::string text) { return text; });
    if (!counted.is_too_long()) {
      const std::string words = pieces.block(0, 0, out.shape[0], [&](const std::string& text) { return part(text); });
      const std::vector<Index> made(out.shape.size(), 1);
      return define(operation.results[0], std::move(out), words, made), true;
    }
  }
  const std::string words = fmt::format("unknown \"{}\" -> {}", operation.name, type_in_words(out));
  if (operation.name == "stablehlo.iota") {
    auto along = integers(operation, "iota_dimension");
    if (!along) along = integers(operation, "dim");
    if (along && along->size() == 1) out.counts = (*along)[0];
  }
  define(operation.results[0], std::move(out), words);
  return true;
}

}  // namespace vl::program
