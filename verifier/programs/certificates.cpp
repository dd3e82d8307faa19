#include "verifier/programs/certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "encodings/base/files.h"
#include "encodings/notation/mlir.h"
#include "verifier/checker/check.h"
#include "verifier/programs/equal.h"
#include "verifier/programs/layouts.h"
#include "verifier/session/certificates.h"
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

// "@f:12:1": the function, its line and its column in the text.
std::string name_of(const std::string& function, std::size_t offset, std::string_view text) {
  const std::size_t at = std::min(offset, text.size());
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return fmt::format("{}:{}:{}", function, 1 + std::count(text.begin(), end, '\n'),
                     newline == std::string_view::npos ? at + 1 : at - newline);
}

// A text with its functions, of which some are named.
class Named {
 public:
  explicit Named(const std::string& text) : text_(text), functions_(program::functions_of(text)), modules_(functions_) {
    options_.modules = &modules_;
  }

  // Null: there is none that can be read.
  [[nodiscard]] const mlir::Function* find(std::string_view name) const {
    const auto found = std::ranges::find_if(functions_, [&](const mlir::Function& each) {
      return !each.declared && each.refused.empty() && name_of(each.name, each.offset, text_) == name;
    });
    return found == functions_.end() ? nullptr : &*found;
  }
  [[nodiscard]] ReadProgram read(const mlir::Function& function) const {
    return read_program(function, options_, [](std::size_t) { return std::size_t{1}; });
  }
  // Of "@f:12:1 @g:20:1", where names may have blanks in them.
  [[nodiscard]] bool is_twin(const std::string& names, const std::string& program, bool refuted) const {
    for (std::size_t blank = names.find(' '); blank != std::string::npos; blank = names.find(' ', blank + 1)) {
      const auto *f = find(std::string_view(names).substr(0, blank)),
                 *g = find(std::string_view(names).substr(blank + 1));
      if (f == nullptr || g == nullptr || !have_one_signature(*f, *g)) continue;
      const ReadProgram one = read(*f), other = read(*g);
      if (one.program && other.program) return is_twin_of(program, one, other, refuted);
    }
    return false;
  }

 private:
  const std::string& text_;
  std::vector<mlir::Function> functions_;
  program::Modules modules_;
  program::Options options_;
};

std::vector<checker::BufferText> buffers_of(const program::Function& function) {
  std::vector<checker::BufferText> out;
  for (const program::Access& each : function.accesses)
    out.push_back({each.space, each.begin, each.end, each.argument, each.writes, each.name});
  return out;
}

using Arguments = std::map<std::string, std::string>;

bool is_said_by(const checker::Statement& statement, const Named& text) {
  const Arguments& said = *statement.arguments;
  const std::string& name = said.at("function");
  if (statement.claim == "equal") return text.is_twin(name, said.at("program"), statement.verdict == "refuted");
  const mlir::Function* function = text.find(name);
  if (function == nullptr) return false;
  const ReadProgram read = text.read(*function);
  if (statement.buffers) return !read.function.unplaced && buffers_of(read.function) == *statement.buffers;
  return read.program && read.function.dataflow->text == said.at("program");
}

// Whether a text that is there says the statement.
Texts compared_with_text(const checker::Statement& statement, const std::string& text) {
  const Arguments& said = *statement.arguments;
  if (!said.contains("function"))
    return text == said.at("program") ? Texts{} : different("it is about another program");
  return is_said_by(statement, Named(text)) ? Texts{} : different("its text says another program");
}

Texts compared_with_source(const checker::Statement& statement, const std::string& against) {
  const Arguments& said = *statement.arguments;
  const auto read = [&](const std::string& path) { return read_whole(path, session::kLongestText); };
  if (!against.empty()) {
    const auto text = read(against);
    if (!text) return different(against + ": " + text.error().message);
    if (said.contains("digest") && checker::digest_of(*text) != said.at("digest"))
      return different("it is about another text than " + against);
    if (said.contains("text") && said.at("text") != *text) return different("it is about another text than " + against);
    Texts out = compared_with_text(statement, *text);
    if (said.contains("source") && said.at("source") != against) out.beside = {"source"};
    return out;
  }
  if (said.contains("text")) return compared_with_text(statement, said.at("text"));
  if (!said.contains("source")) return {};
  if (said.at("source").find('\0') != std::string::npos) return different("a file whose name has a byte 0");
  const auto text = read(said.at("source"));
  if (!text || checker::digest_of(*text) != said.at("digest")) return {true, {}, {"source"}, {"digest", "function"}};
  return compared_with_text(statement, *text);
}

