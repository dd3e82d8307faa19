#include "oracle/gate/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/base/printable.h"
#include "encodings/base/words.h"

namespace vl::gate {
namespace {

constexpr std::uint64_t kFew = 16;  // cases of an operation, as smoke asks

struct Sums {
  std::uint64_t agree = 0, disagree = 0, faults = 0, findings = 0;
};

Sums sums_of(const CampaignResult& result) {
  Sums out;
  for (const OpTotals& op : result.ops) {
    out.agree += op.count(Word::Agree);
    out.disagree += op.count(Word::Disagree);
    out.faults += op.count(Word::Fault);
    out.findings += op.findings.size();
  }
  return out;
}

Json number(std::uint64_t value) { return static_cast<Index>(value); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Finding& finding, const Report& report) {
  Json out;
  out.set("kind", "finding");
  out.set("signature", finding.signature);
  out.set("family", finding.family);
  out.set("op", finding.op);
  out.set("judgement", finding.judgement);
  out.set("found", finding.kind);
  out.set("contract", finding.standing);
  out.set("convention", text_or_null(finding.convention));
  out.set("count", number(finding.count));
  out.set("case", finding.request);
  out.set("answer", finding.answer);
  out.set("right", finding.right);
  out.set("detail", printable(finding.detail));
  out.set("index", number(finding.index));
  out.set("name", text_or_null(finding.name));
  const auto known = report.known.find(finding.signature);
  out.set("known", known != report.known.end());
  if (known != report.known.end()) out.set("issue", known->second);
  return out;
}

Json json_of(const OpTotals& op) {
  Json out;
  out.set("kind", "operation");
  out.set("family", op.family);
  out.set("op", op.op);
  out.set("convention", text_or_null(op.convention));
  Json::List contract;
  contract.reserve(op.contract.size());
  for (const std::string& word : op.contract) contract.emplace_back(word);
  out.set("contract", std::move(contract));
  out.set("asked", number(op.asked));
  out.set("throttled", number(op.throttled));
  for (std::size_t k = 0; k < kWords; ++k) {
    std::string key(name(static_cast<Word>(k)));
    std::ranges::replace(key, '-', '_');
    out.set(key, number(op.words[k]));
  }
  out.set("yes", number(op.yes));
  out.set("no", number(op.no));
  out.set("within", number(op.within));
  out.set("outside", number(op.outside));
  out.set("unstated", number(op.unstated));
  out.set("proved", number(op.proved));
  out.set("all_elements", number(op.all_elements));
  out.set("sampled", number(op.sampled));
  out.set("by_definition", number(op.by_definition));
  out.set("certificates", number(op.checked));
  using enum PairCounts::Of;
  for (const auto& [key, of] :
       {std::pair{"pairs_asked", Asked}, {"pairs_answered", Answered}, {"pairs_yes", Yes}, {"pairs_no", No}})
    out.set(key, number(op.pairs.seen(of)));
  Json::List unanswered;
  for (const std::string& pair : op.pairs.unanswered(8)) unanswered.emplace_back(pair);
  out.set("pairs_unanswered", std::move(unanswered));
  Json unjudged;
  for (const auto& [word, one] : op.unjudged) {
    Json example;
    example.set("name", text_or_null(one.name));
    example.set("why", one.why);
    unjudged.set(std::string(name(word)), std::move(example));
  }
  out.set("unjudged", std::move(unjudged));
  return out;
}

Json run_json(const Report& report) {
  Json out, impl, conventions;
  out.set("kind", "run");
  out.set("schema", "layout-gate/1");
  out.set("version", kVersion);
  impl.set("name", report.peer.name);
  impl.set("version", report.peer.version);
  out.set("impl", std::move(impl));
  out.set("adapter", text_or_null(report.peer.adapter_version));
  out.set("cage", name(report.cage->kind()));
  out.set("cage_why", text_or_null(report.cage->why()));
  out.set("generator", Index{kGenerator});
  out.set("seed", number(report.options.seed));
  for (const auto& [name, found] : report.result.conventions) conventions.set(name, found);
  out.set("conventions", std::move(conventions));
  return out;
}

// The counts that are not plain agreement, in words.
std::string rest_of(const OpTotals& op) {
  std::vector<std::string> out;
  for (std::size_t k = 1; k < kWords; ++k)
    if (op.words[k] > 0) out.push_back(fmt::format("{} {}", op.words[k], name(static_cast<Word>(k))));
  if (op.all_elements > 0) {
    const bool again = op.by_definition > 0;
    out.push_back(fmt::format("{} by all elements{}", op.all_elements,
                              again ? fmt::format(" and {} of these also by definition", op.by_definition) : ""));
  }
  if (op.sampled > 0) out.push_back(fmt::format("{} by some elements", op.sampled));
  if (op.throttled > 0) out.push_back(fmt::format("{} throttled", op.throttled));
  if (op.yes + op.no > 0) out.push_back(fmt::format("right answers: {} yes, {} no", op.yes, op.no));
  using enum PairCounts::Of;
  if (const std::size_t asked = op.pairs.seen(Asked); asked > 0)
    out.push_back(fmt::format("{} of {} pairs of features answered", op.pairs.seen(Answered), asked));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::vector<const Finding*> findings_of(const CampaignResult& result) {
  std::vector<const Finding*> out;
  for (const OpTotals& op : result.ops)
    for (const auto& [signature, finding] : op.findings) out.push_back(&finding);
  std::ranges::sort(out, {}, [](const Finding* f) { return std::pair(f->index, f->signature); });
  return out;
}

int exit_code(const Report& report) {
  const CampaignResult& result = report.result;
  if (!result.engines_differ.empty()) return 11;
  const int changed = code_of(report.reds);
  // Of a run that ended early findings were not made smaller, so the file may know them under another name.
  const bool only_new = std::ranges::all_of(report.reds, [](const Red& red) { return red.reason == "new"; });
  if (changed == 10 && !(result.ended_early && report.compared && only_new)) return 10;
  if (!report.gone.empty()) return 2;
  if (changed != 0) return changed == 10 ? 5 : changed;
  const bool undecided = std::ranges::any_of(result.ops, [](const OpTotals& op) { return op.judged() == 0; });
  return undecided || result.ended_early || result.ops.empty() ? 5 : 0;
}

// The last lines on the adapter's stderr: what it said before it ended, and what a library printed.
std::string end_of(const std::string& errors) {
  constexpr std::size_t kLastLines = 12, kMostBytes = 300;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', at), errors.size());
    if (end > at) lines.push_back(printable(std::string_view(errors).substr(at, std::min(end - at, kMostBytes))));
    at = end + 1;
  }
  std::string out = lines.empty() ? "" : "stderr of the adapter ends with\n";
  for (std::size_t k = lines.size() - std::min(lines.size(), kLastLines); k < lines.size(); ++k)
    out += "  " + lines[k] + "\n";
  return out;
}

std::string to_text(const Report& report) {
  const CampaignResult& result = report.result;
  const Sums sums = sums_of(result);
  std::string out = fmt::format("{} {}, {} cage{}\n", printable(report.peer.name), printable(report.peer.version),
                                name(report.cage->kind()),
                                report.cage->why().empty() ? "" : fmt::format(" ({})", report.cage->why()));
  for (const Finding* f : findings_of(result)) {
    const auto known = report.known.find(f->signature);
    if (known != report.known.end()) {
      out += fmt::format("\nknown {} ({} {}) {}\n", f->signature, f->judgement,
                         f->count == 1 ? "once" : fmt::format("{} times", f->count), printable(known->second));
      continue;
    }
    out += fmt::format("\nFINDING {} ({} {})\n  {}\n  case   {}\n", f->signature, f->judgement,
                       f->count == 1 ? "once" : fmt::format("{} times", f->count), printable(f->detail),
                       print_json(f->request));
    if (!f->answer.is_null()) out += fmt::format("  answer {}\n", print_json(f->answer).substr(0, 400));
    if (!f->right.is_null()) out += fmt::format("  right  {}\n", print_json(f->right).substr(0, 400));
    if (!f->name.empty()) out += fmt::format("  name   {}\n", f->name);
  }
  for (const Red& red : report.reds)
    if (red.reason != "new")
      out += fmt::format("\nCHANGED {} {}:{}: {} {}\n", red.reason, report.expected_file, red.line, printable(red.what),
                         red.signature);
  out += "\n";
  for (const OpTotals& op : result.ops) {
    const std::string rest = rest_of(op);
    out += fmt::format("{:<28} {:>8} asked, {} agree{}{}\n", op.family + "/" + op.op, op.asked, op.count(Word::Agree),
                       rest.empty() ? "" : ", ", rest);
    // Why an answer was none, where few were or it is our fault.
    for (const auto& [word, one] : op.unjudged)
      if (word == Word::UndecidedOurs || op.asked <= kFew || op.judged() * 4 < op.asked)
        out += fmt::format("  {}, for one: {}{}\n", name(word), one.why, one.name.empty() ? "" : " (" + one.name + ")");
    if (op.judged() == 0) out += fmt::format("  UNDECIDED: nothing of it was judged\n");
  }
  for (const auto& [name, found] : result.conventions) out += fmt::format("convention {}: {}\n", name, found);
  if (sums.faults > 0 || !report.gone.empty()) out += end_of(report.errors);
  if (!report.gone.empty()) out += fmt::format("the adapter is gone: {}\n", printable(report.gone));
  if (!result.engines_differ.empty())
    out += fmt::format("OUR ENGINES DISAGREE on {}: please report it\n", result.engines_differ);
  if (result.ended_early) out += "ENDED EARLY: not all cases were asked; the counts are of those that were\n";
  const auto changed = std::ranges::count_if(report.reds, [](const Red& red) { return red.reason != "new"; });
  out +=
      fmt::format("{}, {} agree, {} disagree, {}, {}{}\n", plural(static_cast<Index>(result.cases), "case"), sums.agree,
                  sums.disagree, plural(static_cast<Index>(sums.faults), "fault"),
                  plural(static_cast<Index>(sums.findings), "finding"),
                  changed > 0 ? fmt::format(", {}", plural(static_cast<Index>(changed), "changed expectation")) : "");
  return out;
}

std::string to_jsonl(const Report& report) {
  std::string out = print_json(run_json(report)) + "\n";
  for (const Finding* finding : findings_of(report.result)) out += print_json(json_of(*finding, report)) + "\n";
  for (const Red& red : report.reds) {
    if (red.reason == "new") continue;
    Json changed;
    changed.set("kind", "changed");
    changed.set("reason", red.reason);
    changed.set("signature", text_or_null(red.signature));
    changed.set("file", report.expected_file);
    changed.set("line", number(red.line));
    changed.set("message", printable(red.what));
    out += print_json(changed) + "\n";
  }
  for (const OpTotals& op : report.result.ops) out += print_json(json_of(op)) + "\n";
  const Sums sums = sums_of(report.result);
  Json gate;
  gate.set("kind", "gate");
  gate.set("cases", number(report.result.cases));
  gate.set("agree", number(sums.agree));
  gate.set("disagree", number(sums.disagree));
  gate.set("faults", number(sums.faults));
  gate.set("findings", number(sums.findings));
  gate.set("starts", number(report.starts));
  gate.set("ended_early", Json(report.result.ended_early));
  gate.set("gone", text_or_null(printable(report.gone)));
  gate.set("engines_disagree", text_or_null(report.result.engines_differ));
  gate.set("digest", digest_text(report.result.digest));
  std::string last = print_json(gate);
  last.pop_back();
  return out + last + (report.seconds ? fmt::format(",\"seconds\":{:.3f}}}\n", *report.seconds) : "}\n");
}

std::string case_line(const Case& of, const Reply& reply, const Judgement& judgement) {
  Json out, answer;
  out.set("kind", "case");
  out.set("op", of.op->name);
  out.set("judgement", name(judgement.word));
  out.set("found", text_or_null(judgement.kind));
  out.set("detail", text_or_null(printable(judgement.detail)));
  out.set("convention", text_or_null(of.convention));
  out.set("case", of.request.read());
  if (!is_fault(reply.kind)) answer.set(std::string(name(reply.kind)), reply.value.read());
  out.set("answer", std::move(answer));
  out.set("right", judgement.right);
  return print_json(out) + "\n";
}

}  // namespace vl::gate
