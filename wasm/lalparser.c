/* What does lalparser.js call? One model and one parser of include/lalparser.h, options by their names, and output that
 * goes to a function of JavaScript. Functions that can fail return a LalStatus; lal_error has the message. */
#include <stdlib.h>
#include <string.h>

#include "include/lalparser.h"
#include "wasm/system.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* Takes the next bytes of the output. */
__attribute__((import_module("lal"), import_name("write"))) void take_output(const char *bytes, size_t size);

static struct {
    LalModel *model;
    LalParser *parser;
    LalOptions options;
    LalRules *rules; /* options.rules, or NULL */
    char *treebank;  /* options.treebank, or NULL */
    LalError error;
} at;
_Static_assert(offsetof(LalError, message) == 12, "lalparser.js reads it there");

EXPORT(lal_error) const LalError *last_error(void) { return &at.error; }

/* Memory for what JavaScript gives; NULL: there is not enough. */
EXPORT(lal_alloc) void *allocate(size_t size) { return malloc(size); }
EXPORT(lal_free) void release(void *p) { free(p); }

/* Loads the model, whose bytes stay; once. name: in messages. */
EXPORT(lal_load) LalStatus load(const char *name, const unsigned char *bytes, size_t size)
{
    system_file(bytes, size);
    at.model = lal_model_load_copy(name, &at.error);
    lal_options_init(&at.options, sizeof at.options);
    at.parser = at.model ? lal_parser_new(at.model, NULL, &at.error) : NULL;
    return at.parser ? LAL_OK : at.error.code;
}

/* k from 0; NULL after the last one. */
EXPORT(lal_format) const char *format_name(int k) { return lal_formats(k); }
EXPORT(lal_treebank) const char *treebank_name(int k) { return lal_model_treebank(at.model, k); }
EXPORT(lal_language) const char *language_code(void) { return lal_model_language(at.model); }
EXPORT(lal_digest) const char *digest(void) { return lal_model_digest(at.model); }
EXPORT(lal_version_text) const char *version(void) { return lal_version(); }

/* ---- options of the next calls */

EXPORT(lal_default_options) void default_options(void)
{
    lal_options_init(&at.options, sizeof at.options);
    lal_rules_free(at.rules);
    free(at.treebank);
    at.rules = NULL;
    at.treebank = NULL;
}

/* LAL_ERROR_ARGUMENT without a message: there is no such option. */
EXPORT(lal_option) LalStatus set_number(const char *name, double value)
{
    static const struct {
        const char *name;
        size_t place;
    } numbers[] = {
#define NUMBER(name) { #name, offsetof(LalOptions, name) }
        NUMBER(batch_tokens), NUMBER(max_words),  NUMBER(sentences), NUMBER(tokens),  NUMBER(newlines),
        NUMBER(markup),       NUMBER(deps),       NUMBER(why),       NUMBER(hyphens), NUMBER(ranges),
        NUMBER(k_best),       NUMBER(confidence), NUMBER(invalid),
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (strcmp(name, numbers[k].name) == 0) {
            *(int *)((char *)&at.options + numbers[k].place) = (int)value;
            return LAL_OK;
        }
    at.error = (LalError){ .code = LAL_ERROR_ARGUMENT };
    return LAL_ERROR_ARGUMENT;
}

/* Rules are a text of docs/TEXT.md. */
EXPORT(lal_rules) LalStatus set_rules(const char *text, size_t size)
{
    at.rules = lal_rules_new(text, size, &at.error);
    at.options.rules = at.rules;
    return at.rules ? LAL_OK : at.error.code;
}

EXPORT(lal_set_treebank) void set_treebank(char *name) { at.options.treebank = at.treebank = name; }

/* ---- texts */

static int give(void *context, const char *bytes, size_t size)
{
    (void)context;
    take_output(bytes, size);
    return 0;
}

static LalStatus take_options(void) { return lal_parser_set_options(at.parser, &at.options, &at.error); }

EXPORT(lal_parse) LalStatus parse(const char *text, size_t size, const char *format)
{
    LalStatus status = take_options();
    return status == LAL_OK ? lal_parse_text_as(at.parser, text, size, format, give, NULL, &at.error) : status;
}

EXPORT(lal_split) LalStatus split(const char *text, size_t size, const char *format)
{
    return lal_split_text_as(at.model, &at.options, text, size, format, give, NULL, &at.error);
}

EXPORT(lal_parse_json) LalStatus parse_json(const char *json, size_t size, const char *format)
{
    LalStatus status = take_options();
    return status == LAL_OK ? lal_parse_json_as(at.parser, json, size, format, give, NULL, &at.error) : status;
}

/* From `page` on as LalInspectOptions. */
EXPORT(lal_inspect)
LalStatus inspect(const char *json, size_t size, int page, int top, int flips, int chosen, int begin, int end)
{
    const LalInspectOptions how = { sizeof how, page, top, flips, chosen, begin, end };
    LalStatus status = take_options();
    return status == LAL_OK ? lal_inspect_json(at.parser, json, size, &how, give, NULL, &at.error) : status;
}
