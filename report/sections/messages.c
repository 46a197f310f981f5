#include <jansson.h>
#include <string.h>

#include "common/bsp/verify/verify.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/diag/diag.h"
#include "common/diag/diag_explain.h"
#include "report/sections/place.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

/* --- messages by what they say: those of one code, and of these the ones with one text, which
 * differ only in their place --- */

struct message_place {
    const char *where; /* "box.vmf:12, solid 3", or "" */
    const char *what;  /* of the point: "hole", or "" */
    bool has_point;
    double point[3];
};

struct message_text {
    const char *text;             /* without the title of the code */
    struct message_place *places; /* stb_ds array: of each message that has any */
    size_t count;                 /* messages */
};

/* A map of stb_ds by strings of the arena. */
struct message_index {
    char *key;
    size_t value;
};

struct message_group {
    const char *severity, *code;
    const struct diag_info *info; /* NULL: a code that this program does not know */
    struct message_text *texts;   /* stb_ds array, in the order of the first of each */
    size_t count;                 /* messages */
    struct message_index *by_text;
};

/* Zero-initialise; free with message_groups_free. */
struct message_groups {
    struct message_group *groups; /* stb_ds array, in the order of the first of each */
    struct message_index *by_name;
    struct arena arena;
};

/* ---- groups ---- */

static struct message_group *group_of(struct message_groups *groups, const char *severity,
                                      const char *code)
{
    char *name = arena_printf(&groups->arena, "%s %s", severity, code);
    const ptrdiff_t found = shgeti(groups->by_name, name);
    if (found >= 0)
        return &groups->groups[groups->by_name[found].value];
    const int known = diag_code_named(code);
    const struct diag_info *info = diag_info(known);
    shput(groups->by_name, name, arrlenu(groups->groups));
    arrput(groups->groups, ((struct message_group){
                               .severity = arena_strdup(&groups->arena, severity),
                               .code = arena_strdup(&groups->arena, code),
                               .info = info && strcmp(info->code, code) == 0 ? info : NULL,
                           }));
    return &arrlast(groups->groups);
}

static struct message_text *text_of(struct message_groups *groups, struct message_group *group,
                                    const char *text)
{
    char *own = arena_strdup(&groups->arena, text);
    const ptrdiff_t found = shgeti(group->by_text, own);
    if (found >= 0)
        return &group->texts[group->by_text[found].value];
    shput(group->by_text, own, arrlenu(group->texts));
    arrput(group->texts, ((struct message_text){.text = own}));
    return &arrlast(group->texts);
}

/* The title stands above the texts of its group. */
static const char *without_title(const struct message_group *group, const char *text)
{
    const size_t length = group->info ? strlen(group->info->title) : 0;
    const bool has_title = length && strncmp(text, group->info->title, length) == 0 &&
                           strncmp(text + length, ": ", 2) == 0;
    return has_title ? text + length + 2 : text;
}

static struct message_text *add(struct message_groups *groups, const char *severity,
                                const char *code, const char *text)
{
    struct message_group *group = group_of(groups, severity, code);
    struct message_text *own = text_of(groups, group, without_title(group, text));
    group->count++;
    own->count++;
    return own;
}

/* --- messages of a build --- */

static void add_place(struct message_groups *groups, struct message_text *text, const char *where,
                      const json_t *named)
{
    const char *what = json_string_value(json_array_get(named, 0));
    const json_t *point = json_array_get(named, 1);
    struct message_place place = {.where = arena_strdup(&groups->arena, where),
                                  .what = arena_strdup(&groups->arena, what ? what : ""),
                                  .has_point = json_array_size(point) == 3};
    for (size_t k = 0; k < 3; k++)
        place.point[k] = json_number_value(json_array_get(point, k));
    arrput(text->places, place);
}

static void add_row(struct message_groups *groups, const json_t *row)
{
    const char *severity, *code, *text, *where;
    if (json_unpack((json_t *)row, "{s:s, s:s, s:s, s:s}", "severity", &severity, "code", &code,
                    "text", &text, "where", &where) != 0)
        return;
    const json_t *places = json_object_get(row, "places");
    struct message_text *own = add(groups, severity, code, text);
    if (*where && !json_array_size(places))
        add_place(groups, own, where, NULL);
    for (size_t i = 0; i < json_array_size(places); i++)
        add_place(groups, own, i ? "" : where, json_array_get(places, i));
}

/* Adds messages of a build, as view_diagnostics_read has made them. */
static void message_groups_add_rows(struct message_groups *groups, const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(groups, json_array_get(rows, i));
}

/* --- reports --- */

/* Adds what was reported. */
static void message_groups_add_reports(struct message_groups *groups, const struct diag *diag)
{
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        struct message_text *text = add(groups, diag_severity_name(entry->severity),
                                        diag_info(entry->code)->code, entry->message);
        struct message_place place = {.where = "", .what = "", .has_point = true};
        if (!entry->where.has_point)
            continue;
        memcpy(place.point, entry->where.point, sizeof place.point);
        arrput(text->places, place);
    }
}

