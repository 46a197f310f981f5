#include <stdlib.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

enum { SHOWN = 10, LISTED = 30 };

struct cluster {
    int number;
    int32_t *faces; /* stb_ds array: of its leaves; those of two leaves stand there twice */
    struct bounds bounds;
    /* Seen from it: */
    size_t seen_clusters, seen_faces;
};

struct counting {
    const struct bsp *bsp;
    struct cluster *clusters;
    size_t count, faces;
    uint32_t **marks; /* of each thread: of each face, 1 + the cluster that saw it last */
};

static void add_leaf(const struct bsp *bsp, const struct bsp_leaf *leaf, struct cluster *cluster)
{
    for (int i = 0; i < leaf->face_count; i++)
        arrput(cluster->faces, bsp->leaf_faces[leaf->first_face + i]);
    if (!bsp_leaf_has_box(leaf))
        return;
    bounds_add_point(&cluster->bounds, vec3(leaf->mins[0], leaf->mins[1], leaf->mins[2]));
    bounds_add_point(&cluster->bounds, vec3(leaf->maxs[0], leaf->maxs[1], leaf->maxs[2]));
}

static void count_seen(void *context, size_t index, int thread)
{
    const struct counting *counting = context;
    struct cluster *cluster = &counting->clusters[index];
    unsigned char *row = memory_zalloc((counting->count + 7) / 8, 1);
    if (!counting->marks[thread])
        counting->marks[thread] = memory_zalloc(counting->faces + 1, sizeof(uint32_t));
    uint32_t *marks = counting->marks[thread];
    bsp_vis_row(counting->bsp, (int)index, false, row);
    for (size_t i = 0; i < counting->count; i++) {
        const struct cluster *seen = &counting->clusters[i];
        if (!bsp_vis_bit(row, (int)i))
            continue;
        cluster->seen_clusters++;
        for (size_t k = 0; k < arrlenu(seen->faces); k++) {
            uint32_t *mark = &marks[seen->faces[k]];
            cluster->seen_faces += *mark != index + 1;
            *mark = (uint32_t)index + 1;
        }
    }
    memory_free(row);
}

static void count_all(const struct env *env, struct counting *counting)
{
    const struct bsp *bsp = counting->bsp;
    for (size_t i = 0; i < counting->count; i++) {
        counting->clusters[i].number = (int)i;
        counting->clusters[i].bounds = bounds_empty();
    }
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        int cluster = bsp->leaves[i].cluster;
        if (cluster >= 0 && (size_t)cluster < counting->count)
            add_leaf(bsp, &bsp->leaves[i], &counting->clusters[cluster]);
    }
    const size_t threads = (size_t)env->threads;
    counting->marks = memory_zalloc(threads, sizeof *counting->marks);
    parallel_for(env->threads, counting->count, count_seen, counting);
    for (size_t i = 0; i < threads; i++)
        memory_free(counting->marks[i]);
    memory_free(counting->marks);
    for (size_t i = 0; i < counting->count; i++)
        arrfree(counting->clusters[i].faces);
}

/* The most faces first. */
static int compare_clusters(const void *a, const void *b)
{
    const struct cluster *first = a, *second = b;
    if (first->seen_faces != second->seen_faces)
        return first->seen_faces < second->seen_faces ? 1 : -1;
    if (first->seen_clusters != second->seen_clusters)
        return first->seen_clusters < second->seen_clusters ? 1 : -1;
    return first->number - second->number;
}

static void put_three(struct html_table *table, struct vec3 three, const char *between)
{
    html_cell(table);
    bytes_append_text(table->out, "<span class=\"word\">%.0f%s%.0f%s%.0f</span>", three.x, between,
                      three.y, between, three.z);
    html_cell_end(table);
}

static void put_cluster(struct html_table *table, const struct counting *counting,
                        const struct cluster *cluster)
{
    const bool is_empty = bounds_is_empty(&cluster->bounds);
    const struct vec3 zero = {.x = 0};
    html_row(table);
    html_cell_count(table, cluster->number);
    html_cell_bar(table,
                  counting->faces ? (double)cluster->seen_faces / (double)counting->faces : 0);
    html_cell_count(table, (int64_t)cluster->seen_faces);
    html_cell_count(table, (int64_t)cluster->seen_clusters);
    put_three(table, is_empty ? zero : bounds_center(&cluster->bounds), " ");
    put_three(table, is_empty ? zero : vec3_sub(cluster->bounds.maxs, cluster->bounds.mins), " x ");
    html_row_end(table);
}

static void put_clusters(const struct report_page *page, const struct counting *counting)
{
    static const char *const columns[] = {"#cluster", "",       "#faces seen", "#clusters seen",
                                          "centre",   "extent", NULL};
    const size_t listed = counting->count < LISTED ? counting->count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    double share = 0;
    const double count = (double)counting->count;
    for (size_t i = 0; i < counting->count; i++)
        share += (double)counting->clusters[i].seen_clusters / (count * count);
    html_section(page->out, "clusters", "Costliest clusters",
                 "From here the game draws most: of all faces, those that the PVS of the cluster "
                 "lets through.");
    if (counting->count > 1)
        bytes_append_text(page->out, "<p>%zu clusters; each sees %.1f %% of them on average.</p>\n",
                          counting->count, 100 * share);
    html_table(&table);
    for (size_t i = 0; i < listed; i++)
        put_cluster(&table, counting, &counting->clusters[i]);
    html_table_end(&table);
    html_section_end(page->out);
}

void report_clusters(const struct report_page *page)
{
    const struct bsp *bsp = page->source->map.render->scene.bsp;
    struct counting counting = {.bsp = bsp, .count = (size_t)bsp_vis_clusters(bsp)};
    counting.faces =
        bsp->engine->geometry.has_surfaces ? arrlenu(bsp->surfaces) : arrlenu(bsp->faces);
    if (!counting.count)
        return;
    counting.clusters = memory_zalloc(counting.count, sizeof *counting.clusters);
    count_all(page->env, &counting);
    qsort(counting.clusters, counting.count, sizeof *counting.clusters, compare_clusters);
    put_clusters(page, &counting);
    memory_free(counting.clusters);
}
