#include "common/bsp/catalogue/texdata_catalogue.h"

#include <stdlib.h>

#include "common/bsp/catalogue/texdata_evidence.h"
#include "common/bsp/catalogue/texdata_hints.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/packed_files.def"

/* Flags that depend on the brush and not on its material. */
#define BRUSH_FLAGS (CONTENTS_DETAIL | CONTENTS_LADDER | CONTENTS_TRANSLUCENT)

enum {
    FACE_WEIGHT = 4,  /* weight of a face compared with a brush side: most sides are never drawn */
    VALUES_MAX = 256, /* different values per material; real maps have a dozen */
    SHARED_MAX = 16,  /* brushes per side; normally one */
    SIMILARITY_MAX = 8192, /* rows; the engine has room for 2048 textures */
};

struct texdata_cell {
    char *key;
    size_t value;
};

const uint64_t texdata_catalogue_lumps =
    1ULL << LUMP_TEXDATA | 1ULL << LUMP_TEXINFO | 1ULL << LUMP_FACES | 1ULL << LUMP_FACES_HDR |
    1ULL << LUMP_BRUSHES | 1ULL << LUMP_BRUSHSIDES | 1ULL << LUMP_TEXDATASTRINGDATA |
    1ULL << LUMP_TEXDATASTRINGTABLE | 1ULL << LUMP_PAKFILE | 1ULL << LUMP_PLANES |
    1ULL << LUMP_PHYSCOLLIDE | 1ULL << IBSP_SHADERS;

/* Rows of one map, before they are merged into the catalogue. */
struct gathering {
    const struct bsp *bsp;
    struct texdata_catalogue *catalogue; /* of the map; its arena is the whole catalogue's */
    int64_t *row_of;                     /* stb_ds array, one per texdata; -1: none */
    size_t sides_left; /* budget: a damaged map may have the same sides in all brushes */
    struct pakfile pakfile;
    const char **surfaces; /* one per texdata, or NULL */
    struct texdata_shown *shown;
};

static struct texdata_entry *find_row(const struct texdata_catalogue *catalogue, const char *key)
{
    struct texdata_cell *cells = catalogue->cells; /* stb_ds lookups write to the map */
    ptrdiff_t at = cells ? shgeti(cells, key) : -1;
    return at >= 0 ? &catalogue->rows[cells[at].value] : NULL;
}

static void add_row(struct texdata_catalogue *catalogue, const struct texdata_entry *row)
{
    if (!catalogue->cells)
        sh_new_strdup(catalogue->cells);
    shput(catalogue->cells, row->key, arrlenu(catalogue->rows));
    arrput(catalogue->rows, *row);
}

static void free_row(struct texdata_entry *row)
{
    arrfree(row->flags);
    arrfree(row->all);
    arrfree(row->exclusive);
    arrfree(row->rest);
}

/* ---- names ---- */

/* Returns the length without "_" and an integer at the end. */
static size_t without_number(const char *text, size_t length)
{
    size_t at = length;
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        at--;
    if (at == length)
        return length;
    at -= at > 0 && text[at - 1] == '-';
    return at > 0 && text[at - 1] == '_' ? at - 1 : length;
}

/* Removes "_X_Y_Z" from the end, if all three are there. */
static size_t without_place(const char *text, size_t length)
{
    size_t at = length;
    for (int i = 0; i < 3; i++) {
        size_t shorter = without_number(text, at);
        if (shorter == at)
            return length;
        at = shorter;
    }
    return at;
}

static size_t without_ending(const char *text, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    bool ends = length >= size && memcmp(text + length - size, ending, size) == 0;
    return ends ? length - size : length;
}

static size_t without_depth(const char *text, size_t length)
{
    const char depth[] = "_depth";
    size_t shorter = without_number(text, length);
    size_t whole = without_ending(text, shorter, depth);
    return shorter < length && whole < shorter ? whole : length;
}

const char *texdata_source_name(struct arena *arena, const char *name, bool *envmap)
{
    const char maps[] = "maps/";
    *envmap = false;
    if (!str_starts_nocase(name, maps))
        return name;
    const char *rest = strchr(name + sizeof maps - 1, '/');
    if (!rest || rest == name + sizeof maps - 1)
        return name;
    rest++;
    size_t length = strlen(rest), placed = without_place(rest, length);
    *envmap = placed != length;
    length = without_depth(rest, placed);
    return arena_strndup(arena, rest, without_ending(rest, length, TEXDATA_WVT_PATCH_SUFFIX));
}

