// Reports for readers: one block per case, one line per claim, and for a refutation the result of each stage of the map
// for the elements of its counterexample.
#include <fmt/format.h>

#include <sstream>

#include "encodings/base/printable.h"
#include "encodings/map/text.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

using question::Counterexample;
using question::Proved;
using question::Refuted;
using question::Unknown;

std::string paint(std::string_view text, std::string_view colour, const TextStyle& style) {
  return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : std::string(text);
}

std::string coloured_word(const Answer& answer, const TextStyle& style) {
  const auto* proved = std::get_if<Proved>(&answer.verdict);
  const bool expression = proved != nullptr && answer.all_sizes && answer.all_sizes->value;
  const std::string text =
      fmt::format("{:<11}", expression                           ? *answer.all_sizes->value
                            : proved != nullptr && proved->value ? fmt::format("{}", *proved->value)
                                                                 : std::string(question::word(answer.verdict)));
  return paint(text, proved != nullptr ? "32" : std::holds_alternative<Refuted>(answer.verdict) ? "31" : "33", style);
}

// A layout that a case file spreads over lines, on one.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!space || (!out.empty() && out.back() != ' ')) out += space ? ' ' : c;
  }
  return printable(out);
}

// Whether a field of a counterexample is an element, and not a place.
bool is_element(std::string_view field) { return field == "a" || field == "b"; }

// `its_layout` is the layout of the counterexample's elements; null if there is none.
std::string counterexample_to_text(const map::Layout* its_layout, const Answer& answer, const Counterexample& counter) {
  std::string out;
  for (const auto& [field, value] : counter.fields) {
    if (const auto* number = std::get_if<Index>(&value)) {
      out += fmt::format("      {} = {}\n", field, *number);
      continue;
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
      out += fmt::format("      {} = {}\n", field, printable(*text));
      continue;
    }
    const Point& point = std::get<Point>(value);
    out += fmt::format("      {} = [{}]\n", field, fmt::join(point, ", "));
    if (!is_element(field) || its_layout == nullptr) continue;
    const map::Layout& layout = *its_layout;
    Point p = point;
    p.resize(layout.domain().rank(), 0);  // the first replica
    if (answer.b_of_other) {
      const map::Layout& its = field == "b" ? *answer.other : layout;
      p.resize(its.logical().rank());
      p.resize(its.domain().rank(), 0);
      out += stages_to_text(its, p, "          ");
      continue;
    }
    if (answer.law) out += "        by the law\n";
    out += stages_to_text(layout, p, "          ");
    if (answer.other) {
      p.resize(layout.logical().rank());
      p.resize(answer.other->domain().rank(), 0);
      out += fmt::format("        in the {} layout\n", answer.law ? "given" : "other") +
             stages_to_text(*answer.other, p, "          ");
    }
  }
  return out;
}

// What a reader must not take the counterexample for.
std::string_view caveat(const Counterexample& counter) {
  return counter.fields.empty() || counter.minimal ? "" : "      not known to be the smallest\n";
}

std::string conflicts_to_text(const Answer& answer) {
  std::string out;
  for (const Conflict& conflict : answer.conflicts)
    for (const Conflict::Side* side : {&conflict.one, &conflict.other}) {
      out += fmt::format("      {} on '{}': {}", side->engine, conflict.question, side->said);
      for (const auto& [name, point] : side->witness) out += fmt::format(", {} = [{}]", name, fmt::join(point, ", "));
      out += "\n";
    }
  if (!answer.with.empty()) out += fmt::format("      with {}\n", printable(answer.with));
  for (const std::string& file : answer.smtlib) out += fmt::format("      obligation {}\n", printable(file));
  return answer.conflicts.empty() ? out : out + fmt::format("      {}\n", answer.reproduce);
}

