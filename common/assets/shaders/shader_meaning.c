#include "common/assets/shaders/shader_meaning.h"

#include "common/assets/shaders/shader_changes.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"

#define DEEPEST_BASE        8
#define BACKSPLASH_DISTANCE 23

struct reading {
    const struct shader_reader *reader;
    const struct shader_block *block;
    struct shader *shader;
    struct shader_images *images;
    int depth; /* nesting of base shaders */
};

typedef void apply(struct reading *reading, const struct shader_directive *directive);

static void read_directives(struct reading *reading);

/* surfaceparm: flags that are set, and flags that are removed from a plain shader. Measured on the
 * shader lumps of maps with available scripts. */
static const struct parm {
    const char *name;
    int contents, clears, surface, compile;
} parms[] = {
    {"alphashadow", 0, 0, Q3_SURFACE_ALPHASHADOW, 0},
    {"antiportal", 0, 0, 0, SHADER_UNSUPPORTED},
    {"areaportal", Q3_CONTENTS_AREAPORTAL, Q3_CONTENTS_SOLID, 0, 0},
    {"botclip", Q3_CONTENTS_BOTCLIP, Q3_CONTENTS_SOLID, 0, 0},
    {"clusterportal", Q3_CONTENTS_CLUSTERPORTAL, Q3_CONTENTS_SOLID, 0, 0},
    {"detail", Q3_CONTENTS_DETAIL, 0, 0, 0},
    {"donotenter", Q3_CONTENTS_DONOTENTER, Q3_CONTENTS_SOLID, 0, 0},
    {"dust", 0, 0, Q3_SURFACE_DUST, 0},
    {"flesh", 0, 0, Q3_SURFACE_FLESH, 0},
    {"fog", Q3_CONTENTS_FOG, Q3_CONTENTS_SOLID, 0, 0},
    {"hint", 0, Q3_CONTENTS_SOLID, Q3_SURFACE_HINT, 0},
    {"ladder", 0, 0, Q3_SURFACE_LADDER, 0},
    {"lava", Q3_CONTENTS_LAVA, Q3_CONTENTS_SOLID, 0, 0},
    {"lightfilter", 0, 0, Q3_SURFACE_LIGHTFILTER, 0},
    {"lightgrid", 0, 0, 0, SHADER_LIGHT_GRID},
    {"metalsteps", 0, 0, Q3_SURFACE_METALSTEPS, 0},
    {"monsterclip", Q3_CONTENTS_MONSTERCLIP, Q3_CONTENTS_SOLID, 0, 0},
    {"nodamage", 0, 0, Q3_SURFACE_NODAMAGE, 0},
    {"nodlight", 0, 0, Q3_SURFACE_NODLIGHT, 0},
    {"nodraw", 0, 0, Q3_SURFACE_NODRAW, 0},
    {"nodrop", Q3_CONTENTS_NODROP, Q3_CONTENTS_SOLID, 0, 0},
    {"noimpact", 0, 0, Q3_SURFACE_NOIMPACT, 0},
    {"nolightmap", 0, 0, Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT, 0},
    {"nomarks", 0, 0, Q3_SURFACE_NOMARKS, 0},
    {"nonsolid", 0, Q3_CONTENTS_SOLID, Q3_SURFACE_NONSOLID, 0},
    {"noob", 0, 0, Q3_SURFACE_NOOB, 0},
    {"nosteps", 0, 0, Q3_SURFACE_NOSTEPS, 0},
    {"origin", Q3_CONTENTS_ORIGIN, Q3_CONTENTS_SOLID, 0, 0},
    {"playerclip", Q3_CONTENTS_PLAYERCLIP, Q3_CONTENTS_SOLID, 0, 0},
    {"pointlight", 0, 0, Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT, 0},
    {"skip", 0, Q3_CONTENTS_SOLID, Q3_SURFACE_SKIP, 0},
    {"sky", 0, 0, Q3_SURFACE_SKY, 0},
    {"slick", 0, 0, Q3_SURFACE_SLICK, 0},
    {"slime", Q3_CONTENTS_SLIME, Q3_CONTENTS_SOLID, 0, 0},
    {"structural", Q3_CONTENTS_STRUCTURAL, 0, 0, 0},
    {"trans", Q3_CONTENTS_TRANSLUCENT, 0, 0, 0},
    {"trigger", Q3_CONTENTS_TRIGGER, Q3_CONTENTS_SOLID, 0, 0},
    {"water", Q3_CONTENTS_WATER, Q3_CONTENTS_SOLID, 0, 0},
};

