// transfer: what a pointwise operation makes of sets of codes, or whether every result is in a claimed set.
#include "verifier/neutral/transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/values/state.h"
#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/words.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;
using neutral::Function;
using values::CodeSet;

struct TransferAsked {
  Function function = Function::Add;
  const values::Format& format;
  values::MaxRule rule = values::MaxRule::NanWins;
  std::vector<CodeSet> operands;
  CodeSet claimed;
};

Json ranges_of_set(const values::Format& format, const CodeSet& set) {
  Json out = Json::array();
  for (const values::CodeRange& range : set.ranges())
    out.push_back({values::in_digits(format, range.first), values::in_digits(format, range.last)});
  return out;
}

std::variant<TransferAsked, Diagnostic> transfer_asked(const TransferArguments& arguments) {
  using values::MaxRule;
  TransferAsked out{*neutral::find_function(arguments.function),
                    *values::find_format(arguments.type),
                    arguments.max == "x86"         ? MaxRule::X86
                    : arguments.max == "nan-loses" ? MaxRule::NanLoses
                                                   : MaxRule::NanWins,
                    {},
                    {}};
  for (const std::string& text : arguments.operands) {
    const auto set = values::parse_state(text, out.format, nullptr);
    if (!set) return locate("operand", text, set.error());
    out.operands.push_back(*set);
  }
  if (arguments.claims.empty()) return out;
  const auto set = values::parse_state(arguments.claims, out.format, nullptr);
  if (!set) return locate("--claims", arguments.claims, set.error());
  out.claimed = *set;
  return out;
}

std::string call_in_words(const TransferAsked& asked, const std::vector<values::Code>& codes) {
  std::vector<std::string> out;
  out.reserve(codes.size());
  for (const values::Code code : codes) out.push_back(values::in_words(asked.format, code));
  return fmt::format("{}({})", neutral::name(asked.function), fmt::join(out, ", "));
}

Json assumptions_of(Function function) {
  Json out = Json::array();
  if (!neutral::assumption(function).empty()) out.push_back(neutral::assumption(function));
  return out;
}

Json question_to_json(const TransferArguments& arguments) {
  Json out{{"function", arguments.function}, {"type", arguments.type}, {"operands", arguments.operands}};
  if (!arguments.claims.empty()) out["claims"] = arguments.claims;
  out["max"] = arguments.max;
  return out;
}

Json transfer_to_json(const TransferArguments& arguments, const TransferAsked& asked,
                      const neutral::TransferVerdict& verdict, bool checked, double micros) {
  const auto* proved = std::get_if<neutral::TransferProved>(&verdict);
  const auto* refuted = std::get_if<neutral::TransferRefuted>(&verdict);
  const auto* unknown = std::get_if<neutral::TransferUnknown>(&verdict);
  Json out{{"kind", "verdict"}, {"case", nullptr},   {"file", nullptr},    {"line", nullptr},
           {"layout", nullptr}, {"tensor", nullptr}, {"claim", "transfer"}};
  out["asked"] = question_to_json(arguments);
  out["verdict"] = proved != nullptr ? "proved" : refuted != nullptr ? "refuted" : "unknown";
  const neutral::Image* image = proved != nullptr ? &proved->image : unknown != nullptr ? &unknown->image : nullptr;
  out["value"] = nullptr;
  out["engine"] = unknown != nullptr ? Json(nullptr) : Json(refuted != nullptr ? "evaluation" : "image");
  out["scope"] = "all-sizes";
  out["certificate"] = unknown != nullptr ? "none" : checked ? "checked" : "trusted";
  if (unknown == nullptr && !checked) out["trusted"] = out["engine"];
  out["counterexample"] = nullptr;
  if (refuted != nullptr) {
    Json codes = Json::array();
    for (const values::Code code : refuted->operands) codes.push_back(values::in_digits(asked.format, code));
    out["counterexample"] = {{"operands", codes}, {"results", ranges_of_set(asked.format, refuted->results)}};
  }
  out["reason"] = unknown != nullptr ? Json("incomplete") : Json(nullptr);
  if (unknown != nullptr) out["note"] = unknown->reason;
  out["image"] = image != nullptr ? ranges_of_set(asked.format, image->codes) : Json(nullptr);
  out["exact"] = image != nullptr ? Json(image->exact) : Json(nullptr);
  out["assumes"] = assumptions_of(asked.function);
  if (arguments.times) out["micros"] = micros;
  return out;
}

std::string transfer_to_text(const TransferAsked& asked, const neutral::TransferVerdict& verdict, bool checked) {
  std::string out;
  const std::string trusted = checked ? "" : " (trusted)";
  const auto line = [&](const char* word, const std::string& text) {
    return fmt::format("  {:<11} {:<15} {}\n", word, "transfer", text);
  };
  if (const auto* proved = std::get_if<neutral::TransferProved>(&verdict))
    out = line(
        "proved",
        fmt::format("every result is one of {}", neutral::set_in_words(asked.format, proved->image.codes)) + trusted);
  else if (const auto* refuted = std::get_if<neutral::TransferRefuted>(&verdict))
    out = line("refuted", fmt::format("{} is {}", call_in_words(asked, refuted->operands),
                                      neutral::set_in_words(asked.format, refuted->results)) +
                              trusted);
  else {
    const auto& unknown = std::get<neutral::TransferUnknown>(verdict);
    out = line("unknown", fmt::format("{}; results lie in {}", unknown.reason,
                                      neutral::set_in_words(asked.format, unknown.image.codes)));
  }
  if (!neutral::assumption(asked.function).empty())
    out += fmt::format("      assumes: {}\n", neutral::assumption(asked.function));
  return out;
}