// When the claim holds, and at which sizes the element below is.
std::string all_sizes_to_text(const Answer& answer) {
  const question::ForAllSizes& all = *answer.all_sizes;
  std::string out;
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  if (refuted != nullptr && all.holds)
    out += fmt::format("{:30}holds {} {}\n", "", all.exact ? "iff" : "if", question::in_words(*all.holds));
  if (refuted != nullptr && all.instance)
    out += counterexample_to_text(&*all.instance, answer, refuted->counterexample);
  if (refuted != nullptr && !all.sizes.empty()) out += caveat(refuted->counterexample);
  return out;
}

// " (known)", " (new)", " (ignored: REASON)", or nothing.
std::string excuse_to_text(const question::Excuse& excuse) {
  using Baseline = question::Excuse::Baseline;
  if (excuse.ignored) return fmt::format(" (ignored: {})", printable(*excuse.ignored));
  if (excuse.baseline == Baseline::None) return {};
  return excuse.baseline == Baseline::Known ? " (known)" : " (new)";
}

std::string leftover_to_text(const Case& c, const TextStyle& style) {
  const question::Leftover& leftover = *c.leftover;
  const bool gone = leftover.kind == question::Leftover::Kind::Gone;
  const std::string place = c.place.line > 0 ? fmt::format(":{}:{}", c.place.line, c.place.column) : "";
  const std::string layout = gone ? fmt::format("  {}\n  {}", printable(c.tensor), on_one_line(c.layout)) : "";
  return fmt::format("{}{}{}\n  {} {:<15} {}\n", printable(c.place.file), place, layout,
                     paint(gone ? "gone       " : "unused     ", "33", style), leftover.claim,
                     printable(leftover_in_words(leftover)));
}

// "line 17, %5 = d2m.mask: ".
std::string step_to_text(const question::AtStep& step) {
  return fmt::format("line {}, {}{}{}", step.place.line, printable(step.result), step.result.empty() ? "" : " = ",
                     printable(step.operation));
}

// ", 1 not known (line 20 ttir.frobnicate)".
std::string unknown_to_text(const question::FunctionView& function) {
  constexpr std::size_t kMostNamed = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostNamed, function.unknown.size()); ++i)
    names += fmt::format("{}line {} {}", i == 0 ? "" : ", ", function.unknown[i].first,
                         printable(function.unknown[i].second));
  return fmt::format(", {} not known ({}{})", function.unknown.size(), names,
                     function.unknown.size() > kMostNamed ? ", …" : "");
}

// "41 operations: 38 judged, 2 free, 1 not known (line 20 ttir.frobnicate); 3 read padding, 1 not neutral".
// Line by line, so that it can be run again where it is.
std::string program_to_text(const question::FunctionView& function) {
  std::string out;
  std::istringstream lines(function.program);
  for (std::string line; std::getline(lines, line);) out += fmt::format("    {}\n", printable(line));
  return out;
}

