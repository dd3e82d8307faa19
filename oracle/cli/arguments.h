// What the user typed after exec, fuzz and replay, as values. command_line.cpp knows how the options are spelled.
#pragma once

#include "verifier/cli/arguments.h"

namespace vl::cli {

struct ExecArguments {
  enum class Verb { Pack, Unpack, Move, Map, Run };
  /// What the host's file is: by its shape (the tensor where both fit), the tensor, or the memory of its view.
  enum class Host { Auto, Tensor, Memory };
  Verb verb = Verb::Pack;
  LayoutArguments layout;  // of move: the layout that it goes to is `to`
  std::string to;
  std::optional<std::string> from;  // of run: the layout that nests between devices start from
  std::string nests;                // of run: the file of loop nests
  std::string in;                   // empty only with show_plan
  std::string out;
  std::string fill = "0";
  Host host = Host::Auto;
  bool raw = false;             // files whose names do not say what they are have no header
  unsigned threads = 0;         // 0: as many as there are processors
  bool always_defined = false;  // hold every result against the definition
  bool show_plan = false;
};

struct FuzzArguments {
  std::string family = "all";
  std::uint64_t seed = 1;
  std::uint64_t count = 100000;
  double seconds = 0;  // 0: no limit
  std::string shard = "0/1";
  unsigned threads = 1;
  std::string out;                 // a folder
  bool always = false;             // the definition runs every case
  std::vector<std::string> merge;  // files of shards; then nothing is run
  Format format = Format::Text;
};

struct ReplayArguments {
  std::vector<std::string> files;
  Format format = Format::Text;
};

}  // namespace vl::cli
