#include "vrad/resume/light_state.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "vrad/luxels/luxel_state.h"

enum { MAX_CUBES = 16 };

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type swap = (a);                                                                           \
        (a) = (b);                                                                                 \
        (b) = swap;                                                                                \
    } while (0)

/* ---- ambient cubes ---- */

static void append_cubes(const struct bsp_light_set *set, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(set->ambient_index));
    for (size_t i = 0; i < arrlenu(set->ambient_index); i++) {
        bytes_i32(out, set->ambient_index[i].count);
        bytes_i32(out, set->ambient_index[i].first);
    }
    bytes_u32(out, (uint32_t)arrlenu(set->ambient));
    bytes_append(out, set->ambient, arrlenu(set->ambient) * sizeof *set->ambient);
}

/* Samples that are in the list; of a leaf without any, the number of the leaf that lends its. */
static bool is_index(const struct bsp_ambient_index *index, size_t leaves, size_t samples)
{
    if (index->count < 0 || index->count > MAX_CUBES || index->first < 0)
        return false;
    return index->count ? (size_t)index->first + (size_t)index->count <= samples
                        : (size_t)index->first < leaves;
}

static bool read_cubes(struct byte_reader *from, size_t leaves, struct bsp_light_set *out)
{
    uint32_t count = read_u32(from);
    if (from->failed || (count && count != leaves))
        return false;
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        int32_t cubes = read_i32(from), first = read_i32(from);
        arrput(out->ambient_index, ((struct bsp_ambient_index){cubes, first}));
    }
    uint32_t samples = read_u32(from);
    const unsigned char *data = read_block(from, samples * sizeof *out->ambient);
    if (!data)
        return false;
    arrsetlen(out->ambient, samples);
    if (samples)
        memcpy(out->ambient, data, samples * sizeof *out->ambient);
    bool fits = true;
    for (uint32_t i = 0; i < count && fits; i++)
        fits = is_index(&out->ambient_index[i], leaves, samples);
    return fits;
}

static void append_ambient(const struct bsp *bsp, struct bytes *out)
{
    append_cubes(&bsp->ldr, out);
    append_cubes(&bsp->hdr, out);
}

static bool read_ambient(struct byte_reader *from, const struct bsp *bsp, struct bsp *out)
{
    const size_t leaves = arrlenu(bsp->leaves);
    return read_cubes(from, leaves, &out->ldr) && read_cubes(from, leaves, &out->hdr);
}

static void put_cubes(struct bsp_light_set *from, struct bsp_light_set *set)
{
    SWAP(struct bsp_ambient_index *, set->ambient_index, from->ambient_index);
    SWAP(struct bsp_ambient *, set->ambient, from->ambient);
}

static void put_ambient(struct bsp *from, struct bsp *bsp)
{
    put_cubes(&from->ldr, &bsp->ldr);
    put_cubes(&from->hdr, &bsp->hdr);
}

/* ---- props ---- */

static void append_props(const struct bsp *bsp, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(bsp->game_lumps));
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        bytes_u32(out, lump->id);
        bytes_u16(out, lump->flags);
        bytes_u16(out, lump->version);
        bytes_sized_block(out, &lump->data);
    }
    bytes_sized_block(out, &bsp->pakfile);
    bytes_u32(out, bsp->map_flags);
}

static bool read_props(struct byte_reader *from, const struct bsp *bsp, struct bsp *out)
{
    (void)bsp;
    uint32_t count = read_u32(from);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        struct bsp_game_lump lump = {.id = read_u32(from)};
        lump.flags = read_u16(from);
        lump.version = read_u16(from);
        (void)read_sized_block(from, &lump.data);
        arrput(out->game_lumps, lump);
    }
    if (!read_sized_block(from, &out->pakfile))
        return false;
    out->map_flags = read_u32(from);
    return true;
}

/* A new BSP has no game lumps until it is written: that one has been read changes nothing. */
static void put_props(struct bsp *from, struct bsp *bsp)
{
    if (arrlen(from->game_lumps))
        SWAP(struct bsp_game_lump *, bsp->game_lumps, from->game_lumps);
    SWAP(struct bytes, bsp->pakfile, from->pakfile);
    bsp->map_flags = from->map_flags;
}

/* ---- lightmaps ---- */

static void append_lightmaps(const struct bsp *bsp, struct bytes *out)
{
    bytes_sized_block(out, &bsp->ldr.lighting);
    bytes_u32(out, (uint32_t)arrlenu(bsp->faces));
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        bytes_i32(out, bsp->faces[i].light_offset);
        bytes_append(out, bsp->faces[i].styles, sizeof bsp->faces[i].styles);
    }
}

/* The luxels of all styles, and the averages before them. */
static bool lightmap_fits(const struct bsp *bsp, const struct bsp_face *face, size_t size)
{
    int64_t styles = 0, maps = 1;
    if (face->light_offset == -1)
        return true;
    while (styles < BSP_FACE_STYLES && face->styles[styles] != BSP_STYLE_NONE)
        styles++;
    if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT)
        maps = LUXEL_SLOTS;
    int64_t luxels = (int64_t)(face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1);
    int64_t averages = (int64_t)sizeof(struct bsp_colour) * styles;
    return face->light_offset >= averages &&
           face->light_offset + averages * luxels * maps <= (int64_t)size;
}

