/* Where a value was written */
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/locale.h"
#include "lal/heads/encoder_options_internal.h"

enum { PATH_MOST = 128 };

OptionPath option_path(const char *before, const char *name)
{
    OptionPath p;
    locale_snprintf(p.text, sizeof p.text, "%s%s%s", before, *before ? "." : "", name);
    return p;
}

OptionPath option_path_item(const char *list, int k)
{
    OptionPath p;
    locale_snprintf(p.text, sizeof p.text, "%s[%d]", list, k);
    return p;
}

/* The place of a path below "encoder_options" in a text; {0, 0} if the text does not have it. Of a path into "heads",
 * the nearest value around it that was written. */
static TextPlace place_in(const char *text, const char *path, bool key)
{
    cJSON *root;
    TextPlace place = { 0, 0 };
    char at[PATH_MOST];
    size_t len = strlen(text);
    if (locale_snprintf(at, sizeof at, "%s", path) >= (int)sizeof at || json_parse(text, len, &root, NULL) != OK)
        return place;
    const cJSON *options = json_at(root, "encoder_options"), *x = json_at(options, at);
    while (!x && strncmp(at, "heads[", 6) == 0) {
        char *dot = strrchr(at, '.'), *bracket = strrchr(at, '[');
        *(dot > bracket ? dot : bracket) = 0;
        x = json_at(options, at);
        key = false;
    }
    if (x) place = json_place(text, len, root, x, key);
    cJSON_Delete(root);
    return place;
}

Status encoder_options_fault(const EncoderFault *fault, const char *path, bool key, const char *fmt, ...)
{
    char message[640];
    va_list ap;
    va_start(ap, fmt);
    locale_vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    size_t len = strlen(path);
    if (len && path[len - 1] == ']' && strchr(path, '.')) len = (size_t)(strrchr(path, '[') - path);
    if (key) /* an unknown one, which the message names */
        while (len && path[--len] != '.') continue;
    const char *dot = len ? "." : "";
    for (int k = fault->from ? fault->from->n - 1 : -1; k >= 0; k--) {
        TextPlace place = place_in(fault->from->file[k].text, path, key);
        if (place.line)
            return error_at(fault->e, ERR_USAGE, fault->from->file[k].path, place.line, place.column,
                            "encoder_options%s%.*s: %s", dot, (int)len, path, message);
    }
    return error_set(fault->e, fault->from ? ERR_USAGE : ERR_CONFIG, "encoder_options%s%.*s: %s", dot, (int)len, path,
                     message);
}
