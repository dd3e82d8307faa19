// Descriptors in longer texts: what libraries print of the tensor maps that they could not encode, and calls that
// encode them.
//
//   CUTLASS   globalDim (1024,1024,1,1,1), five entries always, of which the first `dim` count; globalStrides begins
//             with the innermost stride, which a tensor map does not have
//   tilelang  the same names in brackets, globalStridesRaw and cudaGlobalStrides, enumerators after their numbers
//   TVM       global prob shape: 64 64, global prob stride: 128
//   TIRx      T.call_packed("runtime.cuTensorMapEncodeTiled", map, "float16", 2, A.data, K, M, K * 2, 64, 64, 1, 1,
//             0, 3, 0, 0): dimensions, strides, box, steps, interleave, swizzle, promotion, fill. Names may be any
//   C, CUDA   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, size, stride, box, step, …), or a
//             function whose name has this one in it: lists by their initial values (initials.h), enumerators by name,
//             number, cast or a name of one
//   Python    the same of ctypes and of cuda-python
//   Triton    tl.make_tensor_descriptor(p, shape=…), TensorDescriptor(x, …): found, and not read, since they state
//             neither type nor box nor swizzle
//   MLIR      nvgpu.tma.create.descriptor, triton_gen.2Dblock{load,store,prefetch}, xevm.block{load,store,prefetch}2d,
//             amdgpu.make_dma_descriptor, aie.dma_bd in its three spellings, aiex.npu.dma_memcpy_nd: operands that are
//             constants, memrefs before memref.cast, names of types. What is no constant stays absent where it may
//   SPIR-V    __spirv_Subgroup2DBlock{Load,LoadTranspose,LoadTransform,Prefetch,Store}INTEL(…) in C
//   Ascend    DataCopyPad(destination, source, {count, length, gap, gap, 0}, …), and the struct by its initial value
//   NKI       t.ap(pattern=[[step, count], …], offset=…) where t = nl.ndarray((…), buffer=nl.sbuf) says the shape, and
//             dumps Access Pattern: [[406,36],[1,1],[1,203]]
//   operands  GmmaDescriptor: 0x…, encode_matrix_descriptor(…): found, and not read, since they state neither type nor
//             major of the operand
//
// Declarations are no calls, and comments and strings are not looked into. Im2col maps are refused.
// Whatever is seen is found: as a descriptor, or with the reason why it is not read.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/use/descriptor.h"

namespace vl::use {

struct SeenDescriptor {
  std::size_t begin = 0, end = 0;              // bytes of the text
  std::variant<Descriptor, std::string> what;  // or why it is not read
};

/// In the order of the text. The name of its file says the language of code (stated_numbers.h); it may be empty.
[[nodiscard]] std::vector<SeenDescriptor> descriptors_in(std::string_view file, std::string_view text);

}  // namespace vl::use
