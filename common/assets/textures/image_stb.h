/* Configures stb_image: our allocator, decoding from memory only, without formats that games
 * lack. */
#ifndef ASSETS_TEXTURES_IMAGE_STB_H
#define ASSETS_TEXTURES_IMAGE_STB_H

#define STBI_ONLY_BMP
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MAX_DIMENSIONS 16384
#include <stb/stb_image.h>

#endif
