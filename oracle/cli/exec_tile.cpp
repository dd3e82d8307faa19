// exec tile: loads and stores of tensor maps, run on the bytes of files. Nothing has a name before all is right.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/memory.h"
#include "oracle/cli/commands.h"
#include "oracle/files/tensor_file.h"
#include "oracle/reference/tiles.h"
#include "verifier/session/transfer_case.h"

namespace vl::cli {
int run_exec_tile(const ExecTileArguments& arguments) {
  std::vector<session::SourceText> texts;
  for (const std::string& text : arguments.transfers) texts.push_back(session::SourceText::option("--transfer", text));
  auto read = session::read_tiles(texts);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  const auto& tiles = std::get<use::TileMoves>(read);
  if (!tiles.unknown.empty()) return unsupported({tiles.unknown});
  const auto needed = oracle::bytes_of_tiles(tiles);
  if (!needed) return bad_input(about("exec", needed.error().message));
  const bool load = tiles.moves.direction == use::Direction::HostToDevice;
  const auto in = oracle::open_tensor(oracle::place_of(arguments.in, arguments.raw));
  if (!in) return bad_input(about("exec", in.error().message));
  std::optional<oracle::StoredTensor> before;
  if (!arguments.into.empty()) {
    auto opened = oracle::open_tensor(oracle::place_of(arguments.into, arguments.raw));
    if (!opened) return bad_input(about("exec", opened.error().message));
    before = std::move(*opened);
  }
  const std::size_t bytes =
      before ? before->data.size() : static_cast<std::size_t>(load ? needed->shared : needed->tensor);
  if (const auto error = check_free(bytes)) return bad_input(about("exec", error->message));
  auto out = oracle::TensorOutput::create(oracle::place_of(arguments.out, arguments.raw),
                                          {oracle::Dtype::Kind::Unsigned, 1}, std::vector{static_cast<Index>(bytes)},
                                          {arguments.replace, {.force = arguments.force}});
  if (!out) return bad_input(about("exec", out.error().message));
  if (before) std::ranges::copy(before->data, out->data().begin());
  const auto error = oracle::run_tiles(tiles, in->data, out->data());
  if (in->changed() || (before && before->changed()))
    return bad_input(about("exec", "a file changed while it was read"));
  if (error) return bad_input(about("exec", error->message));
  if (const auto failed = out->commit()) return bad_input(about("exec", failed->message));
  return 0;
}

}  // namespace vl::cli
