// Reading: from texts to layouts by the families alone. It asks no claim and no engine, so the shared library, which
// has no solver, reads like the command. What a text derives (use::Reading::derived) is not proved here: read_tensor
// (judge.h) does that; whoever reads without it must refuse such texts.
#pragma once

#include <array>
#include <variant>

#include "encodings/use/family.h"
#include "verifier/session/cases.h"

namespace vl::session {

/// A layout that was read, with the tensor it was read for.
struct TensorReading {
  map::Tensor tensor;
  use::Reading reading;
};

/// What is wrong, and in which of the texts.
struct TextError {
  SourceText text;
  Error error;

  [[nodiscard]] Diagnostic diagnose() const { return text.diagnose(error); }
};

/// Reads a layout for a tensor, by the family of that name; `forced` empty: by the text.
[[nodiscard]] std::variant<use::Reading, TextError> read_unproved(const SourceText& text, std::string_view forced,
                                                                  const map::Tensor& tensor);

/// Reads the tensor and its box, then finds the family and reads the layout.
[[nodiscard]] std::variant<TensorReading, TextError> read_unproved(const CaseRequest& request);

/// The two layouts of a move, as requests: `request` with the layouts `from` and `to`, each with the box only if it has
/// named axes, since the box may be the other one's. Error: neither has.
[[nodiscard]] std::variant<std::array<CaseRequest, 2>, TextError> two_sides(const CaseRequest& request,
                                                                            const SourceText& from,
                                                                            const SourceText& to);

}  // namespace vl::session
