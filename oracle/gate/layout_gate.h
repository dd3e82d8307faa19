/* The C interface of adapters: a shared library that `verify-layout gate --library FILE.so` asks. The gate loads it in
 * a process of its own, in the same cage as any adapter, so it may crash, hang and lie like any other. C99; only added
 * to.
 *
 * lg_hello and one of lg_open with lg_place, or lg_call, are required. What a library lacks is unsupported.
 *
 * Example: S[(2,3):(1,4)] on a tensor of shape (2,3) comes as rank 2, shape {2,3}, axes {"m"}, and the numbers
 *   2,  3,2,1,0,  3,3,4,0,   0,   0,   -1
 * two iters of three numbers (extent, stride, index of the axis); no replicas; no offsets; no swizzle. lg_place then
 * writes 0 4 8 1 5 9.
 */
#ifndef LAYOUT_GATE_H
#define LAYOUT_GATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LG_OK = 0, LG_UNSUPPORTED = 1, LG_REFUSED = 2, LG_UNDECIDED = 3, LG_ERROR = 4 };

/* A layout. `size` is sizeof(lg_parts) of the gate: fields beyond it are not there. */
typedef struct {
  size_t size;
  const char* family; /* "tirx" */
  const char* text;   /* the layout in its family's notation */
  size_t rank;        /* of the tensor */
  const int64_t* shape;
  const int64_t* strides; /* of the host, NULL: dense */
  int64_t offset;
  size_t n_axes; /* the layout's physical dimensions, in the order of lg_place's columns; 0 of S[():()], which has none:
                  * then lg_place writes nothing */
  const char* const* axes;
  /* The family's parts, flattened from left to right: a list is its length and then its elements, an object the values
   * of its fields, a text its index in `axes` (-1 if it is none), true and false 1 and 0, null -1. So an iter of
   * TIRx, [8,4,"laneid"], is four numbers: its length 3, 8, 4, and the index of the axis. NULL: the family has no
   * parts. */
  size_t n_numbers;
  const int64_t* numbers;
} lg_parts;

/* Writes the handshake of oracle/adapters/README.md, without "seq", with a zero at the end. */
int lg_hello(char* json, size_t room);
/* Makes what the library works with of a layout. Other results than LG_OK say why not, in `why`, with a zero. */
int lg_open(const lg_parts* layout, void** handle, char* why, size_t room);
/* The places of n elements, one row of n_axes coordinates each: of those with the row-major numbers `flat`, or of the
 * first n if it is NULL. */
int lg_place(void* handle, const int64_t* flat, size_t n, int64_t* out);
/* Every other operation: a request as JSON, with `parts` and `axes` whatever lg_hello says of the form, and the answer
 * as JSON with its one key; `used` without a zero at the end. `handle` is that of lg_open, NULL where the library has
 * none. */
int lg_call(void* handle, const char* json, size_t n, char* answer, size_t room, size_t* used);
void lg_close(void* handle);

#ifdef __cplusplus
}
#endif

#endif
