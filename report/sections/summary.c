#include "common/bsp/codec/format.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

/* --- tiles --- */

static void open_tile(struct bytes *out, const char *name)
{
    bytes_append_text(out, "<div class=\"tile\"><dt>%s</dt><dd>", name);
}

static void close_tile(struct bytes *out)
{
    bytes_append_text(out, "</dd></div>\n");
}

/* "128" or "128, +4". */
static void put_count(const struct report_page *page, const char *name, int64_t now, int64_t then)
{
    open_tile(page->out, name);
    html_count(page->out, now);
    if (page->source->against.render && now != then) {
        bytes_append_text(page->out, " <small>%s", now > then ? "+" : "");
        html_count(page->out, now - then);
        bytes_append_text(page->out, "</small>");
    }
    close_tile(page->out);
}

struct figures {
    int64_t brushes, faces, entities, clusters, light, bytes;
};

static struct figures figures_of(const struct report_map *map)
{
    struct figures figures = {0};
    if (!map->render)
        return figures;
    const struct bsp *bsp = map->render->scene.bsp;
    figures.brushes = arrlen(bsp->brushes);
    figures.faces = bsp->engine->geometry.has_surfaces ? arrlen(bsp->surfaces) : arrlen(bsp->faces);
    figures.entities = arrlen(map->render->scene.entities.entities);
    figures.clusters = bsp_vis_clusters(bsp);
    figures.light = (int64_t)(bsp->ldr.lighting.size + bsp->hdr.lighting.size);
    figures.bytes = (int64_t)bsp->layout.size;
    return figures;
}

static void put_fullest(const struct report_page *page)
{
    const struct bsp *bsp = page->source->map.render->scene.bsp;
    struct limit_report report;
    limit_report_make(bsp, bsp->format, &report);
    const struct limit_use **uses = limit_report_by_fullness(&report);
    if (arrlen(uses)) {
        open_tile(page->out, "fullest limit");
        bytes_append_text(page->out, "%.0f %% <small>%s</small>",
                          limit_percent(uses[0]->limit, uses[0]->used), uses[0]->limit->name);
        close_tile(page->out);
    }
    arrfree(uses);
    limit_report_free(&report);
}

/* "12.3 kB" or "12.3 kB, -400 bytes". */
static void put_size(const struct report_page *page, const char *name, int64_t now, int64_t then)
{
    open_tile(page->out, name);
    html_size(page->out, now);
    if (page->source->against.render && now != then) {
        bytes_append_text(page->out, " <small>%s", now > then ? "+" : "-");
        html_size(page->out, now > then ? now - then : then - now);
        bytes_append_text(page->out, "</small>");
    }
    close_tile(page->out);
}

static void put_build_time(const struct report_page *page)
{
    const json_t *seconds = json_object_get(page->result, "wall_seconds");
    if (!page->settings->times || !seconds)
        return;
    open_tile(page->out, "build");
    html_number(page->out, json_number_value(seconds), 1);
    bytes_append_text(page->out, " s");
    close_tile(page->out);
}

static void put_tiles(const struct report_page *page)
{
    const struct figures now = figures_of(&page->source->map);
    const struct figures then = figures_of(&page->source->against);
    bytes_append_text(page->out, "<dl class=\"tiles\">\n");
    put_count(page, "brushes", now.brushes, then.brushes);
    put_count(page, "faces", now.faces, then.faces);
    put_count(page, "entities", now.entities, then.entities);
    put_count(page, "clusters", now.clusters, then.clusters);
    put_size(page, "lightmaps", now.light, then.light);
    put_size(page, "file", now.bytes, then.bytes);
    if (page->source->map.render->scene.bsp->format)
        put_fullest(page);
    put_build_time(page);
    bytes_append_text(page->out, "</dl>\n");
}

/* --- the verdict --- */

static size_t messages_of(const struct report_page *page, const char *severity)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(page->messages); i++) {
        const char *own =
            json_string_value(json_object_get(json_array_get(page->messages, i), "severity"));
        count += own && strcmp(own, severity) == 0;
    }
    return count;
}

static void put_messages(const struct report_page *page)
{
    const size_t errors = messages_of(page, "error"), warnings = messages_of(page, "warning");
    if (!page->messages)
        return;
    bytes_append_text(page->out, "<p class=\"verdict %s\"><strong>",
                      errors     ? "error"
                      : warnings ? "warning"
                                 : "good");
    if (errors || warnings)
        bytes_append_text(page->out, "%s %zu error%s, %zu warning%s",
                          errors ? "&#10005;" : "&#9650;", errors, errors == 1 ? "" : "s", warnings,
                          warnings == 1 ? "" : "s");
    else
        bytes_append_text(page->out, "&#10003; No errors, no warnings");
    bytes_append_text(page->out, "</strong> in the build</p>\n");
}

static void put_light(const struct report_page *page)
{
    const struct bsp *bsp = page->source->map.render->scene.bsp;
    const bool ldr = bsp->ldr.lighting.size > 0, hdr = bsp->hdr.lighting.size > 0;
    bytes_append_text(page->out, ", %s",
                      !ldr && !hdr                  ? "without light"
                      : !bsp->engine->light.has_hdr ? "lit"
                      : ldr && hdr                  ? "lit for LDR and HDR"
                      : ldr                         ? "lit for LDR"
                                                    : "lit for HDR");
}

void report_summary(const struct report_page *page)
{
    const struct report_map *map = &page->source->map;
    const struct bsp *bsp = map->render->scene.bsp;
    bytes_append_text(page->out, "<header>\n<h1>");
    html_text(page->out, map->name);
    bytes_append_text(page->out, "</h1>\n<p>");
    if (bsp->format)
        bytes_append_text(page->out, "%s (%s)", bsp->format->title, bsp->format->target);
    put_light(page);
    if (arrlen(bsp->models)) {
        const float *mins = bsp->models[0].mins, *maxs = bsp->models[0].maxs;
        bytes_append_text(page->out, ", %.0f x %.0f x %.0f units", (double)(maxs[0] - mins[0]),
                          (double)(maxs[1] - mins[1]), (double)(maxs[2] - mins[2]));
    }
    bytes_append_text(page->out, "</p>\n");
    put_messages(page);
    report_put_message_links(page);
    put_tiles(page);
    bytes_append_text(page->out, "</header>\n");
}
