#include "scene/materials/stages.h"

#include <math.h>

#include "common/core/portable_math.h"
#include "common/core/strings.h"

/* A factor as `constant` + `under` * what is there, for a channel. */
struct factor {
    float constant, under;
};

/* A screen has no alpha: that of what is there is 1. */
static struct factor factor_at(int factor, float colour, float alpha)
{
    switch ((enum blend_factor)factor) {
    case BLEND_ZERO:
    case BLEND_ONE_MINUS_DST_ALPHA:
    case BLEND_SRC_ALPHA_SATURATE:
        return (struct factor){0, 0};
    case BLEND_ONE:
    case BLEND_DST_ALPHA:
        return (struct factor){1, 0};
    case BLEND_SRC_COLOR:
        return (struct factor){colour, 0};
    case BLEND_ONE_MINUS_SRC_COLOR:
        return (struct factor){1 - colour, 0};
    case BLEND_SRC_ALPHA:
        return (struct factor){alpha, 0};
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return (struct factor){1 - alpha, 0};
    case BLEND_DST_COLOR:
        return (struct factor){0, 1};
    case BLEND_ONE_MINUS_DST_COLOR:
        return (struct factor){1, -1};
    }
    return (struct factor){1, 0};
}

/* A colour times itself would not depend on it as `kept` says, and no shader means it: its
 * factor counts as 1. */
void blend_over(struct blended *under, struct blend blend, const float rgba[4])
{
    for (int k = 0; k < 3; k++) {
        struct factor source = factor_at(blend.source, rgba[k], rgba[3]);
        struct factor target = factor_at(blend.target, rgba[k], rgba[3]);
        float share = rgba[k] * source.under + (target.under != 0 ? 1 : target.constant);
        float added = rgba[k] * source.constant + share * under->added[k];
        under->added[k] = portable_fminf(portable_fmaxf(added, 0), 1);
        under->kept[k] *= share;
    }
}

static const struct {
    const char *name;
    int number;
} factors[] = {
    {"gl_zero", BLEND_ZERO},
    {"gl_one", BLEND_ONE},
    {"gl_src_color", BLEND_SRC_COLOR},
    {"gl_one_minus_src_color", BLEND_ONE_MINUS_SRC_COLOR},
    {"gl_src_alpha", BLEND_SRC_ALPHA},
    {"gl_one_minus_src_alpha", BLEND_ONE_MINUS_SRC_ALPHA},
    {"gl_dst_alpha", BLEND_DST_ALPHA},
    {"gl_one_minus_dst_alpha", BLEND_ONE_MINUS_DST_ALPHA},
    {"gl_dst_color", BLEND_DST_COLOR},
    {"gl_one_minus_dst_color", BLEND_ONE_MINUS_DST_COLOR},
    {"gl_src_alpha_saturate", BLEND_SRC_ALPHA_SATURATE},
};

static const struct {
    const char *name;
    struct blend blend;
} blends[] = {{"add", {BLEND_ONE, BLEND_ONE}},
              {"filter", {BLEND_DST_COLOR, BLEND_ZERO}},
              {"blend", {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA}}};

static int factor_of(const char *name, int otherwise)
{
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (str_equal_nocase(factors[i].name, name))
            return factors[i].number;
    return otherwise;
}

static const char *word(const struct shader_directive *line, size_t number)
{
    return number < line->count ? line->words[number] : "";
}

static void read_numbers(const struct shader_directive *line, size_t first,
                         double out[CHANGE_NUMBERS])
{
    for (size_t i = 0; i < CHANGE_NUMBERS; i++) {
        double number = 0;
        (void)str_to_doubles(word(line, first + i), &number, 1);
        out[i] = isfinite(number) ? number : 0;
    }
}

static void read_map(const struct shader_directive *line, struct shader_stage *stage)
{
    const char *name = word(line, 1);
    if (str_equal_nocase(name, "$lightmap"))
        stage->is_light = true;
    else if (*name && *name != '$' && *name != '*' && stage->image_count < STAGE_IMAGES)
        stage->images[stage->image_count++] = name;
}