static bool read_lightmaps(struct byte_reader *from, const struct bsp *bsp, struct bsp *out)
{
    if (!read_sized_block(from, &out->ldr.lighting) || read_u32(from) != arrlenu(bsp->faces))
        return false;
    arrsetlen(out->faces, arrlenu(bsp->faces));
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        struct bsp_face *face = &out->faces[i];
        *face = bsp->faces[i];
        face->light_offset = read_i32(from);
        const unsigned char *styles = read_block(from, sizeof face->styles);
        if (!styles)
            return false;
        memcpy(face->styles, styles, sizeof face->styles);
        if (!lightmap_fits(bsp, face, out->ldr.lighting.size))
            return false;
    }
    return true;
}

/* Faces keep their address: the luxels refer to them. */
static void put_lightmaps(struct bsp *from, struct bsp *bsp)
{
    SWAP(struct bytes, bsp->ldr.lighting, from->ldr.lighting);
    if (arrlen(bsp->faces))
        memcpy(bsp->faces, from->faces, arrlenu(bsp->faces) * sizeof *bsp->faces);
}

/* ---- all ---- */

/* The parts that are put into the BSP, in the order of the bytes. `read` fills an empty BSP, to
 * match `bsp`; `put` moves that into the BSP. */
static const struct bsp_part {
    enum light_parts bit;
    void (*append)(const struct bsp *bsp, struct bytes *out);
    bool (*read)(struct byte_reader *from, const struct bsp *bsp, struct bsp *out);
    void (*put)(struct bsp *from, struct bsp *bsp);
} bsp_parts[] = {
    {LIGHT_PART_AMBIENT, append_ambient, read_ambient, put_ambient},
    {LIGHT_PART_PROPS, append_props, read_props, put_props},
    {LIGHT_PART_LIGHTMAPS, append_lightmaps, read_lightmaps, put_lightmaps},
};

enum { BSP_PARTS = sizeof bsp_parts / sizeof *bsp_parts };

void light_state_encode(const struct light_state *state, const struct luxel_map *map,
                        const struct bsp *bsp, struct bytes *out)
{
    bytes_u32(out, state->done.sets);
    bytes_u32(out, state->done.phase);
    bytes_u32(out, state->parts);
    for (size_t i = 0; i < BSP_PARTS; i++)
        if (state->parts & bsp_parts[i].bit)
            bsp_parts[i].append(bsp, out);
    if (state->parts & LIGHT_PART_HITS)
        ray_hit_cache_append(map->scene->ray_hit_cache, out);
    if (state->parts & LIGHT_PART_LUXELS)
        luxel_state_append(map, out);
}

/* Reads what is put into the BSP, into an empty one. */
static bool read_parts(struct byte_reader *from, light_parts_of *parts_of, const struct bsp *bsp,
                       struct light_state *state, struct bsp *out)
{
    state->done.sets = read_u32(from);
    state->done.phase = read_u32(from);
    state->parts = read_u32(from);
    if (from->failed || state->parts == LIGHT_PARTS_UNKNOWN ||
        (parts_of && state->parts != parts_of(state->done)))
        return false;
    bool fits = true;
    for (size_t i = 0; i < BSP_PARTS && fits; i++)
        if (state->parts & bsp_parts[i].bit)
            fits = bsp_parts[i].read(from, bsp, out);
    return fits;
}

static void put_parts(const struct light_state *state, struct bsp *from, struct bsp *bsp)
{
    for (size_t i = 0; i < BSP_PARTS; i++)
        if (state->parts & bsp_parts[i].bit)
            bsp_parts[i].put(from, bsp);
}

bool light_state_decode(struct byte_reader from, light_parts_of *parts_of,
                        const struct luxel_map *map, struct bsp *bsp, struct light_state *out)
{
    struct bsp *parts = bsp_new();
    bool fits = read_parts(&from, parts_of, bsp, out, parts);
    if (fits && out->parts & LIGHT_PART_HITS)
        fits = ray_hit_cache_read(NULL, (size_t)map->face_count, &from);
    if (fits && out->parts & LIGHT_PART_LUXELS)
        fits = luxel_state_fits(&from, map);
    fits = fits && !from.failed && from.at == from.size;
    if (fits)
        put_parts(out, parts, bsp);
    bsp_free(parts);
    return fits;
}

/* Reads the hits, and what is before them again. Returns the parts. */
static uint32_t take_hits(struct byte_reader *from, const struct luxel_map *map,
                          struct ray_hit_cache *cache)
{
    struct light_state state = {0};
    struct bsp *parts = bsp_new();
    if (!read_parts(from, NULL, map->scene->bsp, &state, parts) ||
        (state.parts & LIGHT_PART_HITS &&
         !ray_hit_cache_read(cache, (size_t)map->face_count, from)))
        state.parts = 0;
    bsp_free(parts);
    return state.parts;
}

void light_state_take_hits(struct byte_reader from, const struct luxel_map *map,
                           struct ray_hit_cache *cache)
{
    (void)take_hits(&from, map, cache);
}

void light_state_take_luxels(struct byte_reader from, struct luxel_map *map)
{
    if (take_hits(&from, map, NULL) & LIGHT_PART_LUXELS)
        luxel_state_take(&from, map);
}