/* Keywords that set a compile flag and need no argument. */
static const struct {
    const char *name;
    int flag;
} flags[] = {
    {"fogparms", SHADER_FOG_PARMS},
    {"polygonoffset", SHADER_POLYGON_OFFSET},
    {"q3map_clipmodel", SHADER_CLIP_MODEL},
    {"q3map_forcemeta", SHADER_FORCE_META},
    {"q3map_globaltexture", SHADER_GLOBAL_TEXTURE},
    {"q3map_indexed", SHADER_INDEXED},
    {"q3map_invert", SHADER_INVERT},
    {"q3map_lightmapmergable", SHADER_NONPLANAR},
    {"q3map_noclip", SHADER_NO_CLIP},
    {"q3map_nodirty", SHADER_NO_DIRTY},
    {"q3map_nofog", SHADER_NO_FOG},
    {"q3map_nonplanar", SHADER_NONPLANAR},
    {"q3map_notjunc", SHADER_NO_TJUNCTIONS},
    {"q3map_novertexlight", SHADER_NO_VERTEX_LIGHT},
    {"q3map_novertexshadows", SHADER_NO_VERTEX_SHADOWS},
    {"q3map_patchshadows", SHADER_PATCH_SHADOWS},
    {"q3map_terrain", SHADER_INDEXED},
};

/* Keywords with one number, and the field for it. */
#define FIELD(name) offsetof(struct shader, name)
static const struct {
    const char *name;
    size_t offset;
    double min; /* smaller values are replaced by it */
} numbers[] = {
    {"q3map_bounce", FIELD(bounce_scale), 0},
    {"q3map_bouncescale", FIELD(bounce_scale), 0},
    {"q3map_lightmapbrightness", FIELD(lightmap_brightness), 0},
    {"q3map_lightmapgamma", FIELD(lightmap_gamma), 1e-3},
    {"q3map_lightmapsampleoffset", FIELD(lightmap_sample_offset), 0},
    {"q3map_lightmapsamplesize", FIELD(lightmap_sample_size), 0},
    {"q3map_lightsubdivide", FIELD(light_subdivide), 0},
    {"q3map_offset", FIELD(offset), -1e6},
    {"q3map_shadeangle", FIELD(shade_angle), 0},
    {"q3map_subdivisions", FIELD(subdivisions), 0},
    {"q3map_surfacelight", FIELD(surface_light), -1e9},
    {"q3map_tesssize", FIELD(tess_size), 0},
    {"q3map_vertexscale", FIELD(vertex_scale), 0},
    {"tesssize", FIELD(tess_size), 0},
};

/* Keywords with the name of another shader. */
static const struct {
    const char *name;
    size_t offset;
} references[] = {
    {"q3map_backshader", FIELD(back_shader)},   {"q3map_cloneshader", FIELD(clone_shader)},
    {"q3map_flare", FIELD(flare_shader)},       {"q3map_flareshader", FIELD(flare_shader)},
    {"q3map_remapshader", FIELD(remap_shader)},
};

static const char *argument(const struct shader_directive *directive)
{
    return directive->count > 1 ? directive->words[1] : "";
}

/* Parses the numbers of the line, ignoring parentheses. */
static size_t line_numbers(const struct shader_directive *directive, double *out, size_t max)
{
    return directive->count > 1
               ? shader_numbers(directive->words + 1, directive->count - 1, out, max)
               : 0;
}

