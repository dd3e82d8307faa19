// The command line of a layout with its tensor, and of exec.
#include "verifier/cli/arguments_parts.h"

#include <map>

#include "encodings/map/family.h"

namespace vl::cli {

CLI::Option* add_tensor(CLI::App& app, LayoutArguments& layout) {
  auto* tensor = app.add_option("--tensor", layout.tensor, "The logical tensor, as in 'f16[5,100,150]'");
  app.add_option("--strides", layout.strides, "Host strides in elements, as in 15000,150,1 (default: dense row-major)");
  app.add_option("--offset", layout.offset, "Host storage offset in elements");
  app.add_option("--view-offset", layout.view_offset, "Where a view starts inside the device allocation, in elements");
  app.add_option("--box", layout.box, "Declared extents of physical axes, as in 'laneid=32, m=64'");
  std::vector<std::string> families;
  for (const map::Family* family : map::families()) families.emplace_back(family->name);
  app.add_option("--family", layout.family, "The layout's family (default: by the text)")
      ->check(CLI::IsMember(families));
  return tensor;
}

void add_layout(CLI::App& app, LayoutArguments& layout, bool required, const std::string& names) {
  auto* text = app.add_option(names, layout.layout, "The layout, as its own system prints or constructs it");
  auto* tensor = add_tensor(app, layout);
  if (required) {
    text->required();
    tensor->required();
  } else {
    text->needs(tensor);
  }
}

namespace {

// How files are named, at the end of each verb's help.
constexpr const char* kExecFiles = R"(Files:
  NAME.npy                   NumPy's; so is any other name, and - (standard input or output)
  ARCHIVE.npz:NAME           an array of an archive, stored or compressed; without :NAME the only one
  MODEL.safetensors:NAME     a tensor, likewise
  NAME.bin, NAME.raw         bytes without a header; type and shape are those of --tensor. With --raw
                             so is - and any other name
bf16 and fp8 are unsigned integers in .npy and .npz. Outputs appear whole or not at all; an archive or a
safetensors file is written with this one tensor, called arr_0 or tensor unless it is named.
)";

void add_exec_host(CLI::App& app, ExecArguments& exec) {
  using Host = ExecArguments::Host;
  const std::map<std::string, Host> names{{"tensor", Host::Tensor}, {"memory", Host::Memory}};
  app.add_option("--host", exec.host,
                 "What the host's file is: the logical tensor, or with --strides or --offset the "
                 "memory that they walk through, as one dimension (default: by the file's shape, or its length without "
                 "a header; "
                 "what fits both is the tensor, and the tensor is written)")
      ->transform(CLI::CheckedTransformer(names))
      ->option_text("{tensor,memory}");
}

void add_exec(CLI::App& app, ExecArguments& exec, ExecArguments::Verb verb) {
  using Verb = ExecArguments::Verb;
  app.callback([&exec, verb] { exec.verb = verb; });
  app.footer(kExecFiles);
  const bool move = verb == Verb::Move, run = verb == Verb::Run, map = verb == Verb::Map;
  add_layout(app, exec.layout, true, move ? "--from" : run ? "--layout,--to" : "--layout");
  if (move) app.add_option("--to", exec.to, "The layout to move to, of whichever family")->required();
  auto* in = app.add_option("--in", exec.in, "The file to read");
  auto* out = app.add_option("--out", exec.out, "The file to write");
  app.add_flag("--raw", exec.raw, "Files of other names than .npy, .npz and .safetensors are bytes without a header");
  if (run) {
    app.add_option("--nests", exec.nests, "The file of loop nests: h2d, d2h or d2d")->required();
    app.add_option("--from", exec.from, "The layout that nests between devices (d2d) start from");
  }
  if (!map)
    app.add_option("--fill", exec.fill,
                   "What padding holds, and host memory between elements: a number, nan, inf, -inf or "
                   "bits:0xFE01 (default: 0)");
  if (!map && !move) add_exec_host(app, exec);
  if (map) in->required(), out->required();
  if (map) return;
  app.add_option("--threads", exec.threads,
                 "Threads that move data; the result is the same for any number (default: all "
                 "processors)")
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--definition", exec.always_defined, "Whether the result is held against the definition, element by "
                 "element, always or sometimes: up to a million elements (default)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, bool>{{"always", true}, {"sometimes", false}}))
      ->option_text("{always,sometimes}");
  app.add_flag("--show-plan", exec.show_plan,
               "Print the plan: its pieces, its kernels, and whether its certificate holds; "
               "--in and --out may be left out then");
}

}  // namespace

void add_exec_verbs(CLI::App& app, ExecArguments& exec) {
  app.require_subcommand(1);
  using Verb = ExecArguments::Verb;
  add_exec(*app.add_subcommand("pack", "Host tensor to device image"), exec, Verb::Pack);
  add_exec(*app.add_subcommand("unpack", "Device image to host tensor"), exec, Verb::Unpack);
  add_exec(*app.add_subcommand("move", "Device image to the device image of another layout"), exec, Verb::Move);
  add_exec(*app.add_subcommand("map", "Coordinates to slots"), exec, Verb::Map);
  add_exec(*app.add_subcommand("run", "A file of loop nests, run on data"), exec, Verb::Run);
}

}  // namespace vl::cli
