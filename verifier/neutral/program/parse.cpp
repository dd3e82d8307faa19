#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/neutral/program/parser.h"

namespace vl::neutral::program {
namespace {

const std::vector<std::string_view> kInputOptions{"tile", "stick", "layout", "padding", "contents", "rows"};

// tile(32,32), stick(64), and with a space before the bracket.
bool says_tile(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return text == word || (text.starts_with(word) && text.substr(word.size()).starts_with("("));
  };
  return is("tile") || is("stick");
}

std::string dimensions_in_words(const Node& node) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < node.dimensions.size(); ++i) out.push_back(dimension_in_words(node, i));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

Result<Program> Parser::program() {
  const std::string_view text = program_.text;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view row = text.substr(start, end - start);
    row = without_comment(row);
    Line line(row, start);
    ++number;
    if (!line.at_end()) statement(line, number, start);
    if (line.failed()) return line.error();
    start = end + 1;
  }
  if (program_.outputs.empty())
    return Error{ErrorCode::Syntax, "expected a line 'output NAME', found the end of the program", text.size()};
  if (auto error = misfit_of_rows()) return *std::move(error);
  std::vector<std::size_t> outputs = program_.outputs;
  return with_outputs(std::move(program_), std::move(outputs));
}

void Parser::statement(Line& line, std::size_t number, std::size_t offset) {
  if (line.peek_second() != "=" && line.accept("output")) {
    do program_.outputs.push_back(operand(line));
    while (!line.at_end());
    return;
  }
  if (line.peek_second() != "=" && line.accept("equal")) return equality(line);
  const Token name = line.name("a name, 'output' or 'equal'");
  line.expect("=");
  if (line.failed()) return;
  if (names_.contains(name.text))
    return line.fail(ErrorCode::Value, fmt::format("'{}' is defined already", name.text), name.offset);
  if (program_.nodes.size() == kMostNodes)
    return line.fail(ErrorCode::Value, fmt::format("more than {} operations", kMostNodes), name.offset);
  Node node;
  node.name = name.text;
  node.line = number;
  node.offset = offset;
  const Token word = line.take("an operation");
  if (word.text == "input") input(line, node);
  else if (word.text == "constant") constant(line, node);
  else operation(line, word, node);
  if (!line.at_end() && !line.failed()) line.fail(fmt::format("expected the end of the line, found {}", line.found()));
  check_size(line, node, word.offset);
  if (line.failed()) return;
  names_.emplace(node.name, program_.nodes.size());
  program_.nodes.push_back(std::move(node));
}

void Parser::equality(Line& line) {
  const Token word = line.take("bits, any-nan or any-nan+zero");
  if (equality_is_said_) line.fail(ErrorCode::Value, "how results are compared is said twice", word.offset);
  equality_is_said_ = true;
  if (word.text == "bits") program_.equal = Equality::Bits;
  else if (word.text == "any-nan") program_.equal = Equality::AnyNan;
  else if (word.text == "any-nan+zero") program_.equal = Equality::AnyNanAndZero;
  else if (!line.failed())
    line.fail(ErrorCode::Value, fmt::format("expected bits, any-nan or any-nan+zero, found '{}'", shown(word)),
              word.offset);
  if (!line.at_end()) line.fail(fmt::format("expected the end of the line, found {}", line.found()));
}

std::size_t Parser::operand(Line& line) {
  const Token name = line.name("a name");
  if (line.failed()) return 0;
  const auto found = names_.find(name.text);
  if (found == names_.end()) {
    line.fail(ErrorCode::Value, fmt::format("'{}' is not defined above", name.text), name.offset);
    return 0;
  }
  return found->second;
}

void Parser::take_operand(Line& line, Node& node) {
  node.operands_at.push_back(line.at());
  node.operands.push_back(operand(line));
}

