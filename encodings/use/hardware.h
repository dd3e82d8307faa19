// Hardware: how a chip's on-chip memory serves the lanes of one warp. Data, not code: the profiles are files
// (corpus/hardware/*.toml), which the command reads; here is only what they say.
//
// Memory is words of `bytes_per_bank` bytes, dealt to the banks in turn: bank of byte a = (a / bytes_per_bank) mod
// banks. An access of so many bytes per lane is served in *phases*, groups of lanes; lanes of different phases never
// conflict. A phase costs its *wavefronts*: the most different words that one bank has to give. Lanes that name the
// same word share it (broadcast), also when they name different bytes of it.
//
// Example, sm_90: 32 banks of 4 bytes, 32 lanes; up to 4 bytes per lane one phase of 32 lanes, 8 bytes two of 16, 16
// bytes four of 8.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::use {

struct Hardware {
  std::string name;  // "sm_90"
  Index banks = 32;  // a power of two is not required
  Index bytes_per_bank = 4;
  Index lanes = 32;  // of one warp or wave
  /// Bytes a lane -> the phases, each a list of lanes; every lane is in exactly one. Widths that are no key are not
  /// served in one instruction.
  std::map<Index, std::vector<std::vector<Index>>> phases;
  bool broadcasts = true;  // lanes that name one word share it; else each costs its own
  bool matrices = false;   // has ldmatrix and stmatrix

  bool operator==(const Hardware&) const = default;
};

}  // namespace vl::use
