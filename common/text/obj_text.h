/* Lines of OBJ files. */
#ifndef TEXT_OBJ_TEXT_H
#define TEXT_OBJ_TEXT_H

#include "common/core/bytes.h"

/* Appends a word and numbers: "v 0 0.5 1". */
void obj_text_numbers(const char *word, const double *numbers, int count, struct bytes *out);

/* Appends a face of three vertices, whose positions, texture coordinates and normals have the same
 * numbers, from 1 on. */
void obj_text_triangle(const size_t vertices[3], struct bytes *out);

#endif
