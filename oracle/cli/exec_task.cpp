// The task of exec. All errors in the options are found here, before any data is read.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "encodings/use/host_places.h"
#include "encodings/use/synthesis.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/exec.h"
#include "oracle/reference/fill.h"
#include "verifier/claims/claim.h"
#include "verifier/session/nests_file.h"

namespace vl::cli {
namespace {

using Verb = ExecArguments::Verb;

// Why there is no task.
using Refusal = std::variant<Diagnostic, use::Undecidable>;

struct Side {
  map::Tensor tensor;
  map::Layout layout;
};

std::variant<Side, Refusal> read_side(const session::CaseRequest& request) {
  auto subject = read_and_warn(request);
  if (auto* diagnostic = std::get_if<Diagnostic>(&subject)) return Refusal(std::move(*diagnostic));
  auto& [tensor, reading] = std::get<session::TensorReading>(subject);
  if (const auto* why = reading.undecidable()) return Refusal(*why);
  return Side{std::move(tensor), std::get<map::Layout>(std::move(reading.what))};
}

// Gives a side what the command line says of it alone.
std::optional<Diagnostic> take_own(const SideArguments& own, const std::string& side, session::CaseRequest& request) {
  LayoutArguments options;
  options.strides = own.strides, options.box = own.box;
  options.offset = own.offset, options.view_offset = own.view_offset;
  auto read = request_of(options, side);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  auto& made = std::get<session::CaseRequest>(read);
  if (own.strides) {
    request.strides = std::move(made.strides);
    request.strides_text = std::move(made.strides_text);
    request.named_strides = std::move(made.named_strides);
  }
  if (own.offset) request.offset = made.offset, request.named_offset = std::move(made.named_offset);
  if (own.view_offset)
    request.view_offset = made.view_offset, request.named_view_offset = std::move(made.named_view_offset);
  if (own.box) request.box = std::move(made.box);
  return std::nullopt;
}

// The layouts of move and of nests between devices; a box of both needs at least one with named axes.
std::optional<Refusal> read_two(const ExecArguments& arguments, const session::CaseRequest& asked,
                                const session::SourceText& from, const session::SourceText& to, ExecTask& task) {
  auto sides = session::two_sides(asked, from, to);
  if (const auto* error = std::get_if<session::TextError>(&sides)) return error->diagnose();
  auto& [source, destination] = std::get<std::array<session::CaseRequest, 2>>(sides);
  if (auto wrong = take_own(arguments.from_side, "from-", source)) return std::move(*wrong);
  if (auto wrong = take_own(arguments.to_side, "to-", destination)) return std::move(*wrong);
  auto first = read_side(source);
  if (const auto* refusal = std::get_if<Refusal>(&first)) return *refusal;
  auto second = read_side(destination);
  if (const auto* refusal = std::get_if<Refusal>(&second)) return *refusal;
  task.tensor = std::get<Side>(first).tensor;
  task.from = std::move(std::get<Side>(first).layout);
  task.to = std::move(std::get<Side>(second).layout);
  return std::nullopt;
}

std::optional<Refusal> read_one(const session::CaseRequest& asked, ExecTask& task) {
  auto side = read_side(asked);
  if (const auto* refusal = std::get_if<Refusal>(&side)) return *refusal;
  task.tensor = std::get<Side>(side).tensor;
  const bool reads = task.verb == Verb::Unpack || (task.nests && task.nests->direction == use::Direction::DeviceToHost);
  (reads ? task.from : task.to) = std::move(std::get<Side>(side).layout);
  return std::nullopt;
}

std::optional<Refusal> read_layouts(const ExecArguments& arguments, const session::CaseRequest& asked, ExecTask& task) {
  const bool between = task.nests && task.nests->direction == use::Direction::DeviceToDevice;
  if (task.verb == Verb::Move)
    return read_two(arguments, asked, session::SourceText::option("--from", arguments.layout.text()),
                    session::SourceText::option("--to", arguments.to), task);
  if (between && !arguments.from)
    return about(arguments.nests,
                 "these nests are between devices (d2d): expected --from, the layout from which they start");
  if (!between && arguments.from) return about("--from", "expected d2d nests: h2d and d2h have one device image");
  if (between)
    return read_two(arguments, asked, session::SourceText::option("--from", *arguments.from),
                    session::SourceText::option("--to", arguments.layout.text()), task);
  return read_one(asked, task);
}

// Whether elements share places of the host, and slots besides: strides 0,1 of f16[2,4] in a stick of the places.
bool shares_places_and_slots(const map::Layout& layout) {
  const auto places = use::distinct_values(layout.host_offset(), layout.logical());
  if (layout.logical().volume() == 0 || !places) return false;
  Index count = 0;
  for (const use::Progression& some : *places) {
    const auto values = checked_product(some.extents);
    if (!values || !accumulate(count, *values, 1)) return false;
  }
  if (count == layout.logical().volume()) return false;
  const auto answer = claims::decide(*claims::find_claim("injective"), claims::OneLayout{layout}, {});
  return std::holds_alternative<question::Refuted>(answer.verdict);
}

// Pack and move write every slot once. Where elements share their slot because they are one place of the host, the work
// is that of the nests that move each place once, if these are proved; else the work is refused when it runs.
void move_places_once(ExecTask& task) {
  const bool writes = task.verb == Verb::Pack || task.verb == Verb::Move;
  if (!writes || !task.view || !shares_places_and_slots(*task.to)) return;
  if (task.from && !(task.from->host_offset() == task.to->host_offset())) return;  // two hosts have no place in common
  auto nests =
      task.from ? use::synthesise(*task.from, *task.to) : use::synthesise(*task.to, use::Direction::HostToDevice);
  if (!nests) return;
  const claims::Transferred about{*task.to, *nests, task.from ? &*task.from : nullptr};
  const auto answer = claims::decide(*claims::find_claim("implements", true), about, {});
  if (std::holds_alternative<question::Proved>(answer.verdict)) task.nests = std::move(*nests);
}

}  // namespace

std::variant<ExecTask, Diagnostic, use::Undecidable> exec_task(const ExecArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (auto* diagnostic = std::get_if<Diagnostic>(&request)) return std::move(*diagnostic);
  const session::CaseRequest& asked = std::get<session::CaseRequest>(request);
  ExecTask task;
  task.verb = arguments.verb;
  task.host = arguments.host;
  task.threads = arguments.threads > 0 ? arguments.threads : std::max(1U, std::thread::hardware_concurrency());
  task.always_defined = arguments.always_defined;
  task.view = arguments.layout.strides || arguments.layout.offset;
  for (const SideArguments* side : {&arguments.from_side, &arguments.to_side})
    task.view = task.view || side->strides || side->offset;
  if (task.verb == Verb::Run) {
    auto read = session::read_nests(arguments.nests);
    if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
    task.nests = std::move(std::get<use::Transfer>(read));
  }
  if (const auto refusal = read_layouts(arguments, asked, task)) {
    if (const auto* diagnostic = std::get_if<Diagnostic>(&*refusal)) return *diagnostic;
    return std::get<use::Undecidable>(*refusal);
  }
  if (task.verb == Verb::Map) return task;
  if (task.from && task.to && task.host != ExecArguments::Host::Auto)
    return about("--host", "unused: nests between devices (d2d) have no host's file");
  const auto dtype = oracle::dtype_of(task.tensor.type);
  if (!dtype)
    return about("--tensor", fmt::format("{} has no units of whole bytes of their own", map::name(task.tensor.type)));
  task.unit = dtype->bytes;
  auto fill = oracle::parse_fill(arguments.fill, task.tensor.type);
  if (!fill) return locate("--fill", arguments.fill, fill.error());
  task.fill = std::move(*fill);
  move_places_once(task);
  return task;
}

}  // namespace vl::cli