static const struct parm *find_parm(const char *name)
{
    for (size_t i = 0; i < sizeof parms / sizeof *parms; i++)
        if (str_equal_nocase(parms[i].name, name))
            return &parms[i];
    return NULL;
}

static void ignored(const struct reading *reading, const struct shader_directive *directive,
                    bool known)
{
    if (reading->reader->ignored)
        reading->reader->ignored(reading->reader->context, directive, known);
}

/* A keyword that has an effect, of which a part has none. */
static void ignored_part(const struct reading *reading, const char *what)
{
    const struct shader_directive directive = {.words = {what}, .count = 1, .rest = ""};
    ignored(reading, &directive, true);
}

/* One that the game has; false: it has none of that name. */
static bool apply_own_parm(struct reading *reading, const char *name)
{
    struct shader *shader = reading->shader;
    const struct dialect_parm *parm = dialect_parm_find(reading->reader->dialect, name);
    if (!parm)
        return false;
    shader->contents = (shader->contents & ~parm->clears) | parm->contents;
    shader->surface_flags |= parm->surface;
    shader->own_contents = (shader->own_contents & ~parm->own_clears) | parm->own_contents;
    shader->own_surface |= parm->own_surface;
    return true;
}

/* The numbers of the game's file are those of its BSP. */
static bool apply_custom_parm(struct reading *reading, const char *name)
{
    struct shader *shader = reading->shader;
    const struct custom_parm *parm = custom_parms_find(reading->reader->custom, name);
    if (!parm)
        return false;
    const struct dialect *dialect = reading->reader->dialect;
    const struct dialect_flags contents = dialect_contents(dialect, parm->contents);
    const struct dialect_flags surface = dialect_surface(dialect, parm->surface);
    shader->contents |= contents.meaning;
    shader->own_contents |= contents.own;
    shader->surface_flags |= surface.meaning;
    shader->own_surface |= surface.own;
    return true;
}

/* q3map_material: what the surface is made of. */
static void apply_material(struct reading *reading, const struct shader_directive *directive)
{
    const struct dialect *dialect = reading->reader->dialect;
    const int32_t number = dialect_material(dialect, argument(directive));
    struct shader *shader = reading->shader;
    if (number)
        shader->own_surface = (shader->own_surface & ~dialect->materials) | number;
    else
        ignored(reading, directive, true);
}

static void apply_parm(struct reading *reading, const struct shader_directive *directive)
{
    struct shader *shader = reading->shader;
    const struct parm *parm = find_parm(argument(directive));
    const bool of_game = apply_own_parm(reading, argument(directive));
    if (!parm) {
        if (!of_game && !apply_custom_parm(reading, argument(directive)))
            ignored(reading, directive, false);
        return;
    }
    if (parm->compile == SHADER_UNSUPPORTED)
        ignored(reading, directive, true);
    shader->contents = (shader->contents & ~parm->clears) | parm->contents;
    shader->surface_flags |= parm->surface;
    shader->compile_flags |= parm->compile & ~SHADER_UNSUPPORTED;
}

static void apply_cull(struct reading *reading, const struct shader_directive *directive)
{
    static const char *const none[] = {"none", "disable", "twosided"};
    reading->shader->compile_flags &= ~SHADER_TWO_SIDED;
    for (int i = 0; i < 3; i++)
        if (str_equal_nocase(argument(directive), none[i]))
            reading->shader->compile_flags |= SHADER_TWO_SIDED;
}

static void apply_deform(struct reading *reading, const struct shader_directive *directive)
{
    if (str_starts_nocase(argument(directive), "autosprite"))
        reading->shader->compile_flags |= SHADER_AUTOSPRITE;
}

static void apply_editor_image(struct reading *reading, const struct shader_directive *directive)
{
    reading->images->editor = *argument(directive) ? argument(directive) : NULL;
}

