/* Rules for combining static props: which models become one with which, and how many. A file of
 * KeyValues:
 *
 *     combine
 *     {
 *         never { "model" "models/props/tree*" }
 *         group
 *         {
 *             "model" "models/props/fence*"
 *             "model" "models/props/gate.mdl"
 *             "distance" "1024"
 *             "vertices" "8000"
 *             "minimum" "3"
 *         }
 *     }
 *
 * A model is of the first block with a pattern that it matches: * stands for any characters, ? for
 * one. Props of one group are combined with each other alone, those of `never` and of no block not
 * at all. What a group does not say is as in the options. */
#ifndef VBSP_SOURCE_COMBINE_COMBINE_RULES_H
#define VBSP_SOURCE_COMBINE_COMBINE_RULES_H

#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/env.h"

struct combine_options;

struct combine_rule {
    const char **models; /* stb_ds array: patterns */
    bool never;
    double distance; /* units between the centres of the first prop and any other */
    int vertices;    /* of a combined model, at most */
    int minimum;     /* props of a combined model, at least */
    int line;        /* in the file; 0: not of a file */
    /* Its effect. */
    bool is_used; /* it fits a model of the map */
    int64_t props, combined_models;
};

/* Zero-initialise; free with combine_rules_free. */
struct combine_rules {
    struct combine_rule *rules; /* stb_ds array */
    const char *file;           /* or NULL */
    struct arena arena;
};

/* The rules of a compile: those of its file, and one for all other models, unless the file alone
 * counts. */
NODISCARD enum status combine_rules_load(const struct env *env,
                                         const struct combine_options *options,
                                         struct combine_rules *out);
void combine_rules_free(struct combine_rules *rules);

/* Returns the first rule for a model, or NULL. */
struct combine_rule *combine_rules_find(const struct combine_rules *rules, const char *model);

/* Reports rules that fit no model (COMBINE_RULE_IDLE), and, when asked, what each did
 * (COMBINE_RULE). */
void combine_rules_report(const struct combine_rules *rules, bool all, struct diag *diag);

#endif
