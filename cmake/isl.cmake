# isl as an imported target, isl::isl. Debian's package has no CMake files of its own.
find_path(vl_isl_include isl/ctx.h REQUIRED)
find_library(vl_isl_library isl REQUIRED)
add_library(isl::isl UNKNOWN IMPORTED)
set_target_properties(isl::isl PROPERTIES IMPORTED_LOCATION "${vl_isl_library}"
                                          INTERFACE_INCLUDE_DIRECTORIES "${vl_isl_include}")
# isl needs GMP. A program that names it itself finds it by its own run path (install.cmake); Ubuntu's linker would drop
# a library that no code of ours calls.
find_library(vl_gmp_library gmp)
if(vl_gmp_library AND NOT APPLE)
  set_target_properties(isl::isl PROPERTIES INTERFACE_LINK_LIBRARIES
    "-Wl,--push-state,--no-as-needed;${vl_gmp_library};-Wl,--pop-state")
endif()
