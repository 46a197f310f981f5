#include "vbsp/target/source/combine/combine_rules.h"

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/prop_combine.def"
#include "common/io/fs.h"
#include "common/text/keyvalues.h"
#include "vbsp/target/source/combine/combine_options.h"

const struct combine_options combine_defaults = {.distance = 512, .vertices = 16384, .minimum = 2};

struct parser {
    struct combine_rules *rules;
    const struct combine_options *options;
    struct diag *diag;
};

static enum status invalid(const struct parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status invalid(const struct parser *parser, int line, const char *format, ...)
{
    struct diag_where where = {.file = parser->rules->file, .line = line};
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&parser->rules->arena, format, args);
    va_end(args);
    return diag_report(parser->diag, DIAG_COMBINE_RULES, &where, "%s", message);
}

/* The numbers of a group, and what the options allow. */
static const struct {
    const char *key;
    double min, max;
} numbers[] = {{"distance", 1, 65536}, {"vertices", 3, 65535}, {"minimum", 2, 1000}};

static void set_number(struct combine_rule *rule, size_t number, double value)
{
    if (number == 0)
        rule->distance = value;
    else if (number == 1)
        rule->vertices = (int)value;
    else
        rule->minimum = (int)value;
}

static enum status parse_number(const struct parser *parser, const struct kv *node,
                                struct combine_rule *rule)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value;
        if (rule->never || !str_equal_nocase(node->key, numbers[i].key))
            continue;
        if (!str_to_double(node->value, &value) || !(value >= numbers[i].min) ||
            !(value <= numbers[i].max))
            return invalid(parser, node->line, "%s \"%.100s\" is no number from %g to %g",
                           numbers[i].key, node->value, numbers[i].min, numbers[i].max);
        set_number(rule, i, value);
        return STATUS_OK;
    }
    return invalid(parser, node->line, "unknown key \"%.100s\"", node->key);
}

static enum status parse_key(const struct parser *parser, const struct kv *node,
                             struct combine_rule *rule)
{
    if (!node->value)
        return invalid(parser, node->line, "unknown block \"%.100s\"", node->key);
    if (!str_equal_nocase(node->key, "model"))
        return parse_number(parser, node, rule);
    char *pattern = arena_strdup(&parser->rules->arena, node->value);
    for (char *c = pattern; *c; c++)
        if (*c == '\\')
            *c = '/';
    arrput(rule->models, pattern);
    return STATUS_OK;
}

static struct combine_rule default_rule(const struct combine_options *options)
{
    return (struct combine_rule){
        .distance = options->distance, .vertices = options->vertices, .minimum = options->minimum};
}

static enum status parse_block(const struct parser *parser, const struct kv *block)
{
    struct combine_rule rule = default_rule(parser->options);
    rule.never = str_equal_nocase(block->key, "never");
    rule.line = block->line;
    if (block->value || !(rule.never || str_equal_nocase(block->key, "group")))
        return invalid(parser, block->line, "\"%.100s\" is neither a group nor never", block->key);
    enum status status = STATUS_OK;
    for (const struct kv *node = block->children; node && status == STATUS_OK; node = node->next)
        status = parse_key(parser, node, &rule);
    if (status == STATUS_OK && !rule.models)
        status = invalid(parser, block->line, "a block names no model");
    arrput(parser->rules->rules, rule); /* which frees its models, too */
    return status;
}

/* Parses a file; `options` has what its groups do not say, and `file` must stay. Reports what is
 * invalid (COMBINE_RULES, TEXT_SYNTAX), and fails then. Free *out also after a failure. */
static enum status combine_rules_parse(const struct bytes *text, const char *file,
                                       const struct combine_options *options, struct diag *diag,
                                       struct combine_rules *out)
{
    const struct parser parser = {out, options, diag};
    struct kv *root;
    out->file = file;
    TRY(kv_parse((const char *)text->data, text->size, file, KV_STRICT, &out->arena, diag, &root));
    const struct kv *rules = kv_find(root, "combine");
    if (!rules || rules->value)
        return invalid(&parser, 1, "no block \"combine\"");
    for (const struct kv *block = rules->children; block; block = block->next)
        TRY(parse_block(&parser, block));
    return STATUS_OK;
}

static void add_rule_for_others(const struct combine_options *options, struct combine_rules *out)
{
    struct combine_rule rule = default_rule(options);
    arrput(rule.models, "*");
    arrput(out->rules, rule);
}

enum status combine_rules_load(const struct env *env, const struct combine_options *options,
                               struct combine_rules *out)
{
    if (options->rules) {
        struct bytes text = {0};
        enum status status = fs_load(env->fs, env->diag, options->rules, &text);
        if (status == STATUS_OK)
            status = combine_rules_parse(&text, options->rules, options, env->diag, out);
        bytes_free(&text);
        TRY(status);
    }
    if (!options->rules || options->others)
        add_rule_for_others(options, out);
    return STATUS_OK;
}

void combine_rules_free(struct combine_rules *rules)
{
    for (size_t i = 0; i < arrlenu(rules->rules); i++)
        arrfree(rules->rules[i].models);
    arrfree(rules->rules);
    arena_free(&rules->arena);
}

struct combine_rule *combine_rules_find(const struct combine_rules *rules, const char *model)
{
    for (size_t i = 0; i < arrlenu(rules->rules); i++)
        for (size_t k = 0; k < arrlenu(rules->rules[i].models); k++)
            if (asset_pattern_matches(rules->rules[i].models[k], model))
                return &rules->rules[i];
    return NULL;
}

static void report_rule(const struct combine_rule *rule, const struct diag_where *where,
                        struct diag *diag)
{
    size_t more = arrlenu(rule->models) - 1;
    struct arena scratch = {0};
    const char *others = more ? arena_printf(&scratch, " and %zu more", more) : "";
    if (rule->never)
        diag_report(diag, DIAG_COMBINE_RULE, where, "never %s%s", rule->models[0], others);
    else
        diag_report(diag, DIAG_COMBINE_RULE, where,
                    "group %s%s: distance %g, at most %d vertices, at least %d props; "
                    "%lld props became %lld",
                    rule->models[0], others, rule->distance, rule->vertices, rule->minimum,
                    (long long)rule->props, (long long)rule->combined_models);
    arena_free(&scratch);
}

void combine_rules_report(const struct combine_rules *rules, bool all, struct diag *diag)
{
    for (size_t i = 0; i < arrlenu(rules->rules); i++) {
        const struct combine_rule *rule = &rules->rules[i];
        struct diag_where where = {.file = rule->line ? rules->file : NULL, .line = rule->line};
        if (rule->line && !rule->is_used)
            diag_report(diag, DIAG_COMBINE_RULE_IDLE, &where, "%s", rule->models[0]);
        if (all)
            report_rule(rule, &where, diag);
    }
}
