// Execution of a program on codes, box by box (boxes.h) and only as far as asked: the padded run, and the reference
// without the reads of padding. Reductions go from left to right, dimensions in row-major order, the start first; that
// is one of the evaluations that the program allows, and the same one in both runs. Terms that are equal are added
// until the sum changes no more, as then no later one of them changes it.
//
// Runs on sets. Where a function's result is more than one code (functions.h), a run on sets goes on with all of them.
// Law. An implementation gives each function of each line, for given operands, one of the codes that the facts allow,
// and reduces from left to right. Then the code that it has in a slot lies in the slot's set, in both runs; and if the
// two sets of an output's element have no codes that are equal, its two runs differ there, whatever it chose.
// Proof: by induction over the lines. A slot of a result is made of codes of the operands' slots, which lie in their
// sets; images (states.h) hold every result of such codes, and a reduction is a sequence of them.
//
// Example: of the program of program.h with zeros everywhere, C[0,0] is 64 with padding and 33 without.
#pragma once

#include <unordered_map>

#include "verifier/neutral/program/boxes.h"
#include "verifier/neutral/program/moves.h"
#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

/// What inputs hold: one code in all valid elements, one in each region; `unwritten` in padding that nothing computes.
struct Assignment {
  std::vector<std::vector<Code>> inputs;  // by node, then region; of others empty
  Code unwritten = 0;                     // a code of each type: its low bits
  bool operator==(const Assignment&) const = default;
};

/// What a slot holds: one code, up to which NaN it is; of a run on sets one of several codes; or it is not known.
struct Reach {
  std::optional<Code> code = {};
  CodeSet several = {};

  [[nodiscard]] bool is_known() const { return code || !several.empty(); }
  /// Of a NaN all of them. Example: f16 exp(1): [2 .. 4].
  [[nodiscard]] CodeSet codes(const Format& format) const;
  bool operator==(const Reach&) const = default;
};

/// What runs of a program share.
struct Runs {
  Runs(const Program& of, Index most) : program(of), boxes(of), steps(most) {}

  const Program& program;
  Boxes boxes;
  Images images = {};
  Index steps;  // how many boxes and terms may be computed; is counted down
};

class Execution {
 public:
  Execution(Runs& runs, const Assignment& assignment, bool with_padding, bool on_sets = false)
      : program_(runs.program),
        boxes_(runs.boxes),
        images_(runs.images),
        steps_(runs.steps),
        assignment_(assignment),
        with_padding_(with_padding),
        on_sets_(on_sets) {}

  /// Not known: a function's result is not one code (functions.h), and this run is not on sets; or an operation has no
  /// image; or there are no steps left.
  [[nodiscard]] Reach at(std::size_t node, const Point& index);

 private:
  struct Box {
    std::size_t node = 0;
    Index place = 0;  // of its first slot
    bool operator==(const Box&) const = default;
  };
  struct BoxHash {
    std::size_t operator()(const Box& box) const {
      return (box.node * 0x9E3779B97F4A7C15U) ^ static_cast<std::size_t>(box.place);
    }
  };
  // The terms of a reduction: where it is, and how far it has come.
  struct Fold {
    const Node& node;
    Question question;
    CodeSet unstated;  // what max, any and the like may read in more than one way
    std::vector<std::size_t> axes;
    Point left, right;  // of matmul as they are, but for K
    std::optional<Reach> sum = {};
  };
  using Operands = std::vector<Reach>;
  // Equal elements of a row, one after another.
  struct Part {
    Reach x;
    Index count = 0;
    bool pad = false;
  };

  [[nodiscard]] Reach reach_of(const Format& format, const CodeSet& set) const;
  [[nodiscard]] Reach computed(std::size_t at, const Point& index);
  [[nodiscard]] Reach cast(const Node& node, const Point& index);
  [[nodiscard]] Reach pointwise(const Node& node, const Point& index);
  [[nodiscard]] Reach image_of(Function function, const Format& format, values::MaxRule rule, const Operands& operands);
  [[nodiscard]] Reach converted(const Format& from, const Format& to, const Reach& reach);
  [[nodiscard]] Reach reduced(const Node& node, const Point& index);
  // Adds the terms of the axes from `level` on; false: one of them is not known.
  [[nodiscard]] bool add_terms(Fold& fold, std::size_t level);
  [[nodiscard]] Operands term_of(const Fold& fold);  // empty: not known
  [[nodiscard]] Reach next_of(const Fold& fold, const Operands& term);
  [[nodiscard]] Reach next_on_sets(const Fold& fold, const Operands& term);
  [[nodiscard]] Reach finished(const Fold& fold);
  [[nodiscard]] Reach rowed(std::size_t at, const Point& index);
  [[nodiscard]] std::vector<Part> parts_of(const Node& node, Point index, Index end);
  // By place, before they are rounded into the type; empty: not known.
  [[nodiscard]] std::vector<Reach> row_of_codes(const Node& node, const std::vector<Part>& parts) const;
  [[nodiscard]] std::vector<Reach> row_on_sets(const Node& node, const std::vector<Part>& parts);
  [[nodiscard]] Reach moved(const Node& node, const Point& index);

  const Program& program_;
  const Boxes& boxes_;
  Images& images_;
  Index& steps_;
  const Assignment& assignment_;
  bool with_padding_, on_sets_;
  std::unordered_map<Box, Reach, BoxHash> known_;
};

}  // namespace vl::neutral::program
