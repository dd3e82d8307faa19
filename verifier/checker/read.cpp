// What a certificate's JSON says, read strictly: a number is an integer of 64 bits, a list has the length that it must
// have.
#include "verifier/checker/questions.h"

namespace vl::checker {

using Json = nlohmann::json;

Fields::Fields(const Json& object) : object_(&object) { require(object.is_object(), "evidence that is not an object"); }

const Json& Fields::take(const char* name) {
  const auto found = object_->find(name);
  require(found != object_->end(), "a field is missing");
  require(taken_.insert(name).second, "a field that is looked at twice");
  return *found;
}

void Fields::end() const { require(taken_.size() == object_->size(), "a field that nothing is shown by"); }

long long integer(const Json& json) {
  require(json.is_number_integer() && (!json.is_number_unsigned() || json.get<unsigned long long>() <= ~0ULL >> 1),
          "what is not a whole number");
  return json.get<long long>();
}

std::size_t index(const Json& json) {
  require(integer(json) >= 0, "a number that is negative");
  return json.get<std::size_t>();
}

std::vector<std::vector<long long>> integers(const Json& json) {
  std::vector<std::vector<long long>> out;
  for (const Json& row : json) {
    out.emplace_back();
    for (const Json& item : row) out.back().push_back(integer(item));
  }
  return out;
}

std::vector<std::vector<std::uint64_t>> masks(const Json& json) {
  std::vector<std::vector<std::uint64_t>> out;
  for (const Json& row : json) {
    out.emplace_back();
    for (const Json& mask : row) {
      require(mask.is_number_unsigned() || index(mask) > 0, "what is no mask");
      out.back().push_back(mask.get<std::uint64_t>());
    }
  }
  return out;
}

Layout read_layout(const Json& json) {
  Fields fields(json);
  Layout out;
  out.map = parse_map(fields.take("map").get<std::string>());
  out.logical = index(fields.take("logical"));
  out.physical = parse_space(fields.take("physical").get<std::string>());
  require(out.logical <= out.map.domain.rank() && out.physical.rank() <= out.map.outputs,
          "a layout whose parts do not fit");
  if (fields.has("named")) out.named = fields.take("named").get<bool>();
  require(!out.named || out.physical.rank() == out.map.outputs, "named axes and guards");
  if (fields.has("decode")) {
    out.decode = parse_map(fields.take("decode").get<std::string>());
    require(out.decode->domain.extents == out.physical.extents && out.decode->outputs >= out.map.domain.rank(),
            "a decode map of other slots");
  }
  if (fields.has("filled")) out.filled = parse_space(fields.take("filled").get<std::string>());
  require(!out.filled || out.filled->rank() == out.physical.rank(), "filled slots of another rank");
  if (fields.has("identity"))
    out.identity = {parse_row(fields.take("identity").at(0).get<std::string>(), out.physical.rank()),
                    parse_row(json.at("identity").at(1).get<std::string>(), out.logical)};
  fields.end();
  return out;
}

std::vector<Group> read_groups(const Json& digits) {
  std::vector<Group> groups;
  for (const Json& json : digits) {
    require(json.size() == 2, "a group of digits is dimensions and weights");
    groups.push_back({groups.empty() ? 0 : groups.back().first + groups.back().dims, index(json.at(0)), {}});
    for (const Json& weight : json.at(1)) groups.back().weights.push_back(integer(weight));
  }
  return groups;
}

std::vector<Step> read_steps(const Json& json) {
  std::vector<Step> steps;
  for (const Json& step : json) {
    require(step.size() == 3, "a step is row, digit and reason");
    steps.push_back({index(step.at(0)), index(step.at(1)), step.at(2).get<std::string>()});
  }
  return steps;
}

}  // namespace vl::checker
