#include "common/bsp/bsp.h"

#include "common/bsp/engine.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/io/fs_gather.h"

struct bsp *bsp_new(void)
{
    struct bsp_whole *whole = memory_zalloc(1, sizeof *whole);
    struct bsp *bsp = &whole->bsp;
    bsp->engine = &engine_source;
    return bsp;
}

static void free_light_set(struct bsp_light_set *set)
{
    bytes_free(&set->lighting);
    arrfree(set->worldlights);
    arrfree(set->ambient_index);
    arrfree(set->ambient);
}

static void free_geometry(struct bsp *bsp)
{
    arrfree(bsp->planes);
    arrfree(bsp->vertices);
    arrfree(bsp->edges);
    arrfree(bsp->surfedges);
    arrfree(bsp->faces);
    arrfree(bsp->faces_hdr);
    arrfree(bsp->original_faces);
    arrfree(bsp->face_ids);
    arrfree(bsp->face_macro_texture);
    arrfree(bsp->primitives);
    arrfree(bsp->primitive_vertices);
    arrfree(bsp->primitive_indices);
    arrfree(bsp->vertex_normals);
    arrfree(bsp->vertex_normal_indices);
}

static void free_tree(struct bsp *bsp)
{
    arrfree(bsp->nodes);
    arrfree(bsp->leaves);
    arrfree(bsp->leaf_faces);
    arrfree(bsp->leaf_brushes);
    arrfree(bsp->leaf_water);
    arrfree(bsp->leaf_min_dist_to_water);
    arrfree(bsp->models);
    arrfree(bsp->brushes);
    arrfree(bsp->brush_sides);
    arrfree(bsp->areas);
    arrfree(bsp->area_portals);
    arrfree(bsp->clip_portal_vertices);
}

static void free_surfaces(struct bsp *bsp)
{
    arrfree(bsp->displacements);
    arrfree(bsp->disp_vertices);
    arrfree(bsp->disp_triangles);
    bytes_free(&bsp->disp_lightmap_alphas);
    bytes_free(&bsp->disp_lightmap_samples);
    arrfree(bsp->overlays);
    arrfree(bsp_rare(bsp)->overlay_fades);
    arrfree(bsp_rare(bsp)->overlay_system_levels);
    arrfree(bsp_rare(bsp)->overlay_tints);
    arrfree(bsp->water_overlays);
    arrfree(bsp->occluders);
    arrfree(bsp->occluder_polygons);
    arrfree(bsp->occluder_vertices);
    arrfree(bsp->face_brushes);
    arrfree(bsp->face_brush_list);
}

static void free_ibsp(struct bsp *bsp)
{
    arrfree(bsp->shaders);
    arrfree(bsp->surfaces);
    arrfree(bsp->draw_vertices);
    arrfree(bsp->draw_indices);
    arrfree(bsp->effects);
    arrfree(bsp->light_grid);
}

static void free_raw(struct bsp *bsp)
{
    for (int i = 0; i < BSP_LUMPS; i++)
        bytes_free(&bsp->carried[i].data);
    bytes_free(&bsp->layout.file);
    fs_source_close(bsp->layout.source);
    bytes_free(&bsp->physics);
    bytes_free(&bsp->displacement_physics);
    bytes_free(&bsp->physics_surface);
}

void bsp_free(struct bsp *bsp)
{
    if (!bsp)
        return;
    arrfree(bsp->entities);
    arrfree(bsp->texdata);
    arrfree(bsp->texinfo);
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        memory_free(bsp->texture_names[i]);
    arrfree(bsp->texture_names);
    free_geometry(bsp);
    free_tree(bsp);
    free_surfaces(bsp);
    free_ibsp(bsp);
    arrfree(bsp->cubemaps);
    bytes_free(&bsp->visibility);
    free_light_set(&bsp->ldr);
    free_light_set(&bsp->hdr);
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        bytes_free(&bsp->game_lumps[i].data);
    arrfree(bsp->game_lumps);
    bytes_free(&bsp->pakfile);
    free_raw(bsp);
    memory_free(bsp);
}
