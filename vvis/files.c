#include "vvis/files.h"

#include "common/core/parallel.h"
#include "common/core/paths.h"
#include "vvis/water.h"

static enum status report_absent(const struct env *env, const char *path)
{
    struct arena arena = {0};
    const char *lin = path_beside(&arena, path, ".prt", ".lin");
    const struct diag_where where = {.file = path};
    if (env->fs->ops->kind(env->fs, lin) == FS_FILE)
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where, "the map leaks: see %s", lin);
    else
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where,
                          "vbsp has not been run, or it found a leak");
    arena_free(&arena);
    return STATUS_FAILED;
}

enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out)
{
    if (env->fs->ops->kind(env->fs, path) == FS_ABSENT)
        return report_absent(env, path);
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        status = prt_parse((const char *)text.data, text.size, path, env->diag, out);
    bytes_free(&text);
    return status;
}

/* Distances to water are those to its faces, so then all of the map is needed. */
static enum status read_map(const struct env *env, const char *path, struct bsp **out)
{
    struct bytes file = {0};
    *out = NULL;
    TRY(fs_load(env->fs, env->diag, path, &file));
    TRY(bsp_decode_tree(&file, path, env->diag, out));
    if (!(*out)->skipped || !water_is_there(*out))
        return STATUS_OK;
    file = (*out)->layout.file;
    (*out)->layout.file = (struct bytes){0};
    bsp_free(*out);
    return bsp_decode_file(&file, path, env->diag, out);
}

enum { MAP, PORTALS, INPUTS };

struct input_job {
    const struct env *env;
    const char *paths[INPUTS];
    struct diag *diags[INPUTS]; /* told afterwards, in order */
    enum status status[INPUTS];
    struct vvis_input *out;
};

static void read_one(void *context, size_t which, int thread)
{
    (void)thread;
    struct input_job *job = context;
    struct env env = *job->env;
    env.diag = job->diags[which];
    if (which == MAP)
        job->status[which] = read_map(&env, job->paths[which], &job->out->bsp);
    else
        job->status[which] = vvis_read_portals(&env, job->paths[which], &job->out->prt);
}

static void tell(const struct diag *from, struct diag *to)
{
    for (size_t i = 0; i < diag_entries(from); i++) {
        const struct diag_entry *entry = diag_entry(from, i);
        (void)diag_report(to, entry->code, &entry->where, "%s", entry->message);
    }
}

enum status vvis_read_input(const struct env *env, const char *map, const char *portals,
                            struct vvis_input *out)
{
    struct input_job job = {.env = env, .paths = {map, portals}, .out = out};
    for (int i = 0; i < INPUTS; i++)
        job.diags[i] = diag_new(NULL, NULL);
    parallel_for(env->threads, INPUTS, read_one, &job);
    enum status status = STATUS_OK;
    for (int i = 0; i < INPUTS; i++) {
        if (status == STATUS_OK) {
            tell(job.diags[i], env->diag);
            status = job.status[i];
        }
        diag_free(job.diags[i]);
    }
    return status;
}

void vvis_input_free(struct vvis_input *input)
{
    prt_free(&input->prt);
    bsp_free(input->bsp);
}

enum status vvis_write_lin(const struct env *env, const char *path, const struct vec3 *points,
                           size_t count)
{
    struct bytes text = {0};
    for (size_t i = 0; i < count; i++)
        bytes_append_text(&text, "%f %f %f\n", points[i].x, points[i].y, points[i].z);
    enum status status = fs_store(env->fs, env->diag, path, text.data, text.size);
    bytes_free(&text);
    return status;
}
