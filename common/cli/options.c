#include "common/cli/options.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/options.def"
#include "common/diag/codes/usage.def"
#include "common/diag/diag.h"

size_t options_count(const struct option_table *table)
{
    size_t count = table->count;
    for (size_t i = 0; i < table->group_count; i++)
        count += table->groups[i].count;
    return count;
}

const struct option_def *options_at(const struct option_table *table, size_t index, size_t *base)
{
    *base = 0;
    if (index < table->count)
        return &table->defs[index];
    index -= table->count;
    const struct option_group *group = table->groups;
    while (index >= group->count)
        index -= group++->count;
    *base = group->base;
    return &group->defs[index];
}

enum option_value option_value(const struct option_def *def)
{
    switch (def->kind) {
    case OPTION_FLAG:
    case OPTION_CLEAR:
        return VALUE_BOOL;
    case OPTION_INT:
        return VALUE_INTS;
    case OPTION_NUMBER:
    case OPTION_NUMBER_OR_NONE:
        return VALUE_NUMBERS;
    case OPTION_CHOICE:
        return VALUE_CHOICE;
    case OPTION_TEXT:
        return VALUE_TEXT;
    case OPTION_LIST:
        return VALUE_LIST;
    case OPTION_STANDING:
    case OPTION_IGNORED:
    case OPTION_IGNORED_ARG:
    case OPTION_IGNORED_NUMBER:
    case OPTION_REFUSED:
        break;
    }
    return VALUE_NONE;
}

bool option_is_ignored(const struct option_def *def)
{
    return def->kind == OPTION_IGNORED || def->kind == OPTION_IGNORED_ARG ||
           def->kind == OPTION_IGNORED_NUMBER;
}

/* Returns true if a number may follow. */
static bool may_take_number(const struct option_def *def)
{
    return def->kind == OPTION_NUMBER_OR_NONE || def->kind == OPTION_IGNORED_NUMBER;
}

static bool takes_argument(const struct option_def *def)
{
    return def->kind != OPTION_FLAG && def->kind != OPTION_CLEAR && def->kind != OPTION_STANDING &&
           def->kind != OPTION_IGNORED && def->kind != OPTION_REFUSED && !may_take_number(def);
}

const char *option_dashes(const struct option_def *def, const char *name)
{
    return def->two_dashes && name[1] ? "--" : "-";
}

int option_arity(const struct option_def *def)
{
    if (!takes_argument(def))
        return 0;
    return def->arity > 1 ? def->arity : 1;
}

bool option_writes(const struct option_def *def)
{
    switch (def->path) {
    case OPTION_NO_PATH:
    case OPTION_READS_BESIDE:
    case OPTION_READS:
    case OPTION_COPIES:
        return false;
    case OPTION_WRITES:
    case OPTION_CACHES:
    case OPTION_APPENDS:
        break;
    }
    return true;
}

bool option_is_for_caller(const struct option_def *def)
{
    const enum option_value value = option_value(def);
    const bool is_text = (value == VALUE_TEXT && !def->name_at) || value == VALUE_LIST;
    return def->of_caller || def->touches_files || def->path != OPTION_NO_PATH ||
           (is_text && !def->is_word);
}

bool option_in_range(const struct option_def *def, double value)
{
    return (def->min == 0 && def->max == 0) || (value >= def->min && value <= def->max);
}

/* Stores one argument, number `slot` of the option's. Returns NULL, or the reason why it is
 * refused. */
static const char *set_number(const struct option_def *def, char *field, int slot, const char *text,
                              struct arena *arena)
{
    double number;
    int64_t whole = 0;
    bool is_int = def->kind == OPTION_INT;
    if (is_int ? !str_to_int64(text, &whole) : !str_to_double(text, &number))
        return arena_printf(arena, "'%s' is not %s", text, is_int ? "an integer" : "a number");
    if (is_int)
        number = (double)whole;
    if (!option_in_range(def, number))
        return arena_printf(arena, "%s is out of range (%g to %g)", text, def->min, def->max);
    if (!is_int)
        ((double *)(void *)field)[slot] = number;
    else if (whole < INT_MIN || whole > INT_MAX)
        return arena_printf(arena, "%s is out of range", text);
    else
        ((int *)(void *)field)[slot] = (int)whole;
    return NULL;
}

