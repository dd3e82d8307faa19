// Placing: the cheapest masks with which a program is proved.
//
// A place is the result of an operation as all of its readers see it, or, where there are several, as one of them does.
// A mask gives one region of a place one value, of a fixed list: 0, -0, 1, and the infinities or largest numbers. A set
// of masks costs the slots that they write; of equally many, the number of (place, value) pairs, each of which is one
// operation of the program that is printed.
//
// The search is exact where it ends within its budget: it tries sets in the order of what they cost at least, and adds
// to a set each candidate of one need (needs.h), one of which every larger set that is enough has. A set with a mask
// that keeps nothing from any line is not cheapest, and is left out. Where the budget ends, and of programs with more
// than 20 operands, masks are chosen line by line, of what the line that fails reads itself.
// Whatever is found is proved by Judge::answer before anybody sees it.
//
// Example: of program.h, masking either a or b behind K with 0 is enough, as the other one holds ones: 992 slots each.
#pragma once

#include "verifier/neutral/program/needs.h"

namespace vl::neutral::program {

struct Cost {
  Index slots = 0;
  Index operations = 0;
  auto operator<=>(const Cost&) const = default;  // NOLINT(modernize-use-nullptr): a zero of the library
};

struct Placing {
  std::vector<Mask> masks;
  Cost cost;
  bool cheapest = false;  // none with which each line is neutral costs less; false: not known
  std::size_t edges = 0;  // operands that the search looked at
};

/// The masks; of a program that is proved as it is, none. Nothing: no masks were found.
[[nodiscard]] std::optional<Placing> place_masks(const Program& program, Judge& judge);

[[nodiscard]] Cost cost_of(const Program& program, const std::vector<Mask>& masks);

/// A value as a mask's line has it: "0", "-inf", "bits:0xfffe".
[[nodiscard]] std::string value_in_words(const Format& format, Code value);

/// The program with the masks as operations of their own: a text that parse_program reads.
[[nodiscard]] std::string text_with(const Program& program, const std::vector<Mask>& masks);

}  // namespace vl::neutral::program