static void apply_light_image(struct reading *reading, const struct shader_directive *directive)
{
    reading->images->light = *argument(directive) ? argument(directive) : NULL;
}

/* Scales the colour to a largest component of 1: only hue and ratios count. */
static struct vec3 largest_one(const double *rgb)
{
    double largest = portable_fmax(rgb[0], portable_fmax(rgb[1], rgb[2]));
    double scale = largest > 0 ? 1 / largest : 0;
    return largest > 0 ? vec3(rgb[0] * scale, rgb[1] * scale, rgb[2] * scale) : vec3(1, 1, 1);
}

static void apply_light_rgb(struct reading *reading, const struct shader_directive *directive)
{
    double rgb[3];
    if (line_numbers(directive, rgb, 3) != 3)
        return;
    for (int i = 0; i < 3; i++)
        reading->shader->average.e[i] = portable_fmax(0, rgb[i]);
    reading->images->has_colour = true;
}

static void apply_backsplash(struct reading *reading, const struct shader_directive *directive)
{
    double pair[2];
    size_t count = line_numbers(directive, pair, 2);
    if (count > 0)
        reading->shader->backsplash = portable_fmax(0, pair[0] / 100);
    if (count > 1)
        reading->shader->backsplash_distance = pair[1];
}

/* R G B INTENSITY DEGREES ELEVATION [DEVIANCE SAMPLES]. Shaders with a sun or with light of the sky
 * are skies. */
static void apply_sun(struct reading *reading, const struct shader_directive *directive)
{
    double n[8] = {[7] = 1};
    size_t count = line_numbers(directive, n, 8);
    if (count < 6)
        return;
    const double radians = portable_acos(-1.0) / 180;
    struct shader_sun sun = {
        .colour = largest_one(n),
        .direction = vec3(portable_cos(n[4] * radians) * portable_cos(n[5] * radians),
                          portable_sin(n[4] * radians) * portable_cos(n[5] * radians),
                          portable_sin(n[5] * radians)),
        .intensity = n[3],
        .deviance = count > 6 ? fabs(n[6]) : 0,
        .samples = n[7] >= 1 && n[7] < 1e6 ? (int)n[7] : 1,
    };
    arrput(reading->shader->suns, sun);
    reading->shader->surface_flags |= Q3_SURFACE_SKY;
}

/* VALUE ITERATIONS [LOWEST HIGHEST SAMPLE_COLOUR] */
static void apply_sky_light(struct reading *reading, const struct shader_directive *directive)
{
    enum { MAX_ITERATIONS = 64 };
    double n[5] = {0, 8, 0, 90, 1};
    if (line_numbers(directive, n, 5) < 1)
        return;
    struct shader_sky_light light = {.value = n[0],
                                     .iterations =
                                         (int)portable_fmin(portable_fmax(n[1], 1), MAX_ITERATIONS),
                                     .lowest = portable_fmin(portable_fmax(n[2], -90), 90),
                                     .highest = portable_fmin(portable_fmax(n[3], -90), 90)};
    if (!(n[4] > 0))
        ignored_part(reading, "the colour of q3map_skyLight");
    arrput(reading->shader->sky_lights, light);
    reading->shader->surface_flags |= Q3_SURFACE_SKY;
}

static void apply_style(struct reading *reading, const struct shader_directive *directive)
{
    double style;
    if (line_numbers(directive, &style, 1) == 1)
        reading->shader->light_style = (int)portable_fmin(portable_fmax(style, 0), 254);
}

static void apply_lightmap_axis(struct reading *reading, const struct shader_directive *directive)
{
    double axis[3];
    const char *name = argument(directive);
    if (strlen(name) == 1 && strchr("xyzXYZ", *name))
        reading->shader->lightmap_axis =
            vec3((*name | 32) == 'x', (*name | 32) == 'y', (*name | 32) == 'z');
    else if (line_numbers(directive, axis, 3) == 3)
        reading->shader->lightmap_axis = vec3_normalize(vec3(axis[0], axis[1], axis[2]));
}

