/* Which models come with lal? The one list of them. */
#include "include/lalparser.h"

#include <stddef.h>

#define TERMS "those of models/README.md, CC BY-SA 4.0 among them"

static const LalShippedModel MODELS[] = {
    { "small", "en-small.lal", "en", "Latin", "English, fast", TERMS },
    { "base", "en-base.lal", "en", "Latin", "English, with a pretrained encoder", TERMS },
    { "large", "en-large.lal", "en", "Latin", "English, the most exact, and slow", TERMS },
    { "zh", "zh-base.lal", "zh", "Han", "Chinese, with a pretrained encoder", TERMS },
};

const LalShippedModel *lal_models(int k)
{
    return k >= 0 && (size_t)k < sizeof MODELS / sizeof *MODELS ? &MODELS[k] : NULL;
}
