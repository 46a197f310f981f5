/* How the compiler handles an entity, by its class: the table is entity_classes.def. */
#ifndef VBSP_LEVEL_ENTITY_CLASS_H
#define VBSP_LEVEL_ENTITY_CLASS_H

#include "common/text/entities.h"

enum class_use {
    USE_ENTITY,       /* written; its brushes are a model */
    USE_DETAIL,       /* brushes to the world as detail, entity removed */
    USE_LADDER,       /* brushes to the world as ladder, entity an info_ladder with their bounds */
    USE_AREAPORTAL,   /* its one brush to the world, entity stays with its number */
    USE_WATER,        /* a model with water contents */
    USE_CUBEMAP,      /* a sample of the cubemap lump, entity removed */
    USE_VISCLUSTER,   /* entity removed, brushes are records and join clusters */
    USE_PARALLAX_BOX, /* entity removed, its brush is a record and the box of cubemaps' reflections
                       */
    USE_DETAIL_BLOCKER, /* entity removed, no detail props grow in its brushes, which are records */
    USE_GROUP,          /* brushes to the world, with their keys; entity removed */
    USE_OCCLUDER,       /* brushes are records only, entity stays with its number */
    USE_GONE,           /* entity removed when the file is written */
    USE_CONSUMED,       /* entity removed while loading */
};

enum class_use class_use_of(const struct entity *keys);

/* Who does what the class means, as the end of a sentence; NULL for a class of the game and one
 * that is done here. */
const char *class_told(const struct entity *keys);

/* True if brushes of the class are part of the world. */
bool class_is_world(enum class_use use);

/* True if they make a model, which has the origin of its entity. */
bool class_is_model(enum class_use use);

/* True if the entity still exists when the map is flooded: then its origin is inside the map. An
 * entity that is consumed while loading may stand anywhere. */
bool class_floods(enum class_use use);

#endif
