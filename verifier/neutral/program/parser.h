// The parser of programs: parse.cpp has statements and inputs, parse_operations.cpp the words of operations and
// reductions, and parse_pointwise.cpp, parse_rows.cpp, parse_moves.cpp and parse_matmul.cpp what their names say.
#pragma once

#include <map>

#include "encodings/base/printable.h"
#include "verifier/neutral/program/program.h"
#include "verifier/neutral/program/tokens.h"

namespace vl::neutral::program {

class Parser {
 public:
  Parser(std::string_view text, const Layouts& layouts) : layouts_(layouts) { program_.text = text; }

  Result<Program> program();

 private:
  void statement(Line& line, std::size_t number, std::size_t offset);
  void equality(Line& line);
  static std::string shown(const Token& token) { return printable(std::string(token.text.substr(0, 40))); }
  std::size_t operand(Line& line);
  void take_operand(Line& line, Node& node);
  const Node& node_of(std::size_t operand) const { return program_.nodes[operand]; }
  const Format* type(Line& line, const Token& word);
  // "[32,33]", "(0,1)": what is between the brackets, cut at commas. Nothing: an error.
  std::vector<Token> listed(Line& line, const Token& token, char open, char close, std::string_view what);
  std::vector<Index> sizes(Line& line, const Token& token, char open, char close, std::string_view what);
  // A token that begins with a word and goes on with a bracket: f32[…], tile(…).
  static Token rest_of(const Token& token, std::size_t taken) {
    return {token.text.substr(taken), token.offset + taken};
  }
  // f32[M=32,33].
  void tensor(Line& line, Node& node, bool or_type = false);
  void input(Line& line, Node& node);
  void constant(Line& line, Node& node);
  void input_options(Line& line, Node& node);
  void finite_rows(Line& line, Node& node);
  // tile(32,32), stick(64), and with a space before the bracket.
  void tiled(Line& line, Node& node);
  void from_layout(Line& line, Node& node);
  // The next word, if it says the padded sizes; else an error.
  void placement(Line& line, Node& node);
  CodeSet state(Line& line, const Token& text, const Node& node, const CodeSet* valid);
  // "STATE", or "REGION: STATE; REGION: STATE"; regions that are not named are unwritten.
  void read_padding(Line& line, const Token& text, Node& node);
  // The padding that is said, as far as it is what the layout's own fill leaves.
  void fill_padding(Line& line, std::size_t offset, Node& node) const;
  std::size_t dimension(Line& line, const Token& text, const Node& node);
  Region region(Line& line, const Token& text, const Node& node);
  std::vector<std::size_t> axes(Line& line, const Node& of);
  void operation(Line& line, const Token& word, Node& node);
  // "1.5", "-inf", "bits:0x7E00": a code of the type.
  Code number(Line& line, const Token& text, const Format& type);
  [[nodiscard]] bool is_number(std::string_view text) const;
  // A node of its own for the line of another one. Of `node` its name and place.
  std::size_t implicit(Line& line, const Node& node, Node made);
  void reduction(Line& line, Node& node);
  // Places are i32; of k there have to be elements.
  void result_of_row(Line& line, Node& node, std::size_t offset);
  // Words that rows and means have besides; false if the next word is none of them.
  bool row_option(Line& line, Node& node);
  void shape_of_reduction(Node& node) const;
  [[nodiscard]] std::optional<Error> misfit_of_rows() const;
  void arithmetic(Line& line, Node& node);
  void pointwise(Line& line, const Token& word, Node& node);
  // An operand for each token, of which some may be numbers.
  void negation(Line& line, Node& node);
  // "-> TYPE": the node becomes a cast of what it was.
  void cast_result(Line& line, Node& node);
  // A condition of another type, as numbers of the type of what is chosen from.
  void cast_condition(Line& line, Node& node);
  [[nodiscard]] Node cast_of(std::size_t operand, const Format* type) const;
  void take_numbers(Line& line, const std::vector<Token>& tokens, Node& node);
  // Broadcasts operands to the shape that all of them have then, which is that of the node.
  void join(Line& line, Node& node);
  [[nodiscard]] std::optional<Dimension> joined(const Node& node, std::size_t from_back, std::size_t& misfit) const;
  std::size_t joined_operand(Line& line, const Node& node, std::size_t i);
  void rule(Line& line, Node& node);
  void cast(Line& line, Node& node);
  void matmul(Line& line, Node& node);
  // Which dimensions of two operands go together.
  struct Contraction {
    std::vector<std::pair<std::size_t, std::size_t>> batch;  // or kNowhere
    std::vector<std::size_t> free_a, free_b;
    std::pair<std::size_t, std::size_t> contracted;
    bool fits = true;
  };
  std::vector<std::size_t> dimensions_in(Line& line, const Node& of);
  static void contract_last(Line& line, const Node& a, const Node& b, Contraction& out);
  void contract_said(Line& line, const Node& a, const Node& b, Contraction& out);
  std::size_t contracted_operand(Line& line, const Node& node, std::size_t i, std::vector<Dimension> dimensions,
                                 std::vector<std::size_t> axes);
  void product(Line& line, Node& node, const Node& a, const Node& b, Contraction& said);
  void in_order(Line& line, Node& node, const Contraction& said);
  void transpose(Line& line, Node& node);
  void reshape(Line& line, Node& node);
  void concat(Line& line, Node& node);
  void slice(Line& line, Node& node);
  void broadcast(Line& line, Node& node);
  void broadcast_to(Line& line, Node& node);
  void mask(Line& line, Node& node);
  void reverse(Line& line, Node& node);
  void pad(Line& line, Node& node);
  std::vector<Index> amounts(Line& line, std::string_view word, const Node& of);
  std::size_t beside(Line& line, const Node& node, const Token& value, const Node& shape);
  Node moved(Line& line, const Node& node, Node before, Kind kind, std::size_t axis);
  void unknown(Line& line, Node& node);
  void check_rank(Line& line, const Node& node, std::size_t offset);
  void check_size(Line& line, const Node& node, std::size_t offset);
  const Layouts& layouts_;
  Program program_;
  bool equality_is_said_ = false;
  std::string fill_;  // of the input that is read, by its layout
  std::map<std::string, std::size_t, std::less<>> names_;
};

}  // namespace vl::neutral::program
