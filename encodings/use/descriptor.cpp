// The canonical text of descriptors: read, printed, and made from fields.
#include "encodings/use/descriptor.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/words.h"

namespace vl::use {
namespace {

using Takes = DescriptorRow::Takes;

bool is_word_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

const DescriptorRow* row_of(std::span<const DescriptorRow> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &DescriptorRow::name);
  return found == rows.end() ? nullptr : &*found;
}

// Where a field stands in the text: of a transfer, beside the descriptor.
constexpr std::string_view kDirection = "direction", kAt = "at", kShared = "shared";

class DescriptorText {
 public:
  explicit DescriptorText(std::string_view text) : in_(text) {}

  Result<Descriptor> read() {
    Descriptor out;
    for (const char* way : {"load", "store"})
      if (in_.accept(way)) {
        out.fields.emplace(kDirection, word_field(way));
        break;
      }
    const bool moves = !out.fields.empty();
    in_.skip_space();
    const std::size_t at = in_.offset();
    out.kind = in_.identifier("a descriptor, as in tensormap(f16, dim (256,128), …)");
    kind_ = descriptor_kind(out.kind);
    if (!in_.failed() && kind_ == nullptr) {
      std::vector<std::string_view> names;
      for (const DescriptorKind& kind : descriptor_kinds()) names.push_back(kind.name);
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is no descriptor; {}", out.kind, one_of(out.kind, names)), at);
    }
    if (in_.failed()) return in_.error();
    if (moves && row_of(kind_->fields, kShared) == nullptr)
      in_.fail(ErrorCode::Syntax, fmt::format("{} is not loaded or stored by coordinates", kind_->what), 0);
    take_parts(out.fields);
    if (moves) take_place(out.fields);
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return descriptor_of(out.kind, std::move(out.fields));
  }

 private:
  void take_parts(DescriptorFields& out) {
    in_.expect("(");
    bool first = true;
    for (const DescriptorRow& row : kind_->words) {
      if (!first) in_.expect(",");
      first = false;
      out.emplace(row.name, take_word(row));
    }
    while (!in_.failed() && in_.peek() != ')') {
      if (!first) in_.expect(",");
      first = false;
      if (in_.peek() == ')') break;
      take_field(out);
    }
    in_.expect(")");
  }

  void take_field(DescriptorFields& out) {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string name(in_.identifier("a field"));
    if (in_.failed()) return;
    const DescriptorRow* row = row_of(kind_->fields, name);
    if (row == nullptr || is_beside(name)) {
      std::vector<std::string_view> names;
      for (const DescriptorRow& each : kind_->fields)
        if (!is_beside(each.name)) names.push_back(each.name);
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is no field of {}; {}", name, kind_->name, one_of(name, names)),
               at);
      return;
    }
    if (name == "desc") in_.accept("at");
    if (!out.emplace(name, take(*row)).second)
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is given twice", name), at);
  }

  // Whether a field of this kind stands in front of its text, or after it.
  [[nodiscard]] bool is_beside(std::string_view name) const {
    return row_of(kind_->fields, kShared) != nullptr && (name == kDirection || name == kAt || name == kShared);
  }

  // at (64,32) to 1024
  void take_place(DescriptorFields& out) {
    if (in_.accept("at")) out.emplace(kAt, take_numbers());
    if (in_.accept("to") || in_.accept("from")) out.emplace(kShared, number_field(map::take_expression(in_)));
  }

  DescriptorField take(const DescriptorRow& row) {
    switch (row.takes) {
      case Takes::Number: return number_field(map::take_expression(in_));
      case Takes::List: return take_numbers();
      case Takes::Word: return take_word(row);
    }
    VL_CHECK(false, "a field that takes nothing");
  }

  DescriptorField take_word(const DescriptorRow& row) {
    in_.skip_space();
    const std::size_t at = in_.offset();
    std::size_t end = at;
    while (end < in_.text().size() && is_word_letter(in_.text()[end])) ++end;
    std::string found(in_.text().substr(at, end - at));
    const std::vector<std::string_view> known = words_of(row.words);
    if (std::ranges::find(known, found) == known.end())
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is no {}; {}", found, row.name, one_of(found, known)), at);
    in_.move_to(end);
    return word_field(std::move(found));
  }

  DescriptorField take_numbers() {
    constexpr std::size_t kMost = 64;
    const bool square = in_.peek() == '[';
    const std::string_view end = square ? "]" : ")";
    in_.expect(square ? "[" : "(");
    std::vector<map::Expression> values;
    while (!in_.failed() && in_.peek() != end.front()) {
      if (!values.empty()) in_.expect(",");
      if (in_.peek() == end.front()) break;
      values.push_back(map::take_expression(in_));
      if (values.size() > kMost) in_.fail(fmt::format("more than {} entries", kMost));
    }
    in_.expect(end);
    return numbers_field(std::move(values));
  }

  Cursor in_;
  const DescriptorKind* kind_ = nullptr;
};

std::string print_field(const DescriptorField& field) {
  std::string out;
  for (const FieldValue& value : field.values) {
    if (!out.empty()) out += ",";
    out += std::holds_alternative<std::string>(value) ? std::get<std::string>(value)
                                                      : map::print(std::get<map::Expression>(value));
  }
  return field.list ? "(" + out + ")" : out;
}

