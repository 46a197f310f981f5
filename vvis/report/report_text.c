#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/diag/diag_json.h"
#include "vvis/report/report.h"

/* An empty box has no size. */
static struct vec3 size_of(const struct bounds *box)
{
    return bounds_is_empty(box) ? vec3(0, 0, 0) : vec3_sub(box->maxs, box->mins);
}

static struct vec3 center_of(const struct bounds *box)
{
    return bounds_is_empty(box) ? vec3(0, 0, 0) : bounds_center(box);
}

static double percent(const struct vis_report *report, int clusters)
{
    return report->clusters ? 100.0 * clusters / report->clusters : 0;
}

static void text_box(struct vec3 center, struct vec3 size, struct bytes *out)
{
    bytes_append_text(out, "  at %6.0f %6.0f %6.0f  size %5.0f %5.0f %5.0f\n", center.x, center.y,
                      center.z, size.x, size.y, size.z);
}

static void text_clusters(const struct vis_report *report, const struct report_cluster *list,
                          const char *title, struct bytes *out)
{
    if (!arrlenu(list))
        return;
    bytes_append_text(out, "\n%s\n", title);
    for (size_t i = 0; i < arrlenu(list); i++) {
        const struct report_cluster *cluster = &list[i];
        bytes_append_text(out, "  cluster %5d  sees %5.1f %%  chains %9llu", cluster->cluster,
                          percent(report, cluster->sees), (unsigned long long)cluster->cost);
        text_box(center_of(&cluster->box), size_of(&cluster->box), out);
    }
}

static void text_portals(const struct vis_report *report, struct bytes *out)
{
    if (!arrlenu(report->costly_portals))
        return;
    bytes_append_text(
        out, "\nMost expensive portals (of the most expensive and the largest clusters):\n");
    for (size_t i = 0; i < arrlenu(report->costly_portals); i++) {
        const struct report_portal *portal = &report->costly_portals[i];
        bytes_append_text(out, "  %5d to %5d  sees %5.1f %%  chains %8lld%c", portal->from,
                          portal->to, percent(report, portal->sees), (long long)portal->cost,
                          portal->more ? '+' : ' ');
        text_box(portal->center, portal->size, out);
    }
}

static void text_hints(const struct vis_report *report, struct bytes *out)
{
    if (!arrlenu(report->hints))
        return;
    bytes_append_text(out, "\nHint candidates (after the cut, the halves see less):\n");
    for (size_t i = 0; i < arrlenu(report->hints); i++) {
        const struct report_hint *hint = &report->hints[i];
        bytes_append_text(
            out, "  cluster %5d  sees %5.1f %%  cut at %c = %6.0f: %5.1f %% and %5.1f %%",
            hint->cluster.cluster, percent(report, hint->cluster.sees), "xyz"[hint->cut.axis],
            hint -> cut.at, percent(report, hint->cut.sees[0]), percent(report, hint->cut.sees[1]));
        text_box(center_of(&hint->cluster.box), size_of(&hint->cluster.box), out);
    }
}

static void text_groups(const struct vis_report *report, struct bytes *out)
{
    if (!arrlenu(report->detail_groups))
        return;
    bytes_append_text(
        out, "\nfunc_detail candidates (clusters with the same PVS: what divides them blocks "
             "no view):\n");
    for (size_t i = 0; i < arrlenu(report->detail_groups); i++) {
        const struct report_group *group = &report->detail_groups[i];
        bytes_append_text(out, "  %5td clusters from %d  see %5.1f %%", arrlen(group->clusters),
                          group->clusters[0], percent(report, group->sees));
        text_box(center_of(&group->box), size_of(&group->box), out);
    }
}

void report_text(const struct vis_report *report, struct bytes *out)
{
    bytes_append_text(out,
                      "%d cluster%s, %d portal%s; a cluster sees %.1f %% of the map on average; %d "
                      "of %d see nearly all of it\n",
                      report->clusters, report->clusters == 1 ? "" : "s", report->portals,
                      report->portals == 1 ? "" : "s", 100 * report->seen,
                      report->see_nearly_all_count, report->clusters);
    text_clusters(report, report->costly_clusters, "Most expensive clusters:", out);
    text_portals(report, out);
    text_clusters(report, report->see_nearly_all, "Clusters that see nearly the whole map:", out);
    text_hints(report, out);
    text_groups(report, out);
}