static void message_groups_free(struct message_groups *groups)
{
    for (size_t i = 0; i < arrlenu(groups->groups); i++) {
        for (size_t k = 0; k < arrlenu(groups->groups[i].texts); k++)
            arrfree(groups->groups[i].texts[k].places);
        arrfree(groups->groups[i].texts);
        shfree(groups->groups[i].by_text);
    }
    arrfree(groups->groups);
    shfree(groups->by_name);
    arena_free(&groups->arena);
}

/* Texts of a group and places of a text that are shown; those that are folded away; those of all
 * groups together that are listed. */
enum { TEXTS_SHOWN = 3, PLACES_SHOWN = 1, TEXTS_MAX = 200, PLACES_MAX = 200 };

/* --- one code --- */

static bool is_remark(const char *severity)
{
    return strcmp(severity, "error") != 0 && strcmp(severity, "warning") != 0;
}

/* A sign besides the word and the colour. */
static void put_severity(struct bytes *out, const char *severity)
{
    const bool is_error = strcmp(severity, "error") == 0;
    const bool remark = is_remark(severity);
    bytes_append_text(out, "<span class=\"word %s\">%s ",
                      is_error ? "error"
                      : remark ? "remark"
                               : "warning",
                      is_error ? "&#10005;"
                      : remark ? "&#8226;"
                               : "&#9650;");
    html_text(out, severity);
    bytes_append_text(out, "</span> ");
}

static void put_count(struct bytes *out, size_t count)
{
    if (count > 1)
        bytes_append_text(out, " <span class=\"count\">%zu times</span>", count);
}

static void put_place(const struct report_page *page, const struct message_place *place)
{
    html_text(page->out, place->where);
    if (!place->has_point)
        return;
    bytes_append_text(page->out, *place->where ? ", " : "");
    if (*place->what) {
        html_text(page->out, place->what);
        bytes_append_text(page->out, " ");
    }
    report_put_point(page->out, page->source->map.render->scene.bsp->engine, place->point);
}

static void put_places(const struct report_page *page, const struct message_text *text)
{
    const size_t count = arrlenu(text->places);
    const size_t listed = count < PLACES_MAX ? count : PLACES_MAX;
    if (!count)
        return;
    bytes_append_text(page->out, "<p class=\"place\">");
    put_place(page, &text->places[0]);
    bytes_append_text(page->out, "</p>\n");
    if (count == PLACES_SHOWN)
        return;
    html_fold(page->out, NULL);
    bytes_append_text(page->out, "%zu more place%s", count - PLACES_SHOWN,
                      count == PLACES_SHOWN + 1 ? "" : "s");
    html_fold_body(page->out);
    bytes_append_text(page->out, "<ul>\n");
    for (size_t i = PLACES_SHOWN; i < listed; i++) {
        bytes_append_text(page->out, "<li>");
        put_place(page, &text->places[i]);
        bytes_append_text(page->out, "</li>\n");
    }
    bytes_append_text(page->out, "</ul>\n");
    html_left_out(page->out, count - listed);
    html_fold_end(page->out);
}

static void put_text(const struct report_page *page, const struct message_text *text)
{
    bytes_append_text(page->out, "<li>");
    html_text(page->out, text->text);
    put_count(page->out, text->count);
    put_places(page, text);
    bytes_append_text(page->out, "</li>\n");
}

static void put_texts(const struct report_page *page, const struct message_group *group)
{
    const size_t count = arrlenu(group->texts), listed = count < TEXTS_MAX ? count : TEXTS_MAX;
    bytes_append_text(page->out, "<ul class=\"texts\">\n");
    for (size_t i = 0; i < listed; i++) {
        if (i == TEXTS_SHOWN) {
            bytes_append_text(page->out, "</ul>\n");
            html_fold(page->out, NULL);
            bytes_append_text(page->out, "%zu more", count - TEXTS_SHOWN);
            html_fold_body(page->out);
            bytes_append_text(page->out, "<ul class=\"texts\">\n");
        }
        put_text(page, &group->texts[i]);
    }
    bytes_append_text(page->out, "</ul>\n");
    html_left_out(page->out, count - listed);
    if (listed > TEXTS_SHOWN)
        html_fold_end(page->out);
}

/* The page that brushwork explain prints. */
static void put_explanation(struct bytes *out, const struct diag_info *info)
{
    const struct diag_explanation about = diag_explain(diag_code_named(info->code));
    html_fold(out, "about");
    bytes_append_text(out, "What %s means", info->code);
    html_fold_body(out);
    html_paragraphs(out, about.text);
    if (about.example) {
        bytes_append_text(out, "<p>Example:</p>\n");
        html_lines(out, about.example);
    }
    html_fold_end(out);
}

