// View: memory of a device seen as another tensor. No data moves: a slot of the result is read from the slot of the
// source that a map gives,
//   reads     slot s of the result -> slot m(s) of the source
// A slot is a core and a cell of its shard, a tile or an element, each coordinate by itself: past the end of a core's
// shard there is no slot, although the next core's begins there in the array of all shards.
//
// Where both sides have a layout, the elements tell what is seen:
//   elements  element x of the result -> element y of the source whose place is read for x
// It goes to the source's place and back by the source's way back; `places` is where x is read, `again` the place of y.
// They are the same unless what is read is padding that decodes to an element which lies elsewhere.
//
// Example: tensor<1x1x64x50xf32> seen as 64x64 by the identity: element [0,50] is read from slot [0,0,0,50], which is
// padding of the source.
#pragma once

#include "encodings/map/layout.h"

namespace vl::use {

struct View {
  map::Layout reads;  // its box is the source's slots
  struct Elements {
    map::Layout elements;  // its box is the source's tensor
    map::Layout places;    // into the array of all shards of the source, with guards for cells past a shard
    map::Layout again;
    map::Layout slots;  // places of the array of all shards of the result -> those of the source, with such guards
  };
  std::optional<Elements> elements = std::nullopt;
  std::string no_elements = {};  // why they are not known
};

}  // namespace vl::use
