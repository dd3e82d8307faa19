// Case files of mismatches: a corpus case (the schema of corpus/README.md) with what it takes to run the tensor again.
// The verdict that the file expects is that of looking at every element, not of any engine.
#pragma once

#include "oracle/fuzz/shrink.h"

namespace vl::oracle {

/// The tensor number `index` of a campaign with its layout. Its mismatch is empty.
[[nodiscard]] Trouble trouble_at(std::string_view family, std::uint64_t seed, std::uint64_t index);

/// A subject from texts: the layout's as text_of() prints it. Errors: those of the family's reader.
[[nodiscard]] Result<Subject> subject_of_text(std::string_view family, std::string_view layout,
                                              const map::Tensor& tensor);

/// "plan-3f09ac41.toml" under the family's name: two troubles that say the same have the same name.
[[nodiscard]] std::string case_file_name(const Trouble& trouble);
[[nodiscard]] std::string case_text(const Trouble& trouble, std::uint64_t seed);
/// What is equal in two troubles that are one.
[[nodiscard]] std::string structure_of(const Trouble& trouble);

}  // namespace vl::oracle
