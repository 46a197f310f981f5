/* Base64 (RFC 4648). */
#ifndef CORE_BASE64_H
#define CORE_BASE64_H

#include "common/core/bytes.h"

/* Appends the digits of `size` bytes, padded. */
void base64_append(struct bytes *out, const void *data, size_t size);

#endif