const Format* Parser::type(Line& line, const Token& word) {
  const Format* out = values::find_element_format(word.text);
  if (out == nullptr && !line.failed()) {
    std::vector<std::string_view> known;
    for (const Format& format : values::element_formats()) known.push_back(format.name);
    line.fail(ErrorCode::Value, fmt::format("'{}' is no type here; types are {}", shown(word), fmt::join(known, " ")),
              word.offset);
  }
  return line.failed() ? nullptr : out;
}

std::vector<Token> Parser::listed(Line& line, const Token& token, char open, char close, std::string_view what) {
  const std::string_view text = token.text;
  if (line.failed()) return {};
  if (text.size() < 2 || text.front() != open || text.back() != close) {
    line.fail(ErrorCode::Syntax, fmt::format("expected {}, found '{}'", what, shown(token)), token.offset);
    return {};
  }
  if (open == '[' && text.size() == 2) return {};
  return split(text.substr(1, text.size() - 2), ',', token.offset + 1);
}

std::vector<Index> Parser::sizes(Line& line, const Token& token, char open, char close, std::string_view what) {
  std::vector<Index> out;
  for (const Token& part : listed(line, token, open, close, what)) {
    const auto value = natural(part.text);
    if (!value || *value < 1 || *value > Index{1} << 32) {
      line.fail(ErrorCode::Value, fmt::format("expected a size from 1 to 2^32, found '{}'", shown(part)), part.offset);
      return {};
    }
    out.push_back(*value);
  }
  return out;
}

void Parser::tensor(Line& line, Node& node, bool or_type) {
  const Token token = line.take("a type with sizes, as f32[32,33]");
  const std::size_t open = std::min(token.text.find('['), token.text.size());
  node.type = type(line, {token.text.substr(0, open), token.offset});
  if (or_type && open == token.text.size()) return;
  for (const Token& part : listed(line, rest_of(token, open), '[', ']', "sizes, as [32,33]")) {
    const std::size_t equals = part.text.find('=');
    Dimension dimension;
    Token size = part;
    if (equals != std::string_view::npos) {
      dimension.name = part.text.substr(0, equals);
      size = rest_of(part, equals + 1);
      const bool taken =
          std::ranges::any_of(node.dimensions, [&](const Dimension& d) { return d.name == dimension.name; });
      if (!is_name(dimension.name) || taken)
        line.fail(ErrorCode::Value, fmt::format("expected another name of a dimension, found '{}'", shown(part)),
                  part.offset);
    }
    const auto value = natural(size.text);
    if (!value || *value < 1 || *value > Index{1} << 32)
      line.fail(ErrorCode::Value, fmt::format("expected a size from 1 to 2^32, found '{}'", shown(size)), size.offset);
    dimension.size = value.value_or(1);
    node.dimensions.push_back(std::move(dimension));
  }
  check_rank(line, node, token.offset);
}

void Parser::input(Line& line, Node& node) {
  tensor(line, node);
  if (!line.failed()) input_options(line, node);
}

void Parser::constant(Line& line, Node& node) {
  tensor(line, node, true);
  const Token text = line.take("a number");
  if (line.failed()) return;
  node.constant = true;
  node.contents = CodeSet::of(number(line, text, *node.type));
  if (!line.failed()) input_options(line, node);
}

void Parser::placement(Line& line, Node& node) {
  if (says_tile(line.peek())) tiled(line, node);
  else if (line.accept("layout")) from_layout(line, node);
  else line.fail(fmt::format("expected tile, stick or layout, found {}", line.found()));
}

