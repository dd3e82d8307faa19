// Case files of mismatches: a corpus case (the schema of corpus/README.md) with the data to run the tensor again. The
// expected verdict comes from a look at every element, not from an engine.
#pragma once

#include "oracle/fuzz/shrink.h"

namespace vl::oracle {

/// The tensor number `index` of a campaign with its layout. Its mismatch is empty.
[[nodiscard]] Trouble trouble_at(std::string_view family, std::uint64_t seed, std::uint64_t index);

/// A subject from texts: the layout's as text_of() prints it. Errors: those of the family's reader.
[[nodiscard]] Result<Subject> subject_of_text(std::string_view family, std::string_view layout,
                                              const map::Tensor& tensor);

/// "plan-3f09ac41.toml" under the family's name. Equal troubles have the same name.
[[nodiscard]] std::string case_file_name(const Trouble& trouble);
[[nodiscard]] std::string case_text(const Trouble& trouble, std::uint64_t seed);
/// The parts of a trouble by which two troubles count as one.
[[nodiscard]] std::string structure_of(const Trouble& trouble);

}  // namespace vl::oracle
