# Each kernel set is one file, compiled for its own instructions. It is optimised in every build, because the tests of
# kernels cover all lengths and alignments. It has no precompiled header, which would be made for other instructions.
set(vl_flags_portable "")
set(vl_flags_sse2 -msse2)
set(vl_flags_avx2 -mavx2 -mbmi -mbmi2)
set(vl_flags_avx512 -mavx2 -mbmi -mbmi2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi
                    -mprefer-vector-width=512)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(vl_kernel_sets portable sse2 avx2 avx512)
else()
  set(vl_kernel_sets portable)
endif()
# With sanitizers, optimising them takes as long as compiling half of all other files.
set(vl_kernel_optimisation "$<IF:$<BOOL:${VL_SANITIZE}>,-O0,-O3>")
foreach(set IN LISTS vl_kernel_sets)
  set_source_files_properties("${CMAKE_SOURCE_DIR}/oracle/kernels/set_${set}.cpp" PROPERTIES
    COMPILE_OPTIONS "${vl_kernel_optimisation};${vl_flags_${set}}"
    SKIP_PRECOMPILE_HEADERS ON)
endforeach()
