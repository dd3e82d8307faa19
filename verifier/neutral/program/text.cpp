// A program's text with masks: each line with a masked operand has its name replaced, and the masks are lines before.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/values/state.h"
#include "verifier/neutral/program/place.h"

namespace vl::neutral::program {
namespace {

class Printer {
 public:
  Printer(const Program& program, const std::vector<Mask>& masks) : program_(program), masks_(masks) {
    for (const Node& node : program.nodes) {
      names_.push_back(node.name);
      taken_.insert(node.name);
    }
  }

  std::string text() {
    std::string out;
    std::size_t number = 0, next = 0;
    for (std::size_t start = 0; start < program_.text.size();) {
      const std::size_t end = std::min(program_.text.find('\n', start), program_.text.size());
      const std::string_view row = std::string_view(program_.text).substr(start, end - start);
      ++number;
      start = end + 1;
      while (next < program_.nodes.size() && program_.nodes[next].line == number && program_.nodes[next].implicit)
        ++next;
      if (next < program_.nodes.size() && program_.nodes[next].line == number) {
        out += line_of(next, row, out);
        add_masks(next, std::nullopt, names_[next], out);
        ++next;
      } else out += std::string(row) + "\n";
    }
    return out;
  }

 private:
  // The line with its operands' names as they are by now. Masks for this reader alone go to `before`.
  std::string line_of(std::size_t at, std::string_view row, std::string& before) {
    std::map<std::size_t, std::string> names;
    name_operands(at, names, before);
    std::string out;
    std::size_t copied = 0;
    for (const auto& [start, name] : names) {
      out += std::string(row.substr(copied, start - copied)) + name;
      copied = std::min(row.find_first_of(" \t\r#", start), row.size());
    }
    return out + std::string(row.substr(copied)) + "\n";
  }

  // By place in the line; those of what was made for it, too.
  void name_operands(std::size_t at, std::map<std::size_t, std::string>& names, std::string& before) {
    const Node& node = program_.nodes[at];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const std::size_t operand = node.operands[i];
      if (program_.nodes[operand].implicit) {
        name_operands(operand, names, before);
        continue;
      }
      std::string& name = names[node.operands_at[i] - node.offset] = names_[operand];
      if (const auto known = private_.find({operand, at}); known != private_.end()) name = known->second;
      else {
        add_masks(operand, at, name, before);
        private_[{operand, at}] = name;
      }
    }
  }

  // Lines that mask a result for one reader or all; `name` becomes that of what they give.
  void add_masks(std::size_t node, std::optional<std::size_t> reader, std::string& name, std::string& out) {
    std::map<Code, std::string> regions;  // by value
    for (const Mask& mask : masks_)
      if (mask.node == node && mask.reader == reader) {
        std::string& text = regions[mask.value];
        text += (text.empty() ? "" : ",") + region_in_words(program_.nodes[node], mask.region);
      }
    for (const auto& [value, text] : regions) {
      const std::string masked = fresh(program_.nodes[node].name);
      out += fmt::format("{} = mask {} {} with {}\n", masked, name, text,
                         value_in_words(*program_.nodes[node].type, value));
      name = masked;
    }
  }

  std::string fresh(const std::string& name) {
    std::string out = name + "_masked";
    for (int i = 2; taken_.contains(out); ++i) out = fmt::format("{}_masked{}", name, i);
    taken_.insert(out);
    return out;
  }

  const Program& program_;
  const std::vector<Mask>& masks_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> private_;
};

}  // namespace

std::string value_in_words(const Format& format, Code value) {
  if (value == 0) return "0";
  if (value == values::one(format)) return "1";
  if (has_negative_zero(format) && value == negative_zero(format)) return "-0";
  if (is_infinite(format, value)) return is_negative(format, value) ? "-inf" : "inf";
  if (value == values::negated(format, values::one(format)) && format.kind != values::Kind::Unsigned) return "-1";
  return fmt::format("bits:{}", values::in_digits(format, value));
}

std::string text_with(const Program& program, const std::vector<Mask>& masks) { return Printer(program, masks).text(); }

}  // namespace vl::neutral::program
