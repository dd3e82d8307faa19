#include "verifier/kernel/reader/steps.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace vl::kernel {
namespace {

using Json = nlohmann::json;

Wide number_of(const Json& json) {
  require(json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= ~0ULL >> 1),
          "a step with what is no whole number");
  return json.get<std::int64_t>();
}

std::size_t index_of(const Json& json) {
  const Wide number = number_of(json);
  require(number >= 0 && number < 1 << 20, "a step about nothing");
  return static_cast<std::size_t>(number.narrow());
}

Multiples<Wide> multiples_of(const Json& json) {
  require(json.is_array(), "multiples that are no list");
  Multiples<Wide> out;
  for (const Json& one : json) {
    require(one.is_array() && one.size() == 2, "a multiple that is no pair");
    out.emplace_back(index_of(one[0]), number_of(one[1]));
  }
  return out;
}

Note<Wide> note_of(const Json& json) {
  require(json.size() >= 2, "a note about nothing");
  Note<Wide> out;
  out.stage = json[0] == -1 ? kCoordinates : index_of(json[0]);
  out.at = index_of(json[1]);
  std::size_t next = 2;
  if (next < json.size() && json[next].is_string()) {
    const auto word = json[next++].get<std::string>();
    if (word == "use") {
      require(json.size() == 4, "a note with another list");
      return out.uses = true, out.below = multiples_of(json[3]), out;
    }
    require(word == "div" && json.size() >= 5, "a note with another list");
    out.from = number_of(json[3]), out.extent = number_of(json[4]), next = 5;
  } else if (next < json.size() && json[next].is_number()) {
    out.quotient = number_of(json[next++]);
  }
  if (next < json.size()) out.above = multiples_of(json[next++]);
  if (next < json.size()) out.below = multiples_of(json[next++]);
  require(next == json.size(), "a note with another list");
  return out;
}

Json json_of(const Multiples<Wide>& multiples) {
  Json out = Json::array();
  for (const auto& [j, m] : multiples) out.push_back(Json::array({j, m.narrow()}));
  return out;
}

Json json_of(const Note<Wide>& note) {
  Json out = Json::array({note.stage == kCoordinates ? Json(-1) : Json(note.stage), note.at});
  if (note.uses) return out.push_back("use"), out.push_back(json_of(note.below)), out;
  if (note.extent) out.push_back("div"), out.push_back(note.from->narrow()), out.push_back(note.extent->narrow());
  else if (note.quotient) out.push_back(note.quotient->narrow());
  if (!note.above.empty() || !note.below.empty()) out.push_back(json_of(note.above));
  if (!note.below.empty()) out.push_back(json_of(note.below));
  return out;
}

}  // namespace

Step read_step(const Json& json) {
  require(json.is_array() && !json.empty() && json[0].is_string(), "a step without a name");
  Step out;
  out.name = json[0].get<std::string>();
  charge(4 * json.size());
  for (std::size_t i = 1; i < json.size(); ++i) {
    if (json[i].is_array()) out.notes.push_back(note_of(json[i]));
    else require(out.notes.empty(), "a number after notes"), out.numbers.push_back(number_of(json[i]));
  }
  return out;
}

Json write_step(const Step& step) {
  Json out = Json::array({step.name});
  for (const Wide& number : step.numbers) out.push_back(number.narrow());
  for (const Note<Wide>& note : step.notes) out.push_back(json_of(note));
  return out;
}

bool is_writable(const Step& step) {
  const auto fits = [](const Wide& number) {
    return number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::int64_t>::max();
  };
  const auto all_fit = [&](const Multiples<Wide>& multiples) {
    return std::ranges::all_of(multiples, [&](const auto& one) { return fits(one.second); });
  };
  return std::ranges::all_of(step.numbers, fits) && std::ranges::all_of(step.notes, [&](const Note<Wide>& note) {
           return all_fit(note.below) && all_fit(note.above) && fits(note.quotient.value_or(0)) &&
                  fits(note.from.value_or(0)) && fits(note.extent.value_or(0));
         });
}

}  // namespace vl::kernel
