#include "common/core/memory.h"

/* Zeroed, because rows that are missing from a truncated file are not written. */
#define STBI_MALLOC(size)         memory_zalloc(1, size)
#define STBI_REALLOC(block, size) memory_realloc(block, size)
#define STBI_FREE(block)          memory_free(block)
#define STBI_ASSERT(condition)    ((void)0)
#define STB_IMAGE_IMPLEMENTATION
#include "common/assets/textures/image_stb.h"
