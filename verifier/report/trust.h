// Trust: which code a proof that is checked rests on. The table is verifier/trusted.txt, with the lines of the sources
// counted when the program is built (cmake/count_trusted.cmake); what a proof used of it was noted while its
// certificate was checked (question::RestsOn). Example: that f16[5,100,150] is injective rests on the cells and the
// differences of the kernel, and not on its sweep.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/question/record.h"

namespace vl::report {

/// Which proofs rest on a part: those whose check has entered it, or all (Check); all (Text); those about values
/// (Values), or about programs of operations (Programs); those about a text of its families (Family); none (Beside).
enum class Trusted { Check, Text, Values, Programs, Family, Beside };

struct TrustedPart {
  Trusted kind;
  std::string_view name;  // of Family the families, with a blank between two
  std::string_view why;
  Index lines;  // with comments and blank lines
  Index code;   // without
  bool always;  // of Check: no file of it says that it is entered
  std::span<const std::string_view> files;
};

/// Every source of verifier/ and encodings/ is in one part, but for the references of families.
[[nodiscard]] std::span<const TrustedPart> trusted_parts();

/// The parts that such a proof rests on. Requires: its files and families are of the table.
[[nodiscard]] std::vector<const TrustedPart*> parts_of(const question::RestsOn& proof);

/// How many proofs there are, how many rest on each part, by its name, and how many on the word of an engine alone.
struct Rests {
  Index proofs = 0;
  std::map<std::string_view, Index> parts = {};
  Index trusted = 0;
};
void count(const question::Answer& answer, Rests& rests);

/// What a proof rests on, a line a part, and their sum. Empty for what is no proof.
[[nodiscard]] std::string trust_to_text(const question::Answer& answer);
/// The table of all proofs, as Markdown: parts that some proof rests on, and then what none does.
[[nodiscard]] std::string to_text(const Rests& rests);

}  // namespace vl::report
