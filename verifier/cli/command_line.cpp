#include "verifier/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <map>

#include "encodings/use/nests_text.h"
#include "encodings/use/operation.h"
#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/help.h"
#include "verifier/cli/output.h"

namespace vl::cli {
namespace {

// All notations to which a family can convert.
std::vector<std::string> notations() {
  std::vector<std::string> out;
  for (const use::Family* family : use::families())
    out.insert(out.end(), family->notations.begin(), family->notations.end());
  return out;
}

void add_show(CLI::App& app, ShowArguments& show) {
  add_layout(app, show.layout, true, "--layout,layout", [&show] { return show.access.has_value(); });
  app.add_option("--with", show.with, "A second layout of the same tensor, to compare (with --format html)");
  app.add_option("--at", show.at, "An element to mark, as in 2,7,40");
  app.add_option("--width", show.width, "Columns (default: the terminal's)")->check(CLI::Range(20, 100000));
  app.add_option("--sticks,--lines", show.sticks, "The most sticks to draw, or lines of banks, or rows")
      ->check(CLI::Range(1, 65536));
  add_access(app, show.access, show.hardware, true);
  add_colour(app, show.colour);
  using Form = ShowArguments::Format;
  std::map<std::string, Form> formats{
      {"text", Form::Text}, {"json", Form::Json}, {"svg", Form::Svg}, {"html", Form::Html}};
  app.add_option("--format", show.format, "How to draw; svg and html are self-contained files")
      ->transform(choice(formats))
      ->option_text("{text,json,svg,html}");
}

void add_nests(CLI::App& app, NestsArguments& nests) {
  app.add_option("--layout,--to,layout", nests.layout.layout, "The layout, as its own system prints or constructs it")
      ->required();
  need_tensor(app, nests.layout, *add_tensor(app, nests.layout));
  auto* from = app.add_option("--from", nests.from, "For a move between devices: the layout from which it starts");
  app.add_option("--where", nests.where, "Conditions on names of sizes, as in 'N >= 2, M % 64 == 0'");
  std::map<std::string, use::Direction> directions{{"h2d", use::Direction::HostToDevice},
                                                   {"d2h", use::Direction::DeviceToHost}};
  app.add_option("--direction", nests.direction, "Host to device (the default) or device to host")
      ->transform(choice(directions))
      ->option_text("{h2d,d2h}")
      ->excludes(from);
  using Form = NestsArguments::Format;
  std::map<std::string, Form> formats{{"text", Form::Text}, {"json", Form::Json}, {"compact", Form::Compact}};
  std::string logs;
  for (const use::Family* family : use::families())
    if (family->nests_log != nullptr && formats.emplace(family->nests_log->name, Form::Log).second)
      logs += fmt::format("{},", family->nests_log->name);
  app.add_option("--format", nests.format,
                 fmt::format("How to print the nests; {}compact have the innermost loop first{}",
                             logs.empty() ? "" : logs.substr(0, logs.size() - 1) + " and ",
                             logs.empty() ? "" : ", " + logs.substr(0, logs.size() - 1) + " as the runtime prints it"))
      ->transform(choice(formats))
      ->option_text(fmt::format("{{text,json,{}compact}}", logs));
}

void add_swizzle(CLI::App& app, SwizzleArguments& swizzle) {
  add_layout(app, swizzle.layout, true, "--layout", [] { return true; });
  app.add_option("--access", swizzle.accesses,
                 "An access that has to be free of bank conflicts, as in "
                 "'lanes=8 width=16 at=[lane, 8*j] for j=0:8'; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--hardware", swizzle.hardware, "The name or path of a hardware profile (default: sm_90)");
  app.add_option("--timeout", swizzle.timeout, "Seconds after which an answer is unknown (timeout)")
      ->check(CLI::Range(0.001, 1e6));
  add_certificates(app, swizzle, "Where there is no swizzle, write the certificate of it into this folder");
  add_format(app, swizzle.format, false);
}

void add_descriptor(CLI::App& app, DescriptorArguments& descriptor) {
  add_layout(app, descriptor.layout, true, "--layout,layout", [] { return true; });
  app.add_option("--target", descriptor.target, "The target that has to take them (default: tma-sm_90), or its file");
  app.add_option("--base", descriptor.base, "The address of the layout's place 0 in shared memory, in bytes");
  add_format(app, descriptor.format, false);
}

void add_compatible(CLI::App& app, CompatibleArguments& compatible) {
  const auto list = [&](const std::string& name, std::vector<std::string>& target, const std::string& help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->take_all();
  };
  std::vector<std::string> names;
  for (const use::OperationName& name : use::operation_names()) names.emplace_back(name.name);
  app.add_option("operation", compatible.operation, "The operation")
      ->required()
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
  list("--operand", compatible.operands,
       "An input with its layout, 'f16[4,6] SpyreTensorLayout(…)'; between them "
       "strides=[…], offset=n, view_offset=n are allowed; may be repeated")
      ->required();
  list("--result", compatible.results, "A result, in the same form")->required();
  list("--scales", compatible.scales, "Scales '[0,1,-1]' of each operand, then each result (default: by the shapes)");
  app.add_option("--dims", compatible.dims,
                 "The operation's dimensions, 'M=1024,K=512,N=256' (default: by the shapes)");
  app.add_option("--reduce", compatible.reduced, "The input's reduced dimensions, 1,2 (default: by the shapes)");
  app.add_option("--rule", compatible.rule, "The rules to use: the documents', upstream's, or one after the other")
      ->check(word_of(std::vector<std::string>{"documents", "upstream", "both"}));
  app.add_flag("--plan", compatible.plan,
               "Also print the padding that the operation reads, and the value that it must have");
  std::vector<std::string> families;
  for (const use::Family* family : use::families()) families.emplace_back(family->name);
  app.add_option("--family", compatible.family, "The layouts' family (default: by the text)")->check(word_of(families));
  add_format(app, compatible.format, true);
  add_no_times(app, compatible.times);
}

void add_explain(CLI::App& app, ExplainArguments& explain) {
  explain.layout.or_descriptor = true;
  add_layout(app, explain.layout, true, "--layout,layout");
  app.add_option("--at", explain.at,
                 "An element, as in 2,7,40: where it lives, stage by stage; of a descriptor, in place of a layout, a "
                 "place of its tile");
  app.add_option("--slot", explain.slot, "A slot, as in 0,2,0,22: what it holds");
  CLI::Option* chip =
      app.add_option("--chip", explain.chip, "A chip, as in wormhole: the element's address on its network");
  app.add_option("--transfer", explain.transfers,
                 "A load or store of a tensor map, as of check: the element's way through its box; may be repeated")
      ->excludes(chip)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option(
      "--base", explain.base,
      "Where each core's shard begins in its L1, or with --transfer the layout in shared memory, in bytes; 0 "
      "without it");
  add_format(app, explain.format, false);
}

Run declare_explain(CLI::App& app) {
  const auto explain = std::make_shared<ExplainArguments>();
  add_explain(app, *explain);
  const CLI::Option* base = app.get_option("--base");
  return [explain, base]() -> std::variant<int, Misuse> {
    if (base->count() > 0 && !explain->chip && explain->transfers.empty())
      return Misuse{"--base goes with --chip or --transfer"};
    if (!explain->transfers.empty() && !explain->at) return Misuse{"--transfer needs --at, an element"};
    return run_explain(*explain);
  };
}

Run declare_show(CLI::App& app) {
  const auto show = std::make_shared<ShowArguments>();
  add_show(app, *show);
  return [show]() -> std::variant<int, Misuse> {
    if (!show->with.empty() && show->format != ShowArguments::Format::Html)
      return Misuse{"--with goes with --format html"};
    return run_show(*show);
  };
}

void add_equal(CLI::App& app, EqualArguments& equal) {
  add_layout(app, equal.layout, true, "--layout,layout");
  app.add_option("--with,with", equal.with, "The second layout")->required();
  app.add_option("--timeout", equal.timeout, "Seconds after which an answer is unknown (timeout)")
      ->check(CLI::Range(0.001, 1e6));
  add_colour(app, equal.colour);
  add_format(app, equal.format, true);
  add_no_times(app, equal.times);
}

void add_diff(CLI::App& app, DiffArguments& diff) {
  add_layout(app, diff.layout, true, "--layout,layout");
  auto* with = app.add_option("--with,with", diff.with, "The second layout");
  app.add_option("--rules", diff.rules, "Two rules of the layout's system, as in A,B, in place of a second layout")
      ->excludes(with);
  app.add_option("--timeout", diff.timeout, "Seconds after which an answer is unknown (timeout)")
      ->check(CLI::Range(0.001, 1e6));
  add_format(app, diff.format, false);
}

Run declare_diff(CLI::App& app) {
  const auto diff = std::make_shared<DiffArguments>();
  add_diff(app, *diff);
  return [diff]() -> std::variant<int, Misuse> {
    const bool second = !diff->with.empty() || !diff->rules.empty();
    return second ? std::variant<int, Misuse>(run_diff(*diff)) : Misuse{"diff needs a second layout, or --rules"};
  };
}

void add_convert(CLI::App& app, ConvertArguments& convert) {
  add_layout(app, convert.layout, true, "--layout,layout");
  app.add_option("--to", convert.to, "The notation to convert to")->required()->check(word_of(notations()));
  app.add_option("--timeout", convert.timeout, "Seconds after which an answer is unknown (timeout)")
      ->check(CLI::Range(0.001, 1e6));
  add_format(app, convert.format, false);
}

void add_explore(CLI::App& app, ExploreArguments& explore) {
  app.add_option("--port", explore.port, "The port on this machine (default: any that is free)")
      ->check(CLI::Range(1U, 65535U));
}

Run declare_man(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  app.add_option("command", *name, "The command (default: the program)");
  return [name, &app]() -> std::variant<int, Misuse> {
    const CLI::App& program = *app.get_parent();
    const auto all = program.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::ranges::find(all, *name, [](const CLI::App* sub) { return sub->get_name(); });
    if (!name->empty() && found == all.end())
      return Misuse{fmt::format("'{}' is not a command; {}", *name, one_of(*name, command_names(all)))};
    std::cout << man_page(program, name->empty() ? nullptr : *found);
    return 0;
  };
}

Run declare_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "The shell")
      ->required()
      ->check(word_of({"bash", "zsh", "fish", "commands"}))
      ->option_text("{bash,zsh,fish}");
  return [shell, &app] {
    std::cout << completion_of(*app.get_parent(), *shell);
    return 0;
  };
}