static const char *set_choice(const struct option_def *def, int *field, const char *text,
                              struct arena *arena)
{
    const char *list = "";
    for (int i = 0; def->choices[i]; i++) {
        if (str_equal_nocase(def->choices[i], text)) {
            *field = i;
            return NULL;
        }
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", def->choices[i]);
    }
    return arena_printf(arena, "'%s' is not one of %s", text, list);
}

static const char *set_name(const struct option_def *def, const char **field, const char *text,
                            struct arena *arena)
{
    const char *list = "", *name;
    for (size_t i = 0; (name = def->name_at(i)); i++) {
        if (str_equal_nocase(name, text)) {
            *field = name;
            return NULL;
        }
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", name);
    }
    return arena_printf(arena, "'%s' is not one of %s", text, list);
}

static const char *set_argument(const struct option_def *def, char *field, int slot,
                                const char *text, struct arena *arena)
{
    switch (option_value(def)) {
    case VALUE_INTS:
    case VALUE_NUMBERS:
        return set_number(def, field, slot, text, arena);
    case VALUE_CHOICE:
        return set_choice(def, (int *)(void *)field, text, arena);
    case VALUE_TEXT:
        if (def->name_at)
            return set_name(def, (const char **)(void *)field, text, arena);
        *(const char **)(void *)field = text;
        return NULL;
    case VALUE_LIST: {
        const char ***list = (const char ***)(void *)field;
        arrput(*list, text);
        return NULL;
    }
    case VALUE_BOOL:
    case VALUE_NONE:
        break;
    }
    return NULL;
}

enum { SCRATCH_SLOTS = 16 };

struct parser {
    const struct option_table *table;
    struct diag_where where; /* the source of the arguments */
    const char *tool;        /* only groups of this tool, and of none, are known; NULL: all are */
    char *values;            /* NULL: the arguments are only checked */
    options_see *see;        /* or NULL: all may be set */
    void *context;
    size_t at, used;   /* the words of the option, of those that are seen */
    bool only_options; /* no operand follows */
    struct option_result *result;
    struct diag *diag;
    struct arena arena; /* texts of messages */
    bool failed;
};

static void bad_usage(struct parser *parser, const char *message)
{
    (void)diag_report(parser->diag, DIAG_USAGE, &parser->where, "%s", message);
    parser->failed = true;
}

bool option_has_name(const struct option_def *def, const char *name)
{
    const char *const all[] = {def->name, def->alias, def->hidden};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && str_equal_nocase(all[i], name))
            return true;
    return false;
}

static bool is_known(const struct parser *parser, size_t index)
{
    const struct option_table *table = parser->table;
    if (!parser->tool || index < table->count)
        return true;
    index -= table->count;
    const struct option_group *group = table->groups;
    while (index >= group->count)
        index -= group++->count;
    return !group->tool || strcmp(group->tool, parser->tool) == 0;
}

/* Returns the first option of that name, or -1. */
static int find_option(const struct parser *parser, const char *name)
{
    size_t count = options_count(parser->table), base;
    for (size_t i = 0; i < count; i++)
        if (is_known(parser, i) && option_has_name(options_at(parser->table, i, &base), name))
            return (int)i;
    return -1;
}

struct suggestion {
    const char *name; /* of an option, or NULL */
    const char *dashes;
    size_t distance;
};

static void suggest(const struct option_def *def, const char *candidate, const char *name,
                    struct suggestion *best)
{
    size_t distance = candidate ? str_distance(candidate, name) : SIZE_MAX;
    if (distance < best->distance)
        *best = (struct suggestion){candidate, option_dashes(def, candidate), distance};
}

