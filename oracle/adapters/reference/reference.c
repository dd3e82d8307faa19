/* The reference adapter as a shared library: places of TIRx layouts by their document, element by element.
 *   cc -shared -fPIC -I oracle/gate -o reference.so oracle/adapters/reference/reference.c
 *   verify-layout gate --library ./reference.so
 * With -DPLANT=N it has one fault: 1 loses the offset, 2 reads a swizzle the other way round, 3 forgets the last digit,
 * 4 crashes on layouts of four iters or more, 5 hangs on an element count of 7, 6 crashes on one case in CRASH,
 * 7 writes one place too many, 8 does not write the last one, 9 crashes on 31 elements, 10 keeps 16 bits of an address,
 * 11 keeps 32.
 * -DOPS='"\"place.at\""' offers places of some elements instead;
 * -DLIMITS='"\"limits\":{\"elements\":32},"' limits the cases.
 */
#include <layout_gate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLANT
#define PLANT 0
#endif
#ifndef OPS
#define OPS "\"place\""
#endif
#ifndef LIMITS
#define LIMITS ""
#endif

typedef struct {
  size_t n_axes;
  int64_t memory;         /* the axis m, or -1 */
  size_t n_iters;
  const int64_t *iters;   /* four numbers each: 3, extent, stride, axis */
  size_t n_offsets;
  const int64_t *offsets; /* three numbers each: 2, offset, axis */
  int swizzled, inner;
  int64_t low, bits, shift;
} layout;

int lg_hello(char *json, size_t room) {
  static const char text[] =
      "{\"protocol\":1,\"impl\":{\"name\":\"reference-c\",\"version\":\"1\",\"language\":\"c\"},"
      "\"families\":{\"tirx\":{\"form\":\"parts\"," LIMITS "\"ops\":{" OPS ":{\"contract\":\"no-replicas\"}}}},"
      "\"conventions\":{\"place.replicas\":\"all\"}}";
  if (room < sizeof text) return LG_ERROR;
  memcpy(json, text, sizeof text);
  return LG_OK;
}

int lg_open(const lg_parts *of, void **handle, char *why, size_t room) {
  const int64_t *at = of->numbers;
  layout *out;
  size_t k;
  if (strcmp(of->family, "tirx") != 0 || at == NULL || *at < 0) {
    snprintf(why, room, "only shards of tirx");
    return LG_UNSUPPORTED;
  }
  out = calloc(1, sizeof *out);
  if (out == NULL) return LG_ERROR;
  out->n_axes = of->n_axes;
  out->memory = -1;
  for (k = 0; k < of->n_axes; ++k)
    if (strcmp(of->axes[k], "m") == 0) out->memory = (int64_t)k;
  out->n_iters = (size_t)*at++;
  out->iters = at;
  at += 4 * out->n_iters;
  if (*at != 0) {
    free(out);
    snprintf(why, room, "replicas");
    return LG_REFUSED;
  }
  ++at;
  out->n_offsets = (size_t)*at++;
  out->offsets = at;
  at += 3 * out->n_offsets;
  out->swizzled = *at >= 0;
  if (out->swizzled) {
    out->low = at[0], out->bits = at[1], out->shift = at[2];
    out->inner = at[3] != 0;
  }
  *handle = out;
  return LG_OK;
}

static int64_t swizzle(const layout *l, int64_t m) {
  const int64_t mask = ((int64_t)1 << l->bits) - 1;
  int64_t x = m >> l->low;
  const int inner = PLANT == 2 ? !l->inner : l->inner;
  x ^= inner ? (x >> l->shift) & mask : (x & mask) << l->shift;
  return x << l->low | (m & (((int64_t)1 << l->low) - 1));
}

int lg_place(void *handle, const int64_t *flat, size_t n, int64_t *out) {
  const layout *l = handle;
  size_t element, k;
#if PLANT == 4
  if (l->n_iters >= 4) abort();
#endif
#if PLANT == 6
  static size_t asked;
  if (++asked % CRASH == 0) abort();
#endif
#if PLANT == 7
  memset(out + n * l->n_axes, 0, 8);
#endif
#if PLANT == 8
  if (n > 1) --n;
#endif
#if PLANT == 9
  if (n == 31) abort();
#endif
#if PLANT == 5
  while (n == 7) {}
#endif
  for (element = 0; element < n; ++element, out += l->n_axes) {
    int64_t rest = flat == NULL ? (int64_t)element : flat[element];
    memset(out, 0, l->n_axes * sizeof *out);
    for (k = l->n_iters; k-- > 0;) {
      const int64_t *iter = l->iters + 4 * k;
      if (!(PLANT == 3 && k == 0)) out[iter[3]] += rest % iter[1] * iter[2];
      rest /= iter[1];
    }
    for (k = 0; k < l->n_offsets && PLANT != 1; ++k) out[l->offsets[3 * k + 2]] += l->offsets[3 * k + 1];
    if (l->swizzled && l->memory >= 0) out[l->memory] = swizzle(l, out[l->memory]);
    if (PLANT >= 10 && l->memory >= 0) out[l->memory] &= PLANT == 10 ? 0xffff : 0xffffffff;
  }
  return LG_OK;
}

void lg_close(void *handle) { free(handle); }
