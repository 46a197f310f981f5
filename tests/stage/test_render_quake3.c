/* Pictures of maps of Quake 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/ibsp_room.h"
#include "tests/support/render_shot.h"

/* Pages hold a fourth of white, which is all of it; vertices of other surfaces their own light. */
static void quake3_has_pages_of_light(void **state)
{
    (void)state;
    struct shot shot = shot_of(ibsp_room(1));
    struct render_view view;
    prepare(&shot);
    draw(&shot, "-64 0 -60 0 180");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    draw(&shot, "-30 0 60 90 0"); /* the door, lit by its vertices */
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5 * pow(200 / 255.0, 2.2), 0.5 * pow(180 / 255.0, 2.2),
                 0.5 * pow(160 / 255.0, 2.2));
    assert_true(render_start_view(shot.render, &view));
    assert_near(view.eye.x, -64, 0);
    put_away(&shot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quake3_has_pages_of_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
