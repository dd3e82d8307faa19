#include "verifier/programs/function_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "encodings/use/family.h"
#include "encodings/use/view.h"
#include "verifier/programs/buffers.h"
#include "verifier/programs/certificates.h"
#include "verifier/programs/fills.h"
#include "verifier/session/certificates.h"
#include "verifier/session/stated.h"

namespace vl::programs {
namespace {

using program::Function;
using program::Known;
using program::Step;

session::SourceText at(const Text& text, std::size_t offset, std::string what) {
  const question::Place place = text.place(offset);
  session::SourceText out = session::SourceText::option(text.file, std::move(what));
  out.line = place.line, out.column = place.column, out.verbatim = false;
  return out;
}

session::ClaimRequest claim_about(std::string_view name,
                                  const std::vector<std::pair<std::string, session::SourceText>>& arguments) {
  session::ClaimRequest out;
  out.claim = claims::find_claim(name);
  for (const auto& [key, text] : arguments) out.arguments.push_back({key, text});
  return out;
}

class FunctionJudge {
 public:
  FunctionJudge(const Text& text, const mlir::Function* from, ReadProgram read, const session::JudgeOptions& options,
                std::string id)
      : text_(text), from_(from), options_(options), read_(std::move(read)), id_(std::move(id)) {
    if (id_.empty()) id_ = fmt::format("{}:{} {}", text_.file, text_.place(function_.offset).line, function_.name);
    else if (!function_.name.empty()) id_ += " " + function_.name;
  }

  question::Case judged() {
    for (const program::View& view : function_.views) ask_view(view);
    for (const program::Mask& mask : function_.masks) ask_mask(mask);
    for (const program::Move& move : function_.moves) ask_move(move);
    ask_buffers();
    if (read_.program) ask_outputs();
    else if (!read_.refused.empty() && !function_.steps.empty())
      add(function_.steps.size() - 1, unsupported("chain-neutral", read_.refused), {});
    std::ranges::stable_sort(found_, {}, [](const auto& each) { return each.first; });
    question::Case out;
    out.place = text_.place(function_.offset);
    out.id = id_;
    out.diagnostic = std::move(unwritten_);
    out.function = view();
    for (auto& [step, answer] : found_) out.answers.push_back(std::move(answer));
    return out;
  }

 private:
  [[nodiscard]] question::FunctionView view() const {
    question::FunctionView out{function_.name};
    for (const Step& step : function_.steps) {
      ++out.operations;
      if (step.known == Known::Judged) ++out.judged;
      if (step.known == Known::Free) ++out.free;
      if (step.known == Known::Unknown)
        out.unknown.emplace_back(text_.place(step.offset).line,
                                 step.operation + (step.why.empty() ? "" : ": " + step.why));
    }
    out.notes = notes_;
    if (function_.dataflow)
      out.notes.insert(out.notes.end(), function_.dataflow->notes.begin(), function_.dataflow->notes.end());
    if (options_.print_programs && function_.dataflow) out.program = program_beside_text();
    if (options_.fill && read_.program) ask_fills(out);
    if (read_.program) out.readers = readers_of(*read_.program), out.not_neutral = not_neutral_.size();
    return out;
  }

  // Each line of the program with the operation from which it comes.
  [[nodiscard]] std::string program_beside_text() const {
    const program::Dataflow& flow = *function_.dataflow;
    std::string out;
    std::istringstream lines(flow.text);
    std::size_t at = 0;
    for (std::string line; std::getline(lines, line); ++at) {
      out += line;
      if (at < flow.steps.size() && flow.steps[at] != program::kNoStep) {
        const Step& step = function_.steps[flow.steps[at]];
        out += fmt::format("  # line {}: {}{}", text_.place(step.offset).line,
                           step.result.empty() ? "" : step.result + " = ", step.operation);
      }
      out += '\n';
    }
    return out;
  }

  void ask_fills(question::FunctionView& out) const {
    out.fills = fills_of(*read_.program);
    if (out.fills.empty() || from_ == nullptr) return;
    PatchOf patch = patch_of(text_, *from_, read_);
    if (patch.hunks.empty()) return;
    out.fills = std::move(patch.words), out.patch = std::move(patch.hunks);
  }

  void ask_outputs() {
    for (OutputVerdict& each : verdicts_of(read_)) {
      question::Answer answer;
      answer.claim = "chain-neutral";
      answer.verdict = std::move(each.verdict);
      answer.micros = each.micros;
      answer.note = std::move(each.note);
      answer.words = std::move(each.words);
      for (const std::string& text : each.assumes)
        if (std::string said = "assumes: " + text; std::ranges::find(notes_, said) == notes_.end())
          notes_.push_back(std::move(said));
      not_neutral_.insert(each.not_neutral.begin(), each.not_neutral.end());
      certify(each, answer);
      add(each.step, std::move(answer), {});
      found_.back().second.step->result = each.output;
    }
  }

  // Says what a proof rests on, and writes its certificate, where that is asked.
  void keep(const checker::Certificate& made, question::Answer& answer) {
    const std::string stem = session::stem_of(id_, certified_++, answer.claim);
    if (auto failed = keep_certificate(made, options_.certificates, stem, answer)) unwritten_ = std::move(failed);
  }

  void certify(const OutputVerdict& output, question::Answer& answer) {
    if (!is_certified(options_.certificates, answer)) return;
    const auto start = std::chrono::steady_clock::now();
    const auto source = from_ == nullptr ? std::nullopt : std::optional(source_of(text_, {from_}));
    const auto made = certificate_of(output.program, output.answer, source);
    answer.certificate_micros =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    if (made) keep(*made, answer);
  }

