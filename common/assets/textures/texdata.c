#include "common/assets/textures/texdata.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/materials.def"

enum {
    COLUMN_NAME,
    COLUMN_SIZE,
    COLUMN_REFLECTIVITY = 5,
    COLUMN_FLAGS = 8,
    COLUMN_CONTENTS,
    COLUMN_ENVMAP,
    COLUMN_BOTTOM,
    COLUMNS_MIN,
    COLUMN_FLAT = 14,
    COLUMN_SURFACE_PROP,
    COLUMNS
};

struct texdata_cell {
    char *key;
    struct texdata_row *value;
};

static bool is_unknown(const char *field)
{
    return strcmp(field, "-") == 0;
}

/* Returns NULL when the column is missing or unknown. */
static const char *known_text(const char *field)
{
    return field && !is_unknown(field) ? field : NULL;
}

static bool read_size(const char *field, int *out)
{
    int64_t number;
    if (is_unknown(field))
        return true;
    if (!str_to_int64(field, &number) || number < 1 || number > 65536)
        return false;
    *out = (int)number;
    return true;
}

static bool read_reflectivity(const char *field, double *out)
{
    *out = -1;
    return is_unknown(field) || (str_to_double(field, out) && *out >= 0);
}

/* Parses "0x3408". */
static bool read_bits(const char *field, int *out)
{
    *out = -1;
    if (is_unknown(field))
        return true;
    char *end;
    uint64_t bits = strtoull(field, &end, 0);
    if (end == field || *end || bits > 0x7FFFFFFF || *field == '-')
        return false;
    *out = (int)bits;
    return true;
}

static bool read_row(char *const *fields, struct texdata_row *row)
{
    for (int i = 0; i < 4; i++)
        if (!read_size(fields[COLUMN_SIZE + i], &row->size[i]))
            return false;
    for (int i = 0; i < 3; i++)
        if (!read_reflectivity(fields[COLUMN_REFLECTIVITY + i], &row->reflectivity[i]))
            return false;
    if (!read_bits(fields[COLUMN_FLAGS], &row->flags) ||
        !read_bits(fields[COLUMN_CONTENTS], &row->contents))
        return false;
    row->envmap_cubemap = strcmp(fields[COLUMN_ENVMAP], "1") == 0;
    row->bottom = known_text(fields[COLUMN_BOTTOM]);
    row->flat = known_text(fields[COLUMN_FLAT]);
    row->surface_prop = known_text(fields[COLUMN_SURFACE_PROP]);
    return true;
}

/* Splits the line at its tabs, in place. */
static int split(char *line, char **fields)
{
    int count = 0;
    for (char *at = line; at && count < COLUMNS; count++) {
        fields[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return count;
}

static bool add_line(struct texdata *set, char *line)
{
    char *fields[COLUMNS] = {NULL};
    if (split(line, fields) < COLUMNS_MIN)
        return false;
    const char *key = asset_material_name(&set->arena, fields[COLUMN_NAME]);
    struct texdata_row *row = ARENA_NEW(&set->arena, struct texdata_row);
    row->name = fields[COLUMN_NAME];
    row->stated = set->stated;
    if (!key || !read_row(fields, row))
        return false;
    if (!set->cells)
        sh_new_strdup(set->cells);
    if (shgeti(set->cells, key) < 0)
        shput(set->cells, key, row);
    return true;
}

void texdata_parse(struct texdata *set, const char *text, size_t size, const char *file,
                   struct diag *diag)
{
    const char *end = size ? text + size : text;
    for (int number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        const char *start = text;
        text = stop ? stop + 1 : end;
        while (length && (unsigned char)start[length - 1] <= ' ')
            length--;
        if (!length || *start == '#')
            continue;
        if (add_line(set, arena_strndup(&set->arena, start, length)))
            continue;
        struct diag_where where = {.file = file, .line = number};
        diag_report(diag, DIAG_TEXDATA_ROW, &where, "\"%.*s\"", length < 60 ? (int)length : 60,
                    start);
    }
}

const struct texdata_row *texdata_find(const struct texdata *set, const char *clean_name)
{
    struct texdata_cell *cells = set->cells; /* stb_ds lookups write to the map */
    ptrdiff_t at = cells ? shgeti(cells, clean_name) : -1;
    return at >= 0 ? cells[at].value : NULL;
}

size_t texdata_count(const struct texdata *set)
{
    return shlenu(set->cells);
}

void texdata_free(struct texdata *set)
{
    shfree(set->cells);
    arena_free(&set->arena);
}

/* Contents that are not known, by flags and by what the name tells. A grate may have the flags of a
 * wall, and what is not drawn may be a clip; a window has TRANS, and so that guess is not needed.
 */
static int contents_by_flags(int flags, int guess)
{
    if (flags & (SURFACE_HINT | SURFACE_SKIP))
        return 0;
    if (flags & SURFACE_WARP)
        return CONTENTS_WATER;
    if ((guess & CONTENTS_GRATE) || (guess && (flags & SURFACE_NODRAW)))
        return guess;
    return flags & SURFACE_TRANS ? CONTENTS_WINDOW : CONTENTS_SOLID;
}

/* Keeps what the name tells, which a row without flags and contents says nothing of. */
static void apply_contents(const struct texdata_row *row, struct material *material)
{
    int guess = material->contents;
    if (row->contents >= 0)
        material->contents = row->contents;
    else if (row->flags >= 0)
        material->contents = contents_by_flags(material->surface_flags, guess);
    material->guessed = material->guessed && row->contents < 0 && material->contents == guess;
}

/* The name as the file has it. */
static bool is_tool(const char *name)
{
    return str_starts_nocase(name, "tools/") || str_starts_nocase(name, "tools\\");
}

/* True if contents of the row say nothing of the built-in material (texdata.h). */
static bool contents_stand(const struct texdata_row *row, const struct material *built_in)
{
    if (row->stated)
        return row->contents < 0;
    return is_tool(row->name) || row->flags < 0 ||
           (row->flags & ~SURFACE_LIGHT) == built_in->surface_flags;
}

void texdata_apply(const struct texdata_row *row, bool built_in, struct material *material)
{
    bool keep_contents = built_in && contents_stand(row, material);
    int *sizes[4] = {&material->width, &material->height, &material->view_width,
                     &material->view_height};
    for (int i = 0; i < 4; i++)
        if (row->size[i])
            *sizes[i] = row->size[i];
    for (int i = 0; i < 3; i++)
        if (row->reflectivity[i] >= 0)
            material->reflectivity[i] = row->reflectivity[i];
    /* The LIGHT flag depends on the lights.rad of that compile. */
    if (row->flags >= 0)
        material->surface_flags = row->flags & ~SURFACE_LIGHT;
    if (!keep_contents)
        apply_contents(row, material);
    const int see_through = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_TRANSLUCENT;
    material->translucent =
        (material->surface_flags & SURFACE_TRANS) || (material->contents & see_through);
    material->water = (material->contents & (CONTENTS_WATER | CONTENTS_SLIME)) ||
                      (material->surface_flags & SURFACE_WARP);
    material->is_clip = (material->contents & CONTENTS_CLIP) != 0;
    material->no_chop = (material->surface_flags & SURFACE_NOCHOP) != 0;
    material->bump = (material->surface_flags & SURFACE_BUMPLIGHT) != 0;
    material->envmap_cubemap = row->envmap_cubemap;
    if (row->bottom)
        material->bottom_material = row->bottom;
    material->flat_texture = row->flat;
    if (row->surface_prop)
        material->surface_prop = row->surface_prop;
    if (row->flat)
        material->shader = "worldvertextransition";
}