static void apply_filter_radius(struct reading *reading, const struct shader_directive *directive)
{
    double radius[2];
    size_t count = line_numbers(directive, radius, 2);
    if (count > 0)
        reading->shader->lightmap_filter_radius = portable_fmax(0, radius[0]);
    if (count > 1 && radius[1] > 0) /* of its lights: areas need none */
        ignored_part(reading, "second radius of q3map_lightmapFilterRadius");
}

static void apply_flood(struct reading *reading, const struct shader_directive *directive)
{
    double v[6];
    size_t count = line_numbers(directive, v, 6);
    if (count < 5 || !(v[0] >= 0 && v[1] >= 0 && v[2] >= 0 && v[3] > 0 && v[4] > 0))
        return;
    reading->shader->flood = (struct shader_flood){vec3(v[0], v[1], v[2]), v[3], v[4]};
    if (count > 5 && v[5] != 1) /* of its direction, for deluxemaps */
        ignored_part(reading, "last number of q3map_floodLight");
}

static void apply_fog_direction(struct reading *reading, const struct shader_directive *directive)
{
    double d[3];
    if (line_numbers(directive, d, 3) == 3)
        reading->shader->fog_direction = vec3_normalize(vec3(d[0], d[1], d[2]));
}

static void apply_texture_size(struct reading *reading, const struct shader_directive *directive)
{
    double size[2];
    if (line_numbers(directive, size, 2) != 2 || size[0] < 1 || size[1] < 1)
        return;
    for (int i = 0; i < 2; i++)
        reading->images->size[i] = (int)portable_fmin(size[i], 65536);
}

static void add_text(const char *const **texts, const char *text)
{
    const char **list = (const char **)*texts;
    arrput(list, text);
    *texts = list;
}

static void apply_surface_model(struct reading *reading, const struct shader_directive *directive)
{
    add_text(&reading->shader->surface_models, directive->rest);
}

static void apply_foliage(struct reading *reading, const struct shader_directive *directive)
{
    add_text(&reading->shader->foliage, directive->rest);
}

static void apply_vertex_change(struct reading *reading, const struct shader_directive *directive)
{
    struct shader_change change;
    if (!shader_change_parse(directive->words, directive->count, &change))
        ignored(reading, directive, false);
    else if (change.kind == SHADER_COLOUR_VOLUME)
        reading->shader->compile_flags |= SHADER_VOLUME;
    else
        arrput(reading->shader->changes, change);
}

static void apply_deprecate(struct reading *reading, const struct shader_directive *directive)
{
    if (!*argument(directive))
        return;
    reading->shader->remap_shader = argument(directive);
}

static void apply_base(struct reading *reading, const struct shader_directive *directive)
{
    const struct shader_reader *reader = reading->reader;
    const struct shader_block *base =
        reader->lookup ? reader->lookup(reader->context, argument(directive)) : NULL;
    reading->shader->base_shader = argument(directive);
    if (!base || base == reading->block || reading->depth >= DEEPEST_BASE)
        return;
    struct reading inner = *reading;
    inner.block = base;
    inner.depth++;
    read_directives(&inner);
}

