#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "report/facts/material_areas.h"
#include "report/sections/place.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

/* Sentences about what has changed. */

/* Lines of a kind that are shown; those that are folded away; entities of a line that are named. */
enum { SENTENCES = 6, FOLDED = 100, NAMED = 20 };

/* --- numbers of objects --- */

static const struct {
    const char *section, *one, *several;
} objects[] = {
    {"brushes", "brush", "brushes"},
    {"faces", "face", "faces"},
    {"surfaces", "surface", "surfaces"},
    {"entities", "entity", "entities"},
    {"static-props", "static prop", "static props"},
    {"displacements", "displacement", "displacements"},
    {"overlays", "overlay", "overlays"},
};

static const struct bsp_diff_section *section_of(const struct bsp_diff *diff, const char *name)
{
    for (size_t i = 0; i < arrlenu(diff->sections); i++)
        if (strcmp(diff->sections[i].name, name) == 0)
            return &diff->sections[i];
    return NULL;
}

/* "14 more faces, 2 fewer brushes". */
static void put_objects(const struct report_page *page)
{
    size_t told = 0;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        const struct bsp_diff_section *section = section_of(page->diff, objects[i].section);
        const int64_t more = section ? section->count[1] - section->count[0] : 0;
        if (!more)
            continue;
        bytes_append_text(page->out, told++ ? ", " : "<li><strong>");
        html_count(page->out, more > 0 ? more : -more);
        bytes_append_text(page->out, " %s %s", more > 0 ? "more" : "fewer",
                          more == 1 || more == -1 ? objects[i].one : objects[i].several);
    }
    bytes_append_text(page->out, told ? "</strong></li>\n" : "");
}

/* --- entities --- */

static int compare_entities(const void *a, const void *b)
{
    const struct bsp_diff_entity *first = *(const struct bsp_diff_entity *const *)a;
    const struct bsp_diff_entity *second = *(const struct bsp_diff_entity *const *)b;
    if (first->change != second->change)
        return first->change < second->change ? -1 : 1;
    const int order = strcmp(first->class, second->class);
    return order ? order : (first > second) - (first < second);
}

static double distance_of(const struct bsp_diff_entity *entity)
{
    return vec3_distance(entity->origin[0], entity->origin[1]);
}

static void put_point(struct bytes *out, struct vec3 at)
{
    bytes_append_text(out, "%.0f %.0f %.0f", at.x, at.y, at.z);
}

/* "light "lamp" at 0 0 64: moved by 32 units". */
static void put_entity(struct bytes *out, const struct bsp_diff_entity *entity)
{
    const int side = entity->change == BSP_DIFF_REMOVED ? 0 : 1;
    html_text(out, *entity->class ? entity->class : "entity without a class");
    if (*entity->name) {
        bytes_append_text(out, " &quot;");
        html_text(out, entity->name);
        bytes_append_text(out, "&quot;");
    }
    if (entity->has_origin[side]) {
        bytes_append_text(out, " at ");
        put_point(out, entity->origin[side]);
    }
    if (entity->change == BSP_DIFF_MOVED) {
        bytes_append_text(out, ": moved by %.0f units from ", ceil(distance_of(entity)));
        put_point(out, entity->origin[0]);
    } else if (entity->change == BSP_DIFF_CHANGED) {
        bytes_append_text(out, ": ");
        html_text(out, entity->keys);
    } else {
        bytes_append_text(out, ": %s", entity->change == BSP_DIFF_ADDED ? "added" : "removed");
    }
}

static const char *const changes[BSP_DIFF_CHANGES] = {
    [BSP_DIFF_ADDED] = "added",
    [BSP_DIFF_REMOVED] = "removed",
    [BSP_DIFF_MOVED] = "moved",
    [BSP_DIFF_CHANGED] = "with other keys",
};

