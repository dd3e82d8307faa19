/* What a caller in C does with the library: caller.c. */
#ifndef CALLER_H
#define CALLER_H
#ifdef __cplusplus
extern "C" {
#endif
/* Packs f16[2,8,60] into 2 KiB of sticks, and back. Answers the status of the first call that failed; -1 when the two
 * host tensors differ. */
int caller_round_trip(void);
#ifdef __cplusplus
}
#endif
#endif
