/* Bodies of water: their leaves, surface height and depth. */
#include "vbsp/target/source/emit/emit.h"

#include <stdlib.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"
#include "vbsp/portals/portals.h"
#include "vbsp/target/source/materials/material_patch.h"

enum { LIQUID = CONTENTS_WATER | CONTENTS_SLIME };

struct surface {
    struct node *leaf;
    struct portal *portal; /* to the air above */
    double z;              /* the highest point */
    size_t order;          /* of the leaf in the tree */
};

struct water_finder {
    struct compile *compile;
    struct surface *surfaces; /* stb_ds array */
};

static bool is_air(const struct node *leaf)
{
    return !(leaf->contents & (CONTENTS_SOLID | LIQUID));
}

/* The portal to the air that faces most upwards, the highest of equals. */
static struct portal *find_surface(const struct compile *compile, struct node *leaf)
{
    struct portal *best = NULL;
    double best_up = 0, best_dist = 0;
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        int side = portal_side(portal, leaf);
        if (!is_air(portal->nodes[!side]) || !portal->on_node)
            continue;
        const struct plane *out = &compile->planes.planes[portal->plane ^ !side];
        if (!(out->normal.z > 0) || out->normal.z < best_up ||
            (out->normal.z <= best_up && out->dist <= best_dist))
            continue;
        best = portal;
        best_up = out->normal.z;
        best_dist = out->dist;
    }
    return best;
}

static void collect_surfaces(struct water_finder *finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        collect_surfaces(finder, node->children[0]);
        collect_surfaces(finder, node->children[1]);
        return;
    }
    node->water_data = -1;
    if ((node->contents & CONTENTS_SOLID) || !(node->contents & LIQUID))
        return;
    struct surface surface = {.leaf = node, .order = arrlenu(finder->surfaces)};
    surface.portal = find_surface(finder->compile, node);
    if (!surface.portal)
        return;
    surface.z = winding_bounds(surface.portal->winding).maxs.z;
    arrput(finder->surfaces, surface);
}

static int highest_first(const void *a, const void *b)
{
    const struct surface *x = a, *y = b;
    if (x->z > y->z || x->z < y->z)
        return x->z > y->z ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_below(const struct winding *winding, double z)
{
    return winding_bounds(winding).maxs.z <= z + EPSILON_SPLIT;
}

/* The leaves of one body: connected leaves of the same liquid, up to the surface. */
static struct node **flood_body(const struct surface *surface, int number, double *low)
{
    struct node **body = NULL;
    arrput(body, surface->leaf);
    surface->leaf->water_data = number;
    *low = surface->leaf->bounds.mins.z;
    for (size_t i = 0; i < arrlenu(body); i++) {
        struct node *leaf = body[i];
        *low = portable_fmin(*low, leaf->bounds.mins.z);
        for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
            struct node *other = portal->nodes[!portal_side(portal, leaf)];
            if (other->water_data >= 0 || (other->contents & CONTENTS_SOLID) ||
                ((other->contents ^ leaf->contents) & LIQUID) ||
                !is_below(portal->winding, surface->z))
                continue;
            other->water_data = number;
            arrput(body, other);
        }
    }
    return body;
}

static int find_record(struct bsp *bsp, const struct bsp_leaf_water *record)
{
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++) {
        const struct bsp_leaf_water *known = &bsp->leaf_water[i];
        if (known->texinfo == record->texinfo && known->surface_z == record->surface_z &&
            known->min_z == record->min_z)
            return (int)i;
    }
    arrput(bsp->leaf_water, *record);
    return (int)arrlen(bsp->leaf_water) - 1;
}

static void add_body(struct water_finder *finder, const struct surface *surface)
{
    struct portal *portal = surface->portal;
    double low;
    struct node **body = flood_body(surface, 0, &low);
    if (!portal->side_searched)
        portal_find_side(finder->compile, portal);
    struct bsp_leaf_water record = {
        .surface_z = (float)surface->z,
        .min_z = (float)low,
        .texinfo = portal->side ? portal->side->texinfo : -1,
    };
    int number = find_record(finder->compile->bsp, &record);
    for (size_t i = 0; i < arrlenu(body); i++)
        body[i]->water_data = number;
    arrfree(body);
}

static void clear_water(struct node *node)
{
    node->water_data = -1;
    if (node->plane == PLANE_LEAF)
        return;
    clear_water(node->children[0]);
    clear_water(node->children[1]);
}

void water_find(struct compile *compile, struct tree *tree, int model)
{
    struct water_finder finder = {.compile = compile};
    collect_surfaces(&finder, tree->root);
    if (arrlenu(finder.surfaces) > 1)
        qsort(finder.surfaces, arrlenu(finder.surfaces), sizeof *finder.surfaces, highest_first);
    for (size_t i = 0; i < arrlenu(finder.surfaces); i++)
        if (finder.surfaces[i].leaf->water_data < 0)
            add_body(&finder, &finder.surfaces[i]);
    arrfree(finder.surfaces);
    if (model > 0)
        clear_water(tree->root);
}

void water_pack(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    struct arena arena = {0};
    const char *map = level_name(&arena, compile->level->file);
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++) {
        const struct bsp_leaf_water *water = &bsp->leaf_water[i];
        if (water->texinfo < 0)
            continue;
        int depth = (int)(water->surface_z - water->min_z);
        /* In lower case, as in compiled maps. */
        const char *material =
            asset_material_name(&arena, compile->texinfos.materials[water->texinfo]->name);
        if (!material)
            continue;
        const char *name =
            arena_printf(&arena, "materials/maps/%s/%s_depth_%d.vmt", map, material, depth);
        const char *text = arena_printf(&arena,
                                        "\"patch\"\r\n{\r\n"
                                        "\t\"include\"\t\t\"materials/%s.vmt\"\r\n"
                                        "\t\"insert\"\r\n\t{\r\n"
                                        "\t\t\"$waterdepth\"\t\t\"%d\"\r\n"
                                        "\t}\r\n}\r\n",
                                        material, depth);
        pakfile_put(&compile->pakfile, name, text, strlen(text));
    }
    arena_free(&arena);
}
