# The packages of the explorer, under the names of the native build: headers alone, from a folder that has nothing else
# of /usr/include, and the stand-ins of library/. isl, CaDiCaL, Z3, CLI11 and libmd are names without anything behind
# them.
set(headers "${CMAKE_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${headers}")
foreach(header IN ITEMS fmt/format.h nlohmann/json.hpp toml++/toml.h)
  cmake_path(GET header PARENT_PATH package)
  find_path(found_${package} "${header}" PATHS /usr/include /usr/local/include NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK "${found_${package}}/${package}" "${headers}/${package}" SYMBOLIC)
endforeach()
add_library(vl_packages INTERFACE)
target_include_directories(vl_packages SYSTEM INTERFACE "${headers}" "${CMAKE_SOURCE_DIR}/oracle/explorer/library")
target_compile_definitions(vl_packages INTERFACE FMT_HEADER_ONLY)
foreach(name IN ITEMS fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus pugixml::pugixml z3::z3 isl::isl
                      CLI11::CLI11 vl_cadical md)
  add_library(${name} ALIAS vl_packages)
endforeach()
add_compile_options(-fwasm-exceptions "SHELL:-include ${CMAKE_SOURCE_DIR}/oracle/explorer/library/missing.h")

# vl_replace_left_out(LIST): the files that see a solver or start processes, by those of stubs/ with their names.
function(vl_replace_left_out list)
  set(replaced "${${list}}")
  foreach(file IN ITEMS encodings/base/child.cpp encodings/smt/solver.cpp verifier/engines/solvers/integer_sets.cpp
                        verifier/engines/solvers/cadical.cpp)
    cmake_path(GET file FILENAME name)
    list(TRANSFORM replaced REPLACE "^${CMAKE_SOURCE_DIR}/${file}$" "${CMAKE_SOURCE_DIR}/oracle/explorer/stubs/${name}")
  endforeach()
  set(${list} "${replaced}" PARENT_SCOPE)
endfunction()
