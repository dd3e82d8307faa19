/* A caller of the library in C: caller.c. */
#ifndef CALLER_H
#define CALLER_H
#ifdef __cplusplus
extern "C" {
#endif
/* Packs f16[2,8,60] into 2 KiB of sticks, and unpacks it. Returns the status of the first call that failed; -1 if the
 * two host tensors differ. */
int caller_round_trip(void);
#ifdef __cplusplus
}
#endif
#endif
