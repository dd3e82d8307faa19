#include "verifier/programs/lines.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace vl::programs {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ' ' && !quoted) {
      if (!word.empty()) out.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

}  // namespace

Lines::Lines(const ReadProgram& read) {
  const program::Dataflow& flow = *read.function.dataflow;
  std::istringstream in(flow.text);
  std::size_t offset = 0, number = 0;
  for (std::string line; std::getline(in, line); offset += line.size() + 1, ++number) {
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.size() > 2 && words[1] == "=") {
      const std::string name = words[0];
      words.erase(words.begin(), words.begin() + 2);
      const bool of_operation = number < flow.steps.size() && flow.steps[number] != program::kNoStep;
      const std::string beside = of_operation ? read.function.steps[flow.steps[number]].beside : "";
      if (words[0] == "input" && !of_operation) inputs.push_back(name);
      const auto& nodes = read.program->nodes;
      const auto node =
          std::ranges::find_if(nodes, [&](const auto& each) { return each.offset == offset && !each.implicit; });
      all[name] = {std::move(words), node == nodes.end() ? nullptr : &*node, beside};
    } else if (words[0] == "output") {
      outputs.assign(words.begin() + 1, words.end());
    } else if (words[0] == "equal") {
      equality = line;
    }
  }
}

}  // namespace vl::programs
