#include "verifier/cli/arguments_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "encodings/base/printable.h"
#include "encodings/use/family.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/numbers.h"
#include "verifier/cli/output.h"

namespace vl::cli {

CLI::Validator word_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) -> std::string {
        const bool known = std::ranges::find(words, text) != words.end();
        return known ? std::string() : "'" + text + "' is not known; " + one_of(text, words);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return text.empty() ? "expected a name" : std::string(); }, "");
}

CLI::Validator whole_number() { return CLI::Validator(spell_whole_number, "UINT"); }
CLI::Validator seconds_or_minutes() { return CLI::Validator(spell_seconds, "SECONDS"); }

CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout) {
  auto* tensor = app.add_option("--tensor", layout.tensor,
                                "The logical tensor, as in 'f16[5,100,150]' (default: as the layout's text states it)");
  app.add_option("--strides", layout.strides, "Host strides in elements, as in 15000,150,1 (default: dense row-major)");
  app.add_option("--offset", layout.offset, "Host storage offset in elements; may have names");
  app.add_option("--view-offset", layout.view_offset,
                 "The start of a view inside the device allocation, in elements; may have names");
  app.add_option("--box", layout.box, "Declared extents of physical axes, as in 'laneid=32, m=64'");
  std::vector<std::string> families;
  for (const use::Family* family : use::families()) families.emplace_back(family->name);
  app.add_option("--family", layout.family, "The layout's family (default: by the text)")->check(word_of(families));
  app.add_option("--rule", layout.rule, "The rule of tt-mlir by which its layout is read (default: the text's own)")
      ->check(word_of({"A", "B", "C"}));
  return tensor;
}

void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names,
                std::function<bool()> needs_known) {
  auto* text = app.add_option(names, layout.layout, "The layout, as its own system prints or constructs it");
  auto* tensor = add_tensor(app, layout);
  if (!required) return;
  text->required();
  need_tensor(app, layout, *tensor, std::move(needs_known));
}

void need_tensor(CLI::App& app, LayoutArguments& layout, const CLI::Option& tensor, std::function<bool()> needs_known) {
  app.parse_complete_callback([&layout, &tensor, needs_known = std::move(needs_known)] {
    if (tensor.count() > 0 || (layout.or_descriptor && layout.is_descriptor())) return;
    if (auto why = state_tensor(layout)) throw CLI::ValidationError("--tensor", *why);
    if (layout.tensor_source != question::TensorSource::Assumed) return;
    if (needs_known && needs_known())
      throw CLI::ValidationError("--tensor",
                                 "the text states neither the element type nor the shape; expected them here");
    fmt::print(stderr, "note: the text states no tensor; {} is assumed\n", printable(layout.tensor));
  });
}

void add_colour(CLI::App& app, Colour& colour) {
  std::map<std::string, Colour> words{{"auto", Colour::Auto}, {"always", Colour::Always}, {"never", Colour::Never}};
  app.add_option("--color", colour, "Colours in the text output (default: on a terminal, unless NO_COLOR is set)")
      ->transform(choice(words))
      ->option_text("{auto,always,never}");
}

void add_format(CLI::App& app, Format& format, bool lines) {
  std::map<std::string, Format> names{{"text", Format::Text}, {"json", Format::Json}};
  if (lines) names = output_formats();
  app.add_option("--format", format, "How to print the answer")
      ->transform(choice(names))
      ->option_text(lines ? "{text,json,jsonl,junit,sarif,github}" : "{text,json}");
}

void add_access(CLI::App& app, std::optional<std::string>& access, std::optional<std::string>& hardware, bool alone) {
  auto* option = app.add_option("--access", access,
                                "The element at which each lane of a warp starts, as in "
                                "'lanes=32 width=16 at=[lane % 16, lane / 16 * 8]'");
  auto* profile = app.add_option("--hardware", hardware, "The name or path of a hardware profile (default: sm_90)");
  if (!alone) profile->needs(option);
}

void add_no_times(CLI::App& app, bool& times) {
  app.add_flag_callback(
      "--no-times", [&times] { times = false; },
      "Leave out how long everything took, so that two runs print the same bytes");
}

std::optional<std::string> given_of(const CLI::App& app, const std::vector<std::string>& options) {
  for (const std::string& option : options)
    if (const CLI::Option* known = app.get_option_no_throw(option); known != nullptr && known->count() > 0)
      return option;
  return std::nullopt;
}

std::vector<std::string> command_names(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> out;
  out.reserve(commands.size());
  for (const CLI::App* command : commands) out.push_back(command->get_name());
  return out;
}

}  // namespace vl::cli