static const char *small_letters(struct arena *arena, const char *name)
{
    char *copy = arena_strdup(arena, name);
    for (char *c = copy; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return copy;
}

/* A row is a line of text with tabs. */
static bool fits_line(const char *name)
{
    if (!*name || *name == '#')
        return false;
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 127)
            return false;
    return true;
}

/* ---- counts ---- */

static void count_value(struct texdata_tally **tally, uint32_t value, int64_t count)
{
    for (size_t i = 0; i < arrlenu(*tally); i++)
        if ((*tally)[i].value == value) {
            (*tally)[i].count += count;
            return;
        }
    if (arrlenu(*tally) < VALUES_MAX)
        arrput(*tally, ((struct texdata_tally){value, count}));
}

/* Returns the most frequent value, the first of equals; -1: none. */
static int64_t commonest(const struct texdata_tally *tally)
{
    const struct texdata_tally *best = tally;
    for (size_t i = 1; i < arrlenu(tally); i++)
        if (tally[i].count > best->count)
            best = &tally[i];
    return arrlenu(tally) ? (int64_t)best->value : -1;
}

static const char *flat_texture_of(struct gathering *gathering, const char *name)
{
    struct arena *arena = &gathering->catalogue->arena;
    size_t length = without_place(name, strlen(name));
    const char *texture =
        texdata_wvt_patch_texture(arena, &gathering->pakfile, arena_strndup(arena, name, length));
    return texture && fits_line(texture) ? texture : NULL;
}

/* Returns the number of the row that the texdata belongs to, or -1. */
static int64_t gather_name(struct gathering *gathering, const struct bsp_texdata *texdata,
                           const char *name)
{
    struct texdata_catalogue *catalogue = gathering->catalogue;
    struct texdata_entry row = {
        .size = {texdata->width, texdata->height, texdata->view_width, texdata->view_height},
        .contents = -1};
    const char *source = texdata_source_name(&catalogue->arena, name, &row.envmap);
    if (!fits_line(source))
        return -1;
    row.key = small_letters(&catalogue->arena, source);
    row.flat = flat_texture_of(gathering, name);
    struct texdata_entry *old = find_row(catalogue, row.key);
    if (old) {
        old->envmap = old->envmap || row.envmap;
        old->flat = old->flat ? old->flat : row.flat;
        return old - catalogue->rows;
    }
    row.name = arena_strdup(&catalogue->arena, source);
    memcpy(row.reflectivity, texdata->reflectivity, sizeof row.reflectivity);
    add_row(catalogue, &row);
    return (int64_t)arrlenu(catalogue->rows) - 1;
}

/* The first known surface property of a material is used. */
static void gather_surface(struct texdata_entry *row, const char *surface)
{
    if (surface && !row->surface && fits_line(surface))
        row->surface = surface;
}

static void gather_names(struct gathering *gathering)
{
    const struct bsp *bsp = gathering->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++) {
        const struct bsp_texdata *texdata = &bsp->texdata[i];
        bool known = texdata->name >= 0 && (size_t)texdata->name < arrlenu(bsp->texture_names);
        int64_t row = -1;
        if (known)
            row = gather_name(gathering, texdata, bsp->texture_names[texdata->name]);
        if (row >= 0)
            gather_surface(&gathering->catalogue->rows[row], gathering->surfaces[i]);
        arrput(gathering->row_of, row);
    }
}

/* In IBSP a shader has its contents. */
static void gather_shaders(struct gathering *gathering)
{
    const struct bsp *bsp = gathering->bsp;
    struct texdata_catalogue *catalogue = gathering->catalogue;
    const struct bsp_texdata unknown = {.reflectivity = {-1, -1, -1}};
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++) {
        const struct bsp_shader *shader = &bsp->shaders[i];
        const char *end = memchr(shader->name, 0, sizeof shader->name);
        size_t length = end ? (size_t)(end - shader->name) : sizeof shader->name;
        int64_t at = gather_name(gathering, &unknown,
                                 arena_strndup(&catalogue->arena, shader->name, length));
        if (at < 0)
            continue;
        count_value(&catalogue->rows[at].flags, (uint32_t)shader->surface_flags, 1);
        count_value(&catalogue->rows[at].all, (uint32_t)shader->contents, 1);
        count_value(&catalogue->rows[at].exclusive, (uint32_t)shader->contents, 1);
    }
}