std::string function_to_text(const question::FunctionView& function) {
  std::string out =
      fmt::format("{}: {} judged", plural(static_cast<Index>(function.operations), "operation"), function.judged);
  if (function.free > 0) out += fmt::format(", {} free", function.free);
  if (!function.unknown.empty()) out += unknown_to_text(function);
  if (!function.readers) return out;
  out += *function.readers == 0 ? "; none reads padding" : fmt::format("; {} read padding", *function.readers);
  return function.not_neutral == 0 ? out : out + fmt::format(", {} not neutral", function.not_neutral);
}
std::string answer_to_text(const Case& c, const Answer& answer, const TextStyle& style) {
  std::string remark = answer.note;
  if (const auto* refuted = std::get_if<Refuted>(&answer.verdict)) remark = refuted->counterexample.explanation;
  if (const auto* unknown = std::get_if<Unknown>(&answer.verdict)) remark = question::why(*unknown);
  if (const auto* proved = std::get_if<Proved>(&answer.verdict);
      proved != nullptr && proved->trust == question::Trust::Trusted)
    remark += fmt::format("{}(trusted: {})", remark.empty() ? "" : " ", proved->engine);
  remark = printable(remark);
  if (answer.step) remark = step_to_text(*answer.step) + (remark.empty() ? "" : ": ") + remark;
  const std::string claim = answer.rule.empty() ? answer.claim : fmt::format("{} ({})  ", answer.claim, answer.rule);
  std::string out = fmt::format("  {} {:<15} {}\n", coloured_word(answer, style), claim,
                                answer.expected && answer.as_expected && std::holds_alternative<Refuted>(answer.verdict)
                                    ? remark + " (as expected)"
                                    : remark + excuse_to_text(answer.excuse));
  while (out.size() > 2 && out[out.size() - 2] == ' ') out.erase(out.size() - 2, 1);
  if (answer.all_sizes) out += all_sizes_to_text(answer);
  if (!answer.as_expected)
    out += fmt::format("      {}: {}\n", paint("NOT AS EXPECTED", "31", style), printable(answer.mismatch));
  if (const auto* refuted = std::get_if<Refuted>(&answer.verdict); refuted != nullptr && c.reading)
    out += counterexample_to_text(answer.law ? &*answer.law : c.reading->layout(), answer, refuted->counterexample) +
           std::string(caveat(refuted->counterexample));
  for (const std::string& line : answer.words) out += fmt::format("      {}\n", printable(line));
  out += conflicts_to_text(answer);
  if (answer.operation) out += to_text(*answer.operation);
  if (style.engines)
    for (const std::string& attempt : answer.attempts) out += fmt::format("      engine {}\n", attempt);
  if (style.trust) out += trust_to_text(answer);
  return out;
}

// "u8[512] (assumed)", "f16[8,64] (the text states f16[64,64])".
std::string tensor_of(const Case& c) {
  std::string out = printable(c.tensor);
  if (c.tensor_source == question::TensorSource::Assumed && !out.empty()) out += " (assumed)";
  if (!c.stated_tensor.empty()) out += fmt::format(" (the text states {})", printable(c.stated_tensor));
  return out;
}

// "BM = 128 (line 93), BN = 64 (line 94)".
std::string bound_to_text(const Case& c) {
  std::string out;
  for (const question::BoundName& name : c.bound)
    out += fmt::format("{}{} = {} (line {})", out.empty() ? "" : ", ", name.name, name.value, name.line);
  return out;
}

std::string lines_to_text(const Case& c) {
  const bool more = c.occurrences > c.lines.size();
  return fmt::format("{} {}{}", c.lines.size() == 1 ? "line" : "lines", fmt::join(c.lines, ", "), more ? ", …" : "");
}

}  // namespace

std::string for_all_sizes(const question::RuleView& rule) {
  std::string names;
  for (std::size_t k = 0; k < rule.symbols.size(); ++k) {
    const auto& [name, low] = rule.symbols[k];
    const bool last = k + 1 == rule.symbols.size() || rule.symbols[k + 1].second != low;
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name, last ? fmt::format(" >= {}", low) : "");
  }
  std::vector<std::string> conditions = rule.where;
  conditions.insert(conditions.end(), rule.own.begin(), rule.own.end());
  return fmt::format(", for all {}{}{}", printable(names), conditions.empty() ? "" : " where ",
                     printable(fmt::format("{}", fmt::join(conditions, " and "))));
}

std::string stages_to_text(const map::Layout& layout, const Point& p, std::string_view indent) {
  const auto values = map::trace(layout.map(), p);
  VL_CHECK(values.has_value(), "a trace of a point outside the domain");
  std::string out;
  for (std::size_t i = 0; i < layout.map().stages().size(); ++i)
    out +=
        fmt::format("{}{:<44} [{}]\n", indent, map::print(layout.map().stages()[i]), fmt::join((*values)[i + 1], ", "));
  return out;
}

