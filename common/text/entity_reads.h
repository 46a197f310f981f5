/* Notes what a stage asks of the entities of a map, so that a later run knows whether other
 * entities would have given it the same answers.
 *
 * All of it goes through a view (entity_view.h). The queries that the stage has made say which
 * entities it sees: the world, and those that one of them matches. What it asks of these is noted
 * by class: entities of other maps give the same answers when those that are seen are as many, of
 * the same classes in the same order, matched by the same queries, and their keys that were asked
 * of their class have the same values. An entity that no query matches makes no difference, nor
 * does a key that no question named, such as an output. Since an answer follows from the ones
 * before it, such a run asks nothing else. */
#ifndef TEXT_ENTITY_READS_H
#define TEXT_ENTITY_READS_H

#include "common/core/sha256.h"
#include "common/text/entities.h"
#include "common/text/entity_view.h"

struct entity_reads;

struct entity_reads *entity_reads_new(void);
void entity_reads_free(struct entity_reads *reads); /* NULL is fine */

/* For entities.c and entity_view.c, by any thread. */
void entity_reads_note(const struct entity *entity, const char *key);
void entity_reads_note_filter(struct entity_reads *reads, const struct entity_filter *filter);
/* Without a note. */
bool entity_filter_matches(const struct entity_filter *filter, const struct entity *entity);

/* Appends the queries and questions so far, in order. */
void entity_reads_write(struct entity_reads *reads, struct bytes *out);

/* Questions that entity_reads_write has appended, read back. */
struct entity_questions;

/* NULL when the reader has something else, or more than a stage asks. Free it. */
struct entity_questions *entity_questions_read(struct byte_reader *from);
void entity_questions_free(struct entity_questions *questions); /* NULL is fine */

/* True for the entity of this index in its list when they see it. */
bool entity_questions_see(struct entity_questions *questions, const struct entity_list *list,
                          size_t index);

/* Hashes the answers that the entities give. */
void entity_questions_answer(struct entity_questions *questions, const struct entity_list *list,
                             unsigned char out[SHA256_SIZE]);

#endif
