#include "tests/levels/no_memory.h"

#include <cstdlib>
#include <new>

static thread_local std::size_t the_refused_size = 0;

void vl::test::refuse_memory_of(std::size_t bytes) { the_refused_size = bytes; }

void* operator new(std::size_t size) {
  void* const memory = size == the_refused_size && size > 0 ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