/* Those of one class and one kind of change: one in a line, several folded below it. */
static void put_entities_of_class(struct bytes *out, const struct bsp_diff_entity *const *entities,
                                  size_t count)
{
    double farthest = 0;
    bytes_append_text(out, "<li>");
    if (count == 1) {
        put_entity(out, entities[0]);
        bytes_append_text(out, "</li>\n");
        return;
    }
    for (size_t i = 0; i < count; i++)
        farthest = portable_fmax(farthest, distance_of(entities[i]));
    html_fold(out, NULL);
    bytes_append_text(out, "%zu ", count);
    html_text(out, *entities[0]->class ? entities[0]->class : "entities without a class");
    bytes_append_text(out, " %s", changes[entities[0]->change]);
    if (entities[0]->change == BSP_DIFF_MOVED)
        bytes_append_text(out, ", by up to %.0f units", ceil(farthest));
    html_fold_body(out);
    bytes_append_text(out, "<ul>\n");
    for (size_t i = 0; i < count && i < NAMED; i++) {
        bytes_append_text(out, "<li>");
        put_entity(out, entities[i]);
        bytes_append_text(out, "</li>\n");
    }
    bytes_append_text(out, "</ul>\n");
    html_left_out(out, count > NAMED ? count - NAMED : 0);
    html_fold_end(out);
    bytes_append_text(out, "</li>\n");
}

static size_t run_of(const struct bsp_diff_entity *const *entities, size_t count)
{
    size_t run = 1;
    while (run < count && entities[run]->change == entities[0]->change &&
           strcmp(entities[run]->class, entities[0]->class) == 0)
        run++;
    return run;
}

static void put_entities(const struct report_page *page)
{
    const struct bsp_diff_entity **sorted = NULL;
    const size_t count = arrlenu(page->diff->entities);
    size_t lines = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        arrput(sorted, &page->diff->entities[i]);
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_entities);
    for (; at < count && lines < FOLDED; lines++) {
        const size_t run = run_of(sorted + at, count - at);
        put_entities_of_class(page->out, sorted + at, run);
        at += run;
    }
    if (at < count)
        bytes_append_text(page->out, "<li>%zu more entities differ</li>\n", count - at);
    arrfree(sorted);
}

/* --- materials --- */

struct material_change {
    const char *name;
    int64_t surfaces;
    double area;
};

/* The largest change of the area first. */
static int compare_materials(const void *a, const void *b)
{
    const struct material_change *first = a, *second = b;
    const double p = fabs(first->area), q = fabs(second->area);
    if (p < q || p > q)
        return p < q ? 1 : -1;
    return strcmp(first->name, second->name);
}

struct named_number {
    char *key;
    size_t value;
};

static void take_areas(const struct material_area *areas, int sign, struct named_number **index,
                       struct material_change **out)
{
    for (size_t i = 0; i < arrlenu(areas); i++) {
        ptrdiff_t found = shgeti(*index, areas[i].name);
        if (found < 0) {
            shput(*index, (char *)areas[i].name, arrlenu(*out));
            arrput(*out, ((struct material_change){.name = areas[i].name}));
            found = shgeti(*index, areas[i].name);
        }
        struct material_change *change = &(*out)[(*index)[found].value];
        change->surfaces += sign * (int64_t)areas[i].surfaces;
        change->area += sign * areas[i].area;
    }
}

static struct material_change *material_changes(const struct report_source *source,
                                                struct arena *arena)
{
    struct material_area *now = material_areas_of(source->map.render, arena);
    struct material_area *then = material_areas_of(source->against.render, arena);
    struct named_number *index = NULL;
    struct material_change *all = NULL;
    size_t kept = 0;
    take_areas(now, 1, &index, &all);
    take_areas(then, -1, &index, &all);
    for (size_t i = 0; i < arrlenu(all); i++)
        if (all[i].surfaces || fabs(all[i].area) >= 1)
            all[kept++] = all[i];
    if (all)
        arrsetlen(all, kept);
    if (kept)
        qsort(all, kept, sizeof *all, compare_materials);
    shfree(index);
    arrfree(now);
    arrfree(then);
    return all;
}

