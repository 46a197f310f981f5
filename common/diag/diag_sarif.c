/* SARIF 2.1.0: one run, with all codes as its rules, so that an index into them is the code. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/text_stream.h"
#include "common/diag/diag_format.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define BASE        "SRCROOT"
#define FINGERPRINT "brushworkFinding/v1"

static json_t *text_object(const char *text)
{
    return json_pack("{s:o}", "text", diag_json_text(text));
}

/* As a sentence. */
static void put_sentence(FILE *out, const char *text)
{
    fprintf(out, "%c%s%s", toupper((unsigned char)*text), text + 1,
            text[strlen(text) - 1] == '.' ? "" : ".");
}

/* "MATERIAL_MISSING" -> "MaterialMissing". */
static void put_pascal(FILE *out, const char *name)
{
    for (bool is_first = true; *name; name++) {
        if (*name != '_')
            fputc(is_first ? *name : tolower((unsigned char)*name), out);
        is_first = *name == '_';
    }
}

/* Takes what `print` makes of the text. */
static json_t *printed(void (*print)(FILE *, const char *), const char *text)
{
    struct text_stream made;
    if (!text_stream_open(&made))
        return json_string("");
    print(made.out, text);
    text_stream_close(&made);
    json_t *value = json_string(made.text);
    free(made.text);
    return value;
}

static json_t *rule(const struct diag_info *info)
{
    json_t *title = printed(put_sentence, info->title);
    json_t *full = json_sprintf("%s %s", json_string_value(title), info->fix);
    return json_pack("{s:s,s:o,s:{s:o},s:{s:o},s:{s:s},s:{s:s}}", "id", info->code, "name",
                     printed(put_pascal, info->name), "shortDescription", "text", title,
                     "fullDescription", "text", full, "help", "text", info->fix,
                     "defaultConfiguration", "level", diag_severity_name(info->severity));
}

/* The place of its rule in the list of the tool. */
static int rule_index(int code)
{
    int index = 0;
    for (int at = diag_next(0); at != code; at = diag_next(at))
        index++;
    return index;
}

static json_t *tool(const struct diag_writer *writer)
{
    json_t *rules = json_array();
    for (int code = diag_next(0); code; code = diag_next(code))
        json_array_append_new(rules, rule(diag_info(code)));
    return json_pack("{s:{s:s,s:s,s:o}}", "driver", "name", "Brushwork", "version",
                     writer->options.version, "rules", rules);
}

/* The runs of one upload are told apart by it: a program and its file. It is the same when a
 * further file comes before the others. */
static json_t *run_id(const struct diag_writer *writer)
{
    if (!writer->uri || writer->options.has_more_files)
        return json_sprintf("%s/", writer->options.program);
    return json_sprintf("%s/%s/", writer->options.program, writer->uri);
}

static json_t *working_folder(void)
{
    char *uri = diag_uri(".");
    json_t *value = json_sprintf("%s/", *uri ? uri : "file://");
    memory_free(uri);
    return value;
}

static void put_head(struct diag_writer *writer, FILE *out)
{
    const struct {
        const char *key;
        json_t *value;
    } parts[] = {
        {"tool", tool(writer)},
        {"automationDetails", json_pack("{s:o}", "id", run_id(writer))},
        {"originalUriBaseIds", json_pack("{s:{s:o}}", BASE, "uri", working_folder())},
    };
    fputs("{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[{", out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fprintf(out, "\"%s\":", parts[i].key);
        json_dumpf(parts[i].value, out, JSON_COMPACT);
        fputs(",\n", out);
        json_decref(parts[i].value);
    }
    fputs("\"results\":[\n", out);
}

static bool is_relative(const char *uri)
{
    return strncmp(uri, "file:", strlen("file:")) != 0;
}

static json_t *artifact(const char *uri)
{
    json_t *object = json_pack("{s:s}", "uri", uri);
    if (is_relative(uri))
        json_object_set_new(object, "uriBaseId", json_string(BASE));
    return object;
}

/* Code scanning wants a line of each. */
static json_t *physical(const struct diag_writer *writer, const struct diag_where *where)
{
    char *uri = where->file ? diag_uri(where->file) : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "artifactLocation", artifact(uri ? uri : writer->uri));
    json_object_set_new(object, "region",
                        json_pack("{s:i}", "startLine", uri && where->line > 0 ? where->line : 1));
    memory_free(uri);
    return object;
}

/* "entity 3", "entity 3/solid 7", ... */
static json_t *logical(const struct diag_where *where)
{
    struct diag_id ids[3];
    char path[128] = "", name[48];
    size_t count = diag_where_ids(where, ids), size = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s %d", ids[i].name, ids[i].id);
        size += (size_t)snprintf(path + size, sizeof path - size, "%s%s", i ? "/" : "", name);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", name, "fullyQualifiedName",
                                              path, "kind", ids[i].name));
    }
    return list;
}

static json_t *location(const struct diag_writer *writer, const struct diag_where *where)
{
    json_t *object = json_object(), *names = logical(where);
    json_object_set_new(object, "physicalLocation", physical(writer, where));
    if (json_array_size(names))
        json_object_set(object, "logicalLocations", names);
    json_decref(names);
    return object;
}