std::string to_text(const Case& c, const TextStyle& style) {
  if (c.leftover) return leftover_to_text(c, style);
  // Of what has no tensor the names are the text's own.
  const std::string layout = on_one_line(c.layout) + (c.rule && c.tensor.empty() ? for_all_sizes(*c.rule) : "");
  const std::string tensor = tensor_of(c) + (c.rule && !c.tensor.empty() ? for_all_sizes(*c.rule) : "");
  const std::string id = paint(printable(c.id.value_or("")), "1", style);
  std::string out = !c.id              ? fmt::format("{}{}{}\n", layout, tensor.empty() ? "" : "  ", tensor)
                    : c.function       ? fmt::format("{}  {}\n", id, function_to_text(*c.function))
                    : c.layout.empty() ? fmt::format("{}\n", id)  // a file that was not read
                                       : fmt::format("{}{}{}\n  {}\n", id, tensor.empty() ? "" : "  ", tensor, layout);
  if (c.expected_invalid) {
    if (!c.diagnostic)
      return out +
             fmt::format("  {}: the text should be rejected and was read\n", paint("NOT AS EXPECTED", "31", style));
    return out +
           fmt::format("  {} {} (as expected)\n", paint("rejected   ", "32", style), printable(c.diagnostic->message));
  }
  if (c.skipped) {
    const bool found = !c.place.file.empty() && c.place.line > 0;
    return fmt::format("{}{}\n  {} {}\n",
                       found ? fmt::format("{}:{}:{}  ", printable(c.place.file), c.place.line, c.place.column) : "",
                       layout, paint(c.unread.empty() ? "skipped    " : "unread     ", "33", style),
                       printable(*c.skipped) + excuse_to_text(c.excuse));
  }
  if (c.not_judged) out += fmt::format("  {}\n", paint("not judged: the run was told to end first", "33", style));
  if (c.diagnostic)
    return out + fmt::format("  {} {}\n", paint("error      ", "31", style),
                             vl::headline(*c.diagnostic) + excuse_to_text(c.excuse));
  if (!c.pass.empty()) out += fmt::format("  IR dump {}\n", printable(c.pass));
  if (c.occurrences > 1) out += fmt::format("  {} times, in {}\n", c.occurrences, lines_to_text(c));
  if (!c.bound.empty()) out += fmt::format("  {}\n", printable(bound_to_text(c)));
  if (c.reading && !c.reading->rule.empty()) out += fmt::format("  rule {}\n", c.reading->rule);
  for (const std::string& note : c.reading ? c.reading->notes : std::vector<std::string>{})
    out += fmt::format("  note: {}\n", printable(note));
  for (const std::string& note : c.function ? c.function->notes : std::vector<std::string>{})
    out += fmt::format("  note: {}\n", printable(note));
  if (c.function) out += program_to_text(*c.function);
  for (const std::string& warning : c.warnings())
    out += fmt::format("  {} {}\n", paint("warning:", "33", style), printable(warning));
  for (const Answer& answer : c.answers) out += answer_to_text(c, answer, style);
  for (const std::string& fill : c.function ? c.function->fills : std::vector<std::string>{})
    out += fmt::format("  fill: {}\n", printable(fill));
  return out;
}

std::string to_text(const Tally& tally) {
  std::string out = fmt::format("{}: {} proved, {} refuted, {} unknown", plural(tally.cases, "case"), tally.proved,
                                tally.refuted, tally.unknown);
  if (tally.vacuous > 0) out += fmt::format(", {} vacuous", tally.vacuous);
  if (tally.unsupported > 0) out += fmt::format(", {} unsupported", tally.unsupported);
  if (tally.errors > 0) out += fmt::format(", {}", plural(tally.errors, "error"));
  if (tally.not_judged > 0) out += fmt::format(", {} not judged", tally.not_judged);
  if (tally.skipped > 0) out += fmt::format(", {} skipped", tally.skipped);
  if (tally.unread > 0) out += fmt::format(", {} unread", tally.unread);
  if (tally.known > 0) out += fmt::format(", {} known", tally.known);
  if (tally.ignored > 0) out += fmt::format(", {} ignored", tally.ignored);
  if (tally.gone > 0) out += fmt::format(", {} gone", tally.gone);
  if (tally.judged == 0) out += "; nothing was judged";
  else if (!tally.failures.empty()) out += fmt::format("; {} FAILED", tally.failures.size());
  else if (tally.held == tally.judged) out += fmt::format("; all {} as expected", tally.held);
  else if (tally.held > 0) out += fmt::format("; {} of them compared with their case, all as expected", tally.held);
  const std::string table = tally.rests && tally.rests->proofs > 1 ? to_text(*tally.rests) : std::string();
  return table + seen_to_text(tally) + out + "\n";
}