bool is_default(const DescriptorRow& row, const DescriptorField& field) {
  return !row.absent.empty() && row.takes != Takes::List && print_field(field) == row.absent;
}

}  // namespace

DescriptorField number_field(map::Expression value) { return {{std::move(value)}, false}; }
DescriptorField word_field(std::string value) { return {{std::move(value)}, false}; }
DescriptorField numbers_field(std::vector<map::Expression> values) {
  DescriptorField out{{}, true};
  for (map::Expression& value : values) out.values.emplace_back(std::move(value));
  return out;
}

const DescriptorKind* descriptor_kind(std::string_view name) {
  const auto all = descriptor_kinds();
  const auto found = std::ranges::find(all, name, &DescriptorKind::name);
  return found == all.end() ? nullptr : &*found;
}

bool has_field(const DescriptorKind& kind, std::string_view field) {
  const std::vector<std::string_view> derived = words_of(kind.derived);
  return row_of(kind.words, field) != nullptr || row_of(kind.fields, field) != nullptr ||
         std::ranges::find(derived, field) != derived.end();
}

bool is_descriptor(std::string_view text) {
  Cursor in(text);
  if (!in.accept("load")) in.accept("store");
  const std::string_view name = in.identifier("a descriptor");
  return !in.failed() && descriptor_kind(name) != nullptr && in.accept("(");
}

Result<Descriptor> parse_descriptor(std::string_view text) { return DescriptorText(text).read(); }

Result<Descriptor> descriptor_of(std::string_view kind, DescriptorFields fields) {
  const DescriptorKind* of = descriptor_kind(kind);
  VL_CHECK(of != nullptr, "a descriptor of no kind");
  for (const DescriptorRow& row : of->fields) {
    if (fields.contains(row.name)) continue;
    if (row.needed)
      return Error{ErrorCode::Syntax, fmt::format("{} without '{}'; expected one", of->name, row.name), 0};
    if (row.absent.empty()) continue;
    if (row.takes == Takes::Word) fields.emplace(row.name, word_field(std::string(row.absent)));
    else fields.emplace(row.name, number_field(*map::parse_expression(row.absent)));
  }
  if (of->derive != nullptr)
    if (auto wrong = of->derive(fields)) return std::move(*wrong);
  return Descriptor{std::string(kind), std::move(fields)};
}

std::string print(const Descriptor& descriptor) {
  const DescriptorKind& kind = *descriptor_kind(descriptor.kind);
  const DescriptorFields& fields = descriptor.fields;
  std::string parts, place;
  const auto add = [&](const std::string& text) { parts += (parts.empty() ? "" : ", ") + text; };
  for (const DescriptorRow& row : kind.words) add(print_field(fields.find(row.name)->second));
  const bool moves = row_of(kind.fields, kShared) != nullptr && fields.contains(kDirection);
  for (const DescriptorRow& row : kind.fields) {
    const auto field = fields.find(row.name);
    if (field == fields.end() || is_default(row, field->second)) continue;
    const std::string said = print_field(field->second);
    const bool loads = moves && fields.find(kDirection)->second == word_field("load");
    if (moves && row.name == kDirection) continue;
    if (moves && row.name == kAt) place += " at " + said;
    else if (moves && row.name == kShared) place += (loads ? " to " : " from ") + said;
    else add(fmt::format("{} {}{}", row.name, row.name == "desc" ? "at " : "", said));
  }
  const std::string way = moves ? print_field(fields.find(kDirection)->second) + " " : "";
  return fmt::format("{}{}({}){}", way, kind.name, parts, place);
}

Result<std::vector<Index>> numbers_in(const Descriptor& descriptor, std::string_view field) {
  const auto found = descriptor.fields.find(field);
  if (found == descriptor.fields.end()) return Error{ErrorCode::Value, fmt::format("'{}' is not stated", field), 0};
  std::vector<Index> out;
  for (const FieldValue& value : found->second.values) {
    const auto* expression = std::get_if<map::Expression>(&value);
    const auto number = expression == nullptr ? std::nullopt : expression->number();
    if (!number) return Error{ErrorCode::Value, fmt::format("'{}' has names for sizes; expected numbers", field), 0};
    out.push_back(*number);
  }
  return out;
}

std::vector<std::string> names_of(const Descriptor& descriptor) {
  std::vector<std::string> out;
  for (const auto& [name, field] : descriptor.fields)
    for (const FieldValue& value : field.values)
      if (const auto* expression = std::get_if<map::Expression>(&value)) map::add_names(*expression, out);
  return out;
}

Result<Descriptor> with_sizes(Descriptor descriptor, const map::Sizes& sizes) {
  for (auto& [name, field] : descriptor.fields)
    for (FieldValue& value : field.values) {
      auto* expression = std::get_if<map::Expression>(&value);
      std::vector<std::string> names;
      if (expression != nullptr) map::add_names(*expression, names);
      if (names.empty() || !std::ranges::all_of(names, [&](const auto& each) { return sizes.contains(each); }))
        continue;
      const auto number = map::evaluate(*expression, sizes);
      if (!number) return number.error();
      *expression = *number;
    }
  return descriptor_of(descriptor.kind, std::move(descriptor.fields));
}

}  // namespace vl::use