/* Returns the most similar option name. */
static struct suggestion nearest(const struct option_table *table, const char *name)
{
    struct suggestion best = {.distance = strlen(name) / 3 + 2};
    size_t count = options_count(table), base;
    for (size_t i = 0; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        suggest(def, def->name, name, &best);
        suggest(def, def->alias, name, &best);
        suggest(def, def->hidden, name, &best);
    }
    return best;
}

static void unknown_option(struct parser *parser, const char *argument, const char *name)
{
    struct suggestion meant = nearest(parser->table, name);
    if (meant.name)
        bad_usage(parser, arena_printf(&parser->arena, "unknown option '%s' (did you mean '%s%s'?)",
                                       argument, meant.dashes, meant.name));
    else
        bad_usage(parser, arena_printf(&parser->arena, "unknown option '%s'", argument));
}

/* In the place of a field, where nothing is set. */
union scratch {
    bool flag;
    int choice, ints[SCRATCH_SLOTS];
    double numbers[SCRATCH_SLOTS];
    const char *text, **list;
};

/* Stores the arguments of one option, and reports those that are refused. */
static void set_option(struct parser *parser, const struct option_def *def, char *field,
                       const char *const *arguments)
{
    if (def->kind == OPTION_FLAG || def->kind == OPTION_CLEAR)
        *(bool *)(void *)field = def->kind == OPTION_FLAG;
    int slots = def->kind == OPTION_NUMBER_OR_NONE ? 1 : option_arity(def);
    const char *why = NULL;
    for (int slot = 0; slot < slots && !why; slot++)
        why = set_argument(def, field, slot, arguments[slot], &parser->arena);
    if (why)
        bad_usage(parser, arena_printf(&parser->arena, "%s%s: %s", option_dashes(def, def->name),
                                       def->name, why));
}

static void check_option(struct parser *parser, const struct option_def *def,
                         const char *const *arguments)
{
    union scratch scratch = {0};
    set_option(parser, def, (char *)&scratch, arguments);
    if (option_value(def) == VALUE_LIST)
        arrfree(scratch.list);
}

/* Sets every option of that name. `arguments` holds as many as the first of them takes, with one
 * that may be left out. */
static void set_options(struct parser *parser, const char *name, const char *const *arguments,
                        enum option_source source)
{
    size_t count = options_count(parser->table);
    for (size_t i = 0; i < count; i++) {
        size_t base;
        const struct option_def *def = options_at(parser->table, i, &base);
        if (!option_has_name(def, name) || !is_known(parser, i) ||
            parser->result->sources[i] > source)
            continue;
        if (parser->see && !parser->see(parser->context, def, parser->at, parser->used,
                                        option_arity(def) ? arguments[0] : NULL)) {
            bad_usage(parser, arena_printf(&parser->arena, "%s%s is an option of the whole run",
                                           option_dashes(def, def->name), def->name));
            return;
        }
        if (source == OPTION_CONFIG && option_is_for_caller(def)) {
            bad_usage(parser,
                      arena_printf(&parser->arena, "%s%s: may only be set on the command line",
                                   option_dashes(def, def->name), def->name));
            continue;
        }
        if (def->kind == OPTION_REFUSED)
            bad_usage(parser, arena_printf(&parser->arena, "%s%s: %s",
                                           option_dashes(def, def->name), def->name, def->help));
        if (parser->values)
            set_option(parser, def, option_field(def, parser->values + base), arguments);
        else
            check_option(parser, def, arguments);
        parser->result->sources[i] = source;
    }
}

static bool is_help(const char *name)
{
    return str_equal_nocase(name, "help") || strcmp(name, "h") == 0 || strcmp(name, "?") == 0;
}

