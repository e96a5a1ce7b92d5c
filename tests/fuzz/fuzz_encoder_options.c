/* A file of encoder options and analysis is refused with a place in it, or can be
 * written, and read back as the same options. */

#include "base/json.h"
#include "lal/heads/encoder_options.h"
#include "tests/fuzz/fuzz.h"

/* A parser, and a model that translates. */
static const EncoderShape SHAPES[] = { { 3, 8, 12, .lal_pwff = true, .parses = true },
                                       { .n_layers = 3, .n_heads = 8, .n_decoder_layers = 2 } };

/* Was it accepted? If not, there must be a message with a place. */
static bool taken(Status s, const Error *e)
{
    require(s == OK || (s == ERR_USAGE && e->line >= 1 && e->column >= 1));
    return accepted(s, e);
}

static Status take(EncoderOptions *o, const cJSON *j, const EncoderShape *shape, const EncoderOrigin *from,
                   Arena *memory, Error *e)
{
    encoder_options_defaults(o);
    Status s = encoder_options_read(o, j, from, memory, e);
    return s == OK ? encoder_options_check(o, shape, from, memory, e) : s;
}

static void write_and_read(const EncoderOptions *o, const EncoderShape *shape, Arena *memory)
{
    EncoderOptions again;
    FREED(strbuf_fini) StrBuf first = { 0 }, second = { 0 };
    Error e = { 0 };
    cJSON *j;
    encoder_options_to_json(o, &first);
    encoder_options_warnings(o, &second);
    strbuf_clear(&second);
    require(json_parse(first.ptr, first.len, &j, &e) == OK && take(&again, j, shape, NULL, memory, &e) == OK);
    encoder_options_to_json(&again, &second);
    require_equal(&first, &second);
    cJSON_Delete(j);
}

static void read_analysis(const cJSON *j, const char *text, Arena *memory)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, "analysis");
    HeadAnalysis a, again;
    FREED(strbuf_fini) StrBuf first = { 0 }, second = { 0 };
    Error e = { 0 };
    cJSON *back = NULL;
    head_analysis_defaults(&a);
    head_analysis_defaults(&again);
    if (!x) return;
    if (!taken(head_analysis_read(&a, x, "fuzz.json", text, j, memory, &e), &e)) return;
    head_analysis_to_json(&a, &first);
    require(json_parse(first.ptr, first.len, &back, &e) == OK);
    require(head_analysis_read(&again, back, NULL, NULL, NULL, memory, &e) == OK);
    head_analysis_to_json(&again, &second);
    require_equal(&first, &second);
    cJSON_Delete(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    EncoderOptions o;
    EncoderOrigin from = { .n = 1 };
    Error e = { 0 };
    cJSON *j = NULL;
    MADE(Arena, arena_init, arena_fini, memory, 4096);
    const char *text = arena_strndup(&memory, (const char *)data, size);
    from.file[0].path = "fuzz.json";
    from.file[0].text = text;
    Status s = text ? json_parse_file(text, strlen(text), "fuzz.json", &j, &e) : ERR_NOMEM;
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, "encoder_options");
    if (s == OK) read_analysis(j, text, &memory);
    require(s != ERR_FORMAT || (e.line >= 1 && e.column >= 1));
    for (size_t k = 0; s == OK && x && k < sizeof SHAPES / sizeof *SHAPES; k++) {
        Error why = { 0 };
        if (taken(take(&o, x, &SHAPES[k], &from, &memory, &why), &why)) write_and_read(&o, &SHAPES[k], &memory);
    }
    cJSON_Delete(j);
    return 0;
}