std::string seen_to_text(const Tally& tally) {
  if (tally.unread == 0) return {};
  std::string out =
      fmt::format("{} seen, {} read", plural(tally.found, "layout expression"), tally.found - tally.unread);
  std::vector<std::pair<Index, std::string>> reasons;
  for (const auto& [reason, count] : tally.unread_by) reasons.emplace_back(-count, reason);
  std::ranges::sort(reasons);
  for (const auto& [count, reason] : reasons) out += fmt::format(", {} {}", -count, printable(reason));
  return out + "\n";
}

std::string failures_to_text(const Tally& tally) {
  std::string out;
  for (const Failure& failure : tally.failures) {
    const Place& place = failure.place;
    const std::string file = printable(place.file);
    out += "FAILED";
    const bool option = place.file.starts_with("--");  // there is one case, whose layout stands above
    if (failure.who != place.file && !option) out += " " + printable(failure.who);
    if (!failure.claim.empty()) out += " " + failure.claim;
    const bool told = place.file.empty() || option || failure.who.starts_with(place.file + ":");
    if (!told) out += place.line > 0 ? fmt::format(" {}:{}", file, place.line) : " " + file;
    out += fmt::format(" {}\n", printable(failure.reason));
  }
  return out;
}

std::string element_to_text(const map::Layout& layout, const Element& element) {
  std::string out = fmt::format("element [{}]\n", fmt::join(element.logical, ", "));
  if (element.host_offset) out += fmt::format("  host offset {}\n", *element.host_offset);
  Point p = element.logical;
  p.resize(layout.domain().rank(), 0);
  out += stages_to_text(layout, p, "  ");
  if (element.physical.empty()) out += fmt::format("  no slot: {}\n", element.no_slot);
  for (std::size_t i = 0; i < element.physical.size(); ++i)
    out +=
        fmt::format("  slot [{}], device element {}\n", fmt::join(element.physical[i], ", "), element.device_offset[i]);
  return out;
}

std::string element_to_text(const CarriedElement& element) {
  std::string out;
  for (const CarriedElement::Way& way : element.ways) {
    const std::string before =
        way.straight == way.byte ? "" : fmt::format(", byte {} before the swizzle", way.straight);
    out += fmt::format("  transfer {}, t ({}), coordinates ({}): byte {} of the tensor {} byte {}{}\n", way.transfer,
                       fmt::join(way.t, ","), fmt::join(way.coordinates, ","), way.tensor, element.load ? "to" : "from",
                       way.byte, before);
  }
  if (element.ways.empty()) out += "  no transfer carries it\n";
  if (element.own.empty()) return out;
  return out + fmt::format("  the layout has it at byte {}\n", fmt::join(element.own, ", "));
}

std::string unsupported_to_text(const std::string& reason) {
  return fmt::format("unsupported: {}\n", printable(reason));
}

std::string slot_to_text(const Slot& slot) {
  const auto show = [](const Point& point) { return fmt::format("[{}]", fmt::join(point, ", ")); };
  const std::string out = fmt::format("slot {}, device element {}\n", show(slot.physical), slot.device_offset);
  if (!slot.decodes) return out + "  the host's offsets do not nest: there is no way back from slots to elements\n";
  if (!slot.element) return out + "  padding: it decodes to no element\n";
  if (slot.valid) return out + fmt::format("  holds element {}\n", show(*slot.element));
  return out + fmt::format("  padding, although every range check passes: it decodes to element {}, which lives {}\n",
                           show(*slot.element), slot.lives_at ? "at " + show(*slot.lives_at) : "nowhere");
}

}  // namespace vl::report