void Parser::input_options(Line& line, Node& node) {
  Token padding{"unwritten", line.at()}, contents{"any", line.at()};
  fill_.clear();
  std::vector<std::string_view> stops = kInputOptions, said;
  while (!line.at_end()) {
    const std::string_view next = line.peek();
    const bool padded = says_tile(next) || next == "layout";
    const std::string_view what = padded ? "the padded size" : next;
    if (std::ranges::find(said, what) != said.end())
      return line.fail(ErrorCode::Value, fmt::format("{} is said twice", what), line.at());
    said.push_back(what);
    if (padded) placement(line, node);
    else if (line.accept("padding")) padding = line.until(stops);
    else if (!node.constant && line.accept("contents")) contents = line.until(stops);
    else if (!node.constant && line.accept("rows")) finite_rows(line, node);
    else
      line.fail(fmt::format("expected tile, stick, layout{}, found {}",
                            node.constant ? " or padding" : ", padding, contents or rows", line.found()));
  }
  if (line.failed()) return;
  if (!node.constant) node.contents = state(line, contents, node, nullptr);
  if (!line.failed() && !node.finite_rows.empty() && node.contents.intersected(finite_codes(*node.type)).empty())
    return line.fail(ErrorCode::Value, "its contents have no finite number", contents.offset);
  if (!line.failed()) read_padding(line, padding, node);
  if (!line.failed() && !fill_.empty()) fill_padding(line, padding.offset, node);
}

// "rows 1 have finite"
void Parser::finite_rows(Line& line, Node& node) {
  const Token where = line.take("a dimension");
  if (!line.failed()) node.finite_rows.push_back(dimension(line, where, node));
  if (!line.accept("have") || !line.accept("finite"))
    line.fail(fmt::format("expected have finite, found {}", line.found()));
}

void Parser::fill_padding(Line& line, std::size_t offset, Node& node) const {
  const auto codes = values::codes_of_fill(fill_, *node.type);
  if (!codes)
    return line.fail(
        ErrorCode::Value,
        fmt::format("the layout fills its padding with {}, which {} does not have", fill_, node.type->name), offset);
  for (CodeSet& set : node.padding) {
    set = set.intersected(*codes);
    if (set.empty())
      return line.fail(ErrorCode::Value,
                       fmt::format("the layout fills its padding with {} (its oob_val); the padding that is stated "
                                   "holds no such value",
                                   fill_),
                       offset);
  }
}

void Parser::tiled(Line& line, Node& node) {
  Token token = line.take("tile(…)");
  const std::size_t word = std::min(token.text.find('('), token.text.size());
  token = word == token.text.size() ? line.take("sizes in brackets, as (32,32)") : rest_of(token, word);
  const std::vector<Index> tile = sizes(line, token, '(', ')', "sizes in brackets, as (32,32)");
  if (tile.size() > node.dimensions.size())
    line.fail(ErrorCode::Shape,
              fmt::format("a tile of {} dimensions for a tensor of {}", tile.size(), node.dimensions.size()),
              token.offset);
  if (line.failed()) return;
  for (std::size_t i = 0; i < tile.size(); ++i)
    node.dimensions[node.dimensions.size() - tile.size() + i].granule = tile[i];
}

void Parser::from_layout(Line& line, Node& node) {
  const Token token = line.take("a layout in quotes");
  if (line.failed()) return;
  if (token.text.size() < 2 || token.text.front() != '"' || token.text.back() != '"')
    return line.fail(ErrorCode::Syntax, fmt::format("expected a layout in quotes, found '{}'", shown(token)),
                     token.offset);
  if (!layouts_)
    return line.fail(ErrorCode::Value, "layouts cannot be read here; give tile(…) or stick(…)", token.offset);
  std::vector<Index> size;
  for (const Dimension& dimension : node.dimensions) size.push_back(dimension.size);
  const auto read = layouts_(token.text.substr(1, token.text.size() - 2), node.type->name, size);
  if (!read) return line.fail(read.error().code, read.error().message, token.offset + 1 + read.error().offset);
  if (read->granules.size() != size.size())
    return line.fail(ErrorCode::Shape, "the layout has another number of dimensions", token.offset);
  for (std::size_t i = 0; i < size.size(); ++i) node.dimensions[i].granule = read->granules[i];
  fill_ = read->fill;
}

