// gate: the arguments of the command, as values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "encodings/base/integer.h"
#include "oracle/gate/cage.h"

namespace vl::cli {

struct GateArguments {
  enum class Verb { Run, Smoke, Replay, Merge, Report, Schema };
  enum class Format { Text, Jsonl, Junit, Sarif, Markdown, Github };
  Verb verb = Verb::Run;
  std::vector<std::string> adapter;  // the command behind --
  std::vector<std::string> files;    // of replay and merge
  std::vector<std::string> families, ops;
  std::uint64_t seed = 1, count = 10'000, restart_every = 100'000, repeat = 64, threads = 1;
  Index elements = 512;
  std::string library;  // a shared library with the C interface, in place of the command
  std::string memory = "4GiB";
  std::string out;                // a folder for the record, or for a report
  std::string signature, script;  // of a report: which finding; the program that prints a script in the peer's API
  std::string shard = "0/1";
  double seconds = 0, timeout = 2, start_timeout = 60;
  gate::CageWish cage = gate::CageWish::Auto;
  Format format = Format::Text;
  std::vector<std::string> outputs;  // FORMAT=FILE
  std::string expect;                // a file of expectations; empty: every finding is new
  bool update = false, new_only = false, shrinks = true, throttles = false;
  std::vector<std::string> lower, accept;  // of an update
  std::string issue;
  bool times = true;  // in reports
};

/// The names of the formats.
[[nodiscard]] const std::map<std::string, GateArguments::Format>& gate_formats();

/// The words of a command line in which `gate` has its adapter's command behind --, as an option each.
[[nodiscard]] std::vector<std::string> gate_words(int argc, const char* const* argv);

}  // namespace vl::cli
