/* Lal serve */
#include <string.h>

#include "program/program.h"
#include "serve/serve.h"

typedef struct Fields {
    ServeOptions o;
    OptionList models, proxies;
    RawTextFields raw;
    const char *treebank;
    int products;
} Fields;

#define F(name) offsetof(Fields, o.name)

static const Option SERVE_OPTIONS[] = {
    { "model", OPT_LIST, offsetof(Fields, models), NULL, 0, 0, "MODEL",
      "model to serve: a file, or small, base or large; may be given again, the first is the default (default: "
      "$LAL_MODEL, else small)" },
    { "listen", OPT_STRING, F(listen), "127.0.0.1:9000", 0, 0, "WHERE",
      "ADDRESS:PORT, PORT of this machine, or unix:PATH; port 0: any free one. A socket of systemd is taken instead" },
    { "workers", OPT_INT, F(workers), "0", 0, 256, NULL, "texts that are parsed at a time; 0: one for each processor" },
    { "queue", OPT_INT, F(queue), "0", 0, 1000000, NULL,
      "requests that may wait for a worker, others get status 503; 0: 64 for each worker" },
    { "connections", OPT_INT, F(connections), "1000", 1, 100000, NULL, "connections at a time" },
    { "connections_per_ip", OPT_INT, F(connections_per_ip), "100", 0, 100000, NULL,
      "of one address, where others than this machine can connect; 0: no limit" },
    { "timeout", OPT_INT, F(timeout), "60", 1, 86400, "SECONDS", "time of a request in the queue and in work" },
    { "max_chars", OPT_INT, F(max_chars), "1000000", 1, 500000000, NULL, "characters of a text" },
    { "max_memory", OPT_REAL, F(max_memory), "2e9", 1e6, 1e13, "BYTES",
      "memory that texts and answers of all requests together may take, by estimate while they are in work" },
    { "header_timeout", OPT_INT, F(header_timeout), "10", 1, 3600, "SECONDS", "time for a request to begin" },
    { "body_timeout", OPT_INT, F(body_timeout), "60", 1, 3600, "SECONDS",
      "time for a request's text to come; and time in which a client takes nothing of its answer" },
    { "idle_timeout", OPT_INT, F(idle_timeout), "30", 1, 3600, "SECONDS", "time between requests of one connection" },
    { "grace", OPT_INT, F(grace), "5", 0, 3600, "SECONDS",
      "after SIGTERM: time in which /ready says 503 and requests are still taken; a second SIGTERM ends it" },
    { "drain", OPT_INT, F(drain), "30", 0, 3600, "SECONDS", "after that: time for the requests that were taken" },
    { "user", OPT_STRING, F(user), NULL, 0, 0, "NAME",
      "user that clients must name (Basic authentication), without ':'" },
    { "password_file", OPT_STRING, F(password_file), NULL, 0, 0, "FILE",
      "file or pipe whose first line is the password, of at most 4096 bytes" },
    { "prefix", OPT_STRING, F(prefix), NULL, 0, 0, "PATH", "what all paths begin with, such as /lal" },
    { "cors", OPT_STRING, F(cors), NULL, 0, 0, "ORIGIN",
      "page whose scripts may ask, or * (Access-Control-Allow-Origin)" },
    { "ignore_annotators", OPT_STRING, F(ignore_annotators), NULL, 0, 0, "LIST",
      "annotators of CoreNLP, separated by commas, that are left out where a client asks for them, as ner; others that "
      "lal has not are an error" },
    { "log", OPT_ENUM, F(log), "text", 0, 0, "text|json|none", /* as in ServeLog */
      "a line for each request on standard output, without texts" },
    { "trusted_proxy", OPT_LIST, offsetof(Fields, proxies), NULL, 0, 0, "ADDRESS|NETWORK|unix",
      "proxy whose header X-Forwarded-For says who the client is, for the log; unix: the clients of a unix socket; may "
      "be given again" },
    { "metrics", OPT_BOOL, F(metrics), "false", 0, 0, NULL,
      "/metrics also where others than this machine can connect" },
    TREEBANK_OPTION(Fields, TREEBANK_SHAPES),
    RAW_TEXT_OPTIONS(Fields, raw),
    { "products", OPT_ENUM, offsetof(Fields, products), "auto", 0, 0,
      "auto|f32|bf16|int16|int8", /* as in LalProducts */
      "operands of large matrix products, as in lal parse" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status find_models(Fields *f, char (*place)[DATA_PATH_MAX], const char **file, Error *e)
{
    int n = f->models.n ? f->models.n : 1;
    if (n > SERVE_MODELS_MOST)
        return error_set(e, ERR_USAGE, "--model: found %d, expected at most %d", n, SERVE_MODELS_MOST);
    for (int k = 0; k < n; k++)
        file[k] = program_model_path(f->models.n ? f->models.item[k] : NULL, place[k], sizeof place[k]);
    f->o.model_files = file;
    f->o.n_models = n;
    return OK;
}

static void fill_in(Fields *f)
{
    f->o.workers = program_threads(f->o.workers);
    if (!f->o.queue) f->o.queue = 64 * f->o.workers;
    lal_options_init(&f->o.parse, sizeof f->o.parse);
    f->o.parse.newlines = f->raw.newline;
    f->o.parse.markup = f->raw.markup;
    f->o.parse.hyphens = f->raw.hyphens;
    f->o.parse.invalid = f->raw.invalid;
    f->o.parse.rules = f->raw.rules;
    f->o.parse.treebank = f->treebank;
    f->o.proxies = f->proxies.item;
    f->o.n_proxies = f->proxies.n;
}

static Status run_serve(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    char place[SERVE_MODELS_MOST][DATA_PATH_MAX];
    const char *file[SERVE_MODELS_MOST];
    LalError error;
    int n;
    Status s = program_options(SERVE_OPTIONS, &f, argc, argv, 0, &n, e);
    if (s == OK) s = find_models(&f, place, file, e);
    if (s != OK) return s;
    if (f.o.prefix && (*f.o.prefix != '/' || f.o.prefix[strlen(f.o.prefix) - 1] == '/'))
        return error_set(e, ERR_USAGE, "--prefix: found '%s', expected a path such as /lal", f.o.prefix);
    if (lal_set_products((LalProducts)f.products, &error) != LAL_OK)
        return error_set(e, (Status)error.code, "%s", error.message);
    s = program_rules_read(&f.raw, e);
    fill_in(&f);
    if (s == OK) s = serve_run(&f.o, e);
    text_rules_free(f.raw.rules);
    return s;
}

static const Option *const SERVE_TABLES[] = { SERVE_OPTIONS, NULL };
const Command CMD_SERVE = { "serve",
                            "[OPTIONS]",
                            "parse for clients of HTTP",
                            "Answers clients of CoreNLP's server and of UDPipe's service, and has paths of its\n"
                            "own: docs/SERVER.md.\n",
                            SERVE_TABLES,
                            run_serve };
