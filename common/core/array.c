#define STB_DS_IMPLEMENTATION
#include "common/core/array.h"

/* The pointer is copied as bytes: its real type is not known here. */
const void *array_data(const void *pointer_address)
{
    const void *array;
    memcpy(&array, pointer_address, sizeof array);
    return array;
}

size_t array_length(const void *pointer_address)
{
    const unsigned char *array = array_data(pointer_address);
    return arrlenu(array);
}

void *array_make(void *pointer_address, size_t count, size_t size)
{
    if (!count)
        return NULL;
    void *array = stbds_arrgrowf(NULL, size, 0, count);
    stbds_header(array)->length = count;
    memset(array, 0, size * count);
    memcpy(pointer_address, &array, sizeof array);
    return array;
}

void array_drop(void *pointer_address)
{
    unsigned char *array;
    memcpy(&array, pointer_address, sizeof array);
    arrfree(array);
    memcpy(pointer_address, &array, sizeof array);
}
