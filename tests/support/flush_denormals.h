/* The mode that -ffast-math sets where a program or a library is linked: denormals are 0. */
#ifndef TESTS_FLUSH_DENORMALS_H
#define TESTS_FLUSH_DENORMALS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLUSHES = 0x8040 }; /* FTZ and DAZ */

static inline void flush_denormals(void)
{
    _mm_setcsr(_mm_getcsr() | FLUSHES);
}
#elif defined(__aarch64__)
static inline void flush_denormals(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" ::"r"(control | (UINT64_C(1) << 24))); /* FZ */
}
#else
static inline void flush_denormals(void) {}
#endif

/* Returns true if this thread flushes them now. */
static inline bool flushes_denormals(void)
{
    volatile double smallest = 2.2250738585072014e-308; /* DBL_MIN */
    volatile double half = smallest / 2;
    volatile bool flushes = half == 0; /* compared now, not in the mode of a later use */
    return flushes;
}

#endif
