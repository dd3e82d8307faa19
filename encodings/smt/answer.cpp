#include "encodings/smt/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "encodings/base/child.h"

namespace vl::smt {
namespace {

using Why = Undecided::Why;

constexpr std::uint64_t kCvc5UnitsFor = 5;  // of ours: one of its own, by the time that they take
constexpr std::string_view kUnitsUsed = "\"resource::resourceUnitsUsed\" ";

constexpr std::array<std::pair<Why, std::string_view>, 7> kReasons = {{{Why::Timeout, "timeout"},
                                                                       {Why::ResourceLimit, "rlimit"},
                                                                       {Why::Memory, "memout"},
                                                                       {Why::Incomplete, "incomplete"},
                                                                       {Why::SolverFault, "fault"},
                                                                       {Why::NotInstalled, "absent"},
                                                                       {Why::Interrupted, "interrupted"}}};

// The words of an S-expression: parentheses and atoms.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const bool blank = text[i] == ' ' || text[i] == '\n';
    if (!blank && text[i] != '(' && text[i] != ')') end = std::min(text.find_first_of(" \n()", i), text.size());
    if (!blank) words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

std::optional<Index> decimal(std::string_view word) {
  Index value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.starts_with('-') || code != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// #b…: two's complement.
std::optional<Index> binary(std::string_view word) {
  if (!word.starts_with("#b") || word.size() == 2) return std::nullopt;
  Index value = word[2] == '1' ? -1 : 0;
  for (const char bit : word.substr(2)) {
    const auto doubled = checked_mul(value, 2);
    if ((bit != '0' && bit != '1') || !doubled) return std::nullopt;
    value = *doubled + (bit - '0');
  }
  return value;
}

Outcome fault(std::string_view why, std::string_view said = {}) {
  return Undecided{Why::SolverFault, fmt::format("{}{}{}", why, said.empty() ? "" : ": ", said.substr(0, 300))};
}

// What is left of the answer's time. A child has one thread, so its processor time is no more than that.
ChildLimits limits_of(const Budget& budget) {
  ChildLimits limits;
  const auto left = budget.begun().end - Budget::Clock::now();
  const bool has_end = budget.begun().end != Budget::Clock::time_point::max();
  limits.wall = has_end ? std::chrono::duration_cast<std::chrono::milliseconds>(left) : std::chrono::hours(24 * 365);
  limits.cpu = limits.wall + std::chrono::seconds(1);
  limits.memory_mib = budget.memory_mib;
  limits.stop = budget.stop;
  return limits;
}

// What a program said, or why it said nothing that counts.
std::variant<std::string, Undecided> heard(Spoken spoken, const std::string& program) {
  switch (spoken.end) {
    case Spoken::End::Exited:
      if (spoken.status == 0) return std::move(spoken.text);
      return Undecided{Why::SolverFault,
                       fmt::format("{} exited with {}: {}", program, spoken.status, spoken.text.substr(0, 300))};
    case Spoken::End::Crashed:
      return Undecided{Why::SolverFault, fmt::format("{} was ended by signal {}", program, spoken.status)};
    case Spoken::End::Time: return Undecided{Why::Timeout, "the solver was ended: its time was over"};
    case Spoken::End::Memory: return Undecided{Why::Memory, "the solver was ended: it took too much memory"};
    case Spoken::End::Stopped: return Undecided{Why::Interrupted, "interrupted"};
    case Spoken::End::Flooded: return Undecided{Why::SolverFault, fmt::format("{} wrote without end", program)};
    case Spoken::End::NotStarted:
      return Undecided{Why::SolverFault,
                       fmt::format("{} could not be started: {}", program, std::strerror(spoken.status))};
  }
  VL_CHECK(false, "unknown end of a child");
}

// cvc5's own reasons are not read: its counter is.
Undecided why_unknown(std::string_view statistics, std::uint64_t limit) {
  const std::size_t at = statistics.find(kUnitsUsed);
  if (at == std::string_view::npos) return {Why::SolverFault, "cvc5 did not say how many units it took"};
  const std::string_view number = statistics.substr(at + kUnitsUsed.size());
  const auto used = decimal(number.substr(0, number.find_first_not_of("0123456789")));
  if (!used) return {Why::SolverFault, "cvc5 did not say how many units it took"};
  if (static_cast<std::uint64_t>(*used) >= limit)
    return {Why::ResourceLimit, fmt::format("cvc5 took its {} units", limit)};
  return {Why::Incomplete, "cvc5 gave up by itself"};
}

}  // namespace

std::optional<std::vector<Index>> parse_values(std::string_view text, std::size_t count) {
  const std::vector<std::string_view> words = words_of(text);
  std::size_t at = 0;
  const auto accept = [&](std::string_view word) { return at < words.size() && words[at] == word && ++at > 0; };
  std::vector<Index> values;
  if (!accept("(")) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (!accept("(") || !accept(fmt::format("v{}", i))) return std::nullopt;
    const bool negative = accept("(");
    if (negative && !accept("-")) return std::nullopt;
    if (at == words.size()) return std::nullopt;
    auto value = decimal(words[at]);
    if (!value && !negative) value = binary(words[at]);
    if (!value || !++at) return std::nullopt;
    values.push_back(negative ? -*value : *value);
    if ((negative && !accept(")")) || !accept(")")) return std::nullopt;
  }
  if (!accept(")") || at != words.size()) return std::nullopt;
  return values;
}

std::string print(const Outcome& outcome) {
  if (std::holds_alternative<Unsatisfiable>(outcome)) return "unsat\n";
  if (const auto* undecided = std::get_if<Undecided>(&outcome)) {
    const auto* known = std::ranges::find(kReasons, undecided->why, &std::pair<Why, std::string_view>::first);
    std::string words = undecided->detail;
    std::ranges::replace(words, '\n', ' ');
    return fmt::format("unknown\n{}: {}\n", known->second, words);
  }
  std::string values;
  const auto& found = std::get<Satisfiable>(outcome).values;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Index value = found[i];
    const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    values += value < 0 ? fmt::format("(v{} (- {}))", i, size) : fmt::format("(v{} {})", i, size);
  }
  return fmt::format("sat\n({})\n", values);
}

