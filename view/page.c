#include "view/page.h"

#include "common/core/sha256.h"
#include "view/page_files.h"

/* --- base64 (RFC 4648) --- */

static void put_group(const unsigned char *from, size_t count, unsigned char to[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; i++)
        bits = bits << 8 | (i < count ? from[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        to[i] = i <= count ? (unsigned char)digits[bits >> (18 - 6 * i) & 63] : '=';
}

static void put_base64(const unsigned char *data, size_t size, struct bytes *out)
{
    unsigned char *to = bytes_extend(out, (size + 2) / 3 * 4);
    for (size_t i = 0; i < size; i += 3, to += 4)
        put_group(data + i, size - i < 3 ? size - i : 3, to);
}

/* --- the template --- */

static void put_hash(const char *text, size_t size, struct bytes *out)
{
    unsigned char hash[SHA256_SIZE];
    sha256_of(text, size, hash);
    bytes_append_text(out, "'sha256-");
    put_base64(hash, sizeof hash, out);
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
        put_base64(data->data, data->size, html);
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
