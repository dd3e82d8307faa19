// exec: a layout, or loop nests, applied to data in files. Everything is checked before the output has a name,
// also whether the input is still what it was.
#include "oracle/cli/exec.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "encodings/base/memory.h"
#include "oracle/cli/commands.h"
#include "verifier/cli/progress.h"

namespace vl::cli {
namespace {

using Verb = ExecArguments::Verb;

constexpr const char* kChanged = "changed while it was read";

// Input files are mapped: if one is shortened while it is read, SIGBUS arrives. The output then has no name, and
// disappears with the process.
extern "C" void file_became_shorter(int) {
  constexpr std::string_view kMessage = "error: exec: a file changed while it was read: it became shorter\n";
  const ssize_t ignored = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  static_cast<void>(ignored);
  ::_exit(kBadInput);
}

void catch_shortened_files() {
  struct sigaction action {};
  action.sa_handler = file_became_shorter;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

oracle::Writing writing(const ExecArguments& arguments) { return {arguments.replace, {.force = arguments.force}}; }

// Why the task cannot use an array of this header.
std::optional<Error> unwanted(const ExecTask& task, const oracle::StoredTensor& header) {
  if (task.verb == Verb::Map) return std::nullopt;
  const auto side = source_side(task, header);
  return side ? std::nullopt : std::optional(side.error());
}

int map_file(const map::Layout& layout, const ExecArguments& arguments, const oracle::StoredTensor& in,
             const oracle::Place& place) {
  const auto slots = slots_of_file(layout, in);
  if (in.changed()) return bad_input(about(arguments.in, kChanged));
  if (!slots) return bad_input(about(arguments.in, slots.error().message));
  std::vector<Index> shape{
      layout.logical().rank() == 0 ? 1 : static_cast<Index>(in.data.size() / sizeof(Index) / layout.logical().rank()),
      static_cast<Index>(layout.physical().rank())};
  if (const Index copies = layout.replicas().volume(); copies != 1) shape.insert(shape.begin() + 1, copies);
  auto out =
      oracle::TensorOutput::create(place, {oracle::Dtype::Kind::Signed, sizeof(Index)}, shape, writing(arguments));
  if (!out) return bad_input(about("exec", out.error().message));
  std::ranges::copy(std::as_bytes(std::span(*slots)), out->data().begin());
  if (const auto error = out->commit()) return bad_input(about("exec", error->message));
  return 0;
}

int move_file(const ExecTask& task, const ExecArguments& arguments, const oracle::StoredTensor& in,
              const oracle::Place& place) {
  const auto from = source_side(task, in);
  if (!from) return bad_input(about(arguments.in, from.error().message));
  const std::span<const std::byte> source = in.data.first(from->bytes);
  const auto to = destination_side(task);
  if (!to) return bad_input(about(arguments.out, to.error().message));
  auto out = oracle::TensorOutput::create(place, output_dtype(task, in, place), to->shape, writing(arguments));
  if (!out) return bad_input(about("exec", out.error().message));
  const std::size_t untouched = arguments.out == "-" ? to->bytes : 0;  // memory that is only promised so far
  if (const auto error = check_free(untouched + exec_memory(task, *from, *to)))
    return bad_input(about("exec", error->message));
  {
    const Progress progress(fmt::format("{} to {}", spelled_bytes(from->bytes), spelled_bytes(to->bytes)));
    const auto report = exec_data(task, *from, source, *to, out->data());
    if (in.changed()) return bad_input(about(arguments.in, kChanged));  // before anything is said about the data
    if (!report) return bad_input(about(arguments.in, report.error().message));
    VL_CHECK(report->disagreement.empty(), report->disagreement);
    if (report->bug)
      fmt::print(stderr,
                 "verify-layout: a bug, please report it; the result is right and was made without the plan: {}\n",
                 report->why);
  }
  const Progress progress(fmt::format("writing {}", arguments.out));
  if (const auto error = out->commit()) return bad_input(about("exec", error->message));
  return 0;
}

}  // namespace

int run_exec(const ExecArguments& arguments) {
  auto read = exec_task(arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  if (const auto* why = std::get_if<use::Undecidable>(&read)) return unsupported(*why);
  const ExecTask& task = std::get<ExecTask>(read);
  if (arguments.show_plan) {
    const auto plan = exec_plan(task);
    if (!plan) return bad_input(about("exec", plan.error().message));
    std::FILE* const to = arguments.out == "-" ? stderr : stdout;
    std::fwrite(plan->data(), 1, plan->size(), to);
    if (to == stdout && (std::fflush(to) != 0 || std::ferror(to) != 0)) return kBadInput;  // main says so
    if (arguments.in.empty()) return 0;
  }
  catch_shortened_files();
  const oracle::Place place = oracle::place_of(arguments.out, arguments.raw);
  const auto in = [&] {
    const Progress progress(fmt::format("reading {}", arguments.in));
    return oracle::open_tensor(oracle::place_of(arguments.in, arguments.raw),
                               [&](const oracle::StoredTensor& header) { return unwanted(task, header); });
  }();
  if (!in) return bad_input(about("exec", in.error().message));  // the message names the file
  return task.verb == Verb::Map ? map_file(*task.to, arguments, *in, place) : move_file(task, arguments, *in, place);
}

}  // namespace vl::cli
