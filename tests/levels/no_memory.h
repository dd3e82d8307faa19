// A machine that has no memory of a certain size: what is out of memory can be tested without using it up.
#pragma once

#include <cstddef>

namespace vl::test {

/// From here on every `new` of exactly this many bytes throws std::bad_alloc in this thread; 0 for none.
void refuse_memory_of(std::size_t bytes);

}  // namespace vl::test
