# Flags for all of our own code. Warnings are errors on both compilers; third-party headers are SYSTEM and stay
# silent. The optimisation level belongs to the preset, the meaning of the code never does: VL_CHECK is on in
# every build. -Wpedantic is left out: it refuses __int128, which both compilers have.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror)
# One compile for programs and for the shared library. As nothing of ours is visible outside of it, this is what the
# compilers make by default, executables that can lie anywhere.
add_compile_options(-fPIC -fvisibility=hidden)
# Messages of VL_CHECK name files from the root of the sources, whatever the machine.
add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
add_compile_definitions(VL_VERSION="${PROJECT_VERSION}")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12.2 threads jumps wrongly at -O1: a loop over bits `if (t >= 0 && t < n) set = set != (...)` lost its result
  # in a test helper of ours, where -O0, -O2 and clang agree. No build of ours takes part in that.
  add_compile_options(-fno-thread-jumps)
  # The heap grows to half a GB before the compiler looks for garbage, which was 5 to 12 % of its time.
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
  # Warnings of the optimiser that also name correct uses of std::string and std::variant, from inside the library:
  # the bounds ones at -O2, the uninitialized one without jump threading. The asan preset finds the real ones.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-maybe-uninitialized)
endif()

if(VL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "VL_FUZZ needs clang (libFuzzer): use ./dev build fuzz")
  endif()
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined)
elseif(VL_SANITIZE)
  # Four checks of "undefined" are left out; with GCC they are a third of the compiling. Two say what "address" says
  # by itself: an access through a null pointer, one past its object. Two need what our code has not: a cast to a wider
  # type (alignment), a virtual function (vptr). The fuzz preset keeps all of them.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment,vptr)
endif()
if(sanitizers)
  add_compile_options(${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(${sanitizers})
endif()

# Planted at run time, one at a time, by tests/faults alone. No program that is handed out has them.
if(VL_FAULTS)
  add_compile_definitions(VL_FAULTS)
endif()

if(VL_TIDY)
  find_program(VL_CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${VL_CLANG_TIDY};--quiet")
endif()
