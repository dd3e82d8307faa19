# isl as an imported target, isl::isl. Debian's package has no CMake files of its own.
find_path(vl_isl_include isl/ctx.h REQUIRED)
find_library(vl_isl_library isl REQUIRED)
add_library(isl::isl UNKNOWN IMPORTED)
set_target_properties(isl::isl PROPERTIES IMPORTED_LOCATION "${vl_isl_library}"
                                          INTERFACE_INCLUDE_DIRECTORIES "${vl_isl_include}")
