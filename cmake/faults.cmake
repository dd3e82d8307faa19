# vl_faulty_oracle: the parts of the oracle that can have a fault of oracle/plan/faults.h, compiled with all of them, as
# objects: a program that links them links nothing of the libraries that they replace. tests/faults plants the faults, at
# run time, one at a time. No released program has them.
add_library(vl_faulty_oracle INTERFACE)
target_compile_definitions(vl_faulty_oracle INTERFACE VL_FAULTS)
foreach(part plan kernels executor reference)
  get_target_property(sources vl_oracle_${part} SOURCES)
  add_library(vl_faulty_${part} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_definitions(vl_faulty_${part} PRIVATE VL_FAULTS)
  target_compile_options(vl_faulty_${part} PRIVATE -O1)
  target_link_libraries(vl_faulty_${part} PRIVATE vl_use)
  target_link_libraries(vl_faulty_oracle INTERFACE vl_faulty_${part} $<TARGET_OBJECTS:vl_faulty_${part}>)
endforeach()

# vl_faulty_rules: verifier/neutral with copies of the sources that have the faults of tests/neutral/faults.cmake, as
# objects as well. Their texts are planted here, because what is trusted should not have words for tests in it.
set(list "${CMAKE_SOURCE_DIR}/tests/neutral/faults.cmake")
set(folder "${CMAKE_SOURCE_DIR}/verifier/neutral/program")
set(planted "${CMAKE_BINARY_DIR}/planted")
set(rules differences.cpp judge_cases.cpp row_factors.cpp row_table_rows.cpp row_tables.cpp)
list(TRANSFORM rules PREPEND "${folder}/" OUTPUT_VARIABLE originals)
list(TRANSFORM rules PREPEND "${planted}/" OUTPUT_VARIABLE copies)
add_custom_command(OUTPUT ${copies} "${planted}/faults.inc"
  COMMAND "${CMAKE_COMMAND}" -D "LIST=${list}" -D "FROM=${folder}" -D "TO=${planted}"
          -P "${CMAKE_SOURCE_DIR}/cmake/plant.cmake"
  DEPENDS ${originals} "${list}" "${CMAKE_SOURCE_DIR}/cmake/plant.cmake" VERBATIM)
get_target_property(sources vl_neutral SOURCES)
list(REMOVE_ITEM sources ${originals})
add_library(vl_faulty_rules OBJECT EXCLUDE_FROM_ALL ${sources} ${copies})
target_compile_options(vl_faulty_rules PRIVATE -O1)
target_link_libraries(vl_faulty_rules PUBLIC vl_values vl_values_kernel)
target_include_directories(vl_faulty_rules PUBLIC "${CMAKE_SOURCE_DIR}" INTERFACE "${planted}")
target_precompile_headers(vl_faulty_rules REUSE_FROM vl_library_pch)
