// XLA's layouts, the second meaning: the text by hand, and the address by the rules of docs/tiled_layout.md, applied to
// one element after the other: a list of coordinates and one of sizes, which each tile rewrites.
#include "encodings/use/reference.h"

#include <algorithm>
#include <charconv>

namespace vl::xla {
namespace {

constexpr std::int64_t kStar = -1;

struct Said {
  std::vector<std::int64_t> dims, minor_to_major;
  std::vector<std::vector<std::int64_t>> tiles;
};

// The numbers between a bracket at `at` and the one that closes it; '*' is kStar.
std::vector<std::int64_t> numbers_in(std::string_view text, std::size_t& at, char close) {
  std::vector<std::int64_t> out;
  for (++at; at < text.size() && text[at] != close && text[at] != ':';) {
    std::int64_t number = 0;
    if (text[at] == '*') out.push_back(kStar), ++at;
    else if (const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
             read.ec == std::errc{})
      out.push_back(number), at = static_cast<std::size_t>(read.ptr - text.data());
    else ++at;
  }
  return out;
}

Said said_of(std::string_view text) {
  Said out;
  std::size_t at = text.find('[');
  out.dims = numbers_in(text, at, ']');
  at = text.find('{', at);
  if (at == std::string_view::npos) {
    for (auto dim = static_cast<std::int64_t>(out.dims.size()); dim-- > 0;) out.minor_to_major.push_back(dim);
    return out;
  }
  out.minor_to_major = numbers_in(text, at, '}');
  // No other field has a T in it.
  at = text.find('T', at);
  while (at != std::string_view::npos && (at = text.find_first_not_of(" T\n", at)) != std::string_view::npos &&
         text[at] == '(') {
    out.tiles.push_back(numbers_in(text, at, ')'));
    ++at;
  }
  return out;
}

using List = std::vector<std::int64_t>;

// The size-1 dimensions that a tile needs in front, and its joins.
void prepare(const List& tile, List& coordinates, List& sizes) {
  while (sizes.size() < tile.size()) sizes.insert(sizes.begin(), 1), coordinates.insert(coordinates.begin(), 0);
  for (std::size_t k = tile.size(); k-- > 0;) {
    if (tile[k] != kStar) continue;
    // Those after it in the tile are joined already.
    const auto after = std::count_if(tile.begin() + std::ptrdiff_t(k) + 1, tile.end(),
                                     [](std::int64_t size) { return size != kStar; });
    const std::size_t at = sizes.size() - 1 - std::size_t(after);
    coordinates[at + 1] += coordinates[at] * sizes[at + 1];
    sizes[at + 1] *= sizes[at];
    coordinates.erase(coordinates.begin() + std::ptrdiff_t(at));
    sizes.erase(sizes.begin() + std::ptrdiff_t(at));
  }
}

std::int64_t address(const Said& said, std::span<const Index> element) {
  List coordinates, sizes;
  for (std::size_t k = said.minor_to_major.size(); k-- > 0;) {
    const auto dim = static_cast<std::size_t>(said.minor_to_major[k]);
    coordinates.push_back(element[dim]);
    sizes.push_back(said.dims[dim]);
  }
  for (const List& tile : said.tiles) {
    prepare(tile, coordinates, sizes);
    List plain;
    for (const std::int64_t size : tile)
      if (size != kStar) plain.push_back(size);
    const std::size_t first = sizes.size() - plain.size();
    for (std::size_t k = 0; k < plain.size(); ++k) {
      coordinates.push_back(coordinates[first + k] % plain[k]);
      coordinates[first + k] /= plain[k];
      sizes[first + k] = (sizes[first + k] + plain[k] - 1) / plain[k];
    }
    sizes.insert(sizes.end(), plain.begin(), plain.end());
  }
  std::int64_t out = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) out = out * sizes[k] + coordinates[k];
  return out;
}

Result<use::Slots> slots_of(std::string_view text, const map::Tensor& tensor) {
  std::optional<std::int64_t> most;
  if (!tensor.box.empty()) most = tensor.box.front().extent;
  return use::Slots([said = said_of(text), most](std::span<const Index> element) -> std::vector<Point> {
    const std::int64_t place = address(said, element);
    if (most && place >= *most) return {};
    return {Point{place}};
  });
}

}  // namespace

[[nodiscard]] const use::Reference& reference();
const use::Reference& reference() {
  static constexpr use::Reference kReference{"xla", slots_of};
  return kReference;
}

}  // namespace vl::xla
