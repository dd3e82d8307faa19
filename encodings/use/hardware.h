// Hardware: how a chip's on-chip memory serves the lanes of one warp. This is data: the profiles are files
// (corpus/hardware/*.toml), and this header has their fields.
//
// Memory consists of words of `bytes_per_bank` bytes, which take the banks in turn: byte a lies in bank
// (a / bytes_per_bank) mod banks. An access with a given number of bytes per lane is served in *phases*, which are
// groups of lanes; lanes of different phases never conflict. A phase costs its *wavefronts*: the largest number of
// different words that one bank has to give. Lanes that name the same word share it (broadcast), also if they name
// different bytes of it.
//
// Some chips serve a *load* in fewer phases where lanes agree in pairs: if for one distance d every two active lanes l
// and l xor d name the same byte, the phases 2i and 2i+1 are one.
//
// Example, sm_90: 32 banks of 4 bytes, 32 lanes; up to 4 bytes per lane one phase of 32 lanes, 8 bytes two of 16, 16
// bytes four of 8. A load of 16 bytes with lanes 2i and 2i+1 at the same byte takes two phases of 16.
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
  /// Bytes per lane -> the phases, each a list of lanes; every lane is in exactly one phase. A width that is not a key
  /// is not served in one instruction.
  std::map<Index, std::vector<std::vector<Index>>> phases;
  bool broadcasts = true;  // lanes that name one word share it; else each lane counts separately
  bool matrices = false;   // has ldmatrix and stmatrix
  /// The distances d of pairs; none: loads cost what stores cost. Powers of two below `lanes`; lanes l and l xor d are
  /// in one phase, and the phases of each width are one, or even in number.
  std::vector<Index> load_pairs;

  bool operator==(const Hardware&) const = default;
};

}  // namespace vl::use
