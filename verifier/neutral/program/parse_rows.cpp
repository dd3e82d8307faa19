// The parser of programs: rows, and what they and means say besides.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/neutral/program/parser.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

constexpr Index kMostPlaces = (Index{1} << 31) - 1;  // that an i32 has

bool takes_k(Operation operation) { return operation == Operation::TopK || operation == Operation::TopKIndices; }

}  // namespace

bool Parser::row_option(Line& line, Node& node) {
  const bool row = node.kind == Kind::Row, mean = node.operation == Operation::Mean;
  if ((row || mean) && line.accept("divide")) {
    const Token word = line.take("N or P");
    if (word.text != "N" && word.text != "P")
      line.fail(ErrorCode::Value, fmt::format("expected N or P, found '{}'", shown(word)), word.offset);
    node.divide = word.text == "P" ? Divide::Padded : Divide::Logical;
    return true;
  }
  if (row && line.accept("ties")) {
    const Token word = line.take("first, last or unspecified");
    node.said.push_back(values::Entry::Ties);
    if (word.text == "first") node.ties = Ties::First;
    else if (word.text == "last") node.ties = Ties::Last;
    else if (word.text == "unspecified") node.ties = Ties::Unspecified;
    else
      line.fail(ErrorCode::Value, fmt::format("expected first, last or unspecified, found '{}'", shown(word)),
                word.offset);
    return true;
  }
  if (row && takes_k(node.operation) && line.peek() == "k") {
    line.take("k");
    const std::size_t at = line.at();
    const Index k = line.integer("how many");
    if (!line.failed() && (k < 1 || k > Index{kMostK}))
      line.fail(ErrorCode::Value, fmt::format("k is {}, and not 1 to {}", k, kMostK), at);
    if (!line.failed()) node.k = static_cast<unsigned>(k);
    return true;
  }
  if (row && !has_result_per_slot(node) && !takes_k(node.operation) && line.accept("keep")) return node.keep = true;
  return false;
}

void Parser::shape_of_reduction(Node& node) const {
  const Node& of = node_of(node.operands[0]);
  for (std::size_t i = 0; i < of.dimensions.size(); ++i) {
    const Dimension& from = of.dimensions[i];
    const bool reduced = std::ranges::find(node.axes, i) != node.axes.end();
    if (!reduced || has_result_per_slot(node)) node.dimensions.push_back(from);
    else if (takes_k(node.operation)) node.dimensions.push_back({from.name, Index{node.k}, from.granule});
    else if (node.keep) node.dimensions.push_back({from.name, 1, from.granule});
  }
}

void Parser::result_of_row(Line& line, Node& node, std::size_t offset) {
  const Dimension& along = node_of(node.operands[0]).dimensions[node.axes[0]];
  if (takes_k(node.operation) && Index{node.k} > along.size)
    return line.fail(ErrorCode::Value, fmt::format("k is {}, of {} elements", node.k, along.size), offset);
  if (!is_index(node.operation)) return;
  if (along.padded() > kMostPlaces) return line.fail(ErrorCode::Overflow, "more places than an i32 has", offset);
  node.type = values::find_format("i32");
}

// What only the whole program says: how results are compared.
std::optional<Error> Parser::misfit_of_rows() const {
  for (const Node& node : program_.nodes) {
    if (node.kind != Kind::Row) continue;
    const Node& of = node_of(node.operands[0]);
    std::string message = misfit(question_of(program_, node, CodeSet::all(*of.type)));
    if (!message.empty()) return Error{ErrorCode::Value, std::move(message), node.offset};
  }
  return std::nullopt;
}

}  // namespace vl::neutral::program
