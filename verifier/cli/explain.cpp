// explain: a layout in words and numbers, and one element or slot of it in detail. It decides only the padding count.
#include <fmt/format.h>

#include <cstdio>

#include "encodings/base/printable.h"
#include "encodings/map/text.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/explain_tiles.h"
#include "verifier/session/chips.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

constexpr Index kMostReplicas = 4096;  // the most listed places of one element

report::Element look_at(const map::Layout& layout, const Point& x) {
  report::Element element;
  element.logical = x;
  element.host_offset = map::value(layout.host_offset(), x);
  Point replica(layout.replicas().rank(), 0);
  Index left = std::min(layout.replicas().volume(), kMostReplicas);
  for (; left > 0; --left, map::advance(layout.replicas(), replica)) {
    const Point outputs = map::outputs_at(layout, x, replica);
    if (!layout.is_slot(outputs)) {
      element.no_slot = claims::why_no_slot(layout, outputs);
      continue;
    }
    Point slot(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
    element.device_offset.push_back(layout.physical().linear(slot));
    element.physical.push_back(std::move(slot));
  }
  return element;
}

report::Slot look_into(const map::Layout& layout, const Point& point) {
  report::Slot slot{point, layout.physical().linear(point), layout.decode().has_value(), false, {}, {}};
  if (!slot.decodes) return slot;
  const map::SlotUse use = map::use_of(layout, point);
  slot.valid = use.valid;
  const auto first = [](const Point& p, std::size_t n) {
    return Point(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(n));
  };
  if (use.in_range) slot.element = first(use.point, layout.logical().rank());
  if (use.in_range && layout.is_slot(use.lives_at)) slot.lives_at = first(use.lives_at, layout.physical().rank());
  return slot;
}

// 0 where the bytes of memory are not those of the slots.
int bits_of(const use::Reading& reading) { return reading.unsized.empty() ? reading.device_bits : 0; }

std::optional<report::ShardedElement> locate_in(const use::Shards& shards, const map::Layout& layout,
                                                const report::Element& element, int bits) {
  const auto memory = map::memory_axis(layout);
  if (element.physical.size() != 1 || !memory) return std::nullopt;
  report::ShardedElement out{use::place_in(shards, map::outputs_at(shards.array, element.logical, {})),
                             report::bytes_in_core(shards, element.physical.front()[*memory], bits)};
  out.on_chip = use::core_on_chip(shards, out.at.core);
  return out;
}

// The layout by where its cores are on the chip; the layout itself where that is not known.
std::variant<map::Layout, std::string> places_on_chip(const use::Reading& reading) {
  if (!reading.chips.box) return reading.chips.nowhere;
  auto made = use::on_chips(*reading.layout(), reading.chips);
  if (!made) return made.error().message;
  return std::move(*made);
}

// The element's byte on the network of a chip, where its grid is one of rows and columns that the chip has.
std::variant<report::OnNetwork, Diagnostic> on_network(const ExplainArguments& arguments, const use::Reading& reading,
                                                       const std::optional<report::ShardedElement>& element) {
  const auto option = session::SourceText::option("--chip", *arguments.chip);
  auto read = session::read_chip(option);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  const use::Chip& chip = std::get<use::Chip>(read);
  const auto no = [&](std::string why) { return option.diagnose({ErrorCode::Value, std::move(why), 0}); };
  if (reading.memory == "dram" || reading.memory == "system")
    return no(fmt::format("the layout is in {}, and addresses are those of a core's L1",
                          reading.memory == "dram" ? "DRAM" : "system memory"));
  if (!reading.unsized.empty()) return no(reading.unsized);
  if (!element || !element->bytes) return no("an address needs an element, --at, of a layout in shards of whole bytes");
  if (!element->on_chip)
    return no(fmt::format("where the layout's cores are on the chip is not known: {}",
                          reading.chips.nowhere.empty() ? "an element is beyond them" : reading.chips.nowhere));
  const Point& core = *element->on_chip;
  const auto row = static_cast<std::size_t>(core[core.size() - 2]), column = static_cast<std::size_t>(core.back());
  if (row >= chip.rows.size() || column >= chip.columns.size())
    return no(fmt::format("{} has {}x{} cores, and the element is on core [{}, {}]", chip.name, chip.rows.size(),
                          chip.columns.size(), row, column));
  const auto byte = checked_add(arguments.base, element->bytes->byte);
  if (arguments.base < 0 || !byte || *byte >= chip.l1)
    return no(fmt::format("with the base {}, the element is not within the {} bytes of a core's L1", arguments.base,
                          chip.l1));
  const Index y = chip.rows[row], x = chip.columns[column];
  return report::OnNetwork{chip.name, y, x, *byte, use::network_address(y, x, *byte)};
}

// `assumed`: the element type is not known, so nothing is said of bytes.
std::string overview(const session::TensorReading& subject, const map::Layout& layout, bool assumed) {
  std::string out =
      fmt::format("{}\non {}{}\n", subject.reading.normal, map::print(subject.tensor), assumed ? " (assumed)" : "");
  if (!subject.reading.rule.empty()) out += fmt::format("rule {}\n", subject.reading.rule);
  for (const auto* notes : {&subject.reading.notes, &subject.reading.warnings})
    for (const std::string& note : *notes) out += fmt::format("note: {}\n", printable(note));
  out += fmt::format("\nlogical   {:<44} {}\n", map::print(layout.logical()),
                     report::plural(layout.logical().volume(), "element"));
  if (layout.replicas().rank() > 0)
    out +=
        fmt::format("replicas  {:<44} {} of each element\n", map::print(layout.replicas()), layout.replicas().volume());
  const Index slots = subject.reading.counted()->physical().volume();
  const auto bits = checked_mul(slots, bits_of(subject.reading));
  out += fmt::format(
      "physical  {:<44} {}{}\n", map::print(layout.physical()), report::plural(slots, "slot"),
      bits && bits_of(subject.reading) > 0 && !assumed ? fmt::format(", {} bytes", ceil_div(*bits, 8)) : "");
  out += fmt::format("host      {}\n", map::print(layout.host_offset()));
  const char* label = "map      ";
  for (const map::Stage& stage : layout.map().stages()) {
    out += fmt::format("{} {}\n", label, map::print(stage));
    label = "      -> ";
  }
  if (layout.guards() > 0) out += "          the last output is a remainder and must be 0\n";
  return out;
}

// Where the cores of the layout's own grid are on the chip.
std::string cores_line(const map::Layout& layout, const std::variant<map::Layout, std::string>& on_chip) {
  if (const auto* why = std::get_if<std::string>(&on_chip))
    return why->empty() ? "" : fmt::format("on chip   not known: {}\n", *why);
  const map::Layout& placed = std::get<map::Layout>(on_chip);
  std::string out = fmt::format("on chip   {}\n", map::print(placed.physical()));
  const auto& stages = placed.map().stages();
  for (std::size_t k = layout.map().stages().size(); k < stages.size(); ++k)
    out += fmt::format("      -> {}\n", map::print(stages[k]));
  return out;
}

// What of the family's default claims does not hold, a line each; empty when they all do.
std::string wrongs(const session::CaseRequest& request) {
  session::JudgeOptions options;
  options.engines = session::engine_options();
  std::string out;
  for (const question::Answer& answer : session::judge(request, options).answers)
    if (const auto* refuted = std::get_if<question::Refuted>(&answer.verdict))
      out += fmt::format("WRONG     {}: {}\n", answer.claim, printable(refuted->counterexample.explanation));
  return out;
}

std::string padding_line(const use::Reading& reading, const use::Shards* shards, const engines::Options& options) {
  const map::Layout& layout = *reading.counted();
  const claims::Judged answer = claims::decide(*claims::find_claim("padding"), claims::OneLayout{layout}, options);
  const auto* proved = std::get_if<question::Proved>(&answer.verdict);
  if (proved == nullptr || !proved->value) return "padding   not counted: out of reach\n";
  std::string out =
      fmt::format("padding   {} of {}", *proved->value, report::plural(layout.physical().volume(), "slot"));
  if (shards != nullptr && *proved->value > 0) out += report::padding_kinds_to_text(shards->padding);
  if (const std::string aliases = claims::show_aliases(layout); !aliases.empty())
    out += fmt::format(";\n          {}", aliases);
  return out + "\n";
}

}  // namespace

