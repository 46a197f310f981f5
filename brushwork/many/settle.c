#include <limits.h>
#include <string.h>

#include "brushwork/many/pattern.h"
#include "brushwork/many/plan.h"
#include "brushwork/many/server_state.h"
#include "common/cli/bounds.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/usage.def"

static const struct option_def defs[] = {
    {.name = "j",
     .alias = "jobs",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = offsetof(struct many_options, jobs),
     .max = CHILDREN_MAX,
     .of_run = true,
     .of_caller = true,
     .use = OPTION_COMMON,
     .help =
         "compile up to N of several maps at a time; they share the threads of -threads and the "
         "memory of --max-memory; 0: one, or as many as the jobserver of make lets run"},
    {.name = "keep-going",
     .alias = "k",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct many_options, keep_going),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help = "go on with other maps when one fails; else none is started after that"},
    {.name = "print-maps",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct many_options, print_maps),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .help = "build nothing: print the maps that operands, lists and patterns name, a line a map: "
             "the map, its output and the options of its line, quoted for a shell; with --json an "
             "one object per line"},
    {.name = "junit",
     .argument = "FILE",
     .endings = "xml",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = offsetof(struct many_options, junit),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .help = "write how the build of each map has ended as JUnit XML, which shows it in the pages "
             "of CI: errors and leaks are failures, other messages the output of a case"},
    /* How the process for one of several maps is started; not listed. */
    {.name = "job",
     .argument = "MAP OUTPUT THREADS SECONDS SHARED",
     .kind = OPTION_LIST,
     .arity = MANY_JOB_WORDS,
     .offset = offsetof(struct many_options, job),
     .of_run = true,
     .of_caller = true},
};

struct option_group many_option_group(size_t base)
{
    return (struct option_group){
        .title = "Several maps", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

static enum status refuse(struct diag *diag, const char *why)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s", why);
    return STATUS_USAGE;
}

/* The process of one map: its messages go to the parent, which has the places that were asked for.
 */
static enum status be_job(struct many *many, struct standard_options *standard, const char **output,
                          struct option_result *result, struct diag *diag)
{
    const char *const *words = many->options.job;
    int64_t threads, shared;
    double seconds;
    if (arrlenu(words) != MANY_JOB_WORDS || !str_to_int64(words[MANY_JOB_THREADS], &threads) ||
        !str_to_double(words[MANY_JOB_SECONDS], &seconds) || threads < 1 || threads > 1024 ||
        !str_to_int64(words[MANY_JOB_SHARED], &shared) || shared < -1 || shared > INT_MAX)
        return refuse(diag, "--job is for this program itself");
    arrsetlen(result->operands, 0);
    arrput(result->operands, words[MANY_JOB_MAP]);
    *output = words[MANY_JOB_OUTPUT];
    many->options.junit = NULL;
    standard->console.threads = (int)threads;
    standard->console.max_seconds = seconds;
    standard->console.json = standard->console.annotations = false;
    standard->console.diagnostics = DIAG_AS_JSON;
    standard->console.diagnostics_file = "messages for the parent";
    standard->console.diagnostics_stream = CHILD_TOLD_STREAM;
    standard->console.log = standard->console.connect = NULL;
    if (shared >= 0)
        standard->cache.options.shared = server_state_map((int)shared);
    return STATUS_OK;
}

/* From here on they are those of the processes. A size that is none stays, to be refused. */
static void take_bounds(struct many *many, struct standard_options *standard)
{
    if (standard->max_memory && !bounds_parse_size(standard->max_memory, &many->memory))
        return;
    many->has_threads = standard->console.threads > 0;
    many->seconds = standard->console.max_seconds;
    standard->max_memory = NULL;
    standard->console.max_seconds = 0;
    standard->sandbox = false;
    standard->no_config = true;
}

/* A name with a wildcard that a file has is that of one map. */
static bool has_list(const struct option_result *result)
{
    struct fs *disk = fs_disk();
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        if (result->operands[i][0] == '@' ||
            (pattern_is(result->operands[i]) &&
             disk->ops->kind(disk, result->operands[i]) != FS_FILE))
            return true;
    return false;
}

static enum status refuse_for_many(const struct many *many, const struct standard_options *standard,
                                   const char *output, const struct option_result *result,
                                   struct diag *diag)
{
    if (standard->console.host)
        return refuse(diag, "several maps are compiled by the program alone: each is a process");
    if (standard->depfile.file || standard->depfile.sought)
        return refuse(diag, "--depfile is about one map; -MD writes a file for each");
    if (standard->depfile.provenance)
        return refuse(diag, "--provenance is about one map");
    if (output &&
        (strcmp(output, "-") == 0 || (!many->is_single && str_ends_nocase(output, ".bsp"))))
        return refuse(diag, "-o names the folder of the BSPs when there are several maps");
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        if (strcmp(result->operands[i], "-") == 0)
            return refuse(diag, "standard input cannot be one of several maps");
    return STATUS_OK;
}

/* One map that an operand names is built by this process, into the file of -o, unless that can only
 * be a folder. */
static bool is_single(const struct option_result *result, const char *output)
{
    return arrlenu(result->operands) == 1 && !has_list(result) &&
           !(output && str_ends_nocase(output, "/"));
}

enum status many_settle(struct many *many, const struct option_table *table,
                        struct standard_options *standard, const char **output,
                        struct option_result *result, struct diag *diag)
{
    if (many->options.job)
        return be_job(many, standard, output, result, diag);
    if (*output && system_path_has_drives)
        *output = path_of_windows(&result->texts, fs_disk(), *output); /* a folder by its slash */
    many->is_single = is_single(result, *output);
    many->is_many = !many->is_single || many->options.print_maps || many->options.junit;
    if (!many->is_many)
        return STATUS_OK;
    many->end = result->end;
    many->as_json = standard->console.json;
    TRY(refuse_for_many(many, standard, *output, result, diag));
    TRY(plan_read(many, table, result, diag));
    take_bounds(many, standard);
    return STATUS_OK;
}

void many_free(struct many *many)
{
    arrfree(many->options.job);
    arrfree(many->plan);
}
