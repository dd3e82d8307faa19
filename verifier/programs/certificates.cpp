#include "verifier/programs/certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encodings/base/files.h"
#include "encodings/notation/mlir.h"
#include "verifier/checker/certificate.h"
#include "verifier/programs/layouts.h"
#include "verifier/session/scan.h"
#include "verifier/session/texts_again.h"

namespace vl::programs {
namespace {

namespace chain = neutral::program;
using checker::Texts;

Texts different(std::string why) { return {false, std::move(why), {}, {}}; }

// The name that the text gives a node.
std::string name_in(const std::string& text, std::size_t offset) {
  const std::size_t begin = std::min(text.find_first_not_of(' ', offset), text.size());
  return text.substr(begin, text.find_first_of(" =\n", begin) - begin);
}

// The program with that output alone.
std::optional<chain::Program> program_of(const std::string& text, const std::string& output) {
  auto program = chain::parse_program(text, layout_of_input);
  if (!program) return std::nullopt;
  for (const std::size_t node : program->outputs)
    if (program->nodes[node].name == output) return with_outputs(std::move(*program), {node});
  return std::nullopt;
}

// Whether the function of a text is that program: "@f:12".
bool is_imported(const std::string& text, const std::string& function, const std::string& program) {
  program::Options options;
  const std::vector<mlir::Function> functions = program::functions_of(text);
  const program::Modules modules(functions);
  options.modules = &modules;
  for (const mlir::Function& each : functions) {
    if (each.declared || !each.refused.empty() || name_of(each.name, each.offset, text) != function) continue;
    const ReadProgram read = read_program(each, options, [](std::size_t) { return std::size_t{1}; });
    return read.program && read.function.dataflow->text == program;
  }
  return false;
}

using Arguments = std::map<std::string, std::string>;

// Whether a text that is there says the program.
Texts compared_with_text(const Arguments& said, const std::string& text) {
  const std::string& program = said.at("program");
  if (!said.contains("function")) return text == program ? Texts{} : different("it is about another program");
  return is_imported(text, said.at("function"), program) ? Texts{} : different("its text says another program");
}

Texts compared_with_source(const Arguments& said, const std::string& against) {
  const auto read = [&](const std::string& path) { return read_whole(path, session::kLongestText); };
  if (!against.empty()) {
    const auto text = read(against);
    if (!text) return different(against + ": " + text.error().message);
    if (said.contains("digest") && checker::digest_of(*text) != said.at("digest"))
      return different("it is about another text than " + against);
    if (said.contains("text") && said.at("text") != *text) return different("it is about another text than " + against);
    Texts out = compared_with_text(said, *text);
    if (said.contains("source") && said.at("source") != against) out.beside = {"source"};
    return out;
  }
  if (said.contains("text")) return compared_with_text(said, said.at("text"));
  if (!said.contains("source")) return {};
  if (said.at("source").find('\0') != std::string::npos) return different("a file whose name has a byte 0");
  const auto text = read(said.at("source"));
  if (!text || checker::digest_of(*text) != said.at("digest")) return {true, {}, {"source"}, {"digest", "function"}};
  return compared_with_text(said, *text);
}

}  // namespace

std::string name_of(const std::string& function, std::size_t offset, std::string_view text) {
  const std::size_t at = std::min(offset, text.size());
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return fmt::format("{}:{}:{}", function, 1 + std::count(text.begin(), end, '\n'),
                     newline == std::string_view::npos ? at + 1 : at - newline);
}

std::optional<checker::Certificate> certificate_of(const chain::Program& program, const chain::ProgramAnswer& answer,
                                                   const std::optional<Source>& source) {
  chain::Texts texts{{"output", name_in(program.text, program.nodes[program.outputs.front()].offset)}};
  if (source) {
    texts["function"] = source->function;
    texts[source->path.empty() ? "text" : "digest"] = source->text_or_digest;
    if (!source->path.empty()) texts["source"] = source->path;
  }
  auto out = certify(program, answer, texts);
  if (out && checker::check_texts(out->statement)) return std::nullopt;
  return out;
}

Texts read_texts_again(const checker::Statement& said, const std::string& against) {
  if (!said.chain) {
    if (!against.empty()) return different("it is about no program");
    return session::read_texts_again(said);
  }
  const Arguments& arguments = *said.arguments;
  const bool imported_once = arguments.contains("text") != arguments.contains("source");
  if (arguments.contains("function") != imported_once || arguments.contains("source") != arguments.contains("digest"))
    return different("a function goes with its text, or with the file and digest of that");
  const auto program = program_of(arguments.at("program"), arguments.at("output"));
  if (!program) return different("its program cannot be read, or has no such output");
  const auto refuted = said.verdict == "refuted" ? std::optional(program->outputs.front()) : std::nullopt;
  chain::Texts texts = arguments;
  if (statement_of(*program, texts, refuted) != said) return different("its program says other steps");
  return compared_with_source(arguments, against);
}

}  // namespace vl::programs
