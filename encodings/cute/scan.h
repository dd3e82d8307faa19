// The family's part of a scan: which texts are layouts.
//
//   (4,(2,2)):(1,(4,8))     a shape and a stride that nest alike, in brackets; what a pointer in front says is left out
//   Sw<3,4,3> o 0 o …       with whatever follows up to the stride
//   Layout<Shape<…>>, Layout((4,2),(1,4)), make_layout(…), ComposedLayout<…>, composition(…)   of numbers, and of names
//                           that are integers (rule_text.h): in make_layout(shape, stride) they may be anything
//
// 8:2 and (8):(2) in a longer text may be anything, and so may a pair of tuples in a dictionary, {(1,2):(3,4)}: none of
// these is found.
// The tensor is assumed: it has the sizes of the layout's modes, and elements of 8 bits, since no text says their type.
#pragma once

#include "encodings/use/scan.h"

namespace vl::cute {

extern const use::Scan kScan;

}  // namespace vl::cute
