#include "verifier/kernel/reader/map_text.h"

#include <algorithm>
#include <cctype>

namespace vl::kernel {
namespace {

// Reads canonical text; whatever does not fit is a rejection.
class Text {
 public:
  // Two bytes can become a row, three a term: whoever reads keeps at most 32 for each.
  explicit Text(std::string_view text) : text_(text) {
    charge(4 * text.size()), hold(32 * static_cast<long long>(text.size()));
  }

  bool take(std::string_view token) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) { require(take(token), "the statement's map is not canonical text"); }
  bool at_digit() {
    take("");
    return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
  }
  Wide number() {
    require(at_digit(), "the statement's map lacks a number");
    Wide value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      value = value * 10 + (text_[at_] - '0');
    return value;
  }
  std::string word() {
    take("");
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    require(at_ > start, "the statement's map lacks a name");
    return std::string(text_.substr(start, at_ - start));
  }
  void end() { take(""), require(at_ == text_.size(), "text behind the statement's map"); }

  std::size_t input(std::size_t inputs) {
    const Wide index = number();
    require(index < static_cast<long long>(inputs), "a stage names an input that does not exist");
    return static_cast<std::size_t>(index.narrow());
  }

  Row row(std::size_t inputs) {
    Row out;
    Wide sign = take("-") ? -1 : 1;
    while (true) {
      const bool counted = at_digit();
      const Wide factor = counted ? sign * number() : sign;
      if (counted && !take("*")) {
        out.constant += factor;
      } else {
        expect("x");
        out.terms.emplace_back(input(inputs), factor);
      }
      if (!take("+") && !take("-")) return out;
      sign = text_[at_ - 1] == '-' ? -1 : 1;
    }
  }

  Space space() {
    Space out;
    expect("(");
    if (take(")")) return out;
    do {
      out.names.push_back(word());
      charge(out.names.size());
      require(std::ranges::count(out.names, out.names.back()) == 1, "two dimensions of one name");
      expect(":");
      out.extents.push_back(number());
      if (take("@")) word();
    } while (take(","));
    expect(")");
    return out;
  }

  Stage stage(std::size_t& width) {
    Stage out;
    if (take("affine(")) {
      if (!take(")")) {
        do out.rows.push_back(row(width));
        while (take(","));
        expect(")");
      }
      width = out.rows.size();
    } else if (take("split(")) {
      out.kind = Stage::Kind::Split;
      out.input = input(width);
      expect(";");
      do out.weights.push_back(number());
      while (take(","));
      expect(")");
      require(std::ranges::is_sorted(out.weights, std::ranges::greater()) && out.weights.back() == 1,
              "weights that do not end in 1");
      width += out.weights.size() - 1;
    } else {
      expect("swizzle(");
      out.kind = Stage::Kind::Swizzle;
      out.input = input(width);
      expect(";");
      Wide sum = 0;
      for (int* part : {&out.base, &out.bits, &out.shift}) {
        const Wide value = number();
        require((sum += value) <= 62, "a swizzle beyond 62 bits");
        *part = static_cast<int>(value.narrow());
        expect(",");
      }
      require(out.shift >= 1, "a swizzle that shifts by nothing");
      out.up = take("up");
      if (!out.up) expect("down");
      expect(")");
    }
    return out;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Space parse_space(std::string_view text) {
  Text reader(text);
  Space out = reader.space();
  reader.end();
  return out;
}

Row parse_row(std::string_view text, std::size_t inputs) {
  Text reader(text);
  Row out = reader.row(inputs);
  reader.end();
  return out;
}

Map parse_map(std::string_view text) {
  Text reader(text);
  Map out;
  out.domain = reader.space();
  out.outputs = out.domain.rank();
  out.size = static_cast<long long>(text.size());
  while (reader.take("->")) out.stages.push_back(reader.stage(out.outputs));
  reader.end();
  return out;
}

}  // namespace vl::kernel
