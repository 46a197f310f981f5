/* MD4 (RFC 1320): not a safeguard against anybody; engines compare maps by it. */
#ifndef CORE_MD4_H
#define CORE_MD4_H

#include <stddef.h>

enum { MD4_SIZE = 16 };

void md4_of(const void *data, size_t size, unsigned char out[MD4_SIZE]);

#endif