void print_transfer(const TransferArguments& arguments, const std::string& text, const Json& json) {
  std::string head = fmt::format("{} of {}", arguments.function, arguments.type);
  for (const std::string& operand : arguments.operands) head += ", " + printable(operand);
  if (!arguments.claims.empty()) head += ": claimed " + printable(arguments.claims);
  const std::string out = arguments.format == Format::Text
                              ? head + "\n" + text
                              : json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
}

int answer_with_image(const TransferArguments& arguments, const TransferAsked& asked) {
  const neutral::Image found = neutral::image(asked.function, asked.format, asked.rule, asked.operands);
  Json json{{"kind", "image"}};
  json.update(question_to_json(arguments));
  json["ranges"] = ranges_of_set(asked.format, found.codes);
  json["exact"] = found.exact;
  json["assumes"] = assumptions_of(asked.function);
  std::string text = fmt::format("  {:<11} {:<15} {}\n", found.exact ? "exactly" : "at most", "image",
                                 neutral::set_in_words(asked.format, found.codes));
  if (!neutral::assumption(asked.function).empty())
    text += fmt::format("      assumes: {}\n", neutral::assumption(asked.function));
  print_transfer(arguments, text, json);
  return 0;
}

}  // namespace

std::variant<int, Misuse> run_transfer(const TransferArguments& given) {
  TransferArguments arguments = given;
  for (std::size_t i = given.states.size(); i-- > 0;)
    if (!given.states[i].empty()) arguments.operands.insert(arguments.operands.begin(), given.states[i]);
  const Function function = *neutral::find_function(arguments.function);
  if (arguments.operands.size() != neutral::arity(function))
    return Misuse{fmt::format("{} has {} {}, and {} given", arguments.function, neutral::arity(function),
                              neutral::arity(function) == 1 ? "operand" : "operands",
                              arguments.operands.size() == 1 ? "one state is" : "other states are")};
  if (!neutral::is_defined(function, *values::find_format(arguments.type)))
    return Misuse{fmt::format("{} has no meaning for {}", arguments.function, arguments.type)};
  const bool compares = function == Function::Max || function == Function::Min || function == Function::Relu;
  if (!compares && arguments.max != TransferArguments{}.max)
    return Misuse{fmt::format("--max is unused: {} compares nothing", arguments.function)};
  const auto asked = transfer_asked(arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&asked)) return bad_input(*diagnostic);
  const auto& question = std::get<TransferAsked>(asked);
  if (arguments.claims.empty()) return answer_with_image(arguments, question);
  const auto start = std::chrono::steady_clock::now();
  const auto verdict =
      neutral::decide_transfer(question.function, question.format, question.rule, question.operands, question.claimed);
  const double micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  const bool checked = neutral::certify(neutral::text_of(question.function, question.format, question.rule,
                                                         question.operands, question.claimed),
                                        verdict)
                           .has_value();
  print_transfer(arguments, transfer_to_text(question, verdict, checked),
                 transfer_to_json(arguments, question, verdict, checked, micros));
  if (std::holds_alternative<neutral::TransferRefuted>(verdict)) return kRefuted;
  return std::holds_alternative<neutral::TransferProved>(verdict) ? 0 : kUndecided;
}

Run declare_transfer(CLI::App& app) {
  const auto transfer = std::make_shared<TransferArguments>();
  std::vector<std::string> types, functions;
  for (const values::Format& format : values::formats()) types.emplace_back(format.name);
  for (int i = 0; i <= static_cast<int>(Function::Where); ++i)
    functions.emplace_back(neutral::name(static_cast<Function>(i)));
  app.footer("A state is what padding may hold: verify-layout neutral --help lists them.\n");
  app.add_option("function", transfer->function, fmt::format("One of {}", fmt::join(functions, " ")))
      ->check(word_of(functions))
      ->required();
  app.add_option("type", transfer->type, fmt::format("One of {}", fmt::join(types, " ")))
      ->check(word_of(types))
      ->required();
  // One by one: a vector would take [0..1] apart.
  for (std::size_t i = 0; i < transfer->states.size(); ++i)
    app.add_option(fmt::format("state{}", i + 1), transfer->states[i], "What an operand holds");
  app.add_option("--operand", transfer->operands, "The same for states that begin with -, as --operand -inf; repeat it")
      ->allow_extra_args(false)
      ->take_all()
      ->option_text("STATE");
  app.add_option("--claims", transfer->claims, "Is every result in this state? Without it, the results are printed")
      ->option_text("STATE");
  app.add_option("--max", transfer->max, "What max and min do with NaN (default: nan-wins)")
      ->check(word_of({"nan-wins", "nan-loses", "x86"}))
      ->option_text("{nan-wins,nan-loses,x86}");
  app.add_option("--format", transfer->format, "How to print the answer")
      ->transform(choice(
          std::map<std::string, Format>{{"text", Format::Text}, {"json", Format::Json}, {"jsonl", Format::Jsonl}}))
      ->option_text("{text,json,jsonl}");
  add_no_times(app, transfer->times);
  return [transfer] { return run_transfer(*transfer); };
}

}  // namespace vl::cli