static struct texdata_entry *row_of_texinfo(const struct gathering *gathering, int32_t texinfo)
{
    const struct bsp *bsp = gathering->bsp;
    if (texinfo < 0 || (size_t)texinfo >= arrlenu(bsp->texinfo))
        return NULL;
    int32_t texdata = bsp->texinfo[texinfo].texdata;
    if (texdata < 0 || (size_t)texdata >= arrlenu(gathering->row_of))
        return NULL;
    int64_t row = gathering->row_of[texdata];
    return row < 0 ? NULL : &gathering->catalogue->rows[row];
}

static void gather_faces(const struct gathering *gathering)
{
    const struct bsp *bsp = gathering->bsp;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        int32_t texinfo = bsp->faces[i].texinfo;
        struct texdata_entry *row = row_of_texinfo(gathering, texinfo);
        if (row)
            count_value(&row->flags, (uint32_t)bsp->texinfo[texinfo].flags, FACE_WEIGHT);
    }
}

/* A side that tells of a material: of all, or of those that are shown. */
static struct texdata_entry *row_of_side(struct gathering *gathering, int64_t at, bool shown)
{
    const struct bsp *bsp = gathering->bsp;
    if (at < 0 || (size_t)at >= arrlenu(bsp->brush_sides))
        return NULL;
    const struct bsp_brush_side *side = &bsp->brush_sides[at];
    if (side->bevel || (shown && !texdata_side_is_shown(gathering->shown, side)))
        return NULL;
    return row_of_texinfo(gathering, side->texinfo);
}

/* Counts each material that a brush shows once: `seen` has the last brush of each row. */
static void gather_brush(struct gathering *gathering, size_t number, size_t *seen)
{
    const struct bsp *bsp = gathering->bsp;
    const struct bsp_brush *brush = &bsp->brushes[number];
    uint32_t contents = (uint32_t)brush->contents;
    struct texdata_entry *only = NULL;
    bool alone = true;
    for (int64_t i = 0; i < brush->side_count && gathering->sides_left; i++) {
        int64_t at = brush->first_side + i;
        struct texdata_entry *any = row_of_side(gathering, at, false);
        struct texdata_entry *row = row_of_side(gathering, at, true);
        gathering->sides_left--;
        alone = alone && (!any || !only || any == only);
        only = any ? any : only;
        if (any)
            count_value(&any->flags, (uint32_t)bsp->texinfo[bsp->brush_sides[at].texinfo].flags, 1);
        if (!row)
            continue;
        size_t *last = &seen[row - gathering->catalogue->rows];
        if (*last == number + 1)
            continue;
        *last = number + 1;
        count_value(&row->all, contents, 1);
    }
    if (only && alone && seen[only - gathering->catalogue->rows] == number + 1)
        count_value(&only->exclusive, contents & ~(uint32_t)BRUSH_FLAGS, 1);
}

/* A single side that is seen through decides for a brush, so that each side of a solid one is
 * solid. */
static bool is_solid(const struct texdata_entry *row)
{
    for (size_t i = 0; i < arrlenu(row->all); i++)
        if (row->all[i].value & CONTENTS_SOLID)
            return true;
    return false;
}

/* The only side of a brush that need not be solid gives it its contents. */
static void gather_rest(struct gathering *gathering, const struct bsp_brush *brush)
{
    struct texdata_entry *only = NULL;
    bool alone = true;
    if (brush->contents & CONTENTS_SOLID)
        return;
    for (int64_t i = 0; i < brush->side_count && gathering->sides_left; i++) {
        struct texdata_entry *row = row_of_side(gathering, brush->first_side + i, true);
        gathering->sides_left--;
        if (!row || is_solid(row))
            continue;
        alone = alone && (!only || only == row);
        only = row;
    }
    if (only && alone)
        count_value(&only->rest, (uint32_t)brush->contents & ~(uint32_t)BRUSH_FLAGS, 1);
}

static void gather_brushes(struct gathering *gathering)
{
    const struct bsp *bsp = gathering->bsp;
    gathering->sides_left = SHARED_MAX * arrlenu(bsp->brush_sides);
    size_t *seen = memory_zalloc(arrlenu(gathering->catalogue->rows), sizeof *seen);
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        gather_brush(gathering, i, seen);
    gathering->sides_left = SHARED_MAX * arrlenu(bsp->brush_sides);
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        gather_rest(gathering, &bsp->brushes[i]);
    memory_free(seen);
}