static void read_frames(const struct shader_directive *line, struct shader_stage *stage)
{
    double frequency = 0;
    (void)str_to_doubles(word(line, 1), &frequency, 1);
    stage->frequency = isfinite(frequency) ? frequency : 0;
    for (size_t i = 2; i < line->count && stage->image_count < STAGE_IMAGES; i++)
        stage->images[stage->image_count++] = line->words[i];
}

static void read_blend(const struct shader_directive *line, struct shader_stage *stage)
{
    stage->blend.source = factor_of(word(line, 1), BLEND_ONE);
    stage->blend.target = factor_of(word(line, 2), BLEND_ZERO);
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++)
        if (str_equal_nocase(blends[i].name, word(line, 1)))
            stage->blend = blends[i].blend;
    stage->has_blend = stage->blend.source != BLEND_ONE || stage->blend.target != BLEND_ZERO;
}

static void read_change(const struct shader_directive *line, struct shader_stage *stage)
{
    static const char *const known[] = {"scroll",    "scale",   "rotate",
                                        "transform", "stretch", "turb"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_equal_nocase(known[i], word(line, 1)) && stage->change_count < STAGE_CHANGES) {
            struct stage_change *change = &stage->changes[stage->change_count++];
            /* Waves of stretches are sines; other ones are rare. Turbulence may name its wave. */
            bool named = str_equal_nocase("sin", word(line, 2));
            change->name = known[i];
            read_numbers(line, named ? 3 : 2, change->numbers);
        }
}

static void read_wave(const struct shader_directive *line, size_t first, struct stage_change *out)
{
    out->name = word(line, first);
    read_numbers(line, first + 1, out->numbers);
}

static void read_colour(const struct shader_directive *line, struct shader_stage *stage)
{
    double numbers[CHANGE_NUMBERS];
    read_numbers(line, *word(line, 2) == '(' ? 3 : 2, numbers);
    stage->has_colour = true;
    for (int k = 0; k < 3; k++)
        stage->colour[k] = numbers[k];
}

static void read_light(const struct shader_directive *line, struct shader_stage *stage)
{
    const char *kind = word(line, 1);
    stage->vertex_light = str_equal_nocase(kind, "vertex") ||
                          str_equal_nocase(kind, "exactvertex") ||
                          str_equal_nocase(kind, "lightingdiffuse");
    stage->vertex_dark = str_equal_nocase(kind, "oneminusvertex");
    if (str_equal_nocase(kind, "wave"))
        read_wave(line, 2, &stage->brightness);
    else if (str_equal_nocase(kind, "const"))
        read_colour(line, stage);
}

/* A constant is a wave without amplitude. */
static void read_opacity(const struct shader_directive *line, struct shader_stage *stage)
{
    const char *kind = word(line, 1);
    stage->vertex_alpha = str_equal_nocase(kind, "vertex");
    stage->shines = str_equal_nocase(kind, "lightingspecular");
    if (str_equal_nocase(kind, "wave")) {
        read_wave(line, 2, &stage->opacity);
    } else if (str_equal_nocase(kind, "const")) {
        stage->opacity.name = "sin";
        read_numbers(line, 2, stage->opacity.numbers);
    }
}

/* "wave DIVISOR FUNCTION ...", or "move X Y Z FUNCTION ...". */
static void read_deform(const struct shader_directive *line, struct stage_list *all)
{
    double numbers[CHANGE_NUMBERS];
    const char *kind = word(line, 1);
    bool waves = str_equal_nocase(kind, "wave"), moves = str_equal_nocase(kind, "move");
    if ((!waves && !moves) || all->deform_count == MOST_DEFORMS)
        return;
    struct deform *deform = &all->deforms[all->deform_count++];
    read_numbers(line, 2, numbers);
    for (int k = 0; k < 3 && moves; k++)
        deform->way[k] = numbers[k];
    if (waves)
        deform->spread = 1 / (numbers[0] > 0 ? numbers[0] : 100);
    read_wave(line, waves ? 3 : 5, &deform->wave);
}

