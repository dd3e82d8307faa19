// neutral --program: whether padding reaches what a chain of operations puts out, and where to mask it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "encodings/base/files.h"
#include "encodings/values/state.h"
#include "verifier/cli/commands.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/place.h"
#include "verifier/neutral/words.h"
#include "verifier/programs/certificates.h"
#include "verifier/programs/layouts.h"
#include "verifier/session/arithmetic.h"
#include "verifier/session/certificates.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace chain = neutral::program;

// The answer about one output.
struct ChainRun {
  const NeutralArguments& arguments;
  const chain::Instance& instance;
  std::size_t instances = 1;
  const chain::ProgramAnswer& answer;
  double micros = 0;
  bool checked = false;
  bool alone = true;  // the program has no other output

  [[nodiscard]] const std::string& output() const {
    return instance.program.nodes[instance.program.outputs.front()].name;
  }
};

const char* word_of_line(const neutral::Verdict& verdict) {
  return std::holds_alternative<neutral::Proved>(verdict)    ? "proved"
         : std::holds_alternative<neutral::Refuted>(verdict) ? "refuted"
                                                             : "unknown";
}

Json codes_to_json(const values::Format& format, const values::CodeSet& set) {
  Json out = Json::array();
  for (const values::CodeRange& range : set.ranges())
    out.push_back({values::in_digits(format, range.first), values::in_digits(format, range.last)});
  return out;
}

Json result_to_json(const values::Format& format, const values::CodeSet& set) {
  if (set.count() > 1) return codes_to_json(format, set);
  return values::in_digits(format, set.ranges().front().first);
}

