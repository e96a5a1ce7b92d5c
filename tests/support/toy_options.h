/* Encoder options for toy models */
#pragma once

#include "base/json.h"
#include "lal/heads/encoder_options.h"
#include "tests/support/check.h"

/* Options from JSON with ' for ", not checked yet; memory in the arena. */
static inline EncoderOptions toy_options(const char *text, Arena *a)
{
    EncoderOptions o;
    cJSON *j = NULL;
    char *json = arena_strndup(a, text, strlen(text));
    for (char *p = json; *p; p++)
        if (*p == '\'') *p = '"';
    encoder_options_defaults(&o);
    assert_ok(json_parse(json, strlen(json), &j, test_error()));
    assert_ok(encoder_options_read(&o, j, NULL, a, test_error()));
    cJSON_Delete(j);
    return o;
}

#define TOY_HEAD(stack, heads, pattern, use) \
    "{'stack': '" stack "', 'layers': 'all', 'heads': " heads ", 'pattern': " pattern ", 'use': '" use "'}"
#define TOY_LABEL(heads, pattern, use) \
    "{'stack': 'label', 'heads': " heads ", 'pattern': " pattern ", 'use': '" use "'}"

/* Every kind of option, gates between 0 and 1 among them. */
static const char TOY_EVERYTHING[] =
    "{'heads': [{'stack': 'self', 'layers': 'all', 'heads': [0], 'pattern': 'next', 'use': 'guide'}, "
    "{'stack': 'self', 'layers': 'all', 'heads': [1], 'pattern': ['seprat', 'rel_pos'], 'use': 'mask'}, "
    "{'stack': 'label', 'heads': [0], 'pattern': 'rare_w', 'use': 'mask'}, "
    "{'stack': 'label', 'heads': [1], 'pattern': 'delim', 'use': 'guide'}, "
    "{'stack': 'pal', 'layers': 'all', 'heads': [0], 'pattern': 'prev', 'use': 'fixed'}, "
    "{'stack': 'pal', 'layers': 'all', 'heads': [1], 'pattern': 'match_token', 'use': 'mask'}], "
    "'gates': {'kind': 'hard_concrete', 'stacks': ['self', 'label'], 'log_alpha_init': 0.5}, "
    "'pal': {'layers': 'all', 'width': 8, 'heads': 2}}";
