#include "vbsp/report/dumps.h"

#include <string.h>

#include "common/core/array.h"
#include "common/io/fs.h"

static const char *dump_path(struct arena *arena, const char *bsp, bool temporary,
                             const char *ending)
{
    const char *base = strcmp(bsp, "-") == 0 ? "vbsp.bsp" : bsp;
    if (temporary)
        base = arena_printf(arena, "/tmp/%s", path_name(base));
    return path_beside(arena, base, ".bsp", ending);
}

enum dump { DUMP_FACES, DUMP_PORTALS, DUMP_COLLIDE, DUMP_STATIC_PROPS, DUMP_COMBINE_RULES, DUMPS };

static const char *const endings[DUMPS] = {".gl", ".portals.gl", ".collide.txt", ".staticprops.txt",
                                           ".combine.txt"};

static enum status make_dump(const struct env *env, enum dump dump, const char *map,
                             const struct vbsp_output *output, struct bytes *text)
{
    struct diag_where where = {.file = map};
    switch (dump) {
    case DUMP_FACES:
        dump_gl_faces(output->bsp, text);
        return STATUS_OK;
    case DUMP_PORTALS:
        dump_gl_portals(&output->prt, text);
        return STATUS_OK;
    case DUMP_COLLIDE:
        return dump_collide(output->bsp, &where, env->diag, text);
    case DUMP_STATIC_PROPS:
        return dump_static_props(output->bsp, &where, env->diag, text);
    case DUMP_COMBINE_RULES:
        return dump_combine_rules(output->bsp, &where, env->diag, text);
    case DUMPS:
        break;
    }
    return STATUS_OK;
}

static void want_dumps(const struct vbsp_dumps *dumps, bool wanted[DUMPS])
{
    wanted[DUMP_FACES] = wanted[DUMP_PORTALS] = dumps->gl_view;
    wanted[DUMP_COLLIDE] = dumps->collide;
    wanted[DUMP_STATIC_PROPS] = dumps->static_props;
    wanted[DUMP_COMBINE_RULES] = dumps->combine_rules;
}

static const char *path_of(struct arena *arena, const char *bsp_path,
                           const struct vbsp_dumps *dumps, int dump)
{
    bool temporary = dumps->temporary_out && dump <= DUMP_PORTALS;
    return dump_path(arena, bsp_path, temporary, endings[dump]);
}

bool vbsp_has_dumps(const struct vbsp_dumps *dumps)
{
    return dumps->gl_view || dumps->collide || dumps->static_props || dumps->combine_rules;
}

enum status vbsp_prepare_dumps(const struct env *env, const char *bsp_path,
                               const struct vbsp_dumps *dumps)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    bool wanted[DUMPS];
    want_dumps(dumps, wanted);
    for (int i = 0; i < DUMPS && status == STATUS_OK; i++)
        if (wanted[i])
            status = fs_prepare_beside(env->fs, env->diag, path_of(&arena, bsp_path, dumps, i));
    arena_free(&arena);
    return status;
}

enum status vbsp_write_dumps(const struct env *env, const char *bsp_path,
                             const struct vbsp_dumps *dumps, const struct vbsp_output *output)
{
    bool portals = arrlen(output->prt.portals) > 0; /* none if the map leaks or is updated */
    bool wanted[DUMPS];
    want_dumps(dumps, wanted);
    wanted[DUMP_PORTALS] &= portals;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < DUMPS && output->bsp && status == STATUS_OK; i++) {
        struct bytes text = {0};
        if (!wanted[i])
            continue;
        const char *path = path_of(&arena, bsp_path, dumps, i);
        status = make_dump(env, (enum dump)i, bsp_path, output, &text);
        if (status == STATUS_OK)
            status = env_store(env, path, text.data, text.size);
        bytes_free(&text);
    }
    arena_free(&arena);
    return status;
}
