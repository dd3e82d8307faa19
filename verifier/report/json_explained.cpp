// `explain --format json`.
#include "encodings/map/text.h"
#include "verifier/report/json_parts.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

void add_shards(Json& out, const use::Shards& shards) {
  const use::Shards::Padding& padding = shards.padding;
  out["padding"] = {
      {"tile", padding.tile}, {"grid", padding.grid}, {"gaps", padding.gaps}, {"repeated", padding.repeated}};
  const auto cores = use::occupancy_of(shards);
  if (!cores) return;
  const auto on_chip = [&](const std::optional<Point>& core) {
    return core ? use::core_on_chip(shards, *core).value_or(*core) : core;
  };
  out["cores"] = {{"full", cores->full},
                  {"partial", cores->partial},
                  {"empty", cores->empty},
                  {"first_partial", or_null(on_chip(cores->first_partial))},
                  {"first_empty", or_null(on_chip(cores->first_empty))}};
}

void add_element(Json& out, const ShardedElement& element) {
  out["core"] = element.on_chip.value_or(element.at.core);
  out["core_of"] = element.on_chip ? "chip" : "grid";
  out["tile"] = element.at.tile;
  out["face"] = element.at.face;
  out["datum"] = element.at.datum;
  out["byte"] = element.bytes ? Json(element.bytes->byte) : Json(nullptr);
  if (!element.bytes) return;
  if (element.bytes->bit != 0 || element.bytes->exponent) out["bit"] = element.bytes->bit;
  if (element.bytes->exponent) out["exponent_byte"] = *element.bytes->exponent;
  if (const auto& network = element.network)
    out["network"] = {{"chip", network->chip},
                      {"x", network->x},
                      {"y", network->y},
                      {"byte", network->byte},
                      {"address", network->address}};
}

}  // namespace

std::string explanation_to_json(const Explained& about) {
  const map::Layout& layout = about.layout;
  const std::optional<Slot>& slot = about.slot;
  const Element element = about.element.value_or(Element{});
  Json out;
  out["logical"] = about.element ? Json(element.logical) : Json(nullptr);
  out["host_offset"] = or_null(element.host_offset);
  out["axes"] = Json::array();
  for (const map::Dim& dim : layout.physical().dims()) out["axes"].push_back(dim.name);
  out["physical"] = element.physical;
  out["device_offset"] = element.device_offset;
  if (!element.no_slot.empty()) out["no_slot"] = element.no_slot;
  out["stages"] = Json::array();
  Point p = element.logical;
  p.resize(layout.domain().rank(), 0);
  const auto values = map::trace(layout.map(), p);
  for (std::size_t i = 0; i < layout.map().stages().size(); ++i)
    out["stages"].push_back({{"stage", map::print(layout.map().stages()[i])},
                             {"value", about.element && values ? Json((*values)[i + 1]) : Json(nullptr)}});
  out["normal"] = about.normal;
  if (about.shards != nullptr) add_shards(out, *about.shards);
  if (about.in_shards) add_element(out, *about.in_shards);
  if (about.carried) {
    out["carried"] = {{"own", about.carried->own}, {"ways", Json::array()}};
    for (const CarriedElement::Way& way : about.carried->ways)
      out["carried"]["ways"].push_back({{"transfer", way.transfer},
                                        {"t", way.t},
                                        {"coordinates", way.coordinates},
                                        {"tensor", way.tensor},
                                        {"straight", way.straight},
                                        {"byte", way.byte}});
  }
  if (slot)
    out["slot"] = {{"physical", slot->physical},
                   {"device_offset", slot->device_offset},
                   {"valid", slot->decodes ? Json(slot->valid) : Json(nullptr)},
                   {"element", or_null(slot->element)},
                   {"lives_at", or_null(slot->lives_at)}};
  return dump(out) + "\n";
}

}  // namespace vl::report
