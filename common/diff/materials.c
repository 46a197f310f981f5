/* Compares materials, and the texture axes of faces and sides. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

/* Names of shaders may fill their field, without a NUL. */
static void shader_name(const struct bsp *bsp, int shader, char name[SHADER_NAME + 1])
{
    memcpy(name, bsp->shaders[shader].name, SHADER_NAME);
    name[SHADER_NAME] = '\0';
}

static bool is_shader(const struct bsp *bsp, int number)
{
    return number >= 0 && number < arrlen(bsp->shaders);
}

const char *diff_material_name(struct comparison *c, int side, int texinfo)
{
    const struct bsp *bsp = c->bsp[side];
    const char *name = "";
    if (is_shader(bsp, texinfo)) {
        char shader[SHADER_NAME + 1];
        shader_name(bsp, texinfo, shader);
        name = arena_strdup(&c->scratch, shader);
    } else if (texinfo < arrlen(bsp->texinfo)) {
        name = bsp_texinfo_name(bsp, texinfo);
    }
    return *name ? name : "(no material)";
}

uint64_t diff_material(const struct bsp *bsp, int texinfo)
{
    char shader[SHADER_NAME + 1];
    if (is_shader(bsp, texinfo)) {
        shader_name(bsp, texinfo, shader);
        return diff_hash_asset(shader);
    }
    if (texinfo < 0 || texinfo >= arrlen(bsp->texinfo))
        return 0;
    return diff_hash_asset(bsp_texinfo_name(bsp, texinfo));
}

int diff_surface_flags(const struct bsp *bsp, int texinfo)
{
    if (is_shader(bsp, texinfo))
        return bsp->shaders[texinfo].surface_flags;
    return texinfo >= 0 && texinfo < arrlen(bsp->texinfo) ? bsp->texinfo[texinfo].flags : 0;
}

static const char *texdata_name(const struct bsp *bsp, int texdata)
{
    return bsp->texture_names[bsp->texdata[texdata].name];
}

static const char *describe_texdata(struct comparison *c, int side, int index)
{
    return arena_printf(&c->scratch, "%s", texdata_name(c->bsp[side], index));
}

static bool same_texdata(const struct bsp_texdata *p, const struct bsp_texdata *q)
{
    return p->width == q->width && p->height == q->height && p->view_width == q->view_width &&
           p->view_height == q->view_height && diff_alike_all(p->reflectivity, q->reflectivity, 3);
}

static void tell_texdata(struct comparison *c, int a, int b)
{
    const struct bsp_texdata *p = &c->bsp[0]->texdata[a], *q = &c->bsp[1]->texdata[b];
    DIFF_EXAMPLE(c,
                 "%s: %d x %d, reflectivity %.4g %.4g %.4g in A; %d x %d, reflectivity %.4g %.4g "
                 "%.4g in B",
                 texdata_name(c->bsp[0], a), p->width, p->height, (double)p->reflectivity[0],
                 (double)p->reflectivity[1], (double)p->reflectivity[2], q->width, q->height,
                 (double)q->reflectivity[0], (double)q->reflectivity[1],
                 (double)q->reflectivity[2]);
}

void diff_materials(struct comparison *c)
{
    uint64_t *keys[2] = {NULL, NULL};
    struct diff_match match = {0};
    size_t changed = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(c->bsp[side]->texdata); i++)
            arrput(keys[side], diff_hash_asset(texdata_name(c->bsp[side], i)));
    diff_count(c, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_init(&match, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_keys(keys[0], keys[1], &match);
    for (int i = 0; i < arrlen(match.to[0]); i++) {
        int b = match.to[0][i];
        if (b < 0 || same_texdata(&c->bsp[0]->texdata[i], &c->bsp[1]->texdata[b]))
            continue;
        changed++;
        tell_texdata(c, i, b);
    }
    diff_differ(c, "changed", changed);
    diff_unmatched(c, &match, describe_texdata);
    diff_match_free(&match);
    arrfree(keys[0]);
    arrfree(keys[1]);
}

bool diff_same_texinfo(const struct comparison *c, int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 && b < 0;
    const struct bsp_texinfo *p = &c->bsp[0]->texinfo[a], *q = &c->bsp[1]->texinfo[b];
    return p->flags == q->flags && diff_alike_all(p->texture[0], q->texture[0], 8) &&
           diff_alike_all(p->lightmap[0], q->lightmap[0], 8);
}

static double texinfo_cost(const void *context, int a, int b)
{
    return diff_same_texinfo(context, a, b) ? 0 : -1;
}

/* A search position that different axes rarely share. */
static struct vec3 texinfo_place(const struct bsp_texinfo *texinfo)
{
    struct vec3 s = vec3_from_floats(texinfo->texture[0]),
                t = vec3_from_floats(texinfo->texture[1]);
    struct vec3 light = vec3_from_floats(texinfo->lightmap[0]);
    struct vec3 mixed = vec3_add(vec3_scale(s, 16), vec3_add(vec3_scale(t, 5), light));
    struct vec3 offsets = vec3((double)texinfo->texture[0][3], (double)texinfo->texture[1][3],
                               (double)texinfo->lightmap[0][3]);
    return vec3_add(mixed, vec3_scale(offsets, 1.0 / 16)); /* tolerances grow with these */
}

static const char *describe_texinfo(struct comparison *c, int side, int index)
{
    const struct bsp_texinfo *texinfo = &c->bsp[side]->texinfo[index];
    const float *s = texinfo->texture[0], *t = texinfo->texture[1];
    return arena_printf(&c->scratch,
                        "texinfo %d: %s, flags 0x%x, [%.4g %.4g %.4g %.6g] [%.4g %.4g %.4g %.6g]",
                        index, diff_material_name(c, side, index), (unsigned)texinfo->flags,
                        (double)s[0], (double)s[1], (double)s[2], (double)s[3], (double)t[0],
                        (double)t[1], (double)t[2], (double)t[3]);
}

void diff_texinfo(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++) {
        const struct bsp *bsp = c->bsp[side];
        for (int i = 0; i < arrlen(bsp->texinfo); i++)
            arrput(points[side],
                   ((struct diff_point){texinfo_place(&bsp->texinfo[i]), diff_material(bsp, i)}));
    }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_sets(points[0], points[1], 1, texinfo_cost, c, &match);
    diff_unmatched(c, &match, describe_texinfo);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}
