// A shape with braces, wherever it stands in a line: in a tuple, before an operation, in a log. A shape without them
// states no layout.
#include "encodings/xla/scan.h"

#include "encodings/xla/xla.h"

namespace vl::xla {
namespace {

using use::Found;

constexpr std::size_t kLongest = 4096;

constexpr auto kAnchors = [] {
  std::array<use::Anchor, kTypes.size()> out;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {kTypes[k].name, '[', false};
  return out;
}();

// The bracket that closes at `open`, before any line ends.
std::size_t closing(std::string_view text, std::size_t open, char close) {
  const std::size_t at = text.substr(0, std::min(text.size(), open + kLongest)).find_first_of({&close, 1}, open);
  const std::size_t line = text.find('\n', open);
  return at < line ? at : std::string_view::npos;
}

void describe(Found& found) {
  use::Numbers<map::Expression> text(found.layout);
  const BasicShape<map::Expression> shape = take_shape(text);
  for (const map::Expression& dim : shape.dims) map::add_names(dim, found.names);
  for (const auto& tile : shape.tiles)
    for (const auto& one : tile) map::add_names(one.size, found.names);
  if (!text.undecidable.empty()) return use::leave_unread(found, use::kOtherNotation, text.undecidable);
  found.tensor = map::print(map::RuleTensor{*shape.type, shape.dims});
}

// Whether the text from `start` to `end` is all there is, as of --layout.
bool is_whole(std::string_view text, std::size_t start, std::size_t end) {
  return text.find_first_not_of(" \t\r\n") == start && text.find_first_not_of(" \t\r\n", end) == std::string_view::npos;
}

std::vector<Found> found_at(const use::Passage& passage, const use::Anchor&) {
  const std::string_view text = passage.text;
  const std::size_t start = passage.word;
  if (start > 0 && (use::is_word(text[start - 1]) || text[start - 1] == '.')) return {};
  const std::size_t dims = closing(text, passage.bracket, ']');
  if (dims == std::string_view::npos) return {};
  std::size_t end = dims + 1;
  if (text.substr(end, 1) == "{") {
    const std::size_t close = closing(text, end, '}');
    if (close == std::string_view::npos) return {};
    end = close + 1;
  } else if (!is_whole(text, start, end)) {
    return {};
  }
  const std::string_view shape = text.substr(start, end - start);
  Found found{start, end - start, use::bound(shape, passage.definitions), {}, {}, 0, {}};
  use::Numbers<map::Expression> reader(found.layout);
  static_cast<void>(take_shape(reader));
  reader.in.expect_end();
  if (reader.in.failed()) use::leave_unread(found, use::kOtherNotation, "it is not read: " + reader.in.error().message);
  else describe(found);
  // Without tiles, names and what is not read are an array of a program with its values, as in u8[n]{0}.
  const bool tiled = shape.find(":T(") != std::string_view::npos;
  const bool is_shape = tiled || (!reader.in.failed() && found.names.empty()) || is_whole(text, start, end);
  return is_shape ? std::vector<Found>{std::move(found)} : std::vector<Found>{};
}

}  // namespace

constinit const use::Scan kScan{kAnchors, found_at};

}  // namespace vl::xla