namespace {

// The layout on the chip that is asked for: where its rows and columns of cores decide, these are the box's.
std::variant<session::TensorReading, Diagnostic> read_on_chip(const ExplainArguments& arguments,
                                                              session::CaseRequest& request) {
  auto read = session::read_tensor(request);
  const auto* subject = std::get_if<session::TensorReading>(&read);
  if (!arguments.chip || request.box || subject == nullptr || subject->reading.layout() == nullptr) return read;
  const use::ChipPlaces& chips = subject->reading.chips;
  const auto chip = session::read_chip(session::SourceText::option("--chip", *arguments.chip));
  if (!std::holds_alternative<use::Chip>(chip) || (!chips.box && chips.nowhere.empty())) return read;
  const auto& [rows, columns] =
      std::pair(std::get<use::Chip>(chip).rows.size(), std::get<use::Chip>(chip).columns.size());
  request.box = session::SourceText::option("--chip", fmt::format("y={}, x={}", rows, columns));
  return session::read_tensor(request);
}

}  // namespace

int run_explain(const ExplainArguments& arguments) {
  if (arguments.layout.is_descriptor()) return explain_descriptor(arguments);
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  auto read = read_on_chip(arguments, std::get<session::CaseRequest>(request));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  const session::TensorReading& subject = std::get<session::TensorReading>(read);
  if (const auto* why = subject.reading.undecidable()) {
    if (arguments.format != Format::Json) fmt::print("{}", wrongs(std::get<session::CaseRequest>(request)));
    return unsupported(*why, arguments.format == Format::Json);
  }
  const map::Layout& layout = *subject.reading.layout();
  const auto on_chip = places_on_chip(subject.reading);
  const auto* placed = std::get_if<map::Layout>(&on_chip);
  const map::Layout& places = placed != nullptr ? *placed : layout;

  std::optional<report::Element> element;
  const bool only_element = layout.logical().rank() == 0;
  if (arguments.at || only_element) {
    auto at = point_in(layout.logical(), "--at", arguments.at.value_or(""));
    if (const auto* diagnostic = std::get_if<Diagnostic>(&at)) return bad_input(*diagnostic);
    element = look_at(places, std::get<Point>(at));
  }
  std::optional<report::Slot> slot;
  if (arguments.slot) {
    auto point = point_in(places.physical(), "--slot", *arguments.slot);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&point)) return bad_input(*diagnostic);
    slot = look_into(places, std::get<Point>(point));
  }
  const auto shards = shards_of(arguments.layout, subject);
  const use::Shards* known = shards ? &*shards : nullptr;
  auto in_shards = shards && element ? locate_in(*shards, places, *element, bits_of(subject.reading)) : std::nullopt;
  if (arguments.chip) {
    auto network = on_network(arguments, subject.reading, in_shards);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&network)) return bad_input(*diagnostic);
    in_shards->network = std::get<report::OnNetwork>(network);
  }
  std::optional<report::CarriedElement> ways;
  if (!arguments.transfers.empty()) {
    auto read_ways = carried(arguments, *element, map::bits(subject.tensor.type));
    if (const auto* diagnostic = std::get_if<Diagnostic>(&read_ways)) return bad_input(*diagnostic);
    ways = std::move(std::get<report::CarriedElement>(read_ways));
  }
  std::string out;
  if (arguments.format == Format::Json) {
    out = report::explanation_to_json({places, subject.reading.normal, element, slot, known, in_shards, ways});
  } else {
    out = wrongs(std::get<session::CaseRequest>(request)) +
          overview(subject, layout, arguments.layout.tensor_source == question::TensorSource::Assumed) +
          cores_line(layout, on_chip) + (shards ? report::shards_to_text(*shards) : "") +
          padding_line(subject.reading, known, {});
    if (element) out += "\n" + report::element_to_text(places, *element);
    if (in_shards) out += report::element_to_text(*in_shards);
    if (ways) out += report::element_to_text(*ways);
    if (slot) out += "\n" + report::slot_to_text(*slot);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}

}  // namespace vl::cli
