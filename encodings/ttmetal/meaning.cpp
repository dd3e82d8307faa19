#include "encodings/ttmetal/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/words.h"

namespace vl::ttmetal {
namespace {

// "shape" of "shape|shard_shape".
bool is_one_of(std::string_view names, std::string_view key) {
  while (true) {
    const std::size_t bar = names.find('|');
    if (names.substr(0, bar) == key) return true;
    if (bar == std::string_view::npos) return false;
    names.remove_prefix(bar + 1);
  }
}

}  // namespace

bool is_none(const Node& node) {
  return node.kind == Node::Kind::Name && (node.last() == "None" || node.last() == "nullopt");
}

void Meaning::fail(ErrorCode code, std::string message, std::size_t offset) {
  if (!error_) error_ = Error{code, std::move(message), offset};
}

void Meaning::leave_open(std::string reason) {
  if (unknown_.empty()) unknown_ = std::move(reason);
}

void Meaning::leave_open(const Node& node, std::string_view what) {
  const std::string name = node.name.substr(0, 60);
  leave_open(node.kind == Node::Kind::Call
                 ? fmt::format("'{}(…)' is computed by the program; {} is expected", name, what)
                 : fmt::format("'{}' is a name; {} is expected", name, what));
}

std::vector<const Node*> Meaning::arguments(const Node& call, std::span<const std::string_view> names) {
  std::vector<const Node*> out(names.size(), nullptr);
  std::size_t next = 0;
  for (const Field& field : call.fields) {
    std::size_t at = next;
    if (!field.key.empty())
      at = static_cast<std::size_t>(
          std::ranges::find_if(names, [&](std::string_view name) { return is_one_of(name, field.key); }) -
          names.begin());
    if (at >= names.size()) {
      fail(field.key.empty() ? fmt::format("expected at most {}", plural(static_cast<Index>(names.size()), "argument"))
                             : fmt::format("unknown field '{}'; {}", field.key, one_of(field.key, names)),
           field.offset);
      return out;
    }
    if (out[at] != nullptr) fail(fmt::format("'{}' stands here a second time", names[at]), field.offset);
    out[at] = &field.value;
    next = at + 1;
  }
  return out;
}

Index Meaning::number(const Node& node, std::string_view what) {
  if (node.kind == Node::Kind::Number) return keep(node.number), node.number;
  if (node.kind != Node::Kind::List && !text_.empty() && node.end > node.start) {
    const bool is_word = node.kind == Node::Kind::Name && (node.open == '"' || is_none(node));
    auto value = map::parse_expression(text_.substr(node.start, node.end - node.start));
    if (value && !is_word) {
      keep(*value);
      named_.push_back({node.start, node.end, std::move(*value)});
      return 1;
    }
  }
  if (node.kind == Node::Kind::List) fail(fmt::format("expected {}, found a list", what), node.offset);
  else leave_open(node, what);
  return 1;
}

std::vector<Index> Meaning::numbers(const Node& node, std::string_view what) {
  constexpr std::array<std::string_view, 8> kCalls = {"Shape",       "Shape2D", "Alignment", "SmallVector",
                                                      "SimpleShape", "Size",    "list",      "tuple"};
  const bool call = node.kind == Node::Kind::Call && std::ranges::find(kCalls, node.last()) != kCalls.end();
  if (node.kind == Node::Kind::Name || (node.kind == Node::Kind::Call && !call)) {
    leave_open(node, what);
    return {};
  }
  if (node.kind == Node::Kind::Number) {
    fail(fmt::format("expected {}, found a number", what), node.offset);
    return {};
  }
  taken_.clear();
  if (call && node.fields.size() == 1 && node.fields[0].key.empty() && node.fields[0].value.kind != Node::Kind::Number)
    return numbers(node.fields[0].value, what);
  std::vector<Index> out;
  for (const Field& field : node.fields) {
    if (!field.key.empty()) fail(fmt::format("expected a number of {}, found '{}'", what, field.key), field.offset);
    out.push_back(number(field.value, what));
  }
  return out;
}

std::string Meaning::word(const Node* node, std::string_view what, std::span<const std::string_view> words) {
  if (node == nullptr || is_none(*node)) return {};
  if (node->kind != Node::Kind::Name) {
    fail(fmt::format("expected {}", what), node->offset);
    return {};
  }
  std::string out(node->last());
  if (std::ranges::find(words, out) != words.end()) return out;
  // A name with a dot in front is one of an enumeration, any other may be a variable.
  const bool qualified = node->name.size() > out.size() || node->open == '"';
  if (qualified) fail(ErrorCode::Value, fmt::format("'{}' is not {}; {}", out, what, one_of(out, words)), node->offset);
  else leave_open(*node, what);
  return {};
}

bool Meaning::flag(const Node& node) {
  if (node.kind == Node::Kind::Number && (node.number == 0 || node.number == 1)) return node.number == 1;
  if (node.kind == Node::Kind::Name) {
    const std::string_view name = node.last();
    if (name == "True" || name == "true") return true;
    if (name == "False" || name == "false") return false;
    leave_open(node, "True or False");
    return false;
  }
  fail("expected True or False", node.offset);
  return false;
}

}  // namespace vl::ttmetal