Outcome parse_outcome(std::string_view text, std::size_t count) {
  if (text == "unsat\n") return Unsatisfiable{};
  if (text.starts_with("sat\n")) {
    auto values = parse_values(text.substr(4), count);
    return values ? Outcome{Satisfiable{std::move(*values)}} : fault("the solver's values cannot be read", text);
  }
  constexpr std::string_view kUnknown = "unknown\n";
  if (text.starts_with(kUnknown) && text.ends_with('\n') && std::ranges::count(text, '\n') == 2) {
    const std::string_view line = text.substr(kUnknown.size(), text.size() - kUnknown.size() - 1);
    for (const auto& [why, name] : kReasons)
      if (line.starts_with(fmt::format("{}: ", name))) return Undecided{why, std::string(line.substr(name.size() + 2))};
  }
  return fault("the solver's answer cannot be read", text);
}

Outcome ask_worker(const std::string& script, std::size_t count, const Budget& budget) {
  const auto text =
      heard(speak(budget.worker, {std::string(kWorker), std::to_string(budget.rlimit), std::to_string(count)}, script,
                  nullptr, limits_of(budget)),
            "Z3's process");
  if (const auto* undecided = std::get_if<Undecided>(&text)) return *undecided;
  return parse_outcome(std::get<std::string>(text), count);
}

Outcome ask_cvc5(const std::string& script, std::size_t count, const Budget& budget) {
  const std::uint64_t units = std::max<std::uint64_t>(budget.rlimit / kCvc5UnitsFor, 1);
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names += fmt::format(" v{}", i);
  const auto more = [&](std::string_view line) -> std::string {
    if (line == "sat") return count == 0 ? "" : fmt::format("(get-value ({}))\n", names);
    return line == "unknown" ? "(get-info :all-statistics)\n" : "";
  };
  Spoken spoken = speak(budget.cvc5, {"--lang=smt2", "--produce-models", fmt::format("--rlimit={}", units), "-"},
                        script, more, limits_of(budget));
  if (spoken.end == Spoken::End::NotStarted && spoken.status == ENOENT)
    return Undecided{Why::NotInstalled, fmt::format("there is no program {} here", budget.cvc5)};
  auto text = heard(std::move(spoken), "cvc5");
  if (auto* undecided = std::get_if<Undecided>(&text)) return std::move(*undecided);
  const std::string_view said = std::get<std::string>(text);
  if (said == "unsat\n") return Unsatisfiable{};
  if (said == "sat\n" && count == 0) return Satisfiable{};
  if (said.starts_with("unknown\n(:all-statistics (")) return why_unknown(said, units);
  if (!said.starts_with("sat\n")) return fault("cvc5's answer cannot be read", said);
  auto values = parse_values(said.substr(4), count);
  return values ? Outcome{Satisfiable{std::move(*values)}} : fault("cvc5's values cannot be read", said);
}

std::optional<std::string> cvc5_version(const Budget& budget) {
  const Spoken spoken = speak(budget.cvc5, {"--version"}, {}, nullptr, limits_of(budget));
  constexpr std::string_view kBefore = "This is cvc5 version ";
  if (spoken.end != Spoken::End::Exited || !spoken.text.starts_with(kBefore)) return std::nullopt;
  return spoken.text.substr(kBefore.size(), spoken.text.find_first_of(" \n", kBefore.size()) - kBefore.size());
}

Outcome noted(Outcome outcome, const Budget& budget) {
  const auto* undecided = std::get_if<Undecided>(&outcome);
  if (undecided != nullptr &&
      (undecided->why == Why::Timeout || undecided->why == Why::ResourceLimit || undecided->why == Why::Memory))
    budget.mark_spent();
  return outcome;
}

}  // namespace vl::smt