void say_source(const Source& source, Arguments& out) {
  out["function"] = source.function;
  out[source.path.empty() ? "text" : "digest"] = source.text_or_digest;
  if (!source.path.empty()) out["source"] = source.path;
}

}  // namespace

Source source_of(const Text& text, const std::vector<const mlir::Function*>& functions) {
  const std::string& said = text.document.text();
  Source out{text.path, text.path.empty() ? said : text.digest(), {}, functions.size() > 1};
  for (const mlir::Function* each : functions)
    out.function += (out.function.empty() ? "" : " ") + name_of(each->name, each->offset, said);
  return out;
}

std::optional<checker::Certificate> certificate_of(const chain::Program& program, const chain::ProgramAnswer& answer,
                                                   const std::optional<Source>& source) {
  chain::Texts texts{{"output", name_in(program.text, program.nodes[program.outputs.front()].offset)}};
  if (source) say_source(*source, texts);
  auto out = certify(program, answer, texts);
  if (out && source && source->pair) out->statement.claim = "equal", out->digest = checker::digest(out->statement);
  if (out && checker::check_texts(out->statement)) return std::nullopt;
  return out;
}

std::optional<checker::Certificate> certificate_of(const program::Function& function, const BuffersAnswer& answer,
                                                   const Source& source) {
  const bool refuted = std::holds_alternative<question::Refuted>(answer.verdict);
  if (!refuted && !std::holds_alternative<question::Proved>(answer.verdict)) return std::nullopt;
  if (function.unplaced) return std::nullopt;
  checker::Certificate out;
  out.statement.claim = "disjoint", out.statement.verdict = refuted ? "refuted" : "proved";
  out.statement.buffers = buffers_of(function);
  say_source(source, out.statement.arguments.emplace());
  const auto number = [](std::size_t access) { return checker::Point{static_cast<long long>(access)}; };
  if (refuted) out.evidence.witness = checker::Showing{number(answer.shown.first), number(answer.shown.second)};
  out.digest = checker::digest(out.statement);
  if (checker::check_texts(out.statement) || checker::check(out)) return std::nullopt;
  return out;
}

bool is_certified(const session::CertificateOptions& asked, const question::Answer& answer) {
  return !asked.folder.empty() || (asked.explain && std::holds_alternative<question::Proved>(answer.verdict));
}

std::optional<Diagnostic> keep_certificate(const checker::Certificate& made, const session::CertificateOptions& asked,
                                           const std::string& stem, question::Answer& answer) {
  if (asked.explain && made.statement.verdict == "proved") {
    question::RestsOn rests = session::rests_on(made.statement, made.evidence);
    if (!answer.rests_on) answer.rests_on.emplace();
    std::ranges::move(rests.files, std::back_inserter(answer.rests_on->files));
    std::ranges::move(rests.families, std::back_inserter(answer.rests_on->families));
  }
  return asked.folder.empty() ? std::nullopt : session::write_certificate(made, asked, stem);
}

Texts read_texts_again(const checker::Statement& said, const std::string& against) {
  if (!is_about_program(said)) {
    if (!against.empty()) return different("it is about no program");
    return session::read_texts_again(said);
  }
  const Arguments& arguments = *said.arguments;
  const bool imported_once = arguments.contains("text") != arguments.contains("source");
  if (arguments.contains("function") != imported_once || arguments.contains("source") != arguments.contains("digest"))
    return different("a function goes with its text, or with the file and digest of that");
  if (said.buffers) return compared_with_source(said, against);
  const auto program = program_of(arguments.at("program"), arguments.at("output"));
  if (!program) return different("its program cannot be read, or has no such output");
  const auto refuted = said.verdict == "refuted" ? std::optional(program->outputs.front()) : std::nullopt;
  chain::Texts texts = arguments;
  checker::Statement again = statement_of(*program, texts, refuted);
  if (said.claim == "equal") again.claim = said.claim;
  if (again != said) return different("its program says other steps");
  return compared_with_source(said, against);
}

}  // namespace vl::programs