/* Those of brushes with a single material are certain; what solid brushes show is solid. */
static int64_t contents_of(const struct texdata_entry *row)
{
    if (arrlenu(row->exclusive))
        return commonest(row->exclusive);
    return is_solid(row) ? CONTENTS_SOLID : commonest(row->rest);
}

/* Undersides of water. */

static const char beneath[] = "_beneath";

/* Finds NAME_beneath, NAMEbeneath or NA_beneathME, where ME are digits. */
static const char *bottom_by_name(const struct texdata_catalogue *map, const char *key,
                                  struct arena *scratch)
{
    size_t stem = strlen(key);
    while (stem > 0 && key[stem - 1] >= '0' && key[stem - 1] <= '9')
        stem--;
    const char *names[] = {
        arena_printf(scratch, "%s%s", key, beneath),
        arena_printf(scratch, "%s%s", key, beneath + 1),
        arena_printf(scratch, "%.*s%s%s", (int)stem, key, beneath, key + stem),
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct texdata_entry *row = find_row(map, names[i]);
        if (row)
            return row->name;
    }
    return NULL;
}

/* Finds the first underside with nearly the same name: water_2f and water_2_beneath. */
static const char *bottom_by_likeness(const struct texdata_catalogue *map, const char *key)
{
    enum { DIFFERENT = 2 };
    for (size_t i = 0; i < arrlenu(map->rows); i++) {
        const struct texdata_entry *row = &map->rows[i];
        const char *at = strstr(row->key, beneath);
        size_t length = at ? (size_t)(at - row->key) : strlen(row->key);
        if (strstr(row->key, beneath + 1) && length > DIFFERENT &&
            strncmp(row->key, key, length - DIFFERENT) == 0)
            return row->name;
    }
    return NULL;
}

static void find_bottoms(struct texdata_catalogue *map)
{
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(map->rows); i++) {
        struct texdata_entry *row = &map->rows[i];
        row->bottom = bottom_by_name(map, row->key, &scratch);
        bool liquid = row->contents >= 0 && row->contents & (CONTENTS_WATER | CONTENTS_SLIME);
        if (!row->bottom && liquid && arrlenu(map->rows) <= SIMILARITY_MAX)
            row->bottom = bottom_by_likeness(map, row->key);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
}

/* ---- several maps ---- */

/* Returns the property that differs between two maps, or NULL. */
static const char *conflict(const struct texdata_entry *a, const struct texdata_entry *b)
{
    int64_t flags_a = commonest(a->flags), flags_b = commonest(b->flags);
    if (memcmp(a->size, b->size, sizeof a->size) != 0)
        return "size";
    for (int i = 0; i < 3; i++)
        if (a->reflectivity[i] != b->reflectivity[i])
            return "reflectivity";
    if (flags_a >= 0 && flags_b >= 0 && flags_a != flags_b)
        return "flags";
    if (a->contents >= 0 && b->contents >= 0 && a->contents != b->contents)
        return "contents";
    return NULL;
}

/* Fills the unknown values of `row`; takes over or frees the members of `other`. */
static void fill_row(struct texdata_entry *row, struct texdata_entry *other)
{
    row->envmap = row->envmap || other->envmap;
    if (!row->bottom)
        row->bottom = other->bottom;
    if (!row->flat)
        row->flat = other->flat;
    if (!row->surface)
        row->surface = other->surface;
    if (!arrlenu(row->flags)) {
        struct texdata_tally *flags = row->flags;
        row->flags = other->flags;
        other->flags = flags;
    }
    if (row->contents < 0) {
        struct texdata_tally *all = row->all;
        row->contents = other->contents;
        row->all = other->all;
        other->all = all;
    }
    free_row(other);
}

static void lay_under(struct texdata_catalogue *catalogue, struct texdata_catalogue *map,
                      const char *file, struct diag *diag)
{
    struct diag_where where = {.file = file};
    for (size_t i = 0; i < arrlenu(map->rows); i++) {
        struct texdata_entry *old = find_row(catalogue, map->rows[i].key);
        const char *different = old ? conflict(old, &map->rows[i]) : NULL;
        if (different)
            (void)diag_report(diag, DIAG_CATALOGUE_CONFLICT, &where, "%s: different %s", old->name,
                              different);
        if (old)
            fill_row(old, &map->rows[i]);
        else
            add_row(catalogue, &map->rows[i]);
    }
}

