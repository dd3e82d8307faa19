#include "verifier/programs/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "verifier/programs/certificates.h"
#include "verifier/programs/equal.h"
#include "verifier/session/certificates.h"

namespace vl::programs {
namespace {

question::Verdict unsupported(std::string why) {
  return question::Unknown{question::Reason::Unsupported, std::move(why), {}};
}

EqualAnswer answer_about(const Text& text, const Pair& pair, question::FunctionView& view) {
  EqualAnswer out;
  if (pair.f == nullptr || pair.g == nullptr)
    return out.verdict = unsupported("its module has no such functions, or more than one of a name"), out;
  for (const mlir::Function* each : {pair.f, pair.g})
    if (!each->refused.empty()) return out.verdict = unsupported(each->name + ": " + each->refused), out;
  if (!have_one_signature(*pair.f, *pair.g))
    return out.verdict = unsupported("they have other types of arguments or results"), out;
  const ReadProgram f = read_program(*pair.f, text.options, text.lines());
  const ReadProgram g = read_program(*pair.g, text.options, text.lines());
  for (const ReadProgram* read : {&f, &g}) {
    for (const program::Step& step : read->function.steps) {
      ++view.operations;
      view.judged += step.known == program::Known::Judged ? 1 : 0;
      view.free += step.known == program::Known::Free ? 1 : 0;
    }
    if (!read->program)
      return out.verdict = unsupported(read->function.name + " puts no tensor out that is judged"), out;
  }
  return equal(f, g);
}

}  // namespace

std::vector<Pair> pairs_of(const Text& text) {
  std::vector<Pair> out;
  const std::string_view mark = text.functions.empty() ? "//" : text.functions.front().mark;
  for (const program::Comment& comment : program::comments_in(text.document.text(), mark)) {
    const auto names = program::functions_in(comment);
    if (!names) continue;
    // The module of a comment is the one whose text it stands in; of functions of one name none is meant.
    const auto find = [&](std::string_view name) -> const mlir::Function* {
      const mlir::Function* found = nullptr;
      for (const mlir::Function& function : text.functions) {
        if (function.name != name || function.declared || comment.offset < function.module_offset ||
            comment.offset >= function.module_offset + function.module.size())
          continue;
        if (found != nullptr) return nullptr;
        found = &function;
      }
      return found;
    };
    out.push_back({find(names->first), find(names->second), comment.offset,
                   fmt::format("equal {} {}", names->first, names->second)});
  }
  return out;
}

question::Case judge_pair(const Text& text, const Pair& pair, const session::JudgeOptions& options,
                          const std::string& stem) {
  question::Case out;
  out.place = text.place(pair.offset);
  out.id = fmt::format("{}:{} {}", text.file, out.place.line, pair.words);
  question::FunctionView view{pair.words.substr(pair.words.find(' ') + 1)};
  const auto start = std::chrono::steady_clock::now();
  EqualAnswer found = answer_about(text, pair, view);
  question::Answer answer;
  answer.claim = "equal";
  answer.micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  answer.verdict = std::move(found.verdict);
  answer.note = std::move(found.note);
  answer.words = std::move(found.words);
  answer.step = question::AtStep{out.place, pair.words, "", ""};
  std::vector<checker::Certificate> certificates;
  for (const auto& [program, shown] : found.shown)
    if (auto made = is_certified(options.certificates, answer)
                        ? certificate_of(program, shown, source_of(text, {pair.f, pair.g}))
                        : std::nullopt)
      certificates.push_back(std::move(*made));
  const std::string id =
      fmt::format("{} {}", stem.empty() ? fmt::format("{}:{}", text.file, out.place.line) : stem, pair.words);
  if (certificates.size() == found.shown.size())
    for (std::size_t i = 0; i < certificates.size(); ++i)
      if (auto failed =
              keep_certificate(certificates[i], options.certificates, session::stem_of(id, i, "equal"), answer))
        out.diagnostic = std::move(failed);
  for (const std::string& each : found.assumes) view.notes.push_back("assumes: " + each);
  out.function = std::move(view);
  out.answers.push_back(std::move(answer));
  return out;
}

}  // namespace vl::programs
