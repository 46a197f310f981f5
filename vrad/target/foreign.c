#include "vrad/target/foreign.h"

#include <string.h>

struct foreign {
    const char *name;
    size_t offset, size;
};

#define FOREIGN(name, field)                                                                       \
    {name, offsetof(struct vrad_options, field), sizeof vrad_defaults.field}

/* What maps of the Source engine alone have. */
static const struct foreign of_source[] = {
    FOREIGN("-hdr", hdr),
    FOREIGN("-StaticPropLighting", props.lighting),
    FOREIGN("-StaticPropPolys", props.triangles),
    FOREIGN("-StaticPropNormals", props.normals),
    FOREIGN("-OnlyStaticProps", props.only_static),
    FOREIGN("-nossprops", props.no_self_shadows),
    FOREIGN("-onlydetail", props.only_detail),
    FOREIGN("-lights", lights_file),
    FOREIGN("-chop", chop),
    FOREIGN("-dispchop", disp_chop),
    FOREIGN("-luxeldensity", luxel_density),
    FOREIGN("-dlight", least_glow),
    FOREIGN("--region", region),
    FOREIGN("--changed", changed),
    FOREIGN("--reference", reference),
    FOREIGN("-dlightmap", direct_apart),
    FOREIGN("-softsun", soft_sun_degrees),
    FOREIGN("-final", final),
    FOREIGN("-extrasky", extra_sky),
    FOREIGN("-fastambient", fast_ambient),
    FOREIGN("-noskyboxrecurse", no_sky_recurse),
    FOREIGN("-textureshadows", texture_shadows),
    FOREIGN("-ambient", ambient),
    FOREIGN("--noseams", no_seams),
};

static const struct foreign of_quake3[] = {
    FOREIGN("-gamma", quake3.gamma),
    FOREIGN("-pointscale", quake3.point_scale),
    FOREIGN("-areascale", quake3.area_scale),
    FOREIGN("-samplesize", quake3.sample_size),
    FOREIGN("-shadeangle", quake3.shade_degrees),
    FOREIGN("-samples", quake3.samples),
    FOREIGN("-super", quake3.super),
    FOREIGN("-faster", quake3.faster),
    FOREIGN("-nogrid", quake3.no_grid),
    FOREIGN("-deluxe", quake3.deluxe),
    FOREIGN("-external", quake3.external),
    FOREIGN("-lightmapsize", quake3.lightmap_size),
};

void foreign_options_report(const struct env *env, const struct vrad_options *options, bool quake3)
{
    const struct foreign *list = quake3 ? of_source : of_quake3;
    size_t count =
        quake3 ? sizeof of_source / sizeof *of_source : sizeof of_quake3 / sizeof *of_quake3;
    for (size_t i = 0; i < count; i++) {
        const char *given = (const char *)options + list[i].offset;
        const char *otherwise = (const char *)&vrad_defaults + list[i].offset;
        if (memcmp(given, otherwise, list[i].size) != 0)
            diag_report(env->diag, DIAG_FOREIGN_OPTION, NULL, "%s changes nothing for this map",
                        list[i].name);
    }
}