/* The built-in options but help, which a table may override. */
static bool standing_option(struct option_result *result, const char *name)
{
    if (str_equal_nocase(name, "version"))
        result->page = options_version;
    else if (str_equal_nocase(name, "man"))
        result->page = options_man_page;
    else if (str_equal_nocase(name, "markdown"))
        result->page = options_markdown;
    else if (str_equal_nocase(name, "completion"))
        result->page = options_completion;
    else
        return false;
    return true;
}

/* --help is asked about the argument that follows it, but not about options of no table. Returns
 * the number of arguments used. */
static int ask_for_help(struct parser *parser, const char *topic, bool is_apart)
{
    parser->result->page = options_help;
    if (!topic || !*topic)
        return 1;
    if (options_help_knows(parser->table, topic))
        parser->result->topic = arena_strdup(&parser->result->texts, topic);
    else if (is_apart && topic[0] == '-')
        return 1;
    else
        bad_usage(parser,
                  arena_printf(&parser->arena,
                               "no option is about '%s'; --help all lists all options", topic));
    return is_apart ? 2 : 1;
}

static bool is_number(const char *text)
{
    double number;
    return str_to_double(text, &number);
}

/* "j4" is "j" with 4, as for make, where the option takes a whole number. Returns the number as
 * text and shortens the name, or NULL. */
static const char *split_number(struct parser *parser, const char **name)
{
    const char *number = *name + 1;
    size_t base;
    if (!**name || !*number || number[strspn(number, "0123456789")])
        return NULL;
    const char letter[2] = {**name, 0};
    int index = find_option(parser, letter);
    if (index < 0 || options_at(parser->table, (size_t)index, &base)->kind != OPTION_INT)
        return NULL;
    *name = arena_strdup(&parser->arena, letter);
    return number;
}

