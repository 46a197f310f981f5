/* Directives that change texture coordinates and colours of vertices when a map is compiled:
 * q3map_tcGen, tcMod, alphaGen, alphaMod, rgbGen, rgbMod, colorGen and colorMod. */
#ifndef ASSETS_SHADERS_SHADER_CHANGES_H
#define ASSETS_SHADERS_SHADER_CHANGES_H

#include "common/assets/shaders/shader.h"

/* Parses numbers, ignoring parentheses and brackets; returns their count. */
size_t shader_numbers(const char *const *words, size_t count, double *out, size_t max);

/* Parses "KEYWORD FUNCTION ARGUMENTS", with vectors in parentheses. False: unknown, or with too few
 * arguments. */
bool shader_change_parse(const char *const *words, size_t count, struct shader_change *out);

#endif
