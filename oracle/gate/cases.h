// Cases: the questions of a campaign. A case is a pure function of (family, operation, seed, number), written
// tirx/derive.slice@7:31415, and of kGenerator. Its layout is a subject of oracle/fuzz: right by construction, surely
// broken, or perhaps broken; most have at most 64 elements, one in eight up to 512, or what a campaign wants, and those
// of place.at up to 2^31, of which some are asked. Its request is all that a peer sees, and all that a judge needs: a
// case that was read from a request is the case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/map/tensor.h"
#include "encodings/use/family.h"
#include "oracle/gate/json.h"
#include "oracle/gate/operations.h"
#include "oracle/gate/pairs.h"

namespace vl::gate {

/// An argument as a claim's key has it.
struct CaseArgument {
  std::string key;
  std::string text;
};

struct Case {
  std::string family;
  const Operation* op = nullptr;
  std::string layout;
  map::Tensor tensor;
  std::vector<CaseArgument> arguments;
  std::vector<Point> slots;                // of back
  std::vector<Index> elements;             // of place.at: row-major numbers, ascending
  std::string data;                        // of image.pack the tensor's bytes, else those of the device image
  std::shared_ptr<const map::Layout> to;   // of image.move: the other image's layout
  JsonText request;                        // without parts
  std::shared_ptr<const map::Layout> map;  // of the layout
  std::string parts;                       // of the layout, if they are known; else empty
  std::string name;                        // "tirx/derive.slice@7:31415"; empty if it was read from a file
  std::string convention;                  // under which it was judged before; empty: not known
  Traits traits = 0;                       // of a case that was made; 0: not known

  [[nodiscard]] const map::Layout& of() const { return *map; }
};

/// The case of a request. Errors: Value for what is no request, with the reason; those of the family's reader.
[[nodiscard]] Result<Case> case_of(const Json& request);

/// The same without the arguments of its operation.
[[nodiscard]] Result<Case> known_of(const Json& request);
/// Of image.move: the layout to which a request moves. Errors: Value where it lacks, or has no image; those of the
/// family's reader.
[[nodiscard]] Result<std::shared_ptr<const map::Layout>> destination_of(const Case& known, const Json& request);

/// A case with the arguments of its operation, which are fields of an object; others of a request are not looked at.
/// Requires: `known` has all else. Errors: Value for arguments that the operation does not have, or that lack.
[[nodiscard]] Result<Case> with_arguments(Case known, const Json& arguments);

/// What a peer can be asked about.
struct CaseLimits {
  Index rank = 0, elements = 0;     // 0: none
  Index bits = 0;                   // of every number that arises, with its sign; 0: 64
  std::vector<std::string> dtypes;  // empty: any
  Index large = 512;                // elements of the largest cases, one in eight; others have at most 64
  bool parts = false;               // its requests have them, so a case is made with them
};

/// The case of that number. Nothing where the family has no such case: no subjects, no law of that operation.
[[nodiscard]] std::optional<Case> make_case(const use::Family& family, const Operation& op, std::uint64_t seed,
                                            std::uint64_t number, const CaseLimits& limits);

/// Whether a family's layouts can be asked that at all.
[[nodiscard]] bool applies(const Operation& op, const use::Family& family);

/// The request's text with a field "parts" beside each layout, where the family has them.
[[nodiscard]] std::string with_parts(const Case& of);

/// Bytes of one element, if they are whole; else 0.
[[nodiscard]] std::size_t unit_of(const map::Tensor& tensor);

/// Whether the layout has elements, and each of them, and of its replicas, has a slot.
[[nodiscard]] bool all_placed(const map::Layout& layout);

constexpr Index kMostElements = 512;  // of a generated case, where nothing else is said
constexpr Index kMostSlots = 4096;    // of an image

}  // namespace vl::gate
