#include <string.h>

#include "brushwork/many/job.h"
#include "brushwork/many/server_state.h"
#include "brushwork/shared/path_list.h"
#include "common/cli/bounds.h"
#include "common/core/array.h"
#include "common/core/strings.h"

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

/* Returns true when an operand is a list. */
static enum status read_lists(struct option_result *result, struct diag *diag, bool *has_list)
{
    const char **maps = NULL;
    enum status status = STATUS_OK;
    *has_list = false;
    for (size_t i = 0; i < arrlenu(result->operands) && status == STATUS_OK; i++) {
        const char *operand = result->operands[i];
        if (*operand != '@') {
            arrput(maps, operand);
            continue;
        }
        *has_list = true;
        status = path_list_read(operand + 1, "maps", &result->texts, diag, &maps);
    }
    arrfree(result->operands);
    result->operands = maps;
    return status;
}

/* The process of one map: its messages go to the parent, which has the places that were asked for.
 */
static enum status be_job(const struct many *many, struct standard_options *standard,
                          const char **output, struct option_result *result, struct diag *diag)
{
    const char *const *words = many->options.job;
    long threads;
    double seconds;
    if (arrlenu(words) != MANY_JOB_WORDS || !str_to_long(words[MANY_JOB_THREADS], &threads) ||
        !str_to_double(words[MANY_JOB_SECONDS], &seconds) || threads < 1 || threads > 1024)
        return refuse(diag, "--job is for this program itself");
    arrsetlen(result->operands, 0);
    arrput(result->operands, words[MANY_JOB_MAP]);
    *output = words[MANY_JOB_OUTPUT];
    standard->console.threads = (int)threads;
    standard->console.max_seconds = seconds;
    standard->console.json = false;
    standard->console.diagnostics = DIAG_AS_JSON;
    standard->console.diagnostics_file = "messages for the parent";
    standard->console.diagnostics_stream = CHILD_TOLD_STREAM;
    standard->console.log = standard->console.connect = NULL;
    if (strcmp(words[MANY_JOB_SHARED], "1") == 0)
        standard->cache.options.shared = server_state_map(CHILD_SHARED_STREAM);
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

enum status many_settle(struct many *many, struct standard_options *standard, const char **output,
                        struct option_result *result, struct diag *diag)
{
    bool has_list;
    if (many->options.job)
        return be_job(many, standard, output, result, diag);
    TRY(read_lists(result, diag, &has_list));
    many->is_many = has_list || arrlenu(result->operands) > 1;
    if (!many->is_many)
        return STATUS_OK;
    if (standard->console.host)
        return refuse(diag, "several maps are compiled by the program alone: each is a process");
    if (standard->depfile.file || standard->depfile.sought)
        return refuse(diag, "--depfile is about one map; -MD writes a file for each");
    if (standard->depfile.provenance)
        return refuse(diag, "--provenance is about one map");
    if (*output && (strcmp(*output, "-") == 0 || str_ends_nocase(*output, ".bsp")))
        return refuse(diag, "-o names the folder of the BSPs when there are several maps");
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        if (strcmp(result->operands[i], "-") == 0)
            return refuse(diag, "standard input cannot be one of several maps");
    take_bounds(many, standard);
    return STATUS_OK;
}
