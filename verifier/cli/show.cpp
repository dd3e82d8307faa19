// show: a picture of a layout's memory: sticks, banks or the owners on named axes (show.h), in text, JSON, SVG or HTML.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "verifier/cli/commands.h"
#include "verifier/cli/show.h"
#include "verifier/report/explorer.h"
#include "verifier/report/html.h"
#include "verifier/report/svg.h"
#include "verifier/session/binding.h"
#include "verifier/session/hardware.h"

namespace vl::cli {
namespace {

using Form = ShowArguments::Format;

// Facts that the picture does not show.
std::vector<std::string> notes_of(const session::TensorReading& subject) {
  std::vector<std::string> notes = subject.reading.notes;
  notes.insert(notes.end(), subject.reading.warnings.begin(), subject.reading.warnings.end());
  engines::Options options = session::engine_options();
  options.budget.rlimit = 4'000'000;  // a picture does not wait long for its notes
  for (const char* name : {"in-bounds", "injective"}) {
    const claims::Judged answer =
        claims::decide(*claims::find_claim(name), claims::OneLayout{*subject.reading.layout()}, options);
    if (const auto* refuted = std::get_if<question::Refuted>(&answer.verdict))
      notes.push_back(fmt::format("not {}: {}", name, refuted->counterexample.explanation));
    const auto* unknown = std::get_if<question::Unknown>(&answer.verdict);
    if (unknown != nullptr && unknown->reason != question::Reason::Vacuous)
      notes.push_back(fmt::format("whether it is {} is not known", name));
  }
  return notes;
}

std::size_t columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* text = std::getenv("COLUMNS");
  const auto given = text == nullptr ? std::vector<Index>{} : [&] {
    auto values = integers_of("COLUMNS", text);
    auto* list = std::get_if<std::vector<Index>>(&values);
    return list == nullptr ? std::vector<Index>{} : std::move(*list);
  }();
  return given.size() == 1 && given[0] > 0 ? static_cast<std::size_t>(given[0]) : 80;
}

std::string written(const report::Figure& figure, Form form, const report::GridStyle& style) {
  switch (form) {
    case Form::Text: return report::figure_to_text(figure, style);
    case Form::Json: return report::figure_to_json(figure);
    case Form::Svg: return report::figure_to_svg(figure);
    case Form::Html: return report::figure_to_html(figure);  // where page_of cannot be exact
  }
  VL_CHECK(false, "unknown format");
}

constexpr Index kMostRows = 32;  // that are drawn, unless --sticks says another number

// An option that this picture would make no use of. `page`: it is the page to explore, which has all rows.
std::optional<Diagnostic> unused_by_picture(const ShowArguments& arguments, const map::Layout& layout, bool page) {
  const auto unused = [](const char* option, const char* why) { return about(option, std::string("unused: ") + why); };
  if (arguments.width && arguments.format != Form::Text) return unused("--width", "only text is cut into columns");
  if (page && arguments.sticks && !arguments.access) return unused("--sticks", "the page to explore has all rows");
  if (arguments.hardware && !arguments.access && (page || !is_banked(layout)))
    return unused("--hardware", "banks are drawn of an access, or of a layout whose only axis is memory (m)");
  return std::nullopt;
}

// The picture, or why there is none.
Result<std::string> drawn(const Shown& shown, const use::Shards* shards, const use::Hardware& hardware,
                          const std::optional<ShownAccess>& access, Form form, const report::GridStyle& style) {
  const map::Layout& layout = shown.layout;
  if (is_banked(layout)) {
    const auto figure = bank_figure(shown, hardware, access);
    if (!figure) return figure.error();
    return written(*figure, form, style);
  }
  if (access) return Error{ErrorCode::Value, "an access is drawn on layouts whose only axis is memory (m)", 0};
  if (shards != nullptr)
    if (const auto figure = shards_figure(shown, *shards)) return written(*figure, form, style);
  if (layout.named_axes() && layout.physical().rank() > 0) return written(axes_figure(shown), form, style);
  if (const auto why = why_no_sticks(shown)) return Error{ErrorCode::Value, *why, 0};
  if (form == Form::Text) return report::picture_to_text(sticks_of(shown), {style.width, style.colour});
  if (form == Form::Json) return report::picture_to_json(sticks_of(shown));
  return written(stick_figure(shown), form, style);
}

std::variant<ShownAccess, Diagnostic> access_of(const session::SourceText& text, const session::SourceText& hardware,
                                                const session::TensorReading& subject) {
  auto reach = session::read_reach(text, hardware, subject);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&reach)) return *diagnostic;
  const auto access = use::parse_access(text.text);
  VL_CHECK(access.has_value(), "a text that was read is not read again");
  ShownAccess out{text.text, false, std::get<engines::Reach>(std::move(reach))};
  out.based = access->base && out.reach.bytes.domain().dims().back().name == "base";
  return out;
}

