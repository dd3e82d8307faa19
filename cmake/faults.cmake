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
