// Arguments: the user's command line as values. Only command_line.cpp spells the options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/use/transfer.h"
#include "verifier/cli/colour.h"
#include "verifier/question/record.h"

namespace vl::cli {

enum class Format { Text, Json, Jsonl, Junit, Sarif, Github };

/// A layout on the command line with its tensor, as texts.
struct LayoutArguments {
  std::string layout;
  std::string tensor;
  std::optional<std::string> strides;  // "15000,150,1"; absent: dense
  std::optional<std::string> offset;   // texts, so that a bad number gets a caret
  std::optional<std::string> view_offset;
  std::optional<std::string> box;  // "laneid=32, m=64"
  std::string family;
  std::string rule;  // A, B or C, or empty
  question::TensorSource tensor_source = question::TensorSource::Given;
  bool or_descriptor = false;  // the text may be a descriptor (encodings/use/descriptor.h), which has no tensor

  /// Whether it is one, and no family's layout, as a matrix descriptor is.
  [[nodiscard]] bool is_descriptor() const;
  /// The layout with its rule in front, as families read it: "rule C: #tt.metal_layout<…>".
  [[nodiscard]] std::string text() const { return rule.empty() ? layout : "rule " + rule + ": " + layout; }
};

struct CheckArguments {
  std::vector<std::string> files;
  std::vector<std::string> scans;   // folders of which every file is read
  bool programs = false;            // functions are judged of every text, beneath folders and beside --claim, too
  bool no_programs = false;         // of none
  std::string over_read = "slots";  // of views: which may not be read outside
  bool print_program = false;       // with the program that each is taken for
  bool fill = false;                // with what to write into padding
  std::string patch;                // a file for the edits of that
  LayoutArguments layout;
  bool has_tensor = true;               // --tensor was given, or is not needed
  std::vector<std::string> claims;      // NAME or NAME=ARG
  std::string nests;                    // a file of loop nests; then claims are about nests
  std::string from;                     // the source's layout of nests between devices
  std::vector<std::string> transfers;   // descriptors, in place of a layout
  std::string target;                   // what has to take them; empty: any that there is
  std::optional<std::string> access;    // of claims about accesses; without claims, asks these
  std::optional<std::string> hardware;  // absent: sm_90
  Format format = Format::Text;
  double timeout = 600;               // seconds that one answer may take
  std::uint64_t rlimit = 20'000'000;  // the solver's resource units per question
  std::uint64_t memory = 4096;        // MiB for the solver
  std::string engine;
  bool cross_check = false;
  bool explain_engine = false;
  bool explain_trust = false;
  unsigned jobs = 1;
  std::string dump_smt;
  std::string certificates;              // a folder
  bool compact = false;                  // certificates as CBOR
  std::vector<std::string> definitions;  // NAME=INTEGER, for names in layout texts
  std::optional<std::string> where;      // conditions on names
  std::optional<std::string> at_sizes;   // N=5,M=3
  std::string sizes;                     // all, one; empty: as the texts have names
  bool allow_skipped = false;            // a layout without a tensor is no failure
  bool quiet = false;
  bool fail_fast = false;
  bool strict = false;               // warnings are failures
  std::vector<std::string> outputs;  // FORMAT=FILE
  std::string show;                  // a file, for the page of the layout
  Colour colour = Colour::Auto;
  bool times = true;             // in reports
  std::string baseline;          // a file of what is known
  bool update_baseline = false;  // writes it
};

struct CertArguments {
  std::vector<std::string> files;
  std::vector<std::string> allowed_unread;  // what may stay unread
  std::string against;                      // the file that programs stand in; empty: the ones that they name
  std::string format = "text";              // "json": a record a file
};

struct ExplainArguments {
  LayoutArguments layout;
  std::optional<std::string> at;    // an element
  std::optional<std::string> slot;  // a slot
  std::optional<std::string> chip;  // whose network names an element's byte
  Index base = 0;                   // where each core's shard begins in its L1, or the layout in shared memory
  std::vector<std::string> transfers;
  Format format = Format::Text;
};

struct ShowArguments {
  enum class Format { Text, Json, Svg, Html };
  LayoutArguments layout;
  std::string with;                  // a second layout, for html
  std::optional<std::string> at;     // an element to mark
  std::optional<std::size_t> width;  // columns; absent: the terminal's
  std::optional<Index> sticks;       // the most sticks, lines of banks, or rows that are drawn; absent: 32
  std::optional<std::string> access;
  std::optional<std::string> hardware;  // absent: sm_90
  Format format = Format::Text;
  Colour colour = Colour::Auto;
};

struct ExploreArguments {
  unsigned port = 0;  // 0: any that is free
};

struct EqualArguments {
  LayoutArguments layout;
  std::string with;
  Format format = Format::Text;
  Colour colour = Colour::Auto;
  double timeout = 600;
  bool times = true;
};

struct DiffArguments {
  LayoutArguments layout;
  std::string with;   // the second layout; or
  std::string rules;  // "A,B": the layout by two of its system's rules
  Format format = Format::Text;
  double timeout = 600;
};

struct NestsArguments {
  enum class Format { Text, Json, Compact, Log };  // Log: of a family's runtime
  LayoutArguments layout;                          // of a move between devices: the destination's layout
  std::optional<std::string> from;                 // of a move between devices
  std::optional<std::string> where;                // conditions of names
  use::Direction direction = use::Direction::HostToDevice;
  Format format = Format::Text;
};

struct ConvertArguments {
  LayoutArguments layout;
  std::string to;  // a notation of the layout's family
  Format format = Format::Text;
  double timeout = 600;
};

struct SwizzleArguments {
  LayoutArguments layout;
  std::vector<std::string> accesses;
  std::string hardware = "sm_90";
  std::string certificates;  // a folder
  bool compact = false;      // certificates as CBOR
  Format format = Format::Text;
  double timeout = 600;
};

struct DescriptorArguments {
  LayoutArguments layout;
  std::string target = "tma-sm_90";
  Index base = 0;  // bytes
  Format format = Format::Text;
};

struct CompatibleArguments {
  std::string operation;
  std::vector<std::string> operands;  // "f16[4,6] SpyreTensorLayout(…)"
  std::vector<std::string> results;
  std::vector<std::string> scales;  // one per operand, then one per result; or none
  std::optional<std::string> dims;
  std::optional<std::string> reduced;
  std::string family;
  std::string rule = "upstream";
  bool plan = false;
  Format format = Format::Text;
  bool times = true;
};

/// A question about values alone, as texts (verifier/neutral); or about operands with layouts, if there are some.
struct NeutralArguments {
  CompatibleArguments layouts;  // its operation, format and plan are not used
  std::string operation;
  std::string type;
  std::string accumulate;  // empty: the type
  std::string start = "first";
  std::string order = "any";
  std::string max = "nan-wins";
  std::string contents = "any";
  std::string equal = "any-nan";
  std::optional<std::string> arithmetic;  // instead of accumulate, start, order, max and fused
  std::vector<std::string> fills;         // none: the largest neutral one is asked for
  bool fused = false;
  std::string divide = "N";
  std::string ties = "first";
  std::string pads = "anywhere";
  std::string blocks = "whole";
  unsigned k = 1;
  std::string program;  // a file; then only `place`, `certificates`, `compact`, `format` and `times` count
  bool place = false;
  std::string certificates;  // a folder
  bool compact = false;      // certificates as CBOR
  Format format = Format::Text;
  bool times = true;
};

/// A function on sets of codes, as texts (verifier/neutral/transfer.h).
struct TransferArguments {
  std::string function;
  std::string type;
  std::array<std::string, 3> states;  // in positions, before those of --operand
  std::vector<std::string> operands;
  std::string claims;  // empty: the image is asked for
  std::string max = "nan-wins";
  Format format = Format::Text;
  bool times = true;
};

}  // namespace vl::cli