static const struct {
    const char *name;
    apply *apply;
} others[] = {
    {"surfaceparm", apply_parm},
    {"q3map_material", apply_material},
    {"cull", apply_cull},
    {"deformvertexes", apply_deform},
    {"qer_editorimage", apply_editor_image},
    {"q3map_lightimage", apply_light_image},
    {"q3map_lightrgb", apply_light_rgb},
    {"q3map_backsplash", apply_backsplash},
    {"q3map_sun", apply_sun},
    {"q3map_sunext", apply_sun},
    {"sun", apply_sun},
    {"q3map_skylight", apply_sky_light},
    {"skylight", apply_sky_light},
    {"q3map_lightstyle", apply_style},
    {"q3map_lightmapaxis", apply_lightmap_axis},
    {"q3map_lightmapfilterradius", apply_filter_radius},
    {"q3map_floodlight", apply_flood},
    {"q3map_fogdir", apply_fog_direction},
    {"q3map_texturesize", apply_texture_size},
    {"q3map_surfacemodel", apply_surface_model},
    {"q3map_foliage", apply_foliage},
    {"q3map_baseshader", apply_base},
    {"q3map_deprecateshader", apply_deprecate},
    {"q3map_tcgen", apply_vertex_change},
    {"q3map_tcmod", apply_vertex_change},
    {"q3map_alphagen", apply_vertex_change},
    {"q3map_alphamod", apply_vertex_change},
    {"q3map_rgbgen", apply_vertex_change},
    {"q3map_rgbmod", apply_vertex_change},
    {"q3map_colorgen", apply_vertex_change},
    {"q3map_colormod", apply_vertex_change},
};

/* Keywords that other compilers support and this one does not, or that ask for what is always so:
 * suns and vertices with shadows, luxels that are moved out of solids. */
static const char *const known[] = {
    "q3map_forcesunlight", "q3map_lightmapsize", "q3map_splotchfix",  "q3map_vertexshadows",
    "q3map_fur",           "q3map_nofast",       "q3map_normalimage", "q3map_light1",
};

static bool is_known(const char *keyword)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_equal_nocase(keyword, known[i]))
            return true;
    return false;
}

const char *shader_keyword(size_t index)
{
#define TABLE(table, of)                                                                           \
    do {                                                                                           \
        if (index < sizeof table / sizeof *table)                                                  \
            return of;                                                                             \
        index -= sizeof table / sizeof *table;                                                     \
    } while (0)
    TABLE(flags, flags[index].name);
    TABLE(numbers, numbers[index].name);
    TABLE(references, references[index].name);
    TABLE(others, others[index].name);
    TABLE(known, known[index]);
#undef TABLE
    return NULL;
}

const char *shader_parm(size_t index)
{
    return index < sizeof parms / sizeof *parms ? parms[index].name : NULL;
}

static bool apply_number(struct reading *reading, const struct shader_directive *directive)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double number;
        void *field = (char *)reading->shader + numbers[i].offset;
        if (!str_equal_nocase(directive->words[0], numbers[i].name))
            continue;
        if (line_numbers(directive, &number, 1) == 1)
            *(double *)field = portable_fmax(number, numbers[i].min);
        return true;
    }
    return false;
}

static bool apply_reference(struct reading *reading, const struct shader_directive *directive)
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        void *field = (char *)reading->shader + references[i].offset;
        if (!str_equal_nocase(directive->words[0], references[i].name))
            continue;
        if (*argument(directive))
            *(const char **)field = argument(directive);
        return true;
    }
    return false;
}

static bool apply_flag(struct reading *reading, const struct shader_directive *directive)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (str_equal_nocase(directive->words[0], flags[i].name)) {
            reading->shader->compile_flags |= flags[i].flag;
            return true;
        }
    return false;
}

static void apply_outer(struct reading *reading, const struct shader_directive *directive)
{
    const char *keyword = directive->words[0];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_equal_nocase(keyword, others[i].name)) {
            others[i].apply(reading, directive);
            return;
        }
    if (!apply_flag(reading, directive) && !apply_number(reading, directive) &&
        !apply_reference(reading, directive) && str_starts_nocase(keyword, "q3map_"))
        ignored(reading, directive, is_known(keyword));
}

/* Records how a stage is blended over its background; it may come before or after the image. */
static void apply_blending(struct reading *reading, const struct shader_directive *directive)
{
    struct shader *shader = reading->shader;
    const char *how = argument(directive);
    if (reading->images->stage && reading->images->stage_number != directive->stage)
        return;
    if (reading->images->stage_number != directive->stage)
        shader->stage_alpha_tested = shader->stage_blended = shader->stage_added = false;
    reading->images->stage_number = directive->stage;
    if (str_equal_nocase(directive->words[0], "alphafunc"))
        shader->stage_alpha_tested = true;
    else if (directive->stage > 0 || str_equal_nocase(directive->rest, "gl_one gl_zero"))
        return; /* over a stage below, such as the lightmap */
    else if (str_equal_nocase(how, "blend") || str_equal_nocase(how, "gl_src_alpha"))
        shader->stage_blended = true;
    else
        shader->stage_added = true;
}