void add_cert(CLI::App& app, CertArguments& cert) {
  app.add_option("files", cert.files, "Certificates, as check --certificates writes them")->required();
  app.add_option("--allow-unread", cert.allowed_unread,
                 "Exit with 0 where only this was not read again: hardware, capacity, alignment, minimum, arithmetic "
                 "or source, "
                 "a file that is not there as it was")
      ->type_size(1)
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"hardware", "capacity", "alignment", "minimum", "arithmetic", "source"}))
      ->option_text("NAME");
  app.add_option("--against", cert.against,
                 "The program that certificates of functions are about, as it is now; by default the file that each "
                 "names")
      ->check(not_empty())
      ->option_text("FILE");
  app.add_option("--format", cert.format, "A line a certificate, or a record")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("{text,json}");
}

constexpr auto kCommands = std::to_array<Command>({
    {"check", "Prove or refute claims about layouts", declare_check},
    {"explain", "A layout in words and numbers", declare_explain},
    {"show", "A picture of the memory: sticks, banks, or owners", declare_show},
    {"explore", "A page in the browser to type layouts into, served to this machine alone",
     [](CLI::App& app) { return declared(app, add_explore, run_explore); }},
    {"equal", "Do two layouts put every element in the same place?",
     [](CLI::App& app) { return declared(app, add_equal, run_equal); }},
    {"diff", "Which elements lie elsewhere in a second layout, or by another rule?", declare_diff},
    {"nests", "The loop nests that move a tensor into a layout, proved before they are printed",
     [](CLI::App& app) { return declared(app, add_nests, run_nests); }},
    {"convert", "The same layout in another notation, proved to be equal",
     [](CLI::App& app) { return declared(app, add_convert, run_convert); }},
    {"swizzle", "The smallest swizzle that makes accesses free of bank conflicts",
     [](CLI::App& app) { return declared(app, add_swizzle, run_swizzle); }},
    {"descriptor", "Loads of a tensor map that carry a tensor into a layout, proved before they are printed",
     [](CLI::App& app) { return declared(app, add_descriptor, run_descriptor); }},
    {"compatible", "Can an operation compute with these operands?",
     [](CLI::App& app) { return declared(app, add_compatible, run_compatible); }},
    {"neutral", "Can padding that holds this change a reduction's result? What may it hold?", declare_neutral},
    {"transfer", "What a pointwise operation makes of what padding holds", declare_transfer},
    {"cert", "Check certificates again, without any engine, and read their texts again",
     [](CLI::App& app) { return declared(app, add_cert, run_cert); }},
    {"families", "The families of layouts, and the notations that each one reads",
     [](CLI::App&) -> Run { return [] { return run_list_families(); }; }},
    {"claims", "The claims that can be asked, and their witnesses",
     [](CLI::App&) -> Run { return [] { return run_list_claims(); }; }},
    {"man", "The man page of the program, or of a command", declare_man},
    {"completion", "The completion script of a shell", declare_completion},
});

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace vl::cli
