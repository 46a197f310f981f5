/* What the compiler makes of an entity, by its class. */
#ifndef VBSP_LEVEL_ENTITY_CLASS_H
#define VBSP_LEVEL_ENTITY_CLASS_H

#include "common/text/entities.h"

enum class_use {
    USE_ENTITY,     /* written; its brushes are a model */
    USE_DETAIL,     /* brushes to the world as detail, entity gone */
    USE_LADDER,     /* brushes to the world as ladder, entity an info_ladder with their bounds */
    USE_AREAPORTAL, /* its one brush to the world, entity stays with its number */
    USE_WATER,      /* a model made of water */
    USE_CUBEMAP,    /* a sample of the cubemap lump, entity gone */
    USE_VISCLUSTER, /* entity gone, brushes are records and join clusters */
    USE_GROUP,      /* brushes to the world, with the keys that are for them; entity gone */
    USE_OCCLUDER,   /* brushes are records only, entity stays with its number */
    USE_GONE,       /* entity gone */
};

enum class_use class_use_of(const struct entity *keys);

/* Whether brushes of the class stand in the world's list. */
bool class_is_world(enum class_use use);

/* Whether they make a model, which has the origin of its entity. */
bool class_is_model(enum class_use use);

#endif
