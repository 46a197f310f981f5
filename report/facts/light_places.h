/* Internal to light_changes: surfaces whose light differs, by their place. */
#ifndef REPORT_FACTS_LIGHT_PLACES_H
#define REPORT_FACTS_LIGHT_PLACES_H

#include "common/text/entities.h"
#include "report/facts/light_changes.h"

/* Adds the sums of a part; light_change_divide makes means of sums. */
void light_change_add(struct light_change *sum, const struct light_change *part);
void light_change_divide(struct light_change *sum);

/* Joins the surfaces of changes->worst to changes->places. */
void light_places_find(const struct entity_list *entities, struct light_changes *changes);

#endif