static void apply_map(struct reading *reading, const struct shader_directive *directive,
                      const char *image)
{
    struct shader_images *images = reading->images;
    struct shader *shader = reading->shader;
    if (str_equal_nocase(image, "$lightmap")) {
        shader->compile_flags |= SHADER_HAS_LIGHTMAP;
    } else if (*image == '$' || *image == '*') {
        images->plain_stage = true;
    } else if (*image && !images->stage) {
        images->stage = shader->stage_image = image;
        if (images->stage_number != directive->stage)
            shader->stage_alpha_tested = shader->stage_blended = shader->stage_added = false;
        images->stage_number = directive->stage;
    }
}

static void apply_stage(struct reading *reading, const struct shader_directive *directive)
{
    const char *keyword = directive->words[0];
    bool animated = str_equal_nocase(keyword, "animmap");
    bool clamped = str_equal_nocase(keyword, "clampmap");
    if (str_equal_nocase(keyword, "alphafunc") || str_equal_nocase(keyword, "blendfunc"))
        apply_blending(reading, directive);
    else if (animated || clamped || str_equal_nocase(keyword, "map"))
        apply_map(reading, directive,
                  directive->count > 1u + animated ? directive->words[1 + animated] : "");
    else if (str_equal_nocase(keyword, "tcmod") &&
             (str_equal_nocase(argument(directive), "rotate") ||
              str_equal_nocase(argument(directive), "stretch")))
        reading->shader->compile_flags |= SHADER_TURNS;
    if (clamped)
        reading->shader->compile_flags |= SHADER_CLAMPS;
}

static void read_directives(struct reading *reading)
{
    struct shader_cursor cursor = shader_cursor(reading->block);
    struct shader_directive directive;
    while (shader_next_directive(&cursor, reading->reader->arena, &directive)) {
        if (directive.depth == 0)
            apply_outer(reading, &directive);
        else
            apply_stage(reading, &directive);
    }
}

void shader_defaults(struct shader *shader)
{
    *shader = (struct shader){
        .contents = Q3_CONTENTS_SOLID,
        .compile_flags = SHADER_HAS_LIGHTMAP,
        .backsplash = -1,
        .backsplash_distance = BACKSPLASH_DISTANCE,
        .bounce_scale = 1,
        .vertex_scale = 1,
        .lightmap_brightness = 1,
        .lightmap_gamma = 1,
    };
}

void shader_apply_dialect(const struct dialect *dialect, struct shader *shader)
{
    if (dialect)
        shader->own_contents |= dialect->plain_contents;
}

void shader_read_block(const struct shader_reader *reader, const struct shader_block *block,
                       struct shader *shader, struct shader_images *images)
{
    struct reading reading = {reader, block, shader, images, 0};
    shader->compile_flags &= ~SHADER_HAS_LIGHTMAP;
    images->stage_number = -1;
    read_directives(&reading);
}

void shader_apply_parm(const struct shader_reader *reader, const char *parm, struct shader *shader)
{
    const struct shader_directive directive = {
        .words = {"surfaceparm", parm}, .count = 2, .rest = parm};
    struct reading reading = {.reader = reader, .shader = shader};
    apply_parm(&reading, &directive);
}

void shader_free_lists(struct shader *shader)
{
    const char **models = (const char **)shader->surface_models;
    const char **foliage = (const char **)shader->foliage;
    arrfree(models);
    arrfree(foliage);
    arrfree(shader->changes);
    arrfree(shader->suns);
    arrfree(shader->sky_lights);
}
