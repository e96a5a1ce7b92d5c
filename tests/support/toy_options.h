/* tests/support/toy_options.h: encoder options for toy models */
#ifndef LAL_TESTS_SUPPORT_TOY_OPTIONS_H
#define LAL_TESTS_SUPPORT_TOY_OPTIONS_H

#include "base/json.h"
#include "lal/heads/encoder_options.h"
#include "tests/support/check.h"

/* Options from JSON with ' for ", not checked yet; memory in the arena. */
static inline EncoderOptions toy_options(const char *text, Arena *a)
{
    EncoderOptions o;
    Error e = { 0 };
    cJSON *j = NULL;
    char *json = arena_strndup(a, text, strlen(text));
    for (char *p = json; *p; p++)
        if (*p == '\'') *p = '"';
    encoder_options_defaults(&o);
    assert_int_equal(json_parse(json, strlen(json), &j, &e), OK);
    if (encoder_options_read(&o, j, NULL, a, &e) != OK) fail_msg("%s", e.message);
    cJSON_Delete(j);
    return o;
}

#define TOY_HEAD(stack, heads, pattern, use) \
    "{'stack': '" stack "', 'layers': 'all', 'heads': " heads ", 'pattern': " pattern ", 'use': '" use "'}"
#define TOY_LABEL(heads, pattern, use) \
    "{'stack': 'label', 'heads': " heads ", 'pattern': " pattern ", 'use': '" use "'}"

/* Every kind of option, gates between 0 and 1 among them. */
#define TOY_EVERYTHING                                                                                                 \
    "{'heads': [" TOY_HEAD("self", "[0]", "'next'", "guide") ", " TOY_HEAD(                                            \
        "self", "[1]", "['seprat', 'rel_pos']",                                                                        \
        "mask") ", " TOY_LABEL("[0]", "'rare_w'",                                                                      \
                               "mask") ", " TOY_LABEL("[1]", "'delim'",                                                \
                                                      "guide") ", " TOY_HEAD("pal", "[0]", "'prev'",                   \
                                                                             "fixed") ", " TOY_HEAD("pal", "[1]",      \
                                                                                                    "'match_token'",   \
                                                                                                    "mask") "], "      \
                                                                                                            "'gates':" \
                                                                                                            " {'kind'" \
                                                                                                            ": "       \
                                                                                                            "'hard_"   \
                                                                                                            "concrete" \
                                                                                                            "', "      \
                                                                                                            "'stacks'" \
                                                                                                            ": "       \
                                                                                                            "['self'," \
                                                                                                            " 'label'" \
                                                                                                            "], "      \
                                                                                                            "'log_"    \
                                                                                                            "alpha_"   \
                                                                                                            "init': "  \
                                                                                                            "0.5}, "   \
                                                                                                            "'pal': "  \
                                                                                                            "{'"       \
                                                                                                            "layers':" \
                                                                                                            " 'all', " \
                                                                                                            "'width':" \
                                                                                                            " 8, "     \
                                                                                                            "'heads':" \
                                                                                                            " 2}}"

#endif
