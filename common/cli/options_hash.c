/* The fingerprint of a run's options. */
#include <string.h>

#include "common/cli/options.h"
#include "common/cli/version.h"
#include "common/core/array.h"

static void add_text(struct sha256 *hash, const char *text)
{
    const unsigned char is_set = text != NULL;
    sha256_add(hash, &is_set, 1);
    if (text)
        sha256_add(hash, text, strlen(text) + 1);
}

static void add_value(const struct option_def *def, const char *field, struct sha256 *hash)
{
    size_t count = def->arity > 1 ? (size_t)def->arity : 1;
    switch (option_value(def)) {
    case VALUE_BOOL:
        sha256_add(hash, field, sizeof(bool));
        break;
    case VALUE_INTS:
        sha256_add(hash, field, count * sizeof(int));
        break;
    case VALUE_NUMBERS:
        sha256_add(hash, field, count * sizeof(double));
        break;
    case VALUE_CHOICE:
        sha256_add(hash, field, sizeof(int));
        break;
    case VALUE_TEXT:
        add_text(hash, *(const char *const *)(const void *)field);
        break;
    case VALUE_LIST: {
        const char *const *list = *(const char *const *const *)(const void *)field;
        size_t length = arrlenu(list);
        sha256_add(hash, &length, sizeof length);
        for (size_t i = 0; i < length; i++)
            add_text(hash, list[i]);
        break;
    }
    case VALUE_NONE:
        break;
    }
}

/* `outputs`: their names too. */
static void add_all(const struct option_def *defs, size_t count, const char *values, bool outputs,
                    struct sha256 *hash)
{
    for (size_t i = 0; i < count; i++)
        if (!defs[i].of_run && (outputs || defs[i].path != OPTION_WRITES))
            add_value(&defs[i], option_field(&defs[i], values), hash);
}

void option_group_hash(const struct option_group *group, const void *values, struct sha256 *hash)
{
    add_all(group->defs, group->count, (const char *)values + group->base, true, hash);
}

void options_hash(const struct option_table *table, const void *values, struct sha256 *hash)
{
    add_text(hash, table->program);
    add_text(hash, program_version);
    add_text(hash, program_code);
    add_all(table->defs, table->count, values, true, hash);
    for (size_t i = 0; i < table->group_count; i++)
        option_group_hash(&table->groups[i], values, hash);
}

void options_hash_stage(const struct option_table *table, const void *values, const char *tool,
                        bool reads_content, struct sha256 *hash)
{
    add_text(hash, program_version);
    add_text(hash, program_code);
    add_text(hash, tool);
    for (size_t i = 0; i < table->group_count; i++) {
        const struct option_group *group = &table->groups[i];
        if (group->tool ? strcmp(group->tool, tool) == 0 : reads_content)
            add_all(group->defs, group->count, (const char *)values + group->base, false, hash);
    }
}
