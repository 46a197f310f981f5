#include "brushwork/release/release_table.h"

#include <inttypes.h>
#include <string.h>

#include "brushwork/shared/print.h"
#include "common/core/array.h"

enum { NAME_WIDTH = 48 };

static const char *const state_names[] = {"packed", "absent", "missing"};

static void print_row(struct arena *scratch, FILE *out, const char *state, const char *name,
                      const char *note)
{
    print_safely(arena_printf(scratch, "%-8s  %-*s  %s", state, NAME_WIDTH, name, note), out);
    fputc('\n', out);
    arena_reset(scratch);
}

static size_t count_of(const struct release *release, enum release_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(release->needs); i++)
        count += release->needs[i].state == state;
    return count;
}

void release_print(const struct release *release, FILE *out)
{
    struct arena scratch = {0};
    for (size_t i = 0; i < arrlenu(release->files); i++) {
        const struct release_file *file = &release->files[i];
        print_row(&scratch, out, "file", file->name,
                  arena_printf(&scratch, "%" PRIu64 " bytes, %s", file->bytes, file->note));
    }
    for (int state = RELEASE_PACKED; state <= RELEASE_MISSING; state++)
        for (size_t i = 0; i < arrlenu(release->needs); i++)
            if ((int)release->needs[i].state == state)
                print_row(&scratch, out, state_names[state], release->needs[i].name,
                          release->needs[i].reason);
    print_safely(
        arena_printf(&scratch,
                     "%s: files %zu, packed %zu, absent %zu, missing %zu, checksum %08" PRIx32,
                     release->out, arrlenu(release->files), count_of(release, RELEASE_PACKED),
                     count_of(release, RELEASE_ABSENT), count_of(release, RELEASE_MISSING),
                     release->checksum),
        out);
    fputc('\n', out);
    arena_free(&scratch);
}

static json_t *files_json(const struct release *release)
{
    json_t *files = json_array();
    for (size_t i = 0; i < arrlenu(release->files); i++) {
        const struct release_file *file = &release->files[i];
        json_array_append_new(files,
                              json_pack("{s:o,s:I,s:s}", "name", print_json_text(file->name),
                                        "bytes", (json_int_t)file->bytes, "sha256", file->sha256));
    }
    return files;
}

static json_t *needs_json(const struct release *release, enum release_state state)
{
    json_t *needs = json_array();
    for (size_t i = 0; i < arrlenu(release->needs); i++) {
        const struct release_need *need = &release->needs[i];
        if (need->state == state)
            json_array_append_new(needs, json_pack("{s:o,s:o}", "name", print_json_text(need->name),
                                                   "reason", print_json_text(need->reason)));
    }
    return needs;
}

void release_print_json(const struct release *release, FILE *out)
{
    json_t *object = print_json_object();
    json_object_set_new(object, "file", print_json_text(release->level));
    json_object_set_new(object, "folder", print_json_text(release->out));
    json_object_set_new(object, "target", json_string(release->format->target));
    json_object_set_new(object, "checksum", json_integer((json_int_t)release->checksum));
    json_object_set_new(object, "files", files_json(release));
    for (int state = RELEASE_PACKED; state <= RELEASE_MISSING; state++)
        json_object_set_new(object, state_names[state],
                            needs_json(release, (enum release_state)state));
    print_json(object, out);
}
