# The table of what proofs rest on, as a source: verifier/trusted.txt with the lines of its files, counted again where one
# of them changes.
file(GLOB_RECURSE counted CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/verifier/*.h" "${CMAKE_SOURCE_DIR}/verifier/*.cpp"
     "${CMAKE_SOURCE_DIR}/encodings/*.h" "${CMAKE_SOURCE_DIR}/encodings/*.cpp")
set(made "${CMAKE_BINARY_DIR}/generated/trusted_parts.cpp")
add_custom_command(OUTPUT "${made}" VERBATIM
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DOUT=${made}"
          -P "${CMAKE_SOURCE_DIR}/cmake/count_trusted.cmake"
  DEPENDS ${counted} "${CMAKE_SOURCE_DIR}/verifier/trusted.txt" "${CMAKE_SOURCE_DIR}/cmake/count_trusted.cmake")
target_sources(vl_report PRIVATE "${made}")
