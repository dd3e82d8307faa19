// The subcommands that only print tables: families, claims, --version.
#include <fmt/format.h>

#include <cstdio>

#include "encodings/smt/solver.h"
#include "encodings/use/family.h"
#include "verifier/claims/claim.h"
#include "verifier/cli/commands.h"

namespace vl::cli {

int run_list_families() {
  for (const use::Family* family : use::families())
    fmt::print("{}\n{}\n  default claims: {}\n", family->name, family->forms, fmt::join(family->default_claims, " "));
  return 0;
}

int run_list_claims() {
  for (const claims::Claim& claim : claims::claims())
    fmt::print("{:<16} {}\n{:<16} counterexample: {}\n", claim.name, claim.statement, "",
               claim.witness.empty() ? "none, the answer is a number" : claim.witness);
  fmt::print(
      "\na, b: logical coordinates; physical: a slot (in-bounds: where the slot would be); other: the slot in the "
      "second layout\n"
      "core, other_core: cores, counted from 0; span, limit: the bytes that a core reaches over, and the most that it "
      "may reach over\n"
      "nest, iteration: a move of the nests, outermost loop first; host, device: its offsets, in elements "
      "(between devices: from, to); times: how often an element's place is written\n"
      "replica, other_replica: numbers of an element's replicas; back, number: the number to which the inverse maps "
      "the "
      "place, and the element's row-major number; base: the start of a buffer, in bytes; absolute: the place by a "
      "swizzle of absolute addresses\n"
      "instance: the access's free variables; lane, other_lane: two lanes of one phase, at the elements a and b; "
      "bank, word, other_word: the words that they need in one bank; address, other_address: in bytes\n"
      "of results as functions of numbers (compose, …) a is a number; value, size: what a layout is asked for, and how "
      "many numbers it has; pair, other_pair: numbers of a complement and of its layout\n"
      "operand: its number, inputs before results; have, want of a stick: an operation dimension, -1 for none\n");
  return 0;
}

int run_version() {
  fmt::print("verify-layout {} (z3 {})\n", VL_VERSION, smt::z3_version());
  return 0;
}

}  // namespace vl::cli
