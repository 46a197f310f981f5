/* Notes what a stage asks of the entities of a map, so that a later run knows whether other
 * entities would have given it the same answers.
 *
 * All questions go through the functions of entities.h. They are noted by class: entities of other
 * maps give the same answers when there are as many, of the same classes in the same order, whose
 * keys that were asked of their class have the same values. A key that no question named, such as
 * an output, makes no difference; of entities of a class that was not there nothing is known. Since
 * an answer follows from the ones before it, such a run asks nothing else. */
#ifndef TEXT_ENTITY_READS_H
#define TEXT_ENTITY_READS_H

#include "common/core/sha256.h"
#include "common/text/entities.h"

struct entity_reads;

struct entity_reads *entity_reads_new(void);
void entity_reads_free(struct entity_reads *reads); /* NULL is fine */

/* Notes what is asked of these entities from here on, by any thread. They must not change. */
void entity_reads_watch(struct entity_reads *reads, struct entity_list *list); /* NULL: nothing */

/* For entities.c. */
void entity_reads_note(const struct entity *entity, const char *key);

/* Appends the questions so far, in order. */
void entity_reads_write(struct entity_reads *reads, struct bytes *out);

/* Hashes the answers that the entities give to questions that entity_reads_write has appended.
 * Returns false when the reader has something else. */
bool entity_reads_answer(struct byte_reader *questions, const struct entity_list *list,
                         unsigned char out[SHA256_SIZE]);

#endif