/* `prefix` is that of the links to the messages of this chapter. */
static void put_group(const struct report_page *page, const char *prefix,
                      const struct message_group *group)
{
    struct bytes *out = page->out;
    bytes_append_text(out, "<article class=\"message\"");
    if (group->info)
        bytes_append_text(out, " id=\"%s%s-%s\"", prefix, group->info->code, group->severity);
    bytes_append_text(out, ">\n<h4>");
    put_severity(out, group->severity);
    bytes_append_text(out, "<span class=\"word\">");
    html_text(out, group->code);
    bytes_append_text(out, "</span>");
    if (group->info)
        bytes_append_text(out, " %s", group->info->title);
    put_count(out, group->count);
    bytes_append_text(out, "</h4>\n");
    put_texts(page, group);
    if (group->info) {
        bytes_append_text(out, "<div class=\"fix\"><strong>Fix:</strong> ");
        html_whole(out, group->info->fix);
        bytes_append_text(out, "</div>\n");
        put_explanation(out, group->info);
    }
    bytes_append_text(out, "</article>\n");
}

/* --- all --- */

static size_t remarks_of(const struct message_groups *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(groups->groups); i++)
        count += is_remark(groups->groups[i].severity) ? groups->groups[i].count : 0;
    return count;
}

static void put_kind(const struct report_page *page, const char *prefix,
                     const struct message_groups *groups, bool remarks)
{
    for (size_t i = 0; i < arrlenu(groups->groups); i++)
        if (is_remark(groups->groups[i].severity) == remarks)
            put_group(page, prefix, &groups->groups[i]);
}

static void put_groups(const struct report_page *page, const char *prefix,
                       const struct message_groups *groups)
{
    const size_t remarks = remarks_of(groups);
    put_kind(page, prefix, groups, false);
    if (!remarks)
        return;
    html_fold(page->out, NULL);
    bytes_append_text(page->out, "%zu note%s", remarks, remarks == 1 ? "" : "s");
    html_fold_body(page->out);
    put_kind(page, prefix, groups, true);
    html_fold_end(page->out);
}

static void put_build(const struct report_page *page)
{
    struct message_groups groups = {0};
    bytes_append_text(page->out, "<h3>Build</h3>\n");
    message_groups_add_rows(&groups, page->messages);
    if (arrlen(groups.groups))
        put_groups(page, "", &groups);
    else
        bytes_append_text(page->out, "<p>%s</p>\n",
                          page->messages ? "The build reported nothing."
                                         : "What the build reported is not known.");
    message_groups_free(&groups);
}

static void put_passed(struct bytes *out, const struct bsp_verify_check *checks)
{
    size_t passed = 0;
    for (size_t i = 0; i < arrlenu(checks); i++)
        passed += !checks[i].faults;
    if (!passed)
        return;
    html_fold(out, "passed");
    bytes_append_text(out, "<span class=\"good\">&#10003; %zu check%s passed</span>", passed,
                      passed == 1 ? "" : "s");
    html_fold_body(out);
    bytes_append_text(out, "<ul>\n");
    for (size_t i = 0; i < arrlenu(checks); i++)
        if (!checks[i].faults)
            bytes_append_text(out, "<li>%s</li>\n", checks[i].what);
    bytes_append_text(out, "</ul>\n");
    html_fold_end(out);
}

static void put_faults(const struct report_page *page)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct message_groups groups = {0};
    struct bsp_verify_check *checks = NULL;
    const struct report_map *map = &page->source->map;
    (void)!bsp_verify_listed(map->render->scene.bsp, map->name, diag,
                             &checks); /* its reports tell */
    message_groups_add_reports(&groups, diag);
    bytes_append_text(page->out, "<h3>Checks of the file</h3>\n");
    put_groups(page, "file-", &groups);
    put_passed(page->out, checks);
    message_groups_free(&groups);
    arrfree(checks);
    diag_free(diag);
}

void report_messages(const struct report_page *page)
{
    html_section(page->out, "messages", "Messages", NULL);
    put_build(page);
    put_faults(page);
    html_section_end(page->out);
}

/* --- links to them --- */

enum { LINKS_MAX = 8 };

void report_put_message_links(const struct report_page *page)
{
    struct message_groups groups = {0};
    size_t links = 0;
    message_groups_add_rows(&groups, page->messages);
    for (size_t i = 0; i < arrlenu(groups.groups) && links < LINKS_MAX; i++) {
        const struct message_group *group = &groups.groups[i];
        if (!group->info || is_remark(group->severity))
            continue;
        bytes_append_text(page->out, "%s<li>", links++ ? "" : "<ul class=\"links\">\n");
        put_severity(page->out, group->severity);
        bytes_append_text(page->out, "<a href=\"#%s-%s\">%s %s</a>", group->info->code,
                          group->severity, group->info->code, group->info->title);
        put_count(page->out, group->count);
        bytes_append_text(page->out, "</li>\n");
    }
    bytes_append_text(page->out, links ? "</ul>\n" : "");
    message_groups_free(&groups);
}
