// Moving exec's data: oracle/levels picks how.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "oracle/cli/exec.h"
#include "oracle/executor/print.h"
#include "oracle/reference/slots.h"
#include "oracle/reference/transfer.h"

namespace vl::cli {
namespace {

using oracle::LevelOptions;
using oracle::LevelReport;

constexpr std::size_t kSerialBytes = std::size_t{1} << 20;  // below, threads cost more than they bring
constexpr Index kFewElements = Index{1} << 20;              // up to here the definition is asked, too: milliseconds

oracle::Work work_of(const ExecTask& task, bool memory) {
  return {task.from ? &*task.from : nullptr,
          task.to ? &*task.to : nullptr,
          task.nests ? &*task.nests : nullptr,
          memory ? oracle::Host::View : oracle::Host::Dense,
          task.unit,
          true};
}

LevelOptions options_of(const ExecTask& task) {
  const map::Layout& layout = task.to ? *task.to : *task.from;
  LevelOptions options;
  options.definition = task.always_defined || layout.logical().volume() <= kFewElements ? LevelOptions::Check::Always
                                                                                        : LevelOptions::Check::Never;
  return options;
}

// Nests count the offsets of the host's memory. A dense file of a tensor that is not dense there is spread to it first.
bool is_spread(const ExecTask& task, const ExecSide& from, const ExecSide& to) {
  return task.nests && task.view && !from.memory && !to.memory && !(from.device && to.device);
}

Result<LevelReport> spread_and_run(const ExecTask& task, std::span<const std::byte> source,
                                   std::span<std::byte> destination) {
  const auto moved = oracle::carry(*task.nests, task.to ? *task.to : *task.from, source, task.unit, task.fill);
  if (!moved) return moved.error();
  std::ranges::copy(*moved, destination.begin());
  LevelReport report;
  report.why = "the host's tensor is not dense";
  return report;
}

}  // namespace

std::size_t exec_memory(const ExecTask& task, const ExecSide& from, const ExecSide& to) {
  if (is_spread(task, from, to)) {
    const auto units = oracle::host_units(task.to ? *task.to : *task.from, oracle::Host::View);
    return to.bytes + (units ? static_cast<std::size_t>(*units) * task.unit : 0);
  }
  if (options_of(task).definition == LevelOptions::Check::Never) return 0;
  const std::size_t between = from.device && to.device && !task.nests ? to.bytes : 0;  // the tensor of a move
  return to.bytes + to.bytes / task.unit + between;
}

Result<LevelReport> exec_data(const ExecTask& task, const ExecSide& from, std::span<const std::byte> source,
                              const ExecSide& to, std::span<std::byte> destination) try {
  const bool memory = from.memory || to.memory;
  if (is_spread(task, from, to)) return spread_and_run(task, source, destination);
  if (to.memory) oracle::fill_units(destination, task.fill);
  std::optional<oracle::Pool> pool;
  if (task.threads > 1 && std::max(from.bytes, to.bytes) > kSerialBytes) pool.emplace(task.threads);
  LevelOptions options = options_of(task);
  options.pool = pool ? &*pool : nullptr;
  return oracle::Levels().run(work_of(task, memory), options, source, task.fill, destination);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::Value, "there is not enough memory for this"};
}

Result<std::string> exec_plan(const ExecTask& task) {
  LevelOptions options = options_of(task);
  options.tiny = 0;
  oracle::Levels levels;
  const bool memory = task.host == ExecArguments::Host::Memory || (task.nests && task.view);
  if (auto error = levels.prepare(work_of(task, memory), options)) return *error;
  if (const oracle::Plan* plan = levels.plan(); plan != nullptr)
    return oracle::print(*plan, static_cast<Index>(task.unit), std::nullopt);
  return fmt::format("no plan{}: {}\n",
                     levels.has_refused_plan() ? ", the checker refused it, please report this bug" : "",
                     levels.why_no_plan());
}

}  // namespace vl::cli
