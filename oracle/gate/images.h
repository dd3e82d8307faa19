// Images: operations on bytes. An image has one element a slot of the layout's physical box, row-major, and the tensor
// one a point of its shape. Every element has a slot, and no two share one; whatever else an image holds is padding.
//
// Example: S[2:2] of the u8 tensor "ab" has the image "a?b".
#pragma once

#include <functional>
#include <string>

#include "oracle/gate/judge.h"

namespace vl::gate {

/// Whether every element, and each of its replicas, has a slot of its own.
[[nodiscard]] bool has_image(const map::Layout& layout);
/// Whether it has more points, or more slots, than any case has: kMostSlots.
[[nodiscard]] bool is_too_large(const map::Layout& layout);
/// {"axes":["m"],"extents":[3]}: what a peer needs to see of an image.
[[nodiscard]] Json image_of(const map::Layout& layout);
/// The bytes that an operation starts from, of elements of `unit` bytes: byte() for each of the tensor (image.pack), or
/// of the device image, in which the replicas of an element agree. Nothing if an element has no slot.
[[nodiscard]] std::optional<std::string> bytes_for(const Operation& op, const map::Layout& layout, std::size_t unit,
                                                   const std::function<char()>& byte);
/// Sets the images and the data of a request for the layouts that it has: bytes 1, 2, 3, … False: it has none.
[[nodiscard]] bool refit_images(Json& request);
/// image.pack: {"data": base64} of the device image. image.unpack: of the tensor. image.move: of the image of `to`.
/// Compared byte by byte; padding is not looked at.
[[nodiscard]] Judgement judge_image(const Case& of, const Json& answer);
/// The same of the bytes themselves.
[[nodiscard]] Judgement judge_bytes(const Case& of, std::string_view said);

}  // namespace vl::gate
