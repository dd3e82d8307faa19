# Z3 as an imported target, z3::z3. It comes unpacked from its wheel (include/, lib/, bin/z3), because Debian's Z3
# is older and wrong on uninterpreted functions over floats. The wheel has no CMake files of its own.
# VL_Z3_ROOT names the folder, by default the one where ./dev puts Z3; the system's Z3 is never used silently. A build of
# the Python wheel takes the pinned z3-solver that pip installs for it (pyproject.toml), where there is no build/z3.
set(VL_Z3_ROOT "" CACHE PATH "Folder with include/z3++.h and lib/libz3.so (empty: build/z3)")
set(vl_z3_root "${VL_Z3_ROOT}")
if(NOT vl_z3_root)
  set(vl_z3_root "${CMAKE_SOURCE_DIR}/build/z3")
  if(SKBUILD AND NOT EXISTS "${vl_z3_root}/lib/libz3.so")
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "import os, z3; print(os.path.dirname(z3.__file__))"
                    OUTPUT_VARIABLE vl_z3_root OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()

set(vl_z3_library "${vl_z3_root}/lib/libz3.so")
if(NOT EXISTS "${vl_z3_library}" OR NOT EXISTS "${vl_z3_root}/include/z3++.h")
  message(FATAL_ERROR "No Z3 in ${vl_z3_root}: run ./dev build, which fetches it, or set VL_Z3_ROOT to a folder "
                      "that has include/z3++.h and lib/libz3.so.")
endif()

# CMake knows the full path and writes lib/ into the run path of every binary of the build tree.
add_library(z3::z3 SHARED IMPORTED)
set_target_properties(z3::z3 PROPERTIES IMPORTED_LOCATION "${vl_z3_library}"
                                        INTERFACE_INCLUDE_DIRECTORIES "${vl_z3_root}/include")
