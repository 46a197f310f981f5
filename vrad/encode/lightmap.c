#include "vrad/encode/lightmap.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/diag/codes/lightmaps.def"
#include "common/farm/env_loop.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/colour.h"
#include "vrad/luxels/luxel_border.h"

enum { COLOUR_BYTES = 4 };

struct writer {
    const struct luxel_map *map;
    const struct lightmap_options *options;
    const struct bsp_face *faces;
    unsigned char *out;
};

static void put(unsigned char *out, const float rgb[3])
{
    struct bsp_colour colour = colour_encode(rgb);
    out[0] = colour.r;
    out[1] = colour.g;
    out[2] = colour.b;
    out[3] = (unsigned char)colour.exponent;
}

/* The number at `index` in sorted order (quickselect, Hoare 1961). Reorders them. */
static float select_float(float *numbers, int count, int index)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float pivot = numbers[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (numbers[i] < pivot)
                i++;
            while (numbers[j] > pivot)
                j--;
            if (i <= j) {
                float swap = numbers[i];
                numbers[i++] = numbers[j];
                numbers[j--] = swap;
            }
        }
        if (index <= j)
            high = j;
        else if (index >= i)
            low = i;
        else
            break;
    }
    return numbers[index];
}

static void medians(const float *colours, int count, float *scratch, float out[3])
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < count; i++)
            scratch[i] = colours[3 * i + k];
        out[k] = select_float(scratch, count, count / 2);
    }
}

/* Gives luxel `index` the mean of its known neighbours; false when there are none. */
static bool take_from_neighbours(const struct face_light *face, const unsigned char *known,
                                 int index, float *colours)
{
    int width = lattice_width(face), height = lattice_height(face);
    int s = index % width, t = index / width, count = 0;
    float sum[3] = {0, 0, 0};
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < height; j++) {
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < width; i++) {
            int other = j * width + i;
            if (!known[other])
                continue;
            count++;
            for (int k = 0; k < 3; k++)
                sum[k] += colours[3 * other + k];
        }
    }
    for (int k = 0; k < 3 && count; k++)
        colours[3 * index + k] = sum[k] / (float)count;
    return count > 0;
}

/* Dilates light into hidden luxels ring by ring. */
static void fill_hidden(const struct face_light *face, float *colours)
{
    int hidden = 0, count = lattice_count(face);
    for (int i = 0; i < count; i++)
        hidden += lattice_is_hidden(face, i);
    if (hidden == 0 || hidden == count)
        return;
    unsigned char *known = memory_alloc((size_t)count * 2);
    unsigned char *ring = known + count;
    for (int i = 0; i < count; i++)
        known[i] = !lattice_is_hidden(face, i);
    for (bool more = true; more;) {
        more = false;
        memset(ring, 0, (size_t)count);
        for (int i = 0; i < count; i++) {
            if (!known[i] && take_from_neighbours(face, known, i, colours)) {
                ring[i] = 1;
                more = true;
            }
        }
        for (int i = 0; i < count; i++)
            known[i] |= ring[i];
    }
    memory_free(known);
}

static void paint(const struct face_light *face, const struct lightmap_options *options,
                  float *colours)
{
    static const float red[3] = {255, 0, 0}, blue[3] = {0, 0, 255};
    struct luxel room;
    for (int i = 0; i < lattice_count(face); i++) {
        struct lattice_place place = lattice_place(face, i);
        if (options->debug_extra && !place.in_border &&
            luxel_of(face, place.luxel, &room)->supersampled)
            memcpy(colours + (size_t)i * 3, blue, sizeof blue);
        if (options->red_errors && lattice_is_hidden(face, i))
            memcpy(colours + (size_t)i * 3, red, sizeof red);
    }
}

static void apply_options(const struct face_light *face, const struct lightmap_options *options,
                          int style, float *colours)
{
    for (int i = 0; i < lattice_count(face); i++) {
        float *rgb = colours + (size_t)i * 3, max = 0;
        for (int k = 0; k < 3; k++) {
            rgb[k] = (rgb[k] + (style == 0 ? options->ambient[k] : 0)) * options->scale;
            max = rgb[k] > max ? rgb[k] : max;
        }
        if (max < options->coring)
            memset(rgb, 0, 3 * sizeof *rgb);
    }
}

static void add_bounced(const struct face_light *face, int slot, float *colours)
{
    size_t floats = 3 * (size_t)face->count;
    float *room = face->narrow ? memory_alloc(floats * sizeof *room) : NULL;
    const float *bounced = bounced_all(face, slot, room);
    for (size_t i = 0; i < floats && bounced; i++)
        colours[i] += bounced[i];
    memory_free(room);
}

static void core_light(const struct face_light *face, int style, int slot, float *colours)
{
    size_t floats = 3 * (size_t)face->count;
    memcpy(colours, face->direct[style] + (size_t)slot * floats, floats * sizeof *colours);
    if (style == 0)
        add_bounced(face, slot, colours);
}

static void border_light_at(const struct face_light *face, int style, int slot, int luxel,
                            float out[3])
{
    const float *direct = border_direct(face, style, slot) + (ptrdiff_t)3 * luxel;
    const float *bounced = border_bounced(face, slot) + (ptrdiff_t)3 * luxel;
    for (int k = 0; k < 3; k++)
        out[k] = direct[k] + (style == 0 ? bounced[k] : 0);
}

/* Direct and bounced light of the lattice. A border that nobody has computed repeats the luxels
 * beside it. */
