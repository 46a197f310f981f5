/* brushwork info: what a BSP holds. */
#include "brushwork/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "brushwork/verbs.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/program.h"
#include "common/text/entities.h"

static const char details[] =
    "Tells of a BSP: format and revision, the box of the world, the lumps with their places in the "
    "file, versions and counts, how much of each limit of the engine is used, entities by class, "
    "clusters and visibility, and the size of the lightmaps. With --json all of it is one JSON "
    "object on standard output. FILE may be - for standard input.";

struct info_values {
    struct standard_options standard;
};

static const struct option_def info_options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct info_values, standard.console.json),
     .two_dashes = true,
     .help = "print one JSON object instead of text"},
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct info_class *)a)->name, ((const struct info_class *)b)->name);
}

/* Sorts the classes and makes one entry of equal ones. */
static void count_classes(struct info *info)
{
    size_t count = arrlenu(info->classes), last = 0;
    if (!count)
        return;
    qsort(info->classes, count, sizeof *info->classes, by_name);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(info->classes[i].name, info->classes[last].name) == 0)
            info->classes[last].count++;
        else
            info->classes[++last] = info->classes[i];
    }
    arrsetlen(info->classes, last + 1);
}

static enum status gather_entities(struct info *info, struct diag *diag)
{
    const struct bsp *bsp = info->bsp;
    struct entity_list list = {0};
    enum status status = entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities),
                                        info->path, diag, &list);
    info->entities = arrlenu(list.entities);
    for (size_t i = 0; i < info->entities; i++) {
        const char *name = entity_value(&list.entities[i], "classname");
        arrput(info->classes, ((struct info_class){arena_strdup(&info->arena, name), 1}));
    }
    count_classes(info);
    entities_free(&list);
    return status;
}

static void gather_visibility(struct info *info)
{
    const struct bsp *bsp = info->bsp;
    int clusters = bsp_vis_clusters(bsp);
    size_t size = ((size_t)clusters + 7) / 8, seen = 0;
    unsigned char *row = memory_zalloc(size, 1);
    for (int i = 0; i < clusters; i++) {
        bsp_vis_row(bsp, i, false, row);
        for (int k = 0; k < clusters; k++)
            seen += row[k / 8] >> k % 8 & 1;
    }
    memory_free(row);
    info->visible_clusters = clusters;
    if (clusters)
        info->visible_of_all = (double)seen / ((double)clusters * (double)clusters);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= info->clusters)
            info->clusters = bsp->leaves[i].cluster + 1;
}

enum status info_gather(struct info *info, const struct bsp *bsp, const char *path,
                        struct diag *diag)
{
    *info = (struct info){.path = path, .bsp = bsp, .bytes = bsp->layout.size};
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        info->lumps[lump] = bsp_lump_info(bsp, lump);
    info->used = ARENA_ARRAY(&info->arena, int64_t, bsp->format->limit_count);
    bsp_limit_use(bsp, bsp->format, info->used);
    gather_visibility(info);
    return gather_entities(info, diag);
}

void info_free(struct info *info)
{
    arrfree(info->classes);
    arena_free(&info->arena);
}

static enum status check_output(struct diag *diag)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_WRITE, NULL, "standard output: %s", strerror(errno));
}

static enum status tell(const struct program *program)
{
    const struct info_values *values = program->values;
    const struct env *env = program->env;
    const char *path = program->result->operands[0];
    struct bsp *bsp;
    struct info info;
    console_hush(program->console);
    TRY(bsp_read_file(env, path, &bsp));
    enum status status = info_gather(&info, bsp, path, env->diag);
    if (values->standard.console.json)
        info_print_json(&info, stdout);
    else
        info_print(&info, stdout);
    info_free(&info);
    bsp_free(bsp);
    TRY(check_output(env->diag));
    return status;
}

int verb_info(int argc, char **argv)
{
    struct info_values values = {0};
    const struct option_table table = {
        .program = "brushwork info",
        .summary = "tell what a BSP holds",
        .operands = "FILE",
        .details = details,
        .defs = info_options,
        .count = sizeof info_options / sizeof *info_options,
        .least_operands = 1,
        .most_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, tell);
}
