#include "oracle/gate/images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace vl::gate {
namespace {

// The slots of an element, one a replica. Requires: all_placed().
std::vector<Index> slots_at(const map::Layout& layout, Index element) {
  std::vector<Index> out;
  const Point x = layout.logical().point(element);
  Point replica(layout.replicas().rank(), 0);
  do {
    const auto slot = layout.slot_number(map::outputs_at(layout, x, replica));
    VL_CHECK(slot.has_value(), "an element without a slot");
    out.push_back(*slot);
  } while (map::advance(layout.replicas(), replica));
  return out;
}

}  // namespace

bool is_too_large(const map::Layout& layout) {
  return layout.domain().volume() > kMostSlots || layout.physical().volume() > kMostSlots;
}

bool has_image(const map::Layout& layout) { return all_placed(layout) && is_injective(layout); }

Json image_of(const map::Layout& layout) {
  Json::List axes;
  axes.reserve(layout.physical().dims().size());
  for (const map::Dim& dim : layout.physical().dims()) axes.emplace_back(dim.name);
  Json out;
  out.set("axes", std::move(axes));
  out.set("extents", Json(map::extents_of(layout.physical())));
  return out;
}

std::optional<std::string> bytes_for(const Operation& op, const map::Layout& layout, std::size_t unit,
                                     const std::function<char()>& byte) {
  const bool pack = op.name == "image.pack";
  const Index places = pack ? layout.logical().volume() : layout.physical().volume();
  if (unit == 0 || layout.physical().volume() > kMostSlots || places < 1) return std::nullopt;
  std::string data;
  for (std::size_t k = 0; k < static_cast<std::size_t>(places) * unit; ++k) data += byte();
  if (pack) return data;
  std::map<Index, std::string> known;  // of each element the bytes of its first replica
  Point p(layout.domain().rank(), 0);
  const std::size_t rank = layout.logical().rank();
  do {
    const std::span<const Index> all(p);
    const auto slot = layout.slot_number(map::outputs_at(layout, all.first(rank), all.subspan(rank)));
    if (!slot) return std::nullopt;
    const std::size_t at = static_cast<std::size_t>(*slot) * unit;
    const auto [first, is_new] = known.try_emplace(layout.logical().linear(all.first(rank)), data.substr(at, unit));
    if (!is_new) data.replace(at, unit, first->second);
  } while (map::advance(layout.domain(), p));
  return data;
}

bool refit_images(Json& request) {
  const auto known = known_of(request);
  if (!known) return false;
  char next = 0;
  const auto data = bytes_for(*known->op, known->of(), unit_of(known->tensor), [&] { return ++next; });
  if (!data) return false;
  Json out;
  for (const auto& [key, value] : *request.fields())
    if (key != "image" && key != "to_image" && key != "data") out.set(key, value);
  out.set("image", image_of(known->of()));
  if (has_destination(*known->op)) {
    const auto to = destination_of(*known, request);
    if (!to) return false;
    out.set("to_image", image_of(**to));
  }
  out.set("data", to_base64(*data));
  request = std::move(out);
  return true;
}

Judgement judge_image(const Case& of, const Json& answer) {
  const std::string* text = answer.text("data");
  const auto said = text != nullptr && answer.fields()->size() == 1 ? from_base64(*text) : std::nullopt;
  if (!said) return differs("unreadable", "the answer is no 'data' in base64");
  return judge_bytes(of, *said);
}

Judgement judge_bytes(const Case& of, std::string_view said) {
  const map::Layout& layout = of.of();
  const bool pack = of.op->name == "image.pack", unpack = of.op->name == "image.unpack";
  const std::size_t unit = unit_of(of.tensor);
  const map::Layout& target = of.to != nullptr ? *of.to : layout;
  const Index places = unpack ? layout.logical().volume() : target.physical().volume();
  const std::size_t wanted = static_cast<std::size_t>(places) * unit;
  if (said.size() != wanted) return differs("size", fmt::format("{} bytes; expected {}", said.size(), wanted));
  const auto bytes = [&](std::string_view all, Index place) {
    return std::string_view(all).substr(static_cast<std::size_t>(place) * unit, unit);
  };
  for (Index k = 0; k < layout.logical().volume(); ++k) {
    const Index from = pack ? k : slots_at(layout, k).front();
    for (const Index place : unpack ? std::vector<Index>{k} : slots_at(target, k)) {
      if (bytes(said, place) == bytes(of.data, from)) continue;
      const Point element = layout.logical().point(k);
      const Point slot = unpack ? layout.physical().point(from) : target.physical().point(place);
      Judgement out = differs("value", fmt::format("element [{}] of {} bytes {} slot [{}]: its bytes are others there",
                                                   fmt::join(element, ", "), unit, unpack ? "comes from" : "belongs to",
                                                   fmt::join(slot, ", ")));
      out.right.set("element", Json(element));
      out.right.set("slot", Json(slot));
      out.right.set("bytes", to_base64(bytes(of.data, from)));
      return out;
    }
  }
  return {.word = Word::Agree, .scope = "all-bytes"};
}

}  // namespace vl::gate
