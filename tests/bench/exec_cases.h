// The layouts on which the executor is measured, each as a text of its family, and the same work as loop nests written
// by hand. A naive loop over these nests gives the expected bytes, and peers receive them.
#pragma once

#include <string>
#include <vector>

#include "encodings/use/transfer.h"

namespace vl::bench {

enum class What : std::uint8_t { Pack, Unpack, Move };

struct ExecCase {
  std::string name;  // <work>/<type>/…/<size>, the size being that of what is written
  What what = What::Pack;
  std::string tensor;  // "f16[5,65536,150]"
  std::string layout;  // on the device; of a Move what is read
  std::string to;      // of a Move what is written
  Index unit = 1;      // bytes
  Index source = 0;    // units of the two memories
  Index destination = 0;
  std::vector<use::Nest> moves;  // in units, loops in the order of the destination
  std::vector<use::Nest> gaps;   // of the destination: only their extents and destinations are meant
  std::string expression = {};   // of numpy, over the source x, where the moves are more than one transpose
};

/// Every case, whose names are all different.
[[nodiscard]] const std::vector<ExecCase>& exec_cases();
/// The case of that name. Requires: there is one.
[[nodiscard]] const ExecCase& exec_case(const std::string& name);

/// f16[2,8,columns] in sticks of 64: 2 KiB on the device for 2 x 8 rows of at most 64.
[[nodiscard]] ExecCase small_pack(Index columns);
/// f16[5,1024,128] in sticks of 64, which fill the image.
[[nodiscard]] ExecCase whole_sticks();

/// 125829120 -> "120MiB", 1966080 -> "1.9MiB", 65536 -> "64KiB".
[[nodiscard]] std::string size_name(Index bytes);

}  // namespace vl::bench
