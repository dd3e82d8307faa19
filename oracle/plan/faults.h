// Faults that a build with -DVL_FAULTS can plant, one at a time, to test whether campaigns find them. In every other
// build planted() is false at compile time, and the program contains no fault.
#pragma once

#include <string_view>

namespace vl::oracle {

// X(name, the wrong behaviour): one section per folder.
#define VL_FAULT_LIST(X)                                                                             \
  X(None, "nothing")                                                                                 \
  /* oracle/executor: planner, cover, steps */                                                       \
  X(PlannerTailStartsEarly, "the part behind a cut starts one step early")                           \
  X(PlannerTailTooShort, "the part behind a cut lacks its last step")                                \
  X(PlannerBlockTurned, "a blocked variable has the extents of its two parts swapped")               \
  X(PlannerBlockKeepsStride, "the outer part of a blocked variable keeps the stride")                \
  X(PlannerReversalNotNoted, "a reversal is not written down")                                       \
  X(PlannerFuseTurned, "of two fused variables the outer one is taken for the inner one")            \
  X(PlannerDigitStartsAtZero, "what a digit leaves over forgets its constant")                       \
  X(PlannerAffineWithoutConstant, "an affine stage forgets its constants")                           \
  X(PlannerWeightsOfTheNextDimension, "row-major weights from the wrong extents")                    \
  X(PlannerIgnoresGuards, "elements whose guard is not 0 are placed")                                \
  X(PlannerBoxOneTooLarge, "a coordinate may be the extent of its dimension")                        \
  X(PlannerFirstReplicaOnly, "the other replicas are not written")                                   \
  X(PlannerViewFromZero, "the storage offset of a host view is ignored")                             \
  X(PlannerSourceNotReversed, "a loop turned to ascend in the destination reads from its old start") \
  X(PlannerForgetsTheLastNest, "the last of given nests is not run")                                 \
  X(CoverHoldsTheNextPiece, "a leaf of the cover names the piece after its own")                     \
  X(CoverGapOneShort, "the last unit of each gap run is not filled")                                 \
  X(CoverCutsLate, "memory is cut one unit behind a piece")                                          \
  X(StepSwizzlesUnitsAsBytes, "bits of a swizzle are not shifted to bytes")                          \
  X(StepStridesSwapped, "source and destination strides of the outermost loop are swapped")          \
  X(StepReadsUnswizzled, "the source is read without its swizzle")                                   \
  X(StepFillsUnswizzled, "gaps are filled where they were before the swizzle")                       \
  X(StepForgetsTheFirstGap, "the first gap is not filled")                                           \
  /* oracle/executor: slices */                                                                      \
  X(SliceLosesTheRest, "the iterations behind the last whole line are in no slice")                  \
  X(SliceForgetsItsStart, "a slice of the second loop reads from where the first one starts")        \
  X(SliceForgetsADifference, "only the last slice says whether what it compared was equal")          \
  /* oracle/reference: definition and rows */                                                        \
  X(DefinitionRoundsDigits, "a digit is the nearest whole number")                                   \
  X(DefinitionSwizzlesUp, "the swizzle's two fields change places")                                  \
  X(DefinitionIgnoresGuards, "a guard that is not 0 still is a slot")                                \
  X(DefinitionBoundOffByOne, "a coordinate may not have its last value")                             \
  X(DefinitionForgetsFill, "padding keeps what was in the memory")                                   \
  X(DefinitionForgetsWritten, "a slot may be written twice")                                         \
  X(DefinitionMissesReplica, "the last replica is not compared")                                     \
  X(DefinitionExpandedUnchecked, "copies of an expanded element are not compared")                   \
  X(DefinitionWalksBackwards, "the second walk over a layout goes from its last point to the first") \
  X(RowsIgnoreCarry, "a segment goes on where a digit changes")                                      \
  X(RowsSwizzleChunkTooLong, "a segment goes on across a swizzle's chunk")                           \
  X(RowsEndUnchecked, "only the first unit of a segment is held against the box")                    \
  X(RowsLastUnitMissing, "a segment of more than 16 units loses its last one")                       \
  X(RowsStridesSwapped, "a strided segment takes the host's step on the device")                     \
  X(RowsReplicasUnchecked, "replicas are not compared")                                              \
  X(RowsForgetFill, "padding keeps what was in the memory")                                          \
  /* oracle/kernels and oracle/executor: transposes */                                               \
  X(TransposeColumnsLeft, "the columns behind the last whole tile are not moved")                    \
  X(TransposeColumnsEarly, "the last columns are moved one column too far to the front")             \
  X(TransposeRowsLeft, "the rows behind the last whole strip are not moved")                         \
  X(TransposeHalves, "the last interleaving takes the high half for the low one")                    \
  X(TransposeLanes, "the lanes of a square tile stay where they are")                                \
  X(TransposeStreamedLine, "of the lines of a streamed tile only the first 16 bytes are written")    \
  X(TransposeLastBlock, "the last block of rows has one row too few")                                \
  X(TransposeLastIteration, "blocks of the outermost loop's last iteration are not moved")           \
  X(TransposeStageEnd, "the last column of a staged block is not written")                           \
  X(TransposeJoinedEnd, "of several matrices that are put together the last one is not moved")       \
  X(TransposePlainRow, "the last row of a thin matrix is a copy of the first")                       \
  X(InterleaveRest, "the columns behind the last whole vector are not interleaved")                  \
  X(InterleaveOrder, "two rows are interleaved in the wrong order")                                  \
  X(InterleavePlaces, "the lanes of two interleaved rows are not put in turn")                       \
  X(DeinterleaveRest, "the last rows are taken from the matrix' beginning")                          \
  X(DeinterleaveOrder, "two columns change places when few are taken apart")                         \
  X(CutColumns, "a loop of column blocks advances by one column too few in the destination")         \
  X(SortedMatrix, "the loops of the matrix are sorted among the outer ones")                         \
  /* oracle/kernels and oracle/executor: runs */                                                     \
  X(StreamTail, "the bytes behind the last whole line of a streamed run are not written")            \
  X(FillTail, "the bytes behind the last whole line of a gap are not filled")                        \
  X(FillPhase, "a streamed gap begins its first whole line with the fill value's first byte")        \
  X(CompareTail, "a comparison ends with the last whole 256 bytes")                                  \
  X(PaddedShort, "the last byte of the gap behind a run is not filled")                              \
  X(LineRest, "the last byte of a run within a line with its gap is filled")                         \
  X(BroadcastTail, "a broadcast leaves its last unit out")                                           \
  X(SwizzleLine, "a swizzle permutes within lines only")                                             \
  X(SwizzleChunk, "a swizzle moves lines but not the chunks within them")                            \
  X(JoinedApart, "runs that make a line together are taken from one place")                          \
  X(PairsHigh, "a block of two by two 32-byte runs takes a low half twice")                          \
  X(StageRest, "what is left of a staged row is not kept for the next line")                         \
  X(FuseOneSide, "two loops are fused that follow each other in the destination only")               \
  X(WidenTwice, "a run that was widened to 8 bytes counts as 16")                                    \
  X(BlockStride, "a loop in blocks advances by one iteration too few")                               \
  X(ForeignGap, "a gap behind the first run counts as one behind every run")                         \
  X(StageEnd, "the end of the last staged row is not written")

enum class Fault : unsigned char {
#define VL_FAULT_NAME(name, what) name,
  VL_FAULT_LIST(VL_FAULT_NAME)
#undef VL_FAULT_NAME
};

#ifdef VL_FAULTS
inline thread_local Fault the_planted_fault =
    Fault::None;  // set by plant(); the threads of a pool inherit it from the pool
inline bool planted(Fault fault) { return the_planted_fault == fault; }
#else
constexpr bool planted(Fault) { return false; }
#endif

}  // namespace vl::oracle