/* The instances around it, the nearest first. */
static json_t *instances(const struct diag_writer *writer, const struct diag_where *where)
{
    json_t *list = json_array();
    for (const struct diag_where *outer = where->placed_by; outer; outer = outer->placed_by) {
        if (!outer->file)
            continue;
        json_t *object = location(writer, outer);
        json_object_set_new(object, "id", json_integer((json_int_t)json_array_size(list) + 1));
        json_object_set_new(object, "message", text_object("Instanced from here."));
        json_array_append_new(list, object);
    }
    return list;
}

/* The other parts of a location, as in JSON. */
static json_t *properties(const struct diag_where *where)
{
    static const char *const elsewhere[] = {"file", "line"};
    json_t *object = json_object();
    diag_json_whole(object, where);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        json_object_del(object, elsewhere[i]);
    return object;
}

static void set_unless_empty(json_t *object, const char *key, json_t *value)
{
    if (json_object_size(value) || json_array_size(value))
        json_object_set(object, key, value);
    json_decref(value);
}

static json_t *message(const struct diag_entry *entry)
{
    json_t *detail = diag_json_text(entry->message);
    json_t *text = json_sprintf("%s%s%s", diag_info(entry->code)->title,
                                *entry->message ? ": " : "", json_string_value(detail));
    json_decref(detail);
    return json_pack("{s:o}", "text", text);
}

/* About the run, not about a file. */
static void keep_notification(struct diag_writer *writer, const struct diag_entry *entry)
{
    if (!writer->unplaced)
        writer->unplaced = json_array();
    json_array_append_new(writer->unplaced,
                          json_pack("{s:{s:s},s:{s:s,s:i},s:s,s:o}", "descriptor", "id",
                                    diag_info(entry->code)->code, "associatedRule", "id",
                                    diag_info(entry->code)->code, "index", rule_index(entry->code),
                                    "level", diag_severity_name(entry->severity), "message",
                                    message(entry)));
}

static void put_entry(struct diag_writer *writer, const struct diag_entry *entry, FILE *out)
{
    const struct diag_where *where = &entry->where;
    if (!where->file && !writer->uri) {
        keep_notification(writer, entry);
        return;
    }
    json_t *result = json_pack(
        "{s:s,s:i,s:s,s:o,s:[o],s:{s:s}}", "ruleId", diag_info(entry->code)->code, "ruleIndex",
        rule_index(entry->code), "level", diag_severity_name(entry->severity), "message",
        message(entry), "locations", location(writer, where), "partialFingerprints", FINGERPRINT,
        diag_fingerprint(writer, entry).text);
    set_unless_empty(result, "relatedLocations", instances(writer, where));
    set_unless_empty(result, "properties", properties(where));
    json_dumpf(result, out, JSON_COMPACT);
    json_decref(result);
}

static void put_tail(struct diag_writer *writer, const struct diag *diag, enum status status,
                     FILE *out)
{
    json_t *invocation = json_object();
    json_object_set_new(invocation, "executionSuccessful", json_boolean(diag && !status));
    if (diag) {
        json_object_set_new(invocation, "exitCode", json_integer((json_int_t)status));
        json_object_set_new(invocation, "exitCodeDescription",
                            json_string(diag_status_name(status)));
    }
    if (writer->unplaced)
        json_object_set(invocation, "toolExecutionNotifications", writer->unplaced);
    fputs("\n],\"invocations\":[", out);
    json_dumpf(invocation, out, JSON_COMPACT);
    fputs("]}]}\n", out);
    json_decref(invocation);
}

static void put_last(const struct diag_writer *writer, const struct diag_last *last,
                     struct diag_fixed *out)
{
    char index[64];
    snprintf(index, sizeof index, "\",\"ruleIndex\":%d,\"level\":\"error\"",
             rule_index(last->code));
    diag_fixed_add(out, "{\"ruleId\":\"");
    diag_fixed_add(out, diag_info(last->code)->code);
    diag_fixed_add(out, index);
    diag_fixed_add(out, ",\"message\":{\"text\":");
    diag_fixed_quote(out, last->message);
    diag_fixed_add(out, "}");
    if (writer->uri) {
        diag_fixed_add(out,
                       ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
        diag_fixed_quote(out, writer->uri);
        if (is_relative(writer->uri))
            diag_fixed_add(out, ",\"uriBaseId\":\"" BASE "\"");
        diag_fixed_add(out, "},\"region\":{\"startLine\":1}}}]");
    }
    diag_fixed_add(out, "}");
}

static void put_last_tail(const struct diag_writer *writer, const struct diag_last *last,
                          struct diag_fixed *out)
{
    char code[160];
    (void)writer;
    snprintf(code, sizeof code,
             "\n],\"invocations\":[{\"executionSuccessful\":false,\"exitCode\":%d,"
             "\"exitCodeDescription\":\"%s\"}]}]}\n",
             (int)last->status, diag_status_name(last->status));
    diag_fixed_add(out, code);
}

const struct diag_format diag_format_sarif = {.name = "sarif",
                                              .is_document = true,
                                              .head = put_head,
                                              .entry = put_entry,
                                              .tail = put_tail,
                                              .last = put_last,
                                              .last_tail = put_last_tail};
