#include "encodings/tirx/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/base/cursor.h"
#include "encodings/tirx/builders.h"
#include "encodings/tirx/scan_buffer.h"
#include "encodings/use/clip.h"

namespace vl::tirx {
namespace {

using use::Clip;
using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 17> kAnchors = {{{"S", '[', false},
                                                   {"TileLayout", '(', false},
                                                   {"ComposeLayout", '(', false},
                                                   {"SwizzleLayout", '(', false},
                                                   {"tmem_datapath_layout", '(', false},
                                                   {"tmem_datapath", '(', false},
                                                   {"sf_tmem_layout", '(', false},
                                                   {"mma_shared_layout", '(', false},
                                                   {"tma_shared_layout", '(', false},
                                                   {"mma_atom_layout", '(', false},
                                                   {"tma_atom_layout", '(', false},
                                                   {"trainium", '(', false},
                                                   {"tcgen05_atom_layout", '(', false},
                                                   {"tmem_mma_operand_layout", '(', false},
                                                   {"wg_local_layout", '(', false},
                                                   {"tile_to", '(', false},
                                                   {"direct_sum", '(', false}}};
// Upstream's builders that this program does not have, and what is made of another layout.
constexpr std::span kNotBuilt = std::span(kAnchors).last(5);

// Where the text begins whose word is at `word`: at the dotted name in front of it.
std::size_t start_of_name(std::string_view text, std::size_t word) {
  std::size_t start = word;
  while (start > 0 && (use::is_word(text[start - 1]) || text[start - 1] == '.')) --start;
  return start;
}

bool is_integer(const Node& node) {
  if (node.kind == Node::Kind::Unary) return is_integer(node.children[0]);
  return node.kind == Node::Kind::Integer;
}

// Whether S[…] stands for extents and strides, and not for a subscript.
bool is_shard(const Node& node) {
  if (node.kind != Node::Kind::Subscript || node.children[1].kind != Node::Kind::Slice) return false;
  const Node& extents = node.children[1].children[0];
  const Node& strides = node.children[1].children[1];
  const auto on_axis = [](const Node& n) {
    return (n.kind == Node::Kind::Binary && n.text == "@") || n.kind == Node::Kind::Text;
  };
  if (extents.kind == Node::Kind::Tuple && strides.kind == Node::Kind::Tuple) return true;
  if (extents.kind != Node::Kind::Missing && on_axis(strides)) return true;
  return is_integer(extents) && is_integer(strides) && extents.value > strides.value && strides.value > 0 &&
         strides.kind == Node::Kind::Integer && extents.kind == Node::Kind::Integer;
}

enum class Term { None, Taken, Open };

// Takes a number, a name, R[…] or (…).
Term take_term(Clip& clip) {
  clip.take_blanks();
  if (clip.peek() == '-') clip.take();
  if (clip.peek() == '(') return clip.take_brackets() ? Term::Taken : Term::Open;
  const std::string word(clip.take_word());
  if (word.empty()) return Term::None;
  const bool part = without_prefix(word) == "R" || without_prefix(word) == "S";
  return part && clip.peek() == '[' && !clip.take_brackets() ? Term::Open : Term::Taken;
}

// Takes `+ R[…]`, `+ 5 @ warpid`, `+ 2 * 64` and `+ (…)` behind S[…]. False if the sum goes on in a way that is not
// read.
bool take_sum(Clip& clip) {
  while (true) {
    Clip ahead = clip;
    ahead.take_blanks();
    if (ahead.peek() != '+') return true;
    ahead.take();
    const Term first = take_term(ahead);
    if (first != Term::Taken) return first == Term::None;
    clip = ahead;
    for (ahead.take_blanks(); std::string_view("@*/%-").find(ahead.peek()) != std::string_view::npos;
         ahead.take_blanks()) {
      const char sign = ahead.peek();
      ahead.take();
      if (sign == '/' && ahead.peek() == '/') ahead.take();
      const char next = ahead.peek();
      if (sign == '-' && (next < '0' || next > '9')) break;  // a dash
      if (sign == '-' || take_term(ahead) != Term::Taken) return false;
      clip = ahead;
    }
  }
}

// Whether a sum is still going on to the left of `start`: "R[4:1@laneid] + S[…]". An offset in front is taken along.
bool is_right_summand(std::string_view text, std::size_t& start) {
  const std::size_t plus = text.substr(0, start).find_last_not_of(' ');
  if (plus == std::string_view::npos || text[plus] != '+') return false;
  const std::size_t last = text.substr(0, plus).find_last_not_of(' ');
  if (last == std::string_view::npos || !use::is_word(text[last])) {
    return last != std::string_view::npos && text[last] != '\n' && text[last] != '`';
  }
  const std::size_t first = start_of_name(text, last + 1);
  const bool number =
      std::ranges::all_of(text.substr(first, last + 1 - first), [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t before = text.substr(0, first).find_last_not_of(' ');
  if (!number ||
      (before != std::string_view::npos && std::string_view("+-*/%@").find(text[before]) != std::string_view::npos))
    return true;
  start = first;
  return false;
}

// The first name behind '@' that is not an axis, in words; empty if there is none.
std::string unknown_axis(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    const std::size_t start = text.find_first_not_of(' ', at + 1);
    if (start == std::string_view::npos || !use::is_word(text[start])) continue;
    std::size_t end = start;
    while (end < text.size() && (use::is_word(text[end]) || text[end] == '.')) ++end;
    const std::string_view name = text.substr(start, end - start);
    if (!axis_of(name.substr(name.rfind('.') + 1))) return fmt::format("'{}' is not the name of an axis", name);
  }
  return {};
}

// Fills the rest of a finding from its text.
void read_found(Found& found, const Passage& passage) {
  const auto parsed = parse(found.layout);
  if (parsed && !parsed->symbolic.empty()) {
    state_rule_buffer(found, fmt::format("'{}' is a name, not a number, and --define gives it none", parsed->symbolic),
                      passage);
  } else if (parsed) {
    state_buffer(found, parsed->layout, passage);
  } else if (use::is_abbreviated(found.layout)) {
    use::leave_unread(found, use::kAbbreviated, "the text is abbreviated: '...' stands for a part of it");
  } else if (!read_expression(found.layout)) {
    use::leave_unread(found, use::kOtherNotation, fmt::format("it is not read: {}", parsed.error().message));
  } else {
    if (std::string axis = unknown_axis(found.layout); !axis.empty())
      use::leave_unread(found, use::kUnboundNames, std::move(axis));
    if (found.reason.empty()) found.tensor = "u8[1]";  // its reading gives the error
  }
}

std::vector<Found> call_at(const Passage& passage) {
  std::size_t start = start_of_name(passage.text, passage.word);
  if (use::is_declared(passage.text, start)) return {};
  Clip clip(passage.text, start);
  const std::string_view name = clip.take_word();
  // A module's name in front is left out, except where it is a part of the builder's.
  std::string called(name.ends_with("TileLayout.trainium") ? "TileLayout.trainium" : name.substr(name.rfind('.') + 1));
  const std::size_t taken = clip.text().size();
  if (clip.peek() != '(') return {};
  const bool closed = clip.take_brackets();
  const std::string inside = use::bound(std::string_view(clip.text()).substr(taken), passage.definitions);
  if (inside.find_first_not_of("() ") == std::string::npos) return {};
  const bool has_shard = inside.find("S[") != std::string::npos;
  if (!closed && (!has_shard || !clip.at_end())) return {};
  Found found{start, clip.offset() - start, called + inside, {}, {}, 0, {}};
  if (!closed) {
    found.length = std::min(found.length, passage.text.substr(start, found.length).find('\n'));
    use::leave_unread(found, use::kUnclosed, "its parenthesis is not closed");
    return {found};
  }
  if (use::has_parameters(found.layout)) return {};
  const bool not_built = std::ranges::find(kNotBuilt, called, &use::Anchor::word) != kNotBuilt.end();
  if (not_built && passage.prose) return {};
  if (!not_built) {
    read_found(found, passage);
    return {found};
  }
  found.length = passage.bracket + 1 - start;  // what stands in it is looked at on its own
  use::leave_unread(found, fmt::format("`{}`", called),
                    fmt::format("{} is not one of the builders that are known", called));
  return {found};
}

std::vector<Found> sum_at(const Passage& passage) {
  std::size_t start = start_of_name(passage.text, passage.word);
  const std::string_view prefix = passage.text.substr(start, passage.word - start);
  if (!prefix.empty() && without_prefix(fmt::format("{}S", prefix)) != "S") return {};
  Clip first(passage.text, start);
  static_cast<void>(first.take_word());
  if (first.peek() != '[' || !first.take_brackets()) return {};
  const std::string shard = use::bound(first.text(), passage.definitions);
  const auto node = read_expression(shard);
  const bool open = use::is_abbreviated(shard) && shard.find('@') != std::string::npos;
  if (!(node && is_shard(*node)) && !open) return {};
  const bool summand = is_right_summand(passage.text, start);
  Clip clip(passage.text, start);
  while (clip.offset() < first.offset() && clip.peek() != '\0') clip.take();
  const bool complete = take_sum(clip);
  Found found{start, clip.offset() - start, use::bound(clip.text(), passage.definitions), {}, {}, 0, {}};
  if (summand || !complete)
    use::leave_unread(found, use::kOtherNotation, "it is a part of a longer sum that is not read");
  else read_found(found, passage);
  return {found};
}

std::vector<Found> found_at(const Passage& passage, const use::Anchor& anchor) {
  return anchor.bracket == '[' ? sum_at(passage) : call_at(passage);
}

}  // namespace

const use::Scan kScan{kAnchors, found_at, {}, {}, kBufferCalls};

}  // namespace vl::tirx