static void put_material(struct bytes *out, const struct material_change *change)
{
    const bool more = change->area >= 0;
    bytes_append_text(out, "<li>material ");
    html_text(out, change->name);
    bytes_append_text(out, ": ");
    if (change->surfaces) {
        html_count(out, change->surfaces > 0 ? change->surfaces : -change->surfaces);
        bytes_append_text(out, " %s face%s, ", change->surfaces > 0 ? "more" : "fewer",
                          change->surfaces == 1 || change->surfaces == -1 ? "" : "s");
    }
    html_count(out, fabs(change->area) < 1e18 ? (int64_t)fabs(change->area) : 0);
    bytes_append_text(out, " square units %s</li>\n", more ? "more" : "fewer");
}

static void put_materials(const struct report_page *page)
{
    struct arena arena = {0};
    struct material_change *all = material_changes(page->source, &arena);
    for (size_t i = 0; i < arrlenu(all) && i < SENTENCES; i++)
        put_material(page->out, &all[i]);
    if (arrlenu(all) > SENTENCES)
        bytes_append_text(page->out, "<li>%zu more materials cover other areas</li>\n",
                          arrlenu(all) - SENTENCES);
    arrfree(all);
    arena_free(&arena);
}

/* --- light --- */

/* Below this light is black; 255 is white. */
#define BLACK 0.05

/* Appends "20 % darker", "1.5 times as bright" or the like, of a light that was `then`. */
static void report_put_brightness(struct bytes *out, double then, double now)
{
    if (then < BLACK || now < BLACK)
        bytes_append_text(out, "%s",
                          now > then ? "lit where it was black" : "black where it was lit");
    else if (now >= 2 * then)
        bytes_append_text(out, "%.1f times as bright", now / then);
    else
        bytes_append_text(out, "%.0f %% %s", 100 * fabs(now - then) / then,
                          now > then ? "brighter" : "darker");
}

static void put_light_place(const struct report_page *page, const struct light_place *place)
{
    struct bytes *out = page->out;
    const double at[3] = {place->middle.x, place->middle.y, place->middle.z};
    bytes_append_text(out, "<li>%zu %s ", place->surfaces,
                      place->surfaces == 1 ? "face is" : "faces are");
    report_put_brightness(out, place->light.then, place->light.now);
    if (*place->name) {
        bytes_append_text(out, " near ");
        html_text(out, place->name);
    }
    if (place->light.material) {
        bytes_append_text(out, place->surfaces == 1 ? ": " : ", mostly ");
        html_text(out, place->light.material);
    }
    bytes_append_text(out, "; the worst point by %.0f of 255 on the screen ",
                      fabs(place->light.worst));
    report_put_point(out, page->source->map.render->scene.bsp->engine, at);
    bytes_append_text(out, "</li>\n");
}

static void put_light(const struct report_page *page)
{
    const struct light_changes *light = page->light;
    const size_t count = arrlenu(light->places);
    if (!arrlen(light->worst))
        return;
    bytes_append_text(page->out, "<li><strong>Light: %zu of %zu faces look different</strong>",
                      arrlenu(light->worst), light->compared);
    if (fabs(light->all.now - light->all.then) >= 0.005 * light->all.then) {
        bytes_append_text(page->out, "; all that were compared together are ");
        report_put_brightness(page->out, light->all.then, light->all.now);
    }
    bytes_append_text(page->out, "\n<ul>\n");
    for (size_t i = 0; i < count && i < SENTENCES; i++)
        put_light_place(page, &light->places[i]);
    if (count > SENTENCES)
        bytes_append_text(page->out, "<li>%zu more places with smaller changes</li>\n",
                          count - SENTENCES);
    bytes_append_text(page->out, "</ul></li>\n");
}

/* Appends a list: how many objects more or fewer there are, entities, materials, and light by its
 * places. */
static void report_put_change_words(const struct report_page *page)
{
    const size_t before = page->out->size;
    bytes_append_text(page->out, "<ul class=\"words\">\n");
    const size_t opened = page->out->size;
    put_objects(page);
    put_light(page);
    put_entities(page);
    put_materials(page);
    if (page->out->size == opened)
        page->out->size = before; /* no empty list */
    else
        bytes_append_text(page->out, "</ul>\n");
}

enum { SHOWN = 8, LISTED = 100 };

static bool is_whole(double value)
{
    return fabs(value) < 1e15 && value == floor(value);
}