  // The request's tensor is the one that its type states; a type that states none is read for any.
  void ask(std::size_t number, std::string layout, const std::vector<session::ClaimRequest>& asked) {
    const Step& step = function_.steps[number];
    session::CaseRequest request;
    request.layout = at(text_, step.offset, std::move(layout));
    request.claims = asked;
    const question::Place place = text_.place(step.offset);
    request.stem = fmt::format("{}-{}:{}", id_, place.line, place.column);
    if (session::state_tensor(request)) request.tensor = at(text_, step.offset, "u8[1]");
    request.tensor_source = question::TensorSource::Given;
    question::Case judged = session::judge(request, options_);
    if (judged.answers.empty()) {
      const std::string why = judged.diagnostic ? judged.diagnostic->message : judged.skipped.value_or("not judged");
      for (const session::ClaimRequest& claim : asked) judged.answers.push_back(unsupported(claim.claim->name, why));
    }
    for (question::Answer& answer : judged.answers) add(number, std::move(answer), request.layout.text);
  }

  void add(std::size_t number, question::Answer answer, const std::string& layout) {
    const Step& step = function_.steps[number];
    answer.step = question::AtStep{text_.place(step.offset), step.operation, step.result, layout};
    found_.emplace_back(number, std::move(answer));
  }

  // A view of a memref whose layout no family reads: its slots are in its types.
  void ask_slots(const program::View& view) {
    constexpr std::string_view kClaim = "view-in-bounds";
    const auto all = use::families();
    const auto family = std::ranges::find_if(all, [](const use::Family* each) { return each->view != nullptr; });
    if (family == all.end())
      return add(view.step, unsupported(kClaim, "no family of this build has views"), view.result);
    const auto made = (*family)->view(view.result, view.source, view.map);
    if (!made)
      return add(view.step, unsupported(kClaim, "there is no such view: " + made.error().message), view.result);
    claims::Judged decided = claims::decide(*claims::find_claim(kClaim), claims::Viewed{*made}, options_.engines);
    question::Answer answer;
    answer.claim = kClaim;
    answer.asked = {{"with", view.source}, {"map", view.map}};
    answer.verdict = std::move(decided.verdict);
    answer.micros = static_cast<double>(decided.time.count()) / 1000.0;
    add(view.step, std::move(answer), view.result);
  }

  void ask_view(const program::View& view) {
    if (use::family_of(view.result, "") == nullptr) return ask_slots(view);
    const std::size_t offset = function_.steps[view.step].offset;
    std::vector<session::ClaimRequest> asked;
    for (const std::string_view name : {"view-in-bounds", "view-elements"}) {
      if (name != "view-in-bounds" && !view.has_layouts) continue;
      asked.push_back(
          claim_about(name, {{"with", at(text_, offset, view.source)}, {"map", at(text_, offset, view.map)}}));
      if (name == "view-in-bounds" && view.has_layouts && !options_.over_read.empty())
        asked.back().arguments.push_back({"over_read", at(text_, offset, options_.over_read)});
    }
    ask(view.step, view.result, asked);
  }

  void ask_move(const program::Move& move) {
    const std::size_t offset = function_.steps[move.step].offset;
    std::vector<std::pair<std::string, session::SourceText>> arguments{{"with", at(text_, offset, move.source)}};
    session::CaseRequest source;
    source.layout = at(text_, offset, move.source);
    if (!session::state_tensor(source)) arguments.emplace_back("with_tensor", source.tensor);
    std::vector<session::ClaimRequest> asked;
    asked.push_back(claim_about("move-implements", arguments));
    ask(move.step, move.result, asked);
  }

  void ask_buffers() {
    const auto line = [&](std::size_t step) { return text_.place(function_.steps[step].offset).line; };
    auto found = disjoint(function_, line);
    if (!found) return;
    question::Answer answer;
    answer.claim = "disjoint";
    const auto made = from_ == nullptr ? std::nullopt : certificate_of(function_, *found, source_of(text_, {from_}));
    answer.verdict = std::move(found->verdict), answer.note = std::move(found->note);
    if (auto* proved = std::get_if<question::Proved>(&answer.verdict); proved != nullptr && made)
      proved->trust = question::Trust::Checked;
    if (made && is_certified(options_.certificates, answer)) keep(*made, answer);
    add(found->step, std::move(answer), {});
  }

  void ask_mask(const program::Mask& mask) {
    const Step& step = function_.steps[mask.step];
    const std::string shape = fmt::format("[{}]", fmt::join(mask.shape, ", "));
    if (mask.has_layout) {
      std::vector<session::ClaimRequest> asked;
      asked.push_back(claim_about("mask-exact", {{"mask", at(text_, step.offset, shape)}}));
      return ask(mask.step, mask.type, asked);
    }
    notes_.push_back(fmt::format("line {}, {}: its type has no layout, so {} is taken for the tensor's own shape",
                                 text_.place(step.offset).line, step.operation, shape));
  }

  const Text& text_;
  const mlir::Function* from_;
  const session::JudgeOptions& options_;
  ReadProgram read_;
  const Function& function_ = read_.function;
  std::string id_;
  std::size_t certified_ = 0;
  std::optional<Diagnostic> unwritten_;
  std::set<std::size_t> not_neutral_;
  std::vector<std::pair<std::size_t, question::Answer>> found_;
  std::vector<std::string> notes_;
};

}  // namespace

question::Answer unsupported(std::string_view claim, std::string why) {
  question::Answer out;
  out.claim = claim;
  out.verdict = question::Unknown{question::Reason::Unsupported, std::move(why), {}};
  return out;
}

question::Case judge_function(const Text& text, const mlir::Function* function, ReadProgram read,
                              const session::JudgeOptions& options, std::string id) {
  return FunctionJudge(text, function, std::move(read), options, std::move(id)).judged();
}

}  // namespace vl::programs
