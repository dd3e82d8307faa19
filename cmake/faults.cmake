# vl_faulty_oracle: the parts of the oracle that can have a fault of oracle/plan/faults.h, compiled with all of them.
# tests/faults plants them, at run time, one at a time. No released program has them.
set(sources)
foreach(part plan kernels executor reference)
  get_target_property(found vl_oracle_${part} SOURCES)
  list(APPEND sources ${found})
endforeach()
add_library(vl_faulty_oracle OBJECT EXCLUDE_FROM_ALL ${sources})
target_compile_definitions(vl_faulty_oracle PUBLIC VL_FAULTS)
target_compile_options(vl_faulty_oracle PRIVATE -O1 -g0)
target_link_libraries(vl_faulty_oracle PUBLIC vl_use)
