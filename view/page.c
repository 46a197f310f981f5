#include "view/page.h"

#include "common/core/base64.h"
#include "common/core/sha256.h"
#include "view/page_files.h"

/* --- the template --- */

static void put_hash(const char *text, size_t size, struct bytes *out)
{
    unsigned char hash[SHA256_SIZE];
    sha256_of(text, size, hash);
    bytes_append_text(out, "'sha256-");
    base64_append(out, hash, sizeof hash);
    bytes_append_text(out, "'");
}

static void put_policy(bool is_served, struct bytes *out)
{
    bytes_append_text(out, "default-src 'none'; base-uri 'none'; form-action 'none'; script-src ");
    put_hash(view_page_script, view_page_script_size, out);
    bytes_append_text(out, "; style-src ");
    put_hash(view_page_style, view_page_style_size, out);
    if (is_served)
        bytes_append_text(out, "; connect-src 'self'");
}

struct slot {
    const char *mark; /* in page.html */
    enum { SLOT_POLICY, SLOT_STYLE, SLOT_DATA, SLOT_SCRIPT } kind;
};

static void fill_slot(const struct slot *slot, const struct bytes *data, struct bytes *html)
{
    switch (slot->kind) {
    case SLOT_POLICY:
        put_policy(data->size == 0, html);
        break;
    case SLOT_STYLE:
        bytes_append(html, view_page_style, view_page_style_size);
        break;
    case SLOT_DATA:
        base64_append(html, data->data, data->size);
        break;
    case SLOT_SCRIPT:
        bytes_append(html, view_page_script, view_page_script_size);
        break;
    }
}

void view_page_write(const struct bytes *data, struct bytes *html)
{
    static const struct slot slots[] = {{"@POLICY@", SLOT_POLICY},
                                        {"@STYLE@", SLOT_STYLE},
                                        {"@DATA@", SLOT_DATA},
                                        {"@SCRIPT@", SLOT_SCRIPT}};
    const char *from = view_page_html;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        const char *mark = strstr(from, slots[i].mark);
        if (!mark)
            continue;
        bytes_append(html, from, (size_t)(mark - from));
        fill_slot(&slots[i], data, html);
        from = mark + strlen(slots[i].mark);
    }
    bytes_append(html, from, strlen(from));
}