static void lattice_light(const struct face_light *face, int style, int slot, float *colours)
{
    float *core = memory_alloc(3 * (size_t)face->count * sizeof *core);
    core_light(face, style, slot, core);
    for (int i = 0; i < lattice_count(face); i++) {
        struct lattice_place place = lattice_place(face, i);
        float *out = colours + (ptrdiff_t)3 * i;
        if (place.in_border && face->border_light)
            border_light_at(face, style, slot, place.luxel, out);
        else
            memcpy(out, core + (ptrdiff_t)3 * lattice_nearest(face, i), 3 * sizeof *out);
    }
    memory_free(core);
}

void lightmap_colours(const struct face_light *face, const struct lightmap_options *options,
                      float min_light, int style, int slot, float *colours)
{
    size_t floats = 3 * (size_t)lattice_count(face);
    if (face->border)
        lattice_light(face, style, slot, colours);
    else
        core_light(face, style, slot, colours);
    apply_options(face, options, style, colours);
    for (size_t i = 0; i < floats && style == 0; i++)
        colours[i] = colours[i] < min_light ? min_light : colours[i];
    fill_hidden(face, colours);
    if (options->red_errors || options->debug_extra)
        paint(face, options, colours);
}

/* The median of each channel, of the luxels of the face. Reorders the colours. */
static void typical_colour(const struct face_light *face, float *colours, float *scratch,
                           float out[3])
{
    int kept = 0;
    for (int i = 0; i < lattice_count(face); i++)
        if (!lattice_place(face, i).in_border)
            memmove(colours + (ptrdiff_t)3 * kept++, colours + (ptrdiff_t)3 * i,
                    3 * sizeof *colours);
    medians(colours, kept, scratch, out);
}

static void write_face(void *context, size_t index, int thread)
{
    const struct writer *writer = context;
    const struct face_light *face = &writer->map->faces[index];
    int count = lattice_count(face);
    (void)thread;
    if (!count)
        return;
    float min_light = writer->map->scene->model_min_light[face->model];
    float *colours = memory_alloc((size_t)count * 4 * sizeof(float));
    unsigned char *base = writer->out + writer->faces[index].light_offset, *out = base;
    for (int style = 0; style < face->style_count; style++) {
        for (int slot = 0; slot < face->slots; slot++) {
            lightmap_colours(face, writer->options, min_light, style, slot, colours);
            for (int i = 0; i < count; i++, out += COLOUR_BYTES)
                put(out, colours + (size_t)i * 3);
            if (slot == 0) {
                float typical[3];
                typical_colour(face, colours, colours + (size_t)count * 3, typical);
                put(base - (style + 1) * COLOUR_BYTES, typical);
            }
        }
    }
    memory_free(colours);
}

/* The bytes of a face, from its typical colours on; NULL if it has none. */
static unsigned char *bytes_of_face(const struct writer *writer, size_t index, size_t *size)
{
    const struct face_light *face = &writer->map->faces[index];
    size_t styles = (size_t)face->style_count, maps = styles * (size_t)face->slots;
    *size = COLOUR_BYTES * (styles + maps * (size_t)lattice_count(face));
    if (!lattice_count(face))
        return NULL;
    return writer->out + writer->faces[index].light_offset - COLOUR_BYTES * styles;
}

/* A ranks_pack. */
static void pack_face(void *context, size_t index, struct bytes *out)
{
    size_t size;
    const unsigned char *bytes = bytes_of_face(context, index, &size);
    if (bytes)
        bytes_append(out, bytes, size);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t index, struct byte_reader *from)
{
    size_t size;
    unsigned char *bytes = bytes_of_face(context, index, &size);
    if (bytes)
        read_into(from, bytes, size);
}

void luxel_map_part_direct(struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        if (!face->count || face->style_count >= BSP_FACE_STYLES)
            continue;
        for (int s = face->style_count++; s > 0; s--) {
            face->direct[s] = face->direct[s - 1];
            face->styles[s] = face->styles[s - 1];
        }
        face->direct[0] = memory_zalloc(3 * (size_t)(face->slots * face->count), sizeof(float));
        if (face->border_light)
            border_light_part_direct(face);
    }
}

enum status lightmap_write(const struct env *env, const struct luxel_map *map,
                           const struct lightmap_options *options, struct bsp_face *faces,
                           struct bytes *lighting)
{
    int64_t size = 0;
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        int64_t maps = (int64_t)face->style_count * face->slots;
        size += COLOUR_BYTES * (face->style_count + maps * lattice_count(face));
    }
    if (size > INT32_MAX)
        return diag_report(env->diag, DIAG_LIGHTMAP_BYTES, NULL, "%lld bytes", (long long)size);
    struct writer writer = {.map = map, .options = options, .faces = faces};
    int64_t at = 0;
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        at += COLOUR_BYTES * face->style_count;
        faces[i].light_offset = face->count ? (int32_t)at : -1;
        memset(faces[i].styles, BSP_STYLE_NONE, sizeof faces[i].styles);
        memcpy(faces[i].styles, face->styles, (size_t)face->style_count);
        at += COLOUR_BYTES * (int64_t)face->style_count * face->slots * lattice_count(face);
    }
    bytes_free(lighting);
    bytes_fill(lighting, 0, (size_t)size);
    writer.out = lighting->data;
    struct env unlogged = *env; /* writing is as fast as a journal */
    unlogged.journal = NULL;
    env_loop(&unlogged, &(struct ranks_loop){.count = (size_t)map->face_count,
                                             .item = write_face,
                                             .context = &writer,
                                             .pack = pack_face,
                                             .unpack = unpack_face});
    return STATUS_OK;
}
