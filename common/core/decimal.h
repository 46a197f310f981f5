/* Decimal numbers as programs write them, read many times faster than strtod reads all that are
 * numbers. */
#ifndef CORE_DECIMAL_H
#define CORE_DECIMAL_H

/* Reads a minus or none, digits, and maybe a point with digits or none: "-12.5". `end` is where the
 * text ends, or NULL where a 0 ends it. Returns where the number ends, having set *out to what
 * strtod gives, bit for bit; or NULL, *out unchanged, where there are no digits first or more than
 * 15 of them. What follows the number is for the caller to look at: strtod would go on at "e5",
 * and at "x5" behind a 0. */
const char *decimal_read(const char *text, const char *end, double *out);

#endif