static void read_line(const struct shader_directive *line, struct shader_stage *stage)
{
    const char *keyword = line->words[0];
    bool clamps = str_equal_nocase(keyword, "clampmap");
    stage->clamped = stage->clamped || clamps;
    if (clamps || str_equal_nocase(keyword, "map"))
        read_map(line, stage);
    else if (str_equal_nocase(keyword, "animmap"))
        read_frames(line, stage);
    else if (str_equal_nocase(keyword, "blendfunc"))
        read_blend(line, stage);
    else if (str_equal_nocase(keyword, "alphafunc"))
        stage->alpha = word(line, 1);
    else if (str_equal_nocase(keyword, "tcmod"))
        read_change(line, stage);
    else if (str_equal_nocase(keyword, "rgbgen"))
        read_light(line, stage);
    else if (str_equal_nocase(keyword, "alphagen"))
        read_opacity(line, stage);
    else if (str_equal_nocase(keyword, "tcgen"))
        stage->reflects = str_equal_nocase(word(line, 1), "environment");
}

static bool multiplies(const struct shader_stage *stage)
{
    return stage->has_blend &&
           (stage->blend.source == BLEND_DST_COLOR || stage->blend.target == BLEND_SRC_COLOR);
}

/* Both factors: the product is added to itself. */
static bool doubles(const struct shader_stage *stage)
{
    return stage->has_blend && stage->blend.source == BLEND_DST_COLOR &&
           stage->blend.target == BLEND_SRC_COLOR;
}

/* The lightmap lights what is drawn before it, but what that is multiplied with only once, and what
 * is multiplied with it. By coordinates of the environment it shows the light of other places. */
static void apply_light(struct stage_list *all)
{
    int light = -1;
    for (int i = 0; i < all->count && light < 0; i++)
        if (all->stages[i].is_light && !all->stages[i].reflects)
            light = i;
    bool is_ground = light == 0;
    for (int i = 0; i < all->count; i++) {
        struct shader_stage *stage = &all->stages[i];
        bool on_light = is_ground && i > 0 && multiplies(stage);
        bool before = i < light && (i == 0 || !multiplies(stage));
        stage->lit = before || on_light;
        stage->doubled = on_light ? doubles(stage) : before && doubles(&all->stages[light]);
        if (on_light)
            is_ground = stage->has_blend = false; /* it takes the place of the lightmap */
    }
}

/* On a stage without an image that covers what is behind it, the first one with an image covers
 * that, too. */
static void keep_images(struct stage_list *all)
{
    int kept = 0;
    bool is_covered = false, has_vertex_light = false;
    for (int i = 0; i < all->count; i++) {
        struct shader_stage *stage = &all->stages[i];
        if (stage->image_count == 0) {
            is_covered |= !stage->has_blend;
            has_vertex_light |= !stage->has_blend && stage->vertex_light;
            continue;
        }
        if (kept == 0 && is_covered) {
            stage->vertex_light |= has_vertex_light && multiplies(stage);
            stage->has_blend = false;
        }
        all->stages[kept++] = *stage;
    }
    all->count = kept;
}

static bool is_plain(const struct shader_stage *stage)
{
    return stage->image_count == 1 && !stage->has_blend && !stage->alpha &&
           (stage->lit || stage->vertex_light) && !stage->doubled && stage->change_count == 0 &&
           !stage->brightness.name && !stage->has_colour && !stage->clamped && !stage->reflects;
}

bool stages_read(const struct shader_block *block, struct arena *arena, struct stage_list *out)
{
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive line;
    *out = (struct stage_list){0};
    while (shader_next_directive(&cursor, arena, &line)) {
        if (line.depth == 0 && str_equal_nocase(line.words[0], "deformvertexes"))
            read_deform(&line, out);
        if (line.depth != 1 || line.stage < 0 || line.stage >= MOST_STAGES)
            continue;
        out->count = line.stage + 1;
        read_line(&line, &out->stages[line.stage]);
    }
    apply_light(out);
    keep_images(out);
    return out->count > 1 ||
           (out->count == 1 && (out->deform_count > 0 || !is_plain(&out->stages[0])));
}

const char *stage_image_at(const struct shader_stage *stage, double seconds)
{
    double number = floor(seconds * stage->frequency);
    bool moves = stage->image_count > 1 && number > 0 && isfinite(number);
    return stage->images[moves ? (int)fmod(number, stage->image_count) : 0];
}