/* argv[at] starts with a dash. Returns the number of arguments used. */
static int parse_option(struct parser *parser, int argc, const char *const *argv, int at,
                        enum option_source source)
{
    const char *argument = argv[at];
    const char *name = argument + (argument[1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    if (equals)
        name = arena_strndup(&parser->arena, name, (size_t)(equals - name));
    int index = find_option(parser, name);
    const char *value = equals ? equals + 1 : index < 0 ? split_number(parser, &name) : NULL;
    if (index < 0 && value && !equals)
        index = find_option(parser, name);
    if (index < 0 && source == OPTION_COMMAND_LINE && is_help(name))
        return ask_for_help(parser, equals ? value : at + 1 < argc ? argv[at + 1] : NULL, !equals);
    if (index < 0) {
        if (source != OPTION_COMMAND_LINE || !standing_option(parser->result, name))
            unknown_option(parser, argument, name);
        return 1;
    }
    size_t base;
    const struct option_def *def = options_at(parser->table, (size_t)index, &base);
    int arity = option_arity(def);
    parser->at = (size_t)at;
    parser->used = value ? 1 : 1 + (size_t)arity;
    if (value) {
        if (arity == 1 || may_take_number(def))
            set_options(parser, name, &value, source);
        else
            bad_usage(parser,
                      arena_printf(&parser->arena, "%s%s takes %s", option_dashes(def, def->name),
                                   def->name, arity ? "several arguments" : "no argument"));
        return 1;
    }
    if (arity > argc - at - 1) {
        const char *needs =
            arity == 1 ? "an argument" : arena_printf(&parser->arena, "%d arguments", arity);
        bad_usage(parser,
                  arena_printf(&parser->arena, "%s%s requires %s: %s",
                               option_dashes(def, def->name), def->name, needs, def->argument));
        return argc - at;
    }
    static const char *const left_out = "-1";
    /* The last argument is the map, whatever its name. */
    const int last = parser->only_options ? argc : argc - 1;
    bool follows = may_take_number(def) && at + 1 < last && is_number(argv[at + 1]);
    bool none = may_take_number(def) && !follows;
    set_options(parser, name, none ? &left_out : argv + at + 1, source);
    return 1 + arity + follows;
}

/* "missing arguments: IN and OUT": the words of the table's operands after the `given` ones. */
static void missing_operands(struct parser *parser, size_t given)
{
    const char *word = parser->table->operands, *list = "";
    size_t wanted = parser->table->min_operands;
    for (size_t i = 0; i < wanted && *word; i++) {
        size_t length = strcspn(word, " ");
        if (i >= given)
            list = arena_printf(&parser->arena, "%s%s%.*s", list, i > given ? " and " : "",
                                (int)length, word);
        word += length + strspn(word + length, " ");
    }
    bad_usage(parser, arena_printf(&parser->arena, "missing argument%s: %s",
                                   wanted - given == 1 ? "" : "s", list));
}

static void check_operands(struct parser *parser)
{
    const struct option_table *table = parser->table;
    size_t count = arrlenu(parser->result->operands);
    if (!table->min_operands && !table->max_operands)
        return;
    size_t empty = 0;
    while (empty < count && *parser->result->operands[empty])
        empty++;
    if (empty < count)
        bad_usage(parser, "an argument is empty: a variable of the command line is not set");
    else if (count < table->min_operands)
        missing_operands(parser, count);
    else if (count > table->max_operands)
        bad_usage(parser, arena_printf(&parser->arena, "unexpected argument '%s'",
                                       parser->result->operands[table->max_operands]));
}

/* Quotes of a batch file that no shell has removed: "a b", and what a closing backslash leaves of
 * "C:\game\". An argument with others is text. */
static const char *without_quotes(struct option_result *result, const char *argument)
{
    size_t length = strlen(argument), begin = argument[0] == '"';
    size_t end = length > begin && argument[length - 1] == '"' ? length - 1 : length;
    if (end - begin == length || memchr(argument + begin, '"', end - begin))
        return argument;
    return arena_strndup(&result->texts, argument + begin, end - begin);
}

/* As without_quotes, also behind the equals sign of an option. */
static const char *plain_argument(struct option_result *result, const char *argument)
{
    const char *equals = argument[0] == '-' ? strchr(argument, '=') : NULL;
    if (!equals || equals[1] != '"')
        return without_quotes(result, argument);
    return arena_printf(&result->texts, "%.*s%s", (int)(equals + 1 - argument), argument,
                        without_quotes(result, equals + 1));
}

/* An stb_ds array of argc arguments. */
static const char **plain_arguments(struct option_result *result, int argc, char *const *argv)
{
    const char **plain = NULL;
    for (int i = 0; i < argc; i++)
        arrput(plain, plain_argument(result, argv[i]));
    return plain;
}

/* En dash, em dash or minus sign, as copied from a page. */
static bool starts_with_long_dash(const char *text)
{
    static const char *const dashes[] = {"\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92"};
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (strncmp(text, dashes[i], strlen(dashes[i])) == 0)
            return true;
    return false;
}

static void begin_result(struct option_result *result, const struct option_table *table)
{
    *result = (struct option_result){0};
    for (size_t i = options_count(table); i > 0; i--)
        arrput(result->sources, OPTION_DEFAULT);
}

enum status options_parse(const struct option_table *table, void *values, int argc,
                          char *const *argv, struct option_result *result, struct diag *diag)
{
    const char **plain;
    begin_result(result, table);
    for (size_t i = 0; i < table->group_count; i++)
        option_group_own_parts(&table->groups[i], values, &result->texts);
    plain = plain_arguments(result, argc, argv);
    result->end = argc;
    struct parser parser = {.table = table, .values = values, .result = result, .diag = diag};
    bool only_operands = false;
    for (int at = 1; at < argc && strcmp(plain[at], "--") != 0; at++)
        if (starts_with_long_dash(plain[at]))
            bad_usage(&parser,
                      arena_printf(&parser.arena, "'%s' begins with a typographic dash; type '-'",
                                   plain[at]));
    for (int at = 1; at < argc;) {
        const char *argument = plain[at];
        if (at == 1 && strcmp(argument, "/?") == 0) {
            result->page = options_help;
            at++;
        } else if (!only_operands && strcmp(argument, "--") == 0) {
            only_operands = true;
            result->end = at++;
        } else if (only_operands || argument[0] != '-' || !argument[1]) {
            arrput(result->operands, argument);
            at++;
        } else
            at += parse_option(&parser, argc, plain, at, OPTION_COMMAND_LINE);
    }
    arrfree(plain);
    if (!parser.failed && !result->page)
        check_operands(&parser);
    arena_free(&parser.arena);
    return parser.failed ? STATUS_USAGE : STATUS_OK;
}

/* Options alone: an operand is reported. */
static void parse_options(struct parser *parser, size_t count, const char *const *arguments,
                          enum option_source source)
{
    parser->only_options = true;
    for (int at = 0; at < (int)count;) {
        if (arguments[at][0] == '-' && arguments[at][1]) {
            at += parse_option(parser, (int)count, arguments, at, source);
            continue;
        }
        bad_usage(parser, arena_printf(&parser->arena, "unexpected argument '%s'", arguments[at]));
        at++;
    }
}

enum status options_check(const struct option_table *table, const char *const *words, size_t count,
                          options_see *see, void *context, const struct diag_where *where,
                          struct diag *diag)
{
    struct option_result result;
    struct parser parser = {.table = table,
                            .where = *where,
                            .see = see,
                            .context = context,
                            .result = &result,
                            .diag = diag};
    begin_result(&result, table);
    parse_options(&parser, count, words, OPTION_COMMAND_LINE);
    if (result.page)
        bad_usage(&parser, "only a command line can ask for help");
    options_free(&result);
    arena_free(&parser.arena);
    return parser.failed ? STATUS_USAGE : STATUS_OK;
}

enum status options_parse_config(const struct option_table *table, void *values,
                                 struct option_result *result, const char *tool,
                                 const char *const *arguments, size_t count, const char *file,
                                 struct diag *diag)
{
    struct parser parser = {.table = table,
                            .where.file = file,
                            .tool = tool,
                            .values = values,
                            .result = result,
                            .diag = diag};
    parse_options(&parser, count, arguments, OPTION_CONFIG);
    arena_free(&parser.arena);
    return parser.failed ? STATUS_USAGE : STATUS_OK;
}

void options_free(struct option_result *result)
{
    arrfree(result->operands);
    arrfree(result->sources);
    arena_free(&result->texts);
}

/* A flag's key is a number: 0 leaves it at its default. */
static const char *set_by_key(const struct option_def *def, char *field, const char *value,
                              struct arena *arena)
{
    if (option_arity(def) > 1)
        return "the option takes several values";
    if (takes_argument(def))
        return set_argument(def, field, 0, value, arena);
    int64_t number;
    if (!str_to_int64(value, &number))
        return arena_printf(arena, "'%s' is not an integer", value);
    if (number)
        *(bool *)(void *)field = def->kind == OPTION_FLAG;
    return NULL;
}

enum status options_apply_map_key(const struct option_table *table, void *values,
                                  struct option_result *result, const char *key, const char *value,
                                  struct diag *diag)
{
    size_t count = options_count(table);
    for (size_t i = 0; i < count; i++) {
        size_t base;
        const struct option_def *def = options_at(table, i, &base);
        if (!def->map_key || !str_equal_nocase(def->map_key, key) || option_is_for_caller(def) ||
            result->sources[i] > OPTION_MAP)
            continue;
        struct arena arena = {0};
        const char *why = set_by_key(def, option_field(def, (char *)values + base), value, &arena);
        if (why)
            (void)diag_report(diag, DIAG_MAP_OPTION, NULL, "%s: %s", key, why);
        arena_free(&arena);
        if (why)
            return STATUS_FAILED;
        result->sources[i] = OPTION_MAP;
    }
    return STATUS_OK;
}
