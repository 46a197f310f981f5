/* Any bytes as rules for combining static props: refused with a report, or rules in range. */
#include <stdint.h>

#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "vbsp/target/source/combine/combine_options.h"
#include "vbsp/target/source/combine/combine_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct combine_rules *rules)
{
    for (size_t i = 0; i < arrlenu(rules->rules); i++) {
        const struct combine_rule *rule = &rules->rules[i];
        check(arrlenu(rule->models) > 0 && rule->distance >= 1 && rule->vertices >= 3 &&
              rule->vertices <= 65535 && rule->minimum >= 2);
    }
    const struct combine_rule *found = combine_rules_find(rules, "models/props/fence01.mdl");
    check(!found || arrlenu(rules->rules) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct env env = {.diag = diag_new(NULL, NULL), .threads = 1, .fs = fs_memory_new()};
    struct combine_options options = combine_defaults;
    struct combine_rules rules = {0};
    options.rules = "fuzz.txt";
    options.others = size % 2;
    check(env.fs->ops->write(env.fs, options.rules, data, size) == 0);
    if (combine_rules_load(&env, &options, &rules) == STATUS_OK) {
        look_at(&rules);
        combine_rules_report(&rules, true, env.diag);
    } else {
        check(diag_count(env.diag, DIAG_ERROR) > 0);
    }
    combine_rules_free(&rules);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
