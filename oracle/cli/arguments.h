// The arguments of exec, fuzz and replay, as values. command_line.cpp spells the options.
#pragma once

#include "verifier/cli/arguments.h"

namespace vl::cli {

/// What the command line says of one layout of two alone; absent: what it says of both.
struct SideArguments {
  std::optional<std::string> strides, offset, view_offset, box;
};

struct ExecArguments {
  enum class Verb { Pack, Unpack, Move, Map, Run };
  /// The host's file is the tensor or the memory of its view; Auto: its shape decides (the tensor if both fit).
  enum class Host { Auto, Tensor, Memory };
  Verb verb = Verb::Pack;
  LayoutArguments layout;            // of move: the layout of the source
  std::string to;                    // of move: the layout of the destination
  std::optional<std::string> from;   // of run: the source's layout of nests between devices
  SideArguments from_side, to_side;  // of move, and of run with nests between devices
  std::string nests;                 // of run: the file of loop nests
  std::string in;                    // empty only with show_plan
  std::string out;
  std::string fill = "0";
  Host host = Host::Auto;
  bool raw = false;             // files whose names do not say their format have no header
  unsigned threads = 0;         // 0: one per processor
  bool always_defined = false;  // compare every result with the definition
  bool show_plan = false;
  bool replace = false;  // an archive with all its members
  bool force = false;    // also a file that is read-only
};

struct ExecOpArguments {
  std::string operation;              // empty: another verb of exec
  std::vector<std::string> operands;  // "f16[4,6] SpyreTensorLayout(…)"
  std::vector<std::string> in;        // one file per operand
  std::string result;
  std::string out;
  std::optional<std::string> dims;
  std::optional<std::string> reduced;
  std::string arithmetic = "ieee";
  std::string order = "seq";
  std::optional<std::string> fill;  // absent: pads are what the files hold
  bool raw = false;
  bool replace = false;
  bool force = false;
};

struct ExecTileArguments {
  std::vector<std::string> transfers;  // "load tensormap(…) at (…) to ADDRESS"; empty: another verb of exec
  std::string in;
  std::string into;  // the memory before; empty: zeros
  std::string out;
  bool raw = false;
  bool replace = false;
  bool force = false;
};

struct FuzzArguments {
  bool neutral = false;  // padding and not layouts
  std::string family = "all";
  std::uint64_t seed = 1;
  std::uint64_t count = 100000;
  double seconds = 0;  // 0: no limit
  std::string shard = "0/1";
  unsigned threads = 1;
  std::string out;                 // a folder
  bool always = false;             // the definition runs every case
  std::vector<std::string> merge;  // files of shards; then no campaign runs
  Format format = Format::Text;
  bool times = true;  // in the closing line
};

struct ReplayArguments {
  std::vector<std::string> files;
  Format format = Format::Text;
};

}  // namespace vl::cli
