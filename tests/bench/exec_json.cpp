#include "tests/bench/exec_json.h"

namespace vl::bench {
namespace {

nlohmann::json list_of(const std::vector<use::Nest>& nests) {
  nlohmann::json out = nlohmann::json::array();
  for (const use::Nest& nest : nests)
    out.push_back(
        {nest.extents, nest.source.strides, nest.source.offset, nest.destination.strides, nest.destination.offset});
  return out;
}

}  // namespace

nlohmann::json json_of(const ExecCase& one) {
  return {{"name", one.name},
          {"unit", one.unit},
          {"source", one.source},
          {"destination", one.destination},
          {"moves", list_of(one.moves)},
          {"gaps", list_of(one.gaps)}};
}

}  // namespace vl::bench
