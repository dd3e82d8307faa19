// Drawn: a subject of a family with its map, from which a case is made, and the arguments that go with it.
#pragma once

#include "oracle/fuzz/subject.h"
#include "oracle/gate/cases.h"

namespace vl::gate {

using oracle::Random;
using oracle::Subject;

struct Drawn {
  Subject subject;
  map::Layout layout;
  std::uint64_t number = 0;  // of the case
};

[[nodiscard]] Index volume_of(const map::Tensor& tensor);
/// A subject of at most `most` elements within the limits. `kind`: campaign.h's.
[[nodiscard]] std::optional<Drawn> draw(const use::Family& family, Random& random, unsigned kind, Index most,
                                        const CaseLimits& limits);
/// The subjects of the cases of `place`, as make_case() draws them: at once, and without their maps.
class PlaceSubjects {
 public:
  /// Whether the cases of an operation can be drawn in this way: places as digits are known, and nothing but the number
  /// of elements is limited.
  [[nodiscard]] static bool has(const use::Family& family, const Operation& op, const CaseLimits& limits);
  /// Requires: has(family, op, limits).
  PlaceSubjects(const use::Family& family, const Operation& op, std::uint64_t seed, const CaseLimits& limits);

  /// Makes `out` the subject of that number; its memory is used again. False: there is no such case.
  bool draw(std::uint64_t number, Subject& out) const;

 private:
  const use::Family* family_;
  const Operation* op_;
  std::uint64_t seed_, stream_;
  CaseLimits limits_;
};

/// Adds the fields of an operation's arguments to a request; a second layout may take the first one's place. False:
/// there are none for this subject.
[[nodiscard]] bool add_arguments(const use::Family& family, const Operation& op, Random& random, Drawn& drawn,
                                 Json& request);

/// Whether the operand's places are numbers of the layout, of operations on functions of numbers (`compose`, `divide`),
/// as it is of every case that is drawn: a document says nothing of others. True for other operations, and where the
/// operand is too large to look at.
[[nodiscard]] bool operand_is_inside(const Case& of);

}  // namespace vl::gate
