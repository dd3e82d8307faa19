# vl_traced: the code on which proofs rest, compiled so that it tells which functions it enters, as objects: a program that
# links them links nothing of the libraries that they replace. tests/trust holds the table of trusted code against it.
add_library(vl_traced INTERFACE)
foreach(part kernel checker rup values_kernel)
  get_target_property(sources vl_${part} SOURCES)
  add_library(vl_traced_${part} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_options(vl_traced_${part} PRIVATE -Og -g1 -finstrument-functions
    -finstrument-functions-exclude-file-list=/usr/,core/wide.h,core/work.h,core/entered.h)
  target_link_libraries(vl_traced_${part} PRIVATE vl_${part})
  target_link_libraries(vl_traced INTERFACE vl_traced_${part} $<TARGET_OBJECTS:vl_traced_${part}>)
endforeach()
