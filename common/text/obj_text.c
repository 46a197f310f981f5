#include "common/text/obj_text.h"

void obj_text_numbers(const char *word, const double *numbers, int count, struct bytes *out)
{
    bytes_append_text(out, "%s", word);
    for (int i = 0; i < count; i++)
        bytes_append_text(out, " %.9g", numbers[i] + 0.0); /* -0 is 0 */
    bytes_append_text(out, "\n");
}

void obj_text_triangle(const size_t vertices[3], struct bytes *out)
{
    bytes_append_text(out, "f");
    for (int i = 0; i < 3; i++)
        bytes_append_text(out, " %zu/%zu/%zu", vertices[i], vertices[i], vertices[i]);
    bytes_append_text(out, "\n");
}
