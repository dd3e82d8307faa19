#include "oracle/gate/cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/access.h"
#include "oracle/gate/judge.h"
#include "oracle/gate/strides.h"
#include "verifier/session/hardware.h"

namespace vl::gate {
namespace {

Error no_access(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }

Result<use::Hardware> hardware_named(const std::string& name) {
  const std::vector<std::string> names = session::hardware_names();
  if (std::ranges::find(names, name) == names.end()) return no_access(fmt::format("'{}' is no hardware", name));
  auto read = session::read_hardware(session::SourceText::option("hardware", name));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return no_access(diagnostic->message);
  return std::get<use::Hardware>(std::move(read));
}

Json memory_of(const use::Hardware& hardware, Index width) {
  Json out;
  out.set("banks", hardware.banks);
  out.set("bytes_per_bank", hardware.bytes_per_bank);
  out.set("broadcast", hardware.broadcasts);
  out.set("width", width);
  Json::List phases;
  for (const auto& phase : hardware.phases.at(width)) phases.emplace_back(phase);
  out.set("phases", std::move(phases));
  return out;
}

// For each instance the number of each lane's element.
Result<Json> instances_of(const use::Access& access, const map::Space& logical) {
  auto domain = map::Space::create({map::Dim{"lane", access.lanes}});
  if (domain) domain = map::concatenate(*domain, access.free);
  if (!domain) return domain.error();
  const auto map = map::Map::create(std::move(*domain), access.at);
  if (!map) return map.error();
  if (access.free.volume() > kMostInstances) return no_access("the access has too many instances");
  Json::List out;
  Point instance(access.free.rank(), 0);
  do {
    std::vector<Index> elements;
    for (Index lane = 0; lane < access.lanes; ++lane) {
      Point at{lane};
      at.insert(at.end(), instance.begin(), instance.end());
      const auto element = map::evaluate(*map, at);
      if (!element) return element.error();
      if (!logical.contains(*element)) return no_access("a lane of the access is outside of the tensor");
      elements.push_back(logical.linear(*element));
    }
    out.emplace_back(elements);
  } while (map::advance(access.free, instance));
  return Json(std::move(out));
}

// Conditions that only the lanes of a phase meet.
std::string conditions_of(const std::vector<Index>& phase, Index lanes) {
  const auto [low, high] = std::ranges::minmax(phase);
  std::vector<std::string> out;
  if (low > 0) out.push_back(fmt::format("lane >= {}", low));
  if (high + 1 < lanes) out.push_back(fmt::format("lane <= {}", high));
  for (Index lane = low; lane < std::min(high, lanes); ++lane)
    if (std::ranges::find(phase, lane) == phase.end()) out.push_back(fmt::format("lane != {}", lane));
  return fmt::format("{}", fmt::join(out, " and "));
}

bool is_one_memory(const map::Layout& layout) {
  return layout.named_axes() && can_have_strides(layout) && layout.replicas().volume() == 1 && all_placed(layout);
}

}  // namespace

std::optional<Error> refit_cost(const Case& known, Json& request) {
  const std::string *text = request.text("access"), *name = request.text("hardware");
  if (text == nullptr || name == nullptr) return no_access("the request lacks its access or its hardware");
  if (!is_one_memory(known.of())) return no_access("the layout is not in one memory");
  const auto access = use::parse_access(*text);
  if (!access) return access.error();
  if (!access->tv.empty() || !access->when.empty() || access->base || !access->instruction.empty() ||
      access->purpose == use::Purpose::Load)
    return no_access("an access of the gate has lanes, width, at and for alone");
  const auto hardware = hardware_named(*name);
  if (!hardware) return hardware.error();
  if (!hardware->phases.contains(access->width) || access->lanes > hardware->lanes)
    return no_access("the hardware does not serve this access");
  auto instances = instances_of(*access, known.of().logical());
  if (!instances) return instances.error();
  Json out;
  for (const auto& [key, value] : *request.fields())
    if (key != "instances" && key != "memory") out.set(key, value);
  out.set("instances", std::move(*instances));
  out.set("memory", memory_of(*hardware, access->width));
  request = std::move(out);
  return std::nullopt;
}

bool add_access(Random& random, const Drawn& drawn, Json& request) {
  const std::size_t bytes = unit_of(drawn.subject.tensor);
  if (!is_one_memory(drawn.layout) || bytes == 0) return false;
  const std::vector<std::string> names = session::hardware_names();
  const std::string& name = names[random.below(names.size())];
  const auto hardware = hardware_named(name);
  if (!hardware) return false;
  std::vector<Index> widths;
  for (const auto& [width, phases] : hardware->phases)
    if (width >= static_cast<Index>(bytes)) widths.push_back(width);
  if (widths.empty()) return false;
  const Index lanes = random.chance(70) ? hardware->lanes : random.between(1, hardware->lanes);
  const Index free = random.chance(40) ? random.between(2, 4) : 1;
  std::vector<std::string> at;
  for (const Index extent : drawn.subject.tensor.size) {
    const Index by = random.between(0, 5), step = Index{1} << random.between(0, 5), times = random.between(0, 3);
    at.push_back(fmt::format("(lane * {} + lane / {} * {}{}) % {}", by, step, times, free > 1 ? " + i" : "", extent));
  }
  request.set("access", fmt::format("lanes={} width={} at=[{}]{}", lanes, widths[random.below(widths.size())],
                                    fmt::join(at, ", "), free > 1 ? fmt::format(" for i=0:{}", free) : ""));
  request.set("hardware", name);
  Case known;
  known.map = std::make_shared<const map::Layout>(drawn.layout);
  return !refit_cost(known, request);
}

std::string flat_access(const std::string& access, Index extent) {
  return fmt::format("{}at=[lane % {}]", access.substr(0, access.find("at=[")), extent);
}

// In the unit `ways` each phase is asked by itself: the lanes of the others take no part.
Result<Index> Judge::cost_of_case(const Case& of, std::string_view unit, bool& checked) const {
  checked = true;
  const auto asked = [&](std::string_view claim, const std::string& access) -> Result<Index> {
    std::vector<CaseArgument> arguments = of.arguments;
    std::ranges::find(arguments, "access", &CaseArgument::key)->text = access;
    const question::Case made = ask(of, claim, arguments);
    if (made.diagnostic) return no_access(made.diagnostic->file + ": " + made.diagnostic->message);
    const question::Verdict& verdict = made.answers.front().verdict;
    if (const auto* proved = std::get_if<question::Proved>(&verdict); proved != nullptr && proved->value) {
      checked = checked && proved->trust == question::Trust::Checked;
      return *proved->value;
    }
    const auto* unknown = std::get_if<question::Unknown>(&verdict);
    if (unknown != nullptr && unknown->reason == question::Reason::Vacuous) return Index{0};  // a phase without lanes
    return no_access("the verifier does not count this");
  };
  const std::string& access = std::ranges::find(of.arguments, "access", &CaseArgument::key)->text;
  if (unit != "ways") return asked(unit == "excess" ? "conflicts" : "wavefronts", access);
  const auto hardware = hardware_named(std::ranges::find(of.arguments, "hardware", &CaseArgument::key)->text);
  const auto parsed = use::parse_access(access);
  if (!hardware || !parsed) return no_access("the access is none");
  Index most = 0;
  for (const auto& phase : hardware->phases.at(parsed->width)) {
    const std::string alone = conditions_of(phase, parsed->lanes);
    const auto ways = asked("wavefronts", alone.empty() ? access : fmt::format("{} when {}", access, alone));
    if (!ways) return ways.error();
    most = std::max(most, *ways);
  }
  return most;
}

}  // namespace vl::gate
