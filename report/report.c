#include "report/report.h"

#include "common/core/base64.h"
#include "common/core/sha256.h"
#include "common/diag/codes/syntax.def"
#include "common/diag/diag_json_read.h"
#include "report/page_files.h"
#include "report/sections/sections.h"
#include "scene/scene.h"
#include "view/pack/diagnostics.h"

const struct report_settings report_defaults = {.pictures = 4};

/* --- the build --- */

/* A diag_json_visit: keeps the last result (docs/json.md) of the lines of a build. */
static void take_result(void *context, json_t *object)
{
    json_t **found = context, *result = json_object_get(object, "result");
    if (!json_is_object(result))
        return;
    json_decref(*found);
    *found = json_incref(result);
}

/* --- the page --- */

static void put_head(const struct report_page *page)
{
    unsigned char hash[SHA256_SIZE];
    struct bytes *out = page->out;
    sha256_of(report_page_style, report_page_style_size, hash);
    bytes_append_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src "
                           "'sha256-");
    base64_append(out, hash, sizeof hash);
    bytes_append_text(out, "'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
                           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html_text(out, page->source->map.name);
    bytes_append_text(out, " - report</title>\n<style>");
    bytes_append(out, report_page_style, report_page_style_size);
    bytes_append_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

struct chapter {
    const char *title; /* NULL: not among the links */
    const char *id;
    report_section *write;
};

static const struct chapter chapters[] = {
    {NULL, NULL, report_summary},
    {"Changes", "changes", report_changes},
    {"Pictures", "pictures", report_pictures},
    {"Messages", "messages", report_messages},
    {"Limits", "limits", report_limits},
    {"Costs", "costs", report_costs},
    {"Clusters", "clusters", report_clusters},
    {"Entities", "entities", report_entities},
    {"Materials", "materials", report_materials},
};

enum { CHAPTERS = sizeof chapters / sizeof *chapters };

static void put_links(struct bytes *out, const struct bytes texts[CHAPTERS])
{
    bytes_append_text(out, "<nav aria-label=\"Chapters\">");
    for (size_t i = 0; i < CHAPTERS; i++)
        if (texts[i].size && chapters[i].title)
            bytes_append_text(out, "<a href=\"#%s\">%s</a> ", chapters[i].id, chapters[i].title);
    bytes_append_text(out, "</nav>\n");
}

static void put_page(struct report_page *page)
{
    struct bytes texts[CHAPTERS] = {{0}}, *out = page->out;
    put_head(page);
    for (size_t i = 0; i < CHAPTERS; i++) {
        page->out = &texts[i];
        chapters[i].write(page);
    }
    page->out = out;
    for (size_t i = 0; i < CHAPTERS; i++) {
        bytes_append(out, texts[i].data, texts[i].size);
        if (i == 0)
            put_links(out, texts);
        bytes_free(&texts[i]);
    }
    bytes_append_text(out, "</main>\n</body>\n</html>\n");
}

static enum status read_messages(struct report_page *page)
{
    const struct report_source *source = page->source;
    if (!source->messages_file)
        return STATUS_OK;
    page->messages = view_diagnostics_read(&source->messages);
    if (page->messages)
        return STATUS_OK;
    return diag_report(page->env->diag, DIAG_TEXT_SYNTAX,
                       &(struct diag_where){.file = source->messages_file},
                       "neither messages as JSON nor SARIF");
}

static enum status compare(const struct report_source *source, const struct env *env,
                           struct bsp_diff *out)
{
    const struct report_map *maps[] = {&source->against, &source->map};
    const char *const names[] = {maps[0]->file, maps[1]->file};
    const struct bsp_diff_options options = bsp_diff_defaults();
    return bsp_diff(maps[0]->render->scene.bsp, maps[1]->render->scene.bsp, names, &options,
                    env->diag, out);
}

enum status report_write(const struct env *env, const struct report_source *source,
                         const struct report_settings *settings, struct bytes *html)
{
    struct report_page page = {.env = env, .source = source, .settings = settings, .out = html};
    struct bsp_diff diff = {0};
    struct light_changes light = {.spacing = 0};
    progress_begin(env->progress, "page", 0);
    json_t *result = NULL;
    diag_json_lines(&source->messages, take_result, &result);
    page.result = result;
    enum status status = read_messages(&page);
    if (status == STATUS_OK && source->against.render) {
        status = compare(source, env, &diff);
        page.diff = &diff;
        if (status == STATUS_OK)
            light_changes_find(env, source, &light);
        page.light = &light;
    }
    if (status == STATUS_OK)
        put_page(&page);
    light_changes_free(&light);
    bsp_diff_free(&diff);
    json_decref(page.messages);
    json_decref(result);
    progress_end(env->progress);
    return status;
}