static void put_figures(struct html_table *table, const struct bsp_diff_section *section)
{
    html_cell(table);
    for (size_t i = 0; i < arrlenu(section->figures); i++) {
        const struct bsp_diff_figure *figure = &section->figures[i];
        bytes_append_text(table->out, i ? ", " : "");
        html_key(table->out, figure->name);
        bytes_append_text(table->out, " %.*g", is_whole(figure->value) ? 15 : 4, figure->value);
    }
    html_cell_end(table);
}

static void put_section(struct html_table *table, const struct bsp_diff_section *section)
{
    html_row(table);
    html_cell_word(table, section->name);
    html_cell_count(table, section->count[0]);
    html_cell_count(table, section->count[1]);
    html_cell_count(table, section->differing);
    put_figures(table, section);
    html_row_end(table);
}

static void put_examples(struct bytes *out, const struct bsp_diff_section *section)
{
    if (!arrlen(section->examples))
        return;
    bytes_append_text(out, "<details><summary>%s: where</summary>\n<ul>\n", section->name);
    for (size_t i = 0; i < arrlenu(section->examples); i++) {
        bytes_append_text(out, "<li>");
        html_text(out, section->examples[i]);
        bytes_append_text(out, "</li>\n");
    }
    bytes_append_text(out, "</ul></details>\n");
}

/* --- the worst lightmaps --- */

static void put_worst(struct html_table *table, const struct light_change *change,
                      const struct engine *engine)
{
    const double at[3] = {change->worst_at.x, change->worst_at.y, change->worst_at.z};
    html_row(table);
    html_cell_text(table, change->material ? change->material : "");
    html_cell(table);
    report_put_brightness(table->out, change->then, change->now);
    html_cell_end(table);
    html_cell(table);
    html_number(table->out, change->seen, 1);
    html_cell_end(table);
    html_cell(table);
    html_number(table->out, fabs(change->worst), 0);
    html_cell_end(table);
    html_cell_count(table, (int64_t)change->area);
    html_cell(table);
    report_put_point(table->out, engine, at);
    html_cell_end(table);
    html_row_end(table);
}

static void put_lightmaps(const struct report_page *page)
{
    static const char *const columns[] = {"material", "light", "#mean", "#worst",
                                          "#area",    "",      NULL};
    const struct light_changes *light = page->light;
    const size_t count = arrlenu(light->worst), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    if (!count)
        return;
    bytes_append_text(page->out,
                      "<h3>Lightmaps, the worst first</h3>\n<p class=\"note\">How different the "
                      "light of a face looks, of 255 steps of a screen: in the mean, and at the "
                      "worst of the points %.0f units apart that were compared; its place.</p>\n",
                      light->spacing);
    html_table(&table);
    for (size_t i = 0; i < listed; i++)
        put_worst(&table, &light->worst[i], page->source->map.render->scene.bsp->engine);
    html_table_end(&table);
    html_left_out(page->out, count - listed);
}

/* --- all --- */

static void put_records(const struct report_page *page)
{
    static const char *const columns[] = {"", "#A: before", "#B: after", "#different", "", NULL};
    struct html_table table = {.out = page->out, .columns = columns, .shown = SIZE_MAX};
    const struct bsp_diff_section *sections = page->diff->sections;
    html_fold(page->out, NULL);
    bytes_append_text(page->out, "Records of the file that differ");
    html_fold_body(page->out);
    html_table(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        if (sections[i].differing)
            put_section(&table, &sections[i]);
    html_table_end(&table);
    for (size_t i = 0; i < arrlenu(sections); i++)
        put_examples(page->out, &sections[i]);
    html_fold_end(page->out);
}

void report_changes(const struct report_page *page)
{
    if (!page->diff)
        return;
    html_section(page->out, "changes", "Changes", NULL);
    bytes_append_text(page->out, "<p>Compared with ");
    html_text(page->out, page->source->against.name);
    if (bsp_diff_is_same(page->diff)) {
        bytes_append_text(page->out, ": the same.</p>\n");
    } else {
        bytes_append_text(page->out, ":</p>\n");
        report_put_change_words(page);
        put_lightmaps(page);
        put_records(page);
    }
    html_section_end(page->out);
}
