// Moving exec's data.
#include <algorithm>
#include <new>

#include "oracle/reference/definition.h"
#include "oracle/reference/transfer.h"
#include "verifier/cli/exec.h"

namespace vl::cli {
namespace {

using oracle::Host;
using Verb = ExecArguments::Verb;

Host where(const ExecSide& side) { return side.memory ? Host::View : Host::Dense; }

// A dense host tensor is first spread to the offsets that the nests count; memories are what they count already.
std::optional<Error> run_nests_on(const ExecTask& task, const ExecSide& from, std::span<const std::byte> source,
                                  const ExecSide& to, std::span<std::byte> destination) {
  const bool dense = (!from.device && !from.memory) || (!to.device && !to.memory);
  if (!dense) oracle::fill_units(destination, task.fill);
  const auto moved =
      dense ? oracle::carry(*task.nests, task.to ? *task.to : *task.from, source, task.unit, task.fill)
            : oracle::execute(*task.nests, source, {destination.begin(), destination.end()}, task.unit);
  if (!moved) return moved.error();
  std::ranges::copy(*moved, destination.begin());
  return std::nullopt;
}

}  // namespace

std::optional<Error> exec_data(const ExecTask& task, const ExecSide& from, std::span<const std::byte> source,
                               const ExecSide& to, std::span<std::byte> destination) try {
  oracle::Definition definition;
  switch (task.verb) {
    case Verb::Pack:
      return definition.pack(*task.to, where(from), source, task.unit, task.fill, destination);
    case Verb::Unpack:
      oracle::fill_units(destination, task.fill);
      return definition.unpack(*task.from, source, task.unit, where(to), destination);
    case Verb::Move:
      return definition.move(*task.from, *task.to, source, task.unit, task.fill, destination);
    case Verb::Run:
      return run_nests_on(task, from, source, to, destination);
    case Verb::Map:
      break;
  }
  VL_CHECK(false, "map moves no data");
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::Value, "there is not enough memory for this"};
}

}  // namespace vl::cli
