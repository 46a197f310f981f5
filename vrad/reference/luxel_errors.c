#include "vrad/reference/luxel_errors.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/reference/reference.h"

/* "High" of an error_summary. */
#define HIGH_PART 0.99

static const char magic[8] = "LUXERROR";
enum { VERSION = 1 };

static size_t errors_of(const struct face_light *face)
{
    return (size_t)(face->style_count > 1 ? face->style_count : 1) * (size_t)face->count;
}

void luxel_errors_init(const struct luxel_map *map, struct luxel_errors *out)
{
    out->face_count = map->face_count;
    out->faces = memory_zalloc((size_t)map->face_count + 1, sizeof *out->faces);
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        if (face->count <= 0)
            continue;
        out->faces[i].paths = memory_zalloc((size_t)face->count, sizeof(uint32_t));
        out->faces[i].errors = memory_zalloc(errors_of(face), sizeof(float));
    }
}

void luxel_errors_free(struct luxel_errors *errors)
{
    for (int i = 0; i < errors->face_count; i++) {
        memory_free(errors->faces[i].paths);
        memory_free(errors->faces[i].errors);
    }
    memory_free(errors->faces);
    *errors = (struct luxel_errors){0};
}

void luxel_errors_append_face(const struct luxel_errors *errors, const struct luxel_map *map,
                              int face, struct bytes *out)
{
    const struct face_errors *of = &errors->faces[face];
    if (!of->paths)
        return;
    bytes_append(out, of->paths, (size_t)map->faces[face].count * sizeof *of->paths);
    bytes_append(out, of->errors, errors_of(&map->faces[face]) * sizeof *of->errors);
}

void luxel_errors_read_face(struct luxel_errors *errors, const struct luxel_map *map, int face,
                            struct byte_reader *from)
{
    const struct face_errors *of = &errors->faces[face];
    if (!of->paths)
        return;
    read_into(from, of->paths, (size_t)map->faces[face].count * sizeof *of->paths);
    read_into(from, of->errors, errors_of(&map->faces[face]) * sizeof *of->errors);
}

/* ---- summary ---- */

static double light_of(const struct face_light *face, int style, int luxel)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        if (face->direct[style])
            sum += (double)face->direct[style][3 * luxel + k];
        if (style == 0 && face->indirect)
            sum += (double)face->indirect[3 * luxel + k];
    }
    return sum / 3;
}

static int smaller_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void collect(const struct face_light *face, const struct face_errors *of, double **relative,
                    int64_t *paths)
{
    int styles = face->style_count > 1 ? face->style_count : 1;
    for (int l = 0; l < face->count && of->paths; l++) {
        *paths += of->paths[l];
        for (int s = 0; s < styles && of->paths[l] > 0; s++)
            arrput(*relative, (double)of->errors[s * face->count + l] /
                                  portable_fmax(light_of(face, s, l), REFERENCE_FLOOR));
    }
}

struct error_summary luxel_errors_sum(const struct luxel_errors *errors,
                                      const struct luxel_map *map)
{
    struct error_summary sum = {0};
    double *relative = NULL;
    for (int i = 0; i < errors->face_count; i++)
        collect(&map->faces[i], &errors->faces[i], &relative, &sum.paths);
    ptrdiff_t count = arrlen(relative);
    if (count > 0) {
        qsort(relative, (size_t)count, sizeof *relative, smaller_first);
        for (ptrdiff_t i = 0; i < count; i++)
            sum.mean += relative[i] / (double)count;
        sum.high = relative[(ptrdiff_t)(HIGH_PART * (double)(count - 1))];
        sum.max = relative[count - 1];
    }
    arrfree(relative);
    return sum;
}

/* ---- file ---- */

void luxel_errors_write(const struct luxel_errors *errors, const struct luxel_map *map,
                        struct bytes *out)
{
    bytes_append(out, magic, sizeof magic);
    bytes_u32(out, VERSION);
    bytes_u32(out, (uint32_t)errors->face_count);
    for (int i = 0; i < errors->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        bool any = errors->faces[i].paths != NULL;
        int styles = !any ? 0 : face->style_count > 1 ? face->style_count : 1;
        bytes_u32(out, any ? (uint32_t)face->width : 0);
        bytes_u32(out, any ? (uint32_t)face->height : 0);
        bytes_u32(out, (uint32_t)styles);
        for (int s = 0; s < styles; s++)
            bytes_u32(out, face->styles[s]);
        luxel_errors_append_face(errors, map, i, out);
    }
}