static void json_box(struct vec3 center, struct vec3 size, struct bytes *out)
{
    bytes_append_text(out, "\"center\": [%.9g, %.9g, %.9g], \"size\": [%.9g, %.9g, %.9g]}",
                      center.x, center.y, center.z, size.x, size.y, size.z);
}

static void json_begin(const char *name, struct bytes *out)
{
    bytes_append_text(out, ",\n \"%s\": [", name);
}

static void json_next(size_t index, struct bytes *out)
{
    bytes_append_text(out, "%s\n  {", index ? "," : "");
}

static void json_clusters(const struct report_cluster *list, const char *name, struct bytes *out)
{
    json_begin(name, out);
    for (size_t i = 0; i < arrlenu(list); i++) {
        const struct report_cluster *cluster = &list[i];
        json_next(i, out);
        bytes_append_text(
            out,
            "\"cluster\": %d, \"chains\": %llu, \"visible_clusters\": %d, \"leaves\": %d, "
            "\"portals\": %d, ",
            cluster->cluster, (unsigned long long)cluster->cost, cluster->sees, cluster->leaves,
            cluster->portals);
        json_box(center_of(&cluster->box), size_of(&cluster->box), out);
    }
    bytes_append_text(out, "]");
}

static void json_portals(const struct vis_report *report, struct bytes *out)
{
    json_begin("costly_portals", out);
    for (size_t i = 0; i < arrlenu(report->costly_portals); i++) {
        const struct report_portal *portal = &report->costly_portals[i];
        json_next(i, out);
        bytes_append_text(out,
                          "\"from\": %d, \"to\": %d, \"chains\": %lld, \"truncated\": %s, "
                          "\"visible_clusters\": %d, ",
                          portal->from, portal->to, (long long)portal->cost,
                          portal->more ? "true" : "false", portal->sees);
        json_box(portal->center, portal->size, out);
    }
    bytes_append_text(out, "]");
}

static void json_hints(const struct vis_report *report, struct bytes *out)
{
    json_begin("hint_candidates", out);
    for (size_t i = 0; i < arrlenu(report->hints); i++) {
        const struct report_hint *hint = &report->hints[i];
        json_next(i, out);
        bytes_append_text(
            out,
            "\"cluster\": %d, \"visible_clusters\": %d, \"axis\": \"%c\", \"position\": %.9g, "
            "\"halves_visible_clusters\": [%d, %d], ",
            hint->cluster.cluster, hint->cluster.sees, "xyz"[hint->cut.axis], hint -> cut.at,
            hint->cut.sees[0], hint->cut.sees[1]);
        json_box(center_of(&hint->cluster.box), size_of(&hint->cluster.box), out);
    }
    bytes_append_text(out, "]");
}

static void json_groups(const struct vis_report *report, struct bytes *out)
{
    json_begin("detail_candidates", out);
    for (size_t i = 0; i < arrlenu(report->detail_groups); i++) {
        const struct report_group *group = &report->detail_groups[i];
        json_next(i, out);
        bytes_append_text(out, "\"visible_clusters\": %d, \"clusters\": [", group->sees);
        for (size_t k = 0; k < arrlenu(group->clusters); k++)
            bytes_append_text(out, "%s%d", k ? ", " : "", group->clusters[k]);
        bytes_append_text(out, "], ");
        json_box(center_of(&group->box), size_of(&group->box), out);
    }
    bytes_append_text(out, "]");
}

void report_json(const struct vis_report *report, struct bytes *out)
{
    bytes_append_text(
        out,
        "{\"version\": %d, \"clusters\": %d, \"portals\": %d, \"visible_share\": %.9g, "
        "\"open_cluster_count\": %d",
        JSON_VERSION, report->clusters, report->portals, report->seen,
        report->see_nearly_all_count);
    json_clusters(report->costly_clusters, "costly_clusters", out);
    json_portals(report, out);
    json_clusters(report->see_nearly_all, "open_clusters", out);
    json_hints(report, out);
    json_groups(report, out);
    bytes_append_text(out, "}\n");
}