// The page to explore, of one layout or of two. `lanes` is drawn below.
Result<std::string> page_of(const Shown& shown, const std::optional<session::TensorReading>& second,
                            const ShowArguments& arguments, const report::Figure* lanes) {
  const auto side = [](const session::TensorReading& read, const std::string& text) {
    return report::ExploredSide{read.reading.layout(), text, map::print(read.tensor), read.reading.device_bits};
  };
  report::Explored explored;
  explored.sides.push_back(side(shown.subject, arguments.layout.text()));
  if (second) explored.sides.push_back(side(*second, arguments.with));
  explored.at = shown.mark;
  explored.notes = shown.notes;
  explored.figure = lanes;
  for (const report::ExploredSide& one : explored.sides)
    if (!report::can_explore(*one.layout))
      return Error{ErrorCode::Value, "the numbers of a page that compares are exact only up to 2^53", 0};
  return report::explorer_to_html(explored);
}

// The second layout, of --with.
std::variant<std::optional<session::TensorReading>, Diagnostic> second_of(const ShowArguments& arguments,
                                                                          const session::CaseRequest& request) {
  if (arguments.with.empty()) return std::optional<session::TensorReading>();
  session::CaseRequest other = request;
  other.layout = session::SourceText::option("--with", arguments.with);
  auto read = session::read_tensor(other);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  auto& second = std::get<session::TensorReading>(read);
  if (const auto* why = second.reading.undecidable()) return other.layout.diagnose({ErrorCode::Value, why->reason, 0});
  return std::optional(std::move(second));
}

}  // namespace

int run_show(const ShowArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  const session::SourceText& text = std::get<session::CaseRequest>(request).layout;
  auto read = session::read_tensor(std::get<session::CaseRequest>(request));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  const session::TensorReading& subject = std::get<session::TensorReading>(read);
  if (const auto* why = subject.reading.undecidable()) return unsupported(*why, arguments.format == Form::Json);
  const bool page =
      arguments.format == Form::Html && (!arguments.with.empty() || report::can_explore(*subject.reading.layout()));
  if (const auto wrong = unused_by_picture(arguments, *subject.reading.layout(), page)) return bad_input(*wrong);
  Shown shown{subject, *subject.reading.layout(), {}, arguments.sticks.value_or(kMostRows), notes_of(subject)};
  if (arguments.at) {
    auto at = point_in(shown.layout.logical(), "--at", *arguments.at);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&at)) return bad_input(*diagnostic);
    shown.mark = std::get<Point>(std::move(at));
  }
  const auto name = session::SourceText::option("--hardware", arguments.hardware.value_or("sm_90"));
  const auto hardware = session::read_hardware(name);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&hardware)) return bad_input(*diagnostic);
  std::optional<ShownAccess> access;
  if (arguments.access) {
    auto carried = access_of(session::SourceText::option("--access", *arguments.access), name, subject);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&carried)) return bad_input(*diagnostic);
    access = std::get<ShownAccess>(std::move(carried));
  }
  const bool colour = wants_colour(arguments.colour);
  if (page) {
    const auto second = second_of(arguments, std::get<session::CaseRequest>(request));
    if (const auto* diagnostic = std::get_if<Diagnostic>(&second)) return bad_input(*diagnostic);
    Result<report::Figure> lanes =
        Error{ErrorCode::Value, "an access is drawn on layouts whose only axis is memory (m)", 0};
    if (access && is_banked(shown.layout)) lanes = bank_figure(shown, std::get<use::Hardware>(hardware), access);
    if (access && !lanes) return bad_input(text.diagnose(lanes.error()));
    const auto made =
        page_of(shown, std::get<std::optional<session::TensorReading>>(second), arguments, access ? &*lanes : nullptr);
    if (!made) return bad_input(text.diagnose(made.error()));
    std::fwrite(made->data(), 1, made->size(), stdout);
    return 0;
  }
  const auto shards = shards_of(arguments.layout, subject);
  const auto out = drawn(shown, shards ? &*shards : nullptr, std::get<use::Hardware>(hardware), access,
                         arguments.format, {arguments.width.value_or(columns()), colour});
  if (!out) return bad_input(text.diagnose(out.error()));
  std::fwrite(out->data(), 1, out->size(), stdout);
  return 0;
}

}  // namespace vl::cli
