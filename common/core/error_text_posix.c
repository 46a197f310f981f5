#include "common/core/error_text.h"

#include <string.h>

const char *error_text(int error)
{
    return strerror(error); // NOLINT(concurrency-mt-unsafe): a constant, for known values
}
