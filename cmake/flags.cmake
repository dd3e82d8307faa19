# Flags for all of our own code. Warnings are errors where tests are built and with the GCC of Debian 12, which ./dev
# installs; another compiler of a user may have others, and only prints them. Third-party headers are SYSTEM and give none. A preset sets the
# optimisation level and never the meaning of the code: VL_CHECK is on in every build.
# -Wpedantic is left out: it refuses __int128, which both compilers have.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion)
if(VL_TESTS OR VL_FUZZ OR VL_TIDY OR (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION STREQUAL "12.2.0"))
  add_compile_options(-Werror)
endif()
# Each file is compiled once, for the programs and for the shared library. Hidden visibility gives the same code as the
# compilers' default for position-independent executables.
add_compile_options(-fvisibility=hidden)
if(NOT EMSCRIPTEN)
  add_compile_options(-fPIC)
endif()
# Messages of VL_CHECK name files relative to the root of the sources, on every machine.
add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
add_compile_definitions(VL_VERSION="${PROJECT_VERSION}")

# What is released checks the sizes of buffers in calls of the C library, and its tables of addresses are read-only once
# it is loaded. Ubuntu's compilers define _FORTIFY_SOURCE themselves.
if(NOT EMSCRIPTEN)
  add_compile_options("$<$<CONFIG:RelWithDebInfo,Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  add_link_options("$<$<CONFIG:RelWithDebInfo,Release>:LINKER:-z,relro,-z,now>")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12.2 threads jumps wrongly at -O1: a loop over bits `if (t >= 0 && t < n) set = set != (...)` lost its result
  # in one of our test helpers, where -O0, -O2 and clang agree. So jump threading is off in every build.
  add_compile_options(-fno-thread-jumps)
  # The compiler's heap grows to 1.5 GB before it collects garbage, which took 5 to 12 % of its time.
  add_compile_options("SHELL:--param ggc-min-heapsize=1572864")
  # These warnings of the optimiser also name correct uses of std::string and std::variant, inside the library: those
  # about bounds at -O2, the one about uninitialized values without jump threading. The asan preset finds real errors.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-maybe-uninitialized)
endif()

if(VL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "VL_FUZZ needs clang (libFuzzer): use ./dev build fuzz")
  endif()
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined)
elseif(VL_SANITIZE)
  # Five checks of "undefined" are left out, which took a third of the compile time with GCC. Of three, "address" finds
  # what matters: an access through a null pointer, one past its object, and the use of a pointer that wraps around, though
  # not the arithmetic alone. Two are about things that our code does not have: a cast to a type of stricter alignment,
  # and a virtual function (vptr). The fuzz preset keeps all of them.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow,alignment,vptr)
endif()
if(sanitizers)
  add_compile_options(${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # A sanitized program that can be loaded anywhere has 800,000 places to relocate, half of the time of its start.
  add_link_options(${sanitizers} "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_definitions(__SANITIZE_ADDRESS__) # GCC's name for it
  endif()
endif()

if(VL_TIDY)
  find_program(VL_CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${VL_CLANG_TIDY};--quiet")
endif()
