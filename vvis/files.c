#include "vvis/files.h"

#include "common/bsp/codec/part_file.h"
#include "common/core/array.h"
#include "common/diag/codes/clusters.def"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/parallel/background.h"
#include "common/parallel/parallel.h"
#include "vvis/graph/tree_portals.h"
#include "vvis/target/target.h"

/* Returns the pointfile of a leak beside the portal file, or NULL when there is none. */
static const char *pointfile_beside(struct arena *arena, const struct env *env, const char *portals)
{
    const char *lin = path_beside(arena, portals, ".prt", ".lin");
    return env->fs->ops->kind(env->fs, lin) == FS_FILE ? lin : NULL;
}

static enum status report_missing_portals(const struct env *env, const char *path)
{
    struct arena arena = {0};
    const char *lin = pointfile_beside(&arena, env, path);
    const struct diag_where where = {.file = path};
    if (lin)
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where, "the map leaks, see %s", lin);
    else
        (void)diag_report(env->diag, DIAG_NO_PORTALS, &where,
                          "vbsp was not run, or it found a leak");
    arena_free(&arena);
    return STATUS_FAILED;
}

enum status vvis_read_portals(const struct env *env, const char *path, struct prt *out)
{
    if (env->fs->ops->kind(env->fs, path) == FS_ABSENT)
        return report_missing_portals(env, path);
    struct bytes text = {0};
    enum status status = fs_load(env->fs, env->diag, path, &text);
    if (status == STATUS_OK)
        status = prt_parse((const char *)text.data, text.size, path, env->diag, out);
    bytes_free(&text);
    return status;
}

enum { PORTALS, MAP, INPUTS }; /* the longest job first */

enum { DRAFT_MIN = 1 << 18 }; /* bytes: smaller files are written quickly anyway */

struct input_job {
    const struct env *env;
    const char *map;
    const struct vvis_portals *portals;
    struct bsp_part_file *part; /* the map, if it can be read in part */
    struct diag *diags[INPUTS]; /* reported after both jobs, the map's first */
    enum status status[INPUTS];
    struct vvis_input *out;
};

static enum status read_map(struct input_job *job, struct diag *diag, struct bsp **out)
{
    struct bytes file = {0};
    const struct vis_target *target;
    *out = NULL;
    if (job->part) {
        TRY(bsp_part_decode_tree(job->part, diag, out));
    } else {
        TRY(fs_load(job->env->fs, diag, job->map, &file));
        TRY(bsp_decode_tree(&file, job->map, diag, out));
    }
    TRY(vis_target_find(*out, diag, &target));
    if (!(*out)->skipped || !target->needs_faces(*out))
        return STATUS_OK;
    return bsp_part_decode_rest(job->map, diag, out);
}

static void read_input_file(void *context, size_t which, int thread)
{
    (void)thread;
    struct input_job *job = context;
    struct env env = *job->env;
    env.diag = job->diags[which];
    if (which == MAP)
        job->status[which] = read_map(job, env.diag, &job->out->bsp);
    else if (job->out->has_file)
        job->status[which] = vvis_read_portals(&env, job->portals->path, &job->out->prt);
}

/* --- portals without a file --- */

static bool leaks(const struct env *env, const char *portals)
{
    struct arena arena = {0};
    bool found = pointfile_beside(&arena, env, portals) != NULL;
    arena_free(&arena);
    return found;
}

/* Returns whether the portals are those of the map; orients them. */
static bool are_of_map(const struct env *env, const struct bsp *bsp, struct prt *prt)
{
    struct env quiet = *env;
    quiet.diag = diag_new(NULL, NULL);
    bool fit = tree_has_clusters_of(bsp, prt) && portals_orient(&quiet, bsp, prt) == STATUS_OK;
    diag_free(quiet.diag);
    return fit;
}

static enum status make_portals(const struct env *env, const char *map,
                                const struct vvis_portals *portals, struct vvis_input *input)
{
    const struct diag_where where = {.file = map};
    if (leaks(env, portals->path) || tree_cluster_count(input->bsp) == 0)
        return report_missing_portals(env, portals->path);
    if (input->bsp->skipped)
        TRY(bsp_part_decode_rest(map, env->diag, &input->bsp));
    diag_report(env->diag, DIAG_TREE_PORTALS, &where,
                input->has_file ? "%s is of another compile" : "there is no %s", portals->path);
    prt_free(&input->prt);
    input->has_file = false;
    return tree_portals_make(env, input->bsp, &input->prt);
}

static enum status check_portals(const struct env *env, const char *map,
                                 const struct vvis_portals *portals, struct vvis_input *input)
{
    if (input->has_file && are_of_map(env, input->bsp, &input->prt))
        return STATUS_OK;
    if (portals->is_named)
        return portals_orient(env, input->bsp, &input->prt);
    return make_portals(env, map, portals, input);
}

static bool fill_staged(void *context)
{
    const struct vvis_input *input = context;
    return fs_staged_fill(input->staged, input->same);
}

static void begin_staging(const struct env *env, const struct bsp_part_file *part,
                          const char *output, struct vvis_input *input)
{
    input->same = bsp_part_before_visibility(part);
    if (input->same >= DRAFT_MIN)
        input->staged = fs_staged_new(env->fs, output, bsp_part_source(part));
    if (input->staged)
        input->staging = background_begin(env->threads, fill_staged, input);
}

static void copy_diagnostics(const struct diag *from, struct diag *to)
{
    for (size_t i = 0; i < diag_entries(from); i++) {
        const struct diag_entry *entry = diag_entry(from, i);
        (void)diag_report(to, entry->code, &entry->where, "%s", entry->message);
    }
}

enum status vvis_read_input(const struct env *env, const char *map,
                            const struct vvis_portals *portals, const char *output,
                            struct vvis_input *out)
{
    struct input_job job = {.env = env, .map = map, .portals = portals, .out = out};
    out->has_file = portals->is_named || env->fs->ops->kind(env->fs, portals->path) != FS_ABSENT;
    job.part = bsp_part_open(env->fs, map);
    if (job.part && output)
        begin_staging(env, job.part, output, out);
    for (int i = 0; i < INPUTS; i++)
        job.diags[i] = diag_new(NULL, NULL);
    parallel_for(env->threads, INPUTS, read_input_file, &job);
    enum status status = STATUS_OK;
    for (int i = INPUTS - 1; i >= 0; i--) {
        if (status == STATUS_OK) {
            copy_diagnostics(job.diags[i], env->diag);
            status = job.status[i];
        }
        diag_free(job.diags[i]);
    }
    return status == STATUS_OK ? check_portals(env, map, portals, out) : status;
}

struct fs_staged *vvis_input_staged(struct vvis_input *input)
{
    background_finish(input->staging);
    input->staging = NULL;
    return input->staged;
}

void vvis_input_free(struct vvis_input *input)
{
    background_cancel(input->staging);
    fs_staged_free(input->staged);
    prt_free(&input->prt);
    bsp_free(input->bsp);
}

enum status vvis_write_lin(const struct env *env, const char *path, const struct vec3 *points,
                           size_t count)
{
    struct bytes text = {0};
    for (size_t i = 0; i < count; i++)
        bytes_append_text(&text, "%f %f %f\n", points[i].x, points[i].y, points[i].z);
    enum status status = env_store(env, path, text.data, text.size);
    bytes_free(&text);
    return status;
}