void texdata_catalogue_add(struct texdata_catalogue *catalogue, const struct bsp *bsp,
                           const char *file, struct diag *diag)
{
    struct texdata_catalogue map = {.arena = catalogue->arena};
    struct gathering gathering = {.bsp = bsp, .catalogue = &map};
    struct diag *silent = diag_new(NULL, NULL); /* a damaged pakfile is ignored */
    if (pakfile_decode(&bsp->pakfile, NULL, silent, &gathering.pakfile) != STATUS_OK)
        gathering.pakfile = (struct pakfile){0};
    diag_free(silent);
    gathering.shown = texdata_shown_new(bsp);
    gathering.surfaces = texdata_surfaceprops(&map.arena, bsp);
    gather_names(&gathering);
    gather_shaders(&gathering);
    gather_faces(&gathering);
    gather_brushes(&gathering);
    for (size_t i = 0; i < arrlenu(map.rows); i++)
        map.rows[i].contents = contents_of(&map.rows[i]);
    find_bottoms(&map);
    catalogue->arena = map.arena;
    lay_under(catalogue, &map, file, diag);
    texdata_shown_free(gathering.shown);
    pakfile_free(&gathering.pakfile);
    arrfree(gathering.row_of);
    arrfree(map.rows);
    shfree(map.cells);
}

/* ---- text ---- */

static void write_bits(int64_t bits, struct bytes *out)
{
    if (bits < 0)
        bytes_append_text(out, "\t-");
    else
        bytes_append_text(out, "\t0x%llx", (unsigned long long)bits);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = ((const struct texdata_tally *)a)->value;
    uint32_t y = ((const struct texdata_tally *)b)->value;
    return (x > y) - (x < y);
}

static void write_all(const struct texdata_tally *tally, struct bytes *out)
{
    size_t count = arrlenu(tally);
    if (!count) {
        bytes_append_text(out, "\t-");
        return;
    }
    struct texdata_tally *sorted = memory_zalloc(count, sizeof *sorted);
    memcpy(sorted, tally, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; i < count; i++)
        bytes_append_text(out, "%c0x%x", i ? ',' : '\t', sorted[i].value);
    memory_free(sorted);
}

static void write_row(const struct texdata_entry *row, bool with_more, struct bytes *out)
{
    bytes_append_text(out, "%s", row->name);
    for (int i = 0; i < 4; i++)
        if (row->size[i] > 0)
            bytes_append_text(out, "\t%d", row->size[i]);
        else
            bytes_append_text(out, "\t-");
    for (int i = 0; i < 3; i++)
        if (row->reflectivity[i] >= 0)
            bytes_append_text(out, "\t%.6g", (double)row->reflectivity[i]);
        else
            bytes_append_text(out, "\t-");
    write_bits(commonest(row->flags), out);
    write_bits(row->contents, out);
    bytes_append_text(out, "\t%d\t%s", row->envmap, row->bottom ? row->bottom : "-");
    write_all(row->flags, out);
    write_all(row->all, out);
    if (with_more)
        bytes_append_text(out, "\t%s\t%s", row->flat ? row->flat : "-",
                          row->surface ? row->surface : "-");
    bytes_append_text(out, "\n");
}

void texdata_catalogue_write(const struct texdata_catalogue *catalogue, struct bytes *out)
{
    bytes_append_text(out, "#material\twidth\theight\tview_w\tview_h\trefl_r\trefl_g\trefl_b\tflags"
                           "\tcontents\tenvmap\tbottom\tall_flags\tall_contents");
    bool with_more = false;
    for (size_t i = 0; i < arrlenu(catalogue->rows); i++)
        with_more = with_more || catalogue->rows[i].flat || catalogue->rows[i].surface;
    bytes_append_text(out, with_more ? "\tflat\tsurfaceprop\n" : "\n");
    for (size_t i = 0; i < arrlenu(catalogue->rows); i++)
        write_row(&catalogue->rows[i], with_more, out);
}

void texdata_catalogue_free(struct texdata_catalogue *catalogue)
{
    for (size_t i = 0; i < arrlenu(catalogue->rows); i++)
        free_row(&catalogue->rows[i]);
    arrfree(catalogue->rows);
    shfree(catalogue->cells);
    arena_free(&catalogue->arena);
}