// One entry per line that reads padding: what it reads, and what is decided about these values alone.
Json lines_to_json(const ChainRun& run) {
  Json out = Json::array();
  for (const chain::LineAnswer& line : run.answer.lines) {
    const chain::Node& node = run.instance.program.nodes[line.node];
    Json reads = Json::array();
    for (std::size_t i = 0; i < line.fills.size(); ++i) {
      const chain::Node& of = run.instance.program.nodes[node.operands[i]];
      reads.push_back({{"operand", of.name}, {"fill", codes_to_json(*of.type, line.fills[i])}});
    }
    Json entry{{"name", node.name}, {"line", node.line}, {"operation", name(node.operation)}, {"reads", reads}};
    entry["verdict"] = word_of_line(line.verdict);
    if (std::ranges::find(run.answer.leaks, line.node) != run.answer.leaks.end()) entry["unseen"] = true;
    const auto* proved = std::get_if<neutral::Proved>(&line.verdict);
    entry["engine"] = proved != nullptr ? Json(proved->engine) : Json(nullptr);
    entry["certificate"] = line.checked ? "checked" : "trusted";
    if (proved != nullptr) entry["note"] = proved->reason;
    if (const auto* unknown = std::get_if<neutral::Unknown>(&line.verdict)) {
      entry["note"] = unknown->reason;
      entry["certificate"] = "none";
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Json states_to_json(const ChainRun& run) {
  const chain::Program& program = run.instance.program;
  chain::Images images;
  const chain::States states(program, {}, images, false, run.answer.leaks);
  Json out = Json::array();
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    const chain::Node& node = program.nodes[at];
    for (chain::Region region = 0; !node.implicit && region < node.regions(); ++region)
      if (exists(node, region))
        out.push_back({{"name", node.name},
                       {"region", region_in_words(node, region)},
                       {"slots", slots_of(node, region)},
                       {"state", neutral::set_in_words(*node.type, states.of(at)[region])}});
  }
  return out;
}

Json run_to_json(const ChainRun& run, const chain::ProgramRefuted& refuted) {
  const chain::Program& program = run.instance.program;
  const chain::Node& output = program.nodes[refuted.output];
  Json inputs = Json::array();
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    const chain::Node& node = program.nodes[at];
    if (node.kind != chain::Kind::Input || node.constant) continue;
    Json padding = Json::object();
    for (chain::Region region = 1; region < node.regions(); ++region)
      if (exists(node, region))
        padding[region_in_words(node, region)] = values::in_digits(*node.type, refuted.assignment.inputs[at][region]);
    inputs.push_back({{"name", node.name},
                      {"contents", values::in_digits(*node.type, refuted.assignment.inputs[at][0])},
                      {"padding", padding}});
  }
  return {{"output", output.name},
          {"index", refuted.at},
          {"got", result_to_json(*output.type, refuted.got)},
          {"want", result_to_json(*output.type, refuted.want)},
          {"line", program.nodes[refuted.reader].line},
          {"inputs", inputs},
          {"words", explained(program, refuted, run.answer.leaks)}};
}

Json chain_to_json(const ChainRun& run) {
  const auto* refuted = std::get_if<chain::ProgramRefuted>(&run.answer.verdict);
  const auto* unknown = std::get_if<chain::ProgramUnknown>(&run.answer.verdict);
  const bool proved = refuted == nullptr && unknown == nullptr;
  const auto failing = refuted != nullptr   ? std::optional(refuted->reader)
                       : unknown != nullptr ? std::optional(unknown->node)
                                            : std::nullopt;
  Json out{{"kind", "verdict"},
           {"case", nullptr},
           {"file", run.arguments.program},
           {"line", failing ? Json(run.instance.program.nodes[*failing].line) : Json(nullptr)},
           {"layout", nullptr},
           {"tensor", nullptr},
           {"claim", "chain-neutral"}};
  out["asked"] = {{"program", run.arguments.program},
                  {"equal", run.instance.program.equal == neutral::Equality::Bits     ? "bits"
                            : run.instance.program.equal == neutral::Equality::AnyNan ? "any-nan"
                                                                                      : "any-nan+zero"}};
  if (!run.alone) out["asked"]["output"] = run.output();
  if (run.arguments.arithmetic) {
    out["asked"]["arithmetic"] = *run.arguments.arithmetic;
    out["alternatives"] = run.instances;
  }
  out["verdict"] = proved ? "proved" : refuted != nullptr ? "refuted" : "unknown";
  out["value"] = nullptr;
  out["engine"] = unknown != nullptr ? Json(nullptr) : Json(engine_of(run.answer));
  out["scope"] = "instance";
  out["certificate"] = unknown != nullptr ? "none" : run.checked ? "checked" : "trusted";
  if (unknown == nullptr && !run.checked) out["trusted"] = out["engine"];
  out["counterexample"] = refuted != nullptr ? run_to_json(run, *refuted) : Json(nullptr);
  if (refuted != nullptr && run.arguments.arithmetic) out["counterexample"]["arithmetic"] = in_words(run.instance);
  out["minimal"] = refuted != nullptr ? Json(false) : Json(nullptr);
  out["reason"] = unknown != nullptr ? Json("incomplete") : Json(nullptr);
  out["warnings"] = Json::array();
  if (unknown != nullptr) out["note"] = unknown->reason;
  out["lines"] = lines_to_json(run);
  out["states"] = states_to_json(run);
  out["assumes"] = assumptions(run.instance.program, run.answer);
  if (run.arguments.times) out["micros"] = run.micros;
  return out;
}

std::string under_in_words(const ChainRun& run) {
  if (run.instances == 1) return fmt::format("      under {}\n", in_words(run.instance));
  const bool refuted = std::holds_alternative<chain::ProgramRefuted>(run.answer.verdict);
  return fmt::format("      under each of {} arithmetics{}\n", run.instances,
                     refuted ? "; shown is " + in_words(run.instance) : "");
}

std::string verdict_in_words(const ChainRun& run) {
  std::string out;
  const auto line = [&](const char* word, const std::string& text) {
    out += fmt::format("  {:<11} {:<15} {}\n", word, "chain-neutral", text);
  };
  if (const auto* refuted = std::get_if<chain::ProgramRefuted>(&run.answer.verdict)) {
    line("refuted",
         headline(run.instance.program, *refuted) + (refuted->on_sets && !run.checked ? " (trusted: sets)" : ""));
    for (const std::string& text : explained(run.instance.program, *refuted, run.answer.leaks))
      out += fmt::format("      {}\n", text);
  } else if (const auto* unknown = std::get_if<chain::ProgramUnknown>(&run.answer.verdict)) {
    const chain::Node& node = run.instance.program.nodes[unknown->node];
    line("unknown", fmt::format("line {}, {}: {}", node.line, node.name, unknown->reason));
  } else
    line("proved", fmt::format("no padding reaches {}{}", run.alone ? "an output" : run.output(),
                               run.checked ? "" : " (trusted: chain)"));
  if (run.arguments.arithmetic && !std::holds_alternative<chain::ProgramUnknown>(run.answer.verdict))
    out += under_in_words(run);
  return out;
}

// What stands there already is not said again.
std::string chain_to_text(const ChainRun& run, std::set<std::string>& said) {
  std::string out = verdict_in_words(run);
  const auto add = [&](const std::string& text) {
    if (said.insert(text).second) out += text;
  };
  for (const std::size_t leak : run.answer.leaks) {
    const chain::Node& node = run.instance.program.nodes[leak];
    add(fmt::format("      line {}, {}: may read padding, but no element of an output depends on it\n", node.line,
                    node.name));
  }
  for (const chain::LineAnswer& answer : run.answer.lines) {
    const auto* proved = std::get_if<neutral::Proved>(&answer.verdict);
    if (proved == nullptr) continue;
    const chain::Node& node = run.instance.program.nodes[answer.node];
    add(fmt::format("      line {}, {}: {}{}\n", node.line, node.name, proved->reason,
                    answer.checked ? "" : fmt::format(" (trusted: {})", proved->engine)));
  }
  for (const std::string& text : assumptions(run.instance.program, run.answer))
    add(fmt::format("      assumes: {}\n", text));
  return out;
}

Json placing_to_json(const NeutralArguments& arguments, const chain::Program& program,
                     const std::optional<chain::Placing>& placing, double micros) {
  Json out{{"kind", "fill"}, {"file", arguments.program}};
  if (!placing) return out.update({{"masks", nullptr}, {"reason", "no masks were found"}}), out;
  out["masks"] = Json::array();
  for (const chain::Mask& mask : placing->masks) {
    const chain::Node& node = program.nodes[mask.node];
    out["masks"].push_back({{"name", node.name},
                            {"line", node.line},
                            {"reader", mask.reader ? Json(program.nodes[*mask.reader].name) : Json(nullptr)},
                            {"region", region_in_words(node, mask.region)},
                            {"value", values::in_digits(*node.type, mask.value)},
                            {"slots", slots_of(node, mask.region)}});
  }
  out["slots"] = placing->cost.slots;
  out["operations"] = placing->cost.operations;
  out["cheapest"] = placing->cheapest;
  out["program"] = text_with(program, placing->masks);
  if (arguments.times) out["micros"] = micros;
  return out;
}

std::string placing_to_text(const chain::Program& program, const std::optional<chain::Placing>& placing) {
  if (!placing) return "  fill: no masks were found that prove it\n";
  if (placing->masks.empty()) return "  fill: nothing has to be masked\n";
  std::string out;
  for (const chain::Mask& mask : placing->masks) {
    const chain::Node& node = program.nodes[mask.node];
    const std::string whose = mask.reader ? fmt::format(", for {}", program.nodes[*mask.reader].name) : std::string();
    out += fmt::format("  fill: after line {}{}: mask {} {} with {}      {} slots\n", node.line, whose, node.name,
                       extent_in_words(node, mask.region), chain::value_in_words(*node.type, mask.value),
                       slots_of(node, mask.region));
  }
  out += fmt::format("  {} slots; {}\n", placing->cost.slots,
                     placing->cheapest ? "no masks with 0, -0, 1 or an end of the type that write fewer prove it"
                                       : "not known to be the cheapest");
  return out + "\n" + text_with(program, placing->masks);
}

auto timed_run(double& micros, const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  auto out = work();
  micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return out;
}

// Whether an option says something about values that a program says itself, line by line.
bool says_more(const NeutralArguments& arguments) {
  const NeutralArguments none;
  return arguments.accumulate != none.accumulate || arguments.start != none.start || arguments.order != none.order ||
         arguments.max != none.max || arguments.fused || arguments.ties != none.ties ||
         arguments.divide != none.divide || arguments.pads != none.pads || arguments.blocks != none.blocks ||
         arguments.k != none.k || arguments.contents != none.contents || arguments.equal != none.equal ||
         !arguments.layouts.operands.empty() || !arguments.layouts.results.empty() ||
         !arguments.layouts.scales.empty() || arguments.layouts.dims || arguments.layouts.reduced ||
         !arguments.layouts.family.empty();
}

// The program as it is, or under each arithmetic of the profile.
std::variant<std::vector<chain::Instance>, Diagnostic> instances_of(const chain::Program& program,
                                                                    const NeutralArguments& arguments) {
  if (!arguments.arithmetic) return std::vector<chain::Instance>{{{}, program}};
  auto profile = session::read_arithmetic(session::SourceText::option("--arithmetic", *arguments.arithmetic));
  if (auto* wrong = std::get_if<Diagnostic>(&profile)) return std::move(*wrong);
  auto found = instances(program, std::get<values::Profile>(profile));
  if (!found) return locate("--arithmetic", *arguments.arithmetic, found.error());
  return std::move(*found);
}

std::string answers_to_text(const NeutralArguments& arguments, const std::vector<chain::OutputAnswer>& answers,
                            double micros) {
  std::string out;
  std::set<std::string> said;
  for (const auto& [instances, found] : answers) {
    const ChainRun run{arguments, instances[found.at], instances.size(),   found.answer,
                       micros,    found.checked,       answers.size() == 1};
    if (arguments.format == Format::Text) out += chain_to_text(run, said);
    else out += chain_to_json(run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

// The certificate of each answer that has one.
std::optional<Diagnostic> write_certificates(const NeutralArguments& arguments,
                                             const std::vector<chain::OutputAnswer>& answers) {
  const std::string name = std::filesystem::path(arguments.program).filename().string();
  std::size_t number = 0;
  for (const auto& [instances, found] : answers) {
    const chain::Program& program = instances[found.at].program;
    const auto made = programs::certificate_of(program, found.answer);
    if (!made) continue;
    auto failed = session::write_certificate(*made, {arguments.certificates, arguments.compact},
                                             session::stem_of(name, number++, made->statement.claim));
    if (failed) return failed;
  }
  return std::nullopt;
}

void write_out(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

std::variant<int, Misuse> run_neutral_program(const NeutralArguments& arguments) {
  if (says_more(arguments))
    return Misuse{
        "--program says everything that is asked: accumulate, from, order, rule, equal and contents are words of the "
        "program; beside it goes --arithmetic, for what its lines do not say"};
  if (!arguments.certificates.empty() && arguments.arithmetic)
    return Misuse{"--certificates beside --arithmetic: certificates of programs say no profile"};
  const auto text = read_whole(arguments.program);
  if (!text) return bad_input({arguments.program, 0, 0, text.error().message, "", 0});
  const auto program = chain::parse_program(*text, programs::layout_of_input);
  if (!program) return bad_input(locate(arguments.program, *text, program.error()));
  const auto all = instances_of(*program, arguments);
  if (const auto* wrong = std::get_if<Diagnostic>(&all)) return bad_input(*wrong);
  const auto& instances = std::get<std::vector<chain::Instance>>(all);
  if (arguments.place && instances.size() > 1)
    return Misuse{fmt::format("--fill beside --program places masks under one arithmetic; --arithmetic allows {}",
                              instances.size())};
  double micros = 0, placing_micros = 0;
  const auto answers = timed_run(micros, [&] { return answer_by_output(instances); });
  std::string out = answers_to_text(arguments, answers, micros / static_cast<double>(answers.size()));
  if (arguments.place) {
    const chain::Program& whole = instances.front().program;
    chain::Judge judge(whole);
    const auto placing = timed_run(placing_micros, [&] { return place_masks(whole, judge); });
    if (arguments.format == Format::Text) out += placing_to_text(whole, placing);
    else
      out += placing_to_json(arguments, whole, placing, placing_micros)
                 .dump(-1, ' ', false, Json::error_handler_t::replace) +
             "\n";
  }
  if (!arguments.certificates.empty())
    if (const auto failed = write_certificates(arguments, answers)) return bad_input(*failed);
  write_out(out);
  const chain::ProgramAnswer& worst = answers.front().found.answer;
  if (std::holds_alternative<chain::ProgramRefuted>(worst.verdict)) return kRefuted;
  return std::holds_alternative<chain::ProgramProved>(worst.verdict) ? 0 : kUndecided;
}

}  // namespace vl::cli
