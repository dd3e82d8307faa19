// Stated: the tensor of a layout, as the texts say it. --tensor, or a key `tensor`, wins; else it is the one that the
// text of the layout states, or the text around it; and only where none is stated and the layout alone has a size is it
// assumed: elements of 8 bits, as many as the layout has. Nothing is claimed that needs more of an assumed tensor, and
// a stated tensor that its layout cannot be of refutes well-formed.
//
// Example: in alloc_buffer((64, 64), "float16", layout=S[(128, 64):(64, 1)]) the tensor is f16[64,64] of 4096 elements,
// and the layout has 8192: well-formed is refuted, and every other claim is unsupported.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/session/scan.h"

namespace vl::session {

inline constexpr std::string_view kNoTensor = "the text states no tensor for it, and no --tensor is given";

/// Gives a request without a tensor the one that its layout's text states, as if the text had been found in a file: the
/// layout's own, or the arguments of the call in which it stands, FixedTiledLayout(…, device_layout=…); of that call
/// the layout is kept. Or the one that is assumed. Else the reason why it has none.
[[nodiscard]] std::optional<std::string> state_tensor(CaseRequest& request);

/// A request with a tensor whose layout's text is such a call, with the layout alone, and what the call says of the
/// tensor as `stated_tensor`, if that is another one. Nothing for other texts.
[[nodiscard]] std::optional<CaseRequest> out_of_call(const CaseRequest& request);

/// Whether two texts say the same type and shape.
[[nodiscard]] bool is_same_tensor(std::string_view a, std::string_view b);

/// Why a layout cannot be one of its tensor. The fields are those of well-formed's counterexample: have (the layout's
/// elements), want (the tensor's); none where the two differ otherwise.
struct Contradiction {
  std::string words;  // "the tensor f16[64,64] has 4096 elements, and the layout has 8192"
  std::vector<std::pair<std::string, question::Counterexample::Value>> fields;
};

/// Of a layout that cannot be read for its tensor, where that is no error of the input: the tensor is stated, or the
/// layout was found in a text.
[[nodiscard]] std::optional<Contradiction> contradiction_of(const CaseRequest& request);

/// The same of a case about all sizes that was judged: no sizes satisfy the layout's own conditions.
[[nodiscard]] std::optional<Contradiction> contradiction_of(const CaseRequest& request, const question::Case& judged);

/// The answers to such a request: well-formed is refuted, and every other claim is unsupported.
[[nodiscard]] question::Case contradicted(const CaseRequest& request, const Contradiction& why);

/// Why a claim is unsupported of an assumed tensor; nothing where it needs no more than the layout.
[[nodiscard]] std::optional<std::string> needs_known_tensor(const claims::Claim& claim, const CaseRequest& request);

}  // namespace vl::session