CodeSet Parser::state(Line& line, const Token& text, const Node& node, const CodeSet* valid) {
  const auto out = values::parse_state(text.text, *node.type, valid);
  if (out) return *out;
  line.fail(out.error().code, out.error().message, text.offset + out.error().offset);
  return {};
}

void Parser::read_padding(Line& line, const Token& text, Node& node) {
  node.padding.assign(node.regions(), CodeSet::all(*node.type));
  const std::size_t colon = text.text.find(':');
  const bool by_region = colon != std::string_view::npos && !text.text.substr(0, colon).ends_with("bits");
  if (!by_region) {
    const CodeSet all = state(line, text, node, &node.contents);
    for (CodeSet& set : node.padding) set = all;
    return;
  }
  std::vector<Region> said;
  for (const Token& part : split(text.text, ';', text.offset)) {
    const std::size_t at = part.text.find(':');
    if (at == std::string_view::npos)
      return line.fail(ErrorCode::Syntax, fmt::format("expected REGION: STATE, found '{}'", shown(part)), part.offset);
    const Region found = region(line, split(part.text.substr(0, at), ' ', part.offset).front(), node);
    if (!line.failed() && std::ranges::find(said, found) != said.end())
      line.fail(ErrorCode::Value, fmt::format("the region {} is said twice", region_in_words(node, found)),
                part.offset);
    if (line.failed()) return;
    said.push_back(found);
    node.padding[found] = state(line, rest_of(part, at + 1), node, &node.contents);
  }
}

std::size_t Parser::dimension(Line& line, const Token& text, const Node& node) {
  for (std::size_t i = 0; i < node.dimensions.size(); ++i)
    if (!text.text.empty() && node.dimensions[i].name == text.text) return i;
  const auto value = natural(text.text);
  if (value && *value < static_cast<Index>(node.dimensions.size())) return static_cast<std::size_t>(*value);
  line.fail(ErrorCode::Value,
            fmt::format("'{}' is no dimension of {}, which has {}", shown(text), node.name, dimensions_in_words(node)),
            text.offset);
  return 0;
}

Region Parser::region(Line& line, const Token& text, const Node& node) {
  Region out = 0;
  for (const Token& part : split(text.text, '+', text.offset)) {
    const std::size_t at = dimension(line, part, node);
    if (!line.failed() && !node.dimensions[at].is_padded())
      line.fail(ErrorCode::Value, fmt::format("dimension {} of {} has no padding", shown(part), node.name),
                part.offset);
    out |= Region{1} << at;
  }
  return out;
}

std::vector<std::size_t> Parser::axes(Line& line, const Node& of) {
  std::vector<std::size_t> out;
  for (const Token& part : split(line.peek(), ',', line.at())) {
    const std::size_t at = dimension(line, part, of);
    if (std::ranges::find(out, at) != out.end())
      line.fail(ErrorCode::Value, fmt::format("dimension {} twice", shown(part)), part.offset);
    out.push_back(at);
  }
  if (!line.failed()) line.take("a dimension");
  return out;
}

void Parser::check_rank(Line& line, const Node& node, std::size_t offset) {
  if (!line.failed() && node.dimensions.size() > kMostDimensions)
    line.fail(ErrorCode::Shape,
              fmt::format("expected at most {} dimensions, found {}", kMostDimensions, node.dimensions.size()), offset);
}

void Parser::check_size(Line& line, const Node& node, std::size_t offset) {
  if (line.failed()) return;
  check_rank(line, node, offset);
  Index slots = 1;
  for (const Dimension& dimension : node.dimensions) {
    const auto product = checked_mul(slots, dimension.padded());
    if (!product || *product >= Index{1} << 62)
      return line.fail(ErrorCode::Overflow, fmt::format("{} has too many slots", node.name), offset);
    slots = *product;
  }
}

Result<Program> parse_program(std::string_view text, const Layouts& layouts) { return Parser(text, layouts).program(); }

}  // namespace vl::neutral::program
