/* Growth LAL MODEL ENCODER HEADRULES [WORD]: prints how the time of each command grows with the
 * size n of its input, for inputs of many shapes; with WORD only rows that contain it. Each row has the processor
 * times for n, 2n and 4n (the minimum of several runs, minus the time for the smallest input) and the exponents log2
 * t(2n) / t(n). n is chosen so that t(n) can be measured. Exit status 1 if an exponent is above MOST: n log n gives
 * 1.1, n^2 gives 2. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double MOST = 1.2, CERTAIN = 1.5, WORTH = 0.2; /* exponents; seconds */
enum { RUNS = 2, MORE_RUNS = 4, CPU_LIMIT = 60, ARGS = 24 };
static const long LARGEST = 1L << 20;

/* ---- inputs */

/* An input of n units, in sentences of `group` units (0: one sentence): before, unit ..., middle, close ... (one per
 * unit), after. In a unit, \1 stands for its number in the sentence, \2 for the next number, \3 for the one after that
 * (or the last), \4 for the last number; in the last unit \2, \3 and \4 are 0. \5 is its number in the whole input.
 * Outside units, \4 is the last number, too. */
typedef struct Shape {
    const char *name;
    long group;
    const char *before, *unit, *middle, *close, *after;
    long largest; /* largest n, by a limit of the reader or by the size of the processor's cache; 0: any */
} Shape;

#define ROW(id, form, head, type) id "\t" form "\t_\tX\tX\t_\t" head "\t" type "\t_\t_\n"

static const Shape SHAPES[] = {
    /* trees */
    { "flat", 0, "(S ", "(A a) ", "", "", ")\n", 100000 },
    { "wide", 0, "(S ", "(VP (JJ a) (VBZ is)) ", "", "", ")\n", 50000 },
    { "wide2", 0, "(S ", "(NP (JJ a) (VBZ is)) ", "", "", ")\n", 50000 },
    { "coordinated", 0, "(NP ", "(NN a) (, ,) (CC and) (RB b) (CD 1) (IN in) (JJ c) ", "", "", ")\n", 14000 },
    { "deep", 1900, "", "(S (A a) ", "", ")", "\n", 0 },
    { "unary", 1900, "", "(S ", "(B b)", ")", "\n", 0 },
    { "unary2", 1900, "", "(Q ", "(B b)", ")", "\n", 0 },
    { "tiny", 1, "(S ", "(A a)", "", "", ")\n", 0 },
    { "labels", 0, "(S ", "(L\1 (T\1 w\1)) ", "", "", ")\n", 20000 },
    { "label", 0, "(S (A a) (", "L", " (B b))", "", ")\n", 0 },
    { "word", 0, "(S (A ", "w", ")", "", ")\n", 0 },
    { "escapes", 0, "(S (A ", "-LRB-\\/", ")", "", ")\n", 0 },
    { "icepahc", 0, "( (IP ", "(N jarðar-jörð) ", "", "", "))\n", 100000 },
    { "parts", 0, "( (IP (N a$-a) ", "(D $a$-a) ", "", "", "))\n", 100000 },
    { "idn", 0, "1\t(S ", "(NN (a)) ", "", "", ")\n", 100000 },
    /* dependencies */
    { "chain", 0, "", ROW("\1", "a", "\2", "x"), "", "", "\n", 500000 }, /* a sentence has at most 64 MiB */
    { "crossing", 0, "", ROW("\1", "a", "\3", "x"), "", "", "\n", 0 },
    { "star", 0, "", ROW("\1", "a", "\4", "x"), "", "", "\n", 0 },
    { "star2", 0, "", ROW("\1", "a", "\4", "y"), "", "", "\n", 0 },
    { "small", 3, "", ROW("\1", "a", "\2", "x"), "", "", "\n", 0 },
    { "types", 0, "", ROW("\1", "w\1", "\2", "t\1"), "", "", "\n", 40000 },
    { "comments", 0, "", "# a\n", ROW("1", "a", "0", "x"), "", "\n", 0 },
    { "nodes", 0, "", "0.\1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", ROW("1", "a", "0", "x"), "", "\n", 0 },
    { "type", 0, "1\ta\t_\tX\tX\t_\t0\t", "t", "\t_\t_\n", "", "\n", 0 },
    { "range", 0, "1-\4\tall\t_\t_\t_\t_\t_\t_\t_\t_\n", ROW("\1", "w\1", "\2", "x"), "", "", "\n", 100000 },
    { "range-same", 0, "1-\4\tall\t_\t_\t_\t_\t_\t_\t_\t_\n", ROW("\1", "a", "\2", "x"), "", "", "\n", 0 },
    { "range-other", 0, "1-\4\tall\t_\t_\t_\t_\t_\t_\t_\t_\n", ROW("\1", "w\2", "\2", "x"), "", "", "\n", 100000 },
    { "deep-chain", 1900, "", ROW("\1", "a", "\2", "x"), "", "", "\n", 0 },
    /* text */
    { "words", 0, "", "the old dog sleeps ", "", "", "\n", 0 },
    { "sentences", 0, "", "The dog sleeps. ", "", "", "\n", 0 },
    { "paragraphs", 0, "", "The dog sleeps.\n\n", "", "", "", 0 },
    { "distinct", 0, "", "w\5 ", "", "", "\n", 40000 },
    { "ones", 0, "1", ",1", "", "", "\n", 0 },
    { "closings", 0, "a", ")", "", "", "\n", 0 },
    { "openings", 0, "", "( ", "", "", "\n", 0 },
    { "openings-glued", 0, "", "(", "", "", "\n", 0 },
    { "pairs", 0, "", "( a ) ", "", "", "\n", 0 },
    { "nested", 0, "", "( a ", "b ", ") ", "\n", 0 },
    { "letters", 0, "", "x", "", "", "\n", 0 },
    { "dots", 0, "a", ".", "", "", "\n", 0 },
    { "initials", 0, "a", ".b", "", "", "\n", 0 },
    { "hyphens", 0, "a", "-a", "", "", "\n", 0 },
    { "dashes", 0, "", "\342\200\224a", "", "", "\n", 0 },
    { "apostrophes", 0, "", "'", "", "", "\n", 0 },
    { "clitics", 0, "a", "n't", "", "", "\n", 0 },
    { "quotes", 0, "", "\"a\" ", "", "", "\n", 0 },
    { "citations", 0, "A. ", "[1] ", "", "", "\n", 0 },
    { "citation", 0, "A. [ ", "1 , ", "", "", "\n", 0 },
    { "unfinished", 0, "", "A. [ 1 ", "", "", "\n", 0 },
    { "blanks", 0, "a", " ", "", "", "b\n", 0 },
    { "lines", 0, "a", "\n", "", "", "b\n", 0 },
    { "url", 0, "http://a", "/a.b", "", "", "\n", 0 },
    { "han", 0, "", "\344\270\255", "", "", "\n", 0 },
    { "hans", 0, "", "\344\270\255\346\226\207 ", "", "", "\n", 0 },
    { "base64", 0, "", "aGVsbG8+d29ybGQ/", "", "", "\n", 0 },
    { "base64s", 0, "", "aGVsbG8+d29ybGQ/ ", "", "", "\n", 0 },
    { "marks", 0, "a", "\314\201", "", "", "\n", 0 },
    { "none", 0, "", "", "", "", "\n", 0 },
};

static void put(FILE *f, const char *text, long k, long n, long all)
{
    for (; *text; text++) {
        if (*text == 1) fprintf(f, "%ld", k);
        else if (*text == 2) fprintf(f, "%ld", k < n ? k + 1 : 0);
        else if (*text == 3) fprintf(f, "%ld", k + 2 <= n ? k + 2 : k < n ? n : 0);
        else if (*text == 4) fprintf(f, "%ld", k < n ? n : 0);
        else if (*text == 5) fprintf(f, "%ld", all);
        else putc_unlocked(*text, f);
    }
}

static void put_shape(FILE *f, const Shape *s, long n)
{
    long group = s->group ? s->group : n;
    for (long done = 0; done < n; done += group) {
        long size = n - done < group ? n - done : group;
        put(f, s->before, 0, size, 0);
        for (long k = 1; k <= size; k++) put(f, s->unit, k, size, done + k);
        put(f, s->middle, 0, size, 0);
        for (long k = 1; k <= size && s->close[0]; k++) put(f, s->close, k, size, done + k);
        put(f, s->after, 0, size, 0);
    }
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "growth: %s %s\n", what, name);
    exit(2);
}

static const Shape *find_shape(const char *name, size_t len)
{
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++)
        if (strncmp(SHAPES[k].name, name, len) == 0 && !SHAPES[k].name[len]) return &SHAPES[k];
    fail("no such shape:", name);
    return NULL;
}

static void write_shape(const char *path, const Shape *s, long n, long copies)
{
    char *text = NULL;
    size_t size = 0;
    FILE *one = open_memstream(&text, &size), *f = fopen(path, "w");
    if (!one || !f) fail("cannot write", path);
    put_shape(one, s, n);
    if (fclose(one) != 0) fail("cannot write", path);
    while (copies-- > 0) fwrite(text, 1, size, f);
    if (fclose(f) != 0) fail("cannot write", path);
    free(text);
}

/* ---- commands */

/* In args, $1 and $2 are the input files, of shapes A/B (or both of shape A), $m the model, $b one with a pretrained
 * encoder, $r the folder of head rules. */
typedef struct Command {
    const char *args, *shapes;
    int status;
    long largest; /* largest n of its input; 0: any */
} Command;

#define TREES "flat wide coordinated deep unary tiny labels label word escapes"
#define HEADS "chain crossing star small types comments nodes type range"
#define TEXTS                                                                                                       \
    "words sentences paragraphs distinct ones closings openings openings-glued pairs nested letters dots initials " \
    "hyphens dashes apostrophes clitics quotes citations citation unfinished blanks lines url han"

static const Command COMMANDS[] = {
    { "tokenize $1", TEXTS, 0, 0 },
    { "tokenize --format json $1", "words paragraphs letters", 0, 0 },
    { "convert --to brackets $1", TREES " icepahc", 0, 0 },
    { "convert --from icepahc $1", "icepahc parts", 0, 0 },
    { "convert --from idn $1", "idn", 0, 0 },
    { "convert --to pretty $1", "flat deep unary tiny label", 0, 0 },
    { "convert --to conllx $1", "flat deep label chain comments", 0, 0 },
    { "convert --to conllu $1", "flat deep label " HEADS, 0, 0 },
    { "convert --to tokens $1", "flat deep word chain comments range", 0, 0 },
    { "convert --functions keep --traces keep --unary collapse --top none $1", "flat deep unary tiny label escapes", 0,
      0 },
    { "convert --unary expand --escape all $1", "flat deep unary tiny label escapes", 0, 0 },
    { "convert --to conllx --deps $r/english.rules $1", "flat wide coordinated deep unary tiny labels label word", 0,
      0 },
    { "convert --to conllx --deps $r/chinese.rules $1", "flat wide coordinated deep unary", 0, 0 },
    { "convert --to conllx --deps $r/sinica.rules $1", "flat wide coordinated deep unary", 0, 0 },
    { "convert --deps $2 $1", "flat/chain deep/deep-chain", 0, 0 },
    { "evalb $1 $2", TREES " wide/wide2 unary/unary2", 0, 0 },
    { "eval --gold $1 --pred $2", TREES " wide/wide2 unary/unary2", 0, 0 },
    { "eval --report --gold $1 --pred $2", TREES " wide/wide2 unary/unary2", 0, 0 },
    { "eval --report --gold-deps $1 --pred-deps $2", HEADS " star/star2 chain/star", 0, 0 },
    { "eval --samples 20 --gold $1 --pred $2 --pred $1", "tiny", 0, 0 },
    { "eval --align --gold-deps $1 --pred-deps $2", HEADS " range/range-other range/range-same range-same/range", 0,
      0 },
    { "convert stats $1", TREES, 0, 0 },
    { "stats --deps $1", HEADS, 0, 0 },
    { "convert stats $1 --deps $2", "flat/chain flat/crossing flat/star deep/deep-chain", 0, 0 },
    { "convert check $1 --deps $2", "flat/chain flat/star deep/deep-chain", 0, 0 },
    { "convert check $1 --deps $2", "flat/crossing", 1, 0 },
    { "draw $1", "flat deep unary chain crossing star", 0, 400 },
    { "parse --model $m --threads 1 $1", TEXTS, 0, 0 },
    { "parse --model $m --threads 1 --format conllu $1", "words sentences", 0, 0 },
    { "parse --model $m --threads 1 --format json --why $1", "words sentences openings", 0, 0 },
    { "parse --model $m --threads 1 --pretokenized $1", "words nested letters distinct", 0, 0 },
    { "parse --model $m --threads 1 --input conll $1", "chain small types comments type range", 0, 0 },
    { "parse --model $m --threads 1 --input brackets $1", "flat deep unary tiny labels label word", 0, 0 },
    { "parse --model $b --threads 1 $1", "words letters han hans base64 base64s marks", 0, 0 },
    { "eval --model $m --threads 1 --gold $1", "flat tiny unary", 0, 0 },
    { "inspect --model $m --threads 1 $1", "words sentences openings", 0, 0 },
    { "inspect --model $m --threads 1 --format tsv --what all $1", "words sentences", 0, 0 },
    { "inspect --model $m --threads 1 --input brackets --format text $1", "flat tiny unary", 0, 0 },
    { "inspect heads --model $m --gold $1 --importance none", "tiny flat", 0, 0 },
    { "info $m", "none", 0, 0 },
};

typedef struct Place {
    const char *lal, *model, *encoder, *rules;
    char file[2][64];
} Place;

/* Splits the command at blanks and substitutes names; args point into `room`. */
static void fill_args(const Place *p, const char *command, char *args[ARGS], char room[2048])
{
    int n = 0;
    char *to = room;
    args[n++] = (char *)(size_t)p->lal;
    while (*command) {
        args[n++] = to;
        for (; *command && *command != ' '; command++) {
            if (*command != '$') {
                *to++ = *command;
                continue;
            }
            char c = *++command;
            const char *name = c == '1'   ? p->file[0]
                               : c == '2' ? p->file[1]
                               : c == 'm' ? p->model
                               : c == 'b' ? p->encoder
                                          : p->rules;
            to += sprintf(to, "%s", name);
        }
        *to++ = 0;
        if (*command) command++;
    }
    args[n] = NULL;
}

/* Seconds of processor time; -1 if the exit status is not the expected one or the time limit was exceeded. */
static double run(const Place *p, const Command *c)
{
    char *args[ARGS], room[2048];
    fill_args(p, c->args, args, room);
    pid_t child = fork();
    if (child < 0) fail("cannot start", p->lal);
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        struct rlimit limit = { CPU_LIMIT, CPU_LIMIT };
        setrlimit(RLIMIT_CPU, &limit);
        for (int k = 0; k < 3; k++) dup2(null, k);
        execv(p->lal, args);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) < 0) fail("cannot wait for", p->lal);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != c->status) return -1;
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The minimum over `runs` runs, and `known` if known >= 0. -1 if a run failed. */
static double least(const Place *p, const Command *c, int runs, double known)
{
    for (int k = 0; k < runs; k++) {
        double t = run(p, c);
        if (t < 0) return -1;
        if (known < 0 || t < known) known = t;
        if (t > 1) break; /* long enough for one run */
    }
    return known;
}

/* A row of the table. */
typedef struct Row {
    const Place *p;
    const Command *c;
    const Shape *shape[2];
    long n, copies;
    double start; /* seconds for the smallest input */
} Row;

/* The minimum over `runs` runs with n units, minus r->start; -1 if a run failed. */
static double measure(const Row *r, long n, int runs, double known)
{
    for (int k = 0; k < 2; k++) write_shape(r->p->file[k], r->shape[k], n, r->copies);
    double t = least(r->p, r->c, runs, known < 0 ? -1 : known + r->start);
    return t < 0 ? -1 : t > r->start ? t - r->start : 0;
}

/* Increases n, or the number of copies if n has a limit, until the time can be measured. Returns the time for n. */
static double choose_n(Row *r)
{
    long largest = LARGEST;
    for (int k = 0; k < 2; k++)
        if (r->shape[k]->largest && r->shape[k]->largest / 4 < largest) largest = r->shape[k]->largest / 4;
    if (r->c->largest && r->c->largest < largest) largest = r->c->largest;
    r->n = largest < 1000 ? largest : 1000;
    for (;;) {
        double t = measure(r, r->n, 1, -1);
        long times = t < WORTH / 8 ? 4 : 2;
        if (t < 0 || t >= WORTH) return t;
        if (r->n < largest) r->n = r->n * times < largest ? r->n * times : largest;
        else if (r->c->largest || r->n * r->copies >= LARGEST) return t;
        else r->copies *= times;
    }
}

static double exponent(double a, double b) { return a > 0 && b > 0 ? log2(b / a) : 0; }

/* Measures n, 2n and 4n, the larger ones only if the smaller ones do not take too long. Returns whether the time grows
 * too fast, after repeating the measurement with more runs unless the exponent is above CERTAIN. */
static bool measure_growth(const Row *r, double t[3], double e[2])
{
    for (int runs = RUNS; runs <= RUNS + MORE_RUNS; runs += MORE_RUNS) {
        for (int k = 0; k < 3 && (k == 0 || (t[k - 1] >= 0 && t[k - 1] < 15)); k++)
            t[k] = measure(r, r->n << k, runs, t[k]);
        e[0] = exponent(t[0], t[1]);
        e[1] = exponent(t[1], t[2]);
        if (t[0] < WORTH || (t[1] >= 0 && e[0] <= MOST && e[1] <= MOST)) return false;
        if (t[1] < 0 || e[0] > CERTAIN || e[1] > CERTAIN) break;
    }
    return true;
}

/* Prints a row of the table. Returns whether its time grows too fast or a run fails. */
static bool put_row(const Place *p, const Command *c, const char *shape, size_t len)
{
    const char *slash = memchr(shape, '/', len);
    size_t first = slash ? (size_t)(slash - shape) : len;
    Row r = { p, c, { find_shape(shape, first), find_shape(slash ? slash + 1 : shape, slash ? len - first - 1 : len) },
              1, 1, 0 };
    double t[3] = { -1, -1, -1 }, e[2];
    printf("| %s | %.*s | ", c->args, (int)len, shape);
    r.start = least(p, c, strstr(c->args, "$1") ? 0 : RUNS, -1);
    if (r.start >= 0) {
        printf("- | %.2f | | |\n", r.start);
        return false;
    }
    for (int k = 0; k < 2; k++) write_shape(p->file[k], r.shape[k], 4, 1);
    r.start = least(p, c, RUNS + 1, -1);
    t[0] = r.start < 0 ? -1 : choose_n(&r);
    if (t[0] < 0) {
        printf("%ld | fails | | |\n", r.n);
        return true;
    }
    bool fast = measure_growth(&r, t, e);
    if (r.copies > 1) printf("%ld x ", r.copies);
    printf("%ld | %.2f %.2f %.2f | %.2f %.2f | %s |\n", r.n, t[0], t[1], t[2], e[0], e[1],
           fast           ? "**too fast**"
           : t[0] < WORTH ? "too short to tell"
                          : "");
    return fast;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: growth LAL MODEL ENCODER HEADRULES [WORD]\n");
        return 2;
    }
    Place p = { argv[1], argv[2], argv[3], argv[4], { "", "" } };
    char dir[] = "/tmp/lal-growth-XXXXXX";
    if (!mkdtemp(dir)) fail("cannot make", dir);
    for (int k = 0; k < 2; k++) snprintf(p.file[k], sizeof p.file[k], "%s/%d", dir, k + 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    int bad = 0, rows = 0;
    puts("| command | shape | n | seconds for n, 2n, 4n | exponents | |\n|---|---|--:|--:|--:|---|");
    for (size_t k = 0; k < sizeof COMMANDS / sizeof *COMMANDS; k++)
        for (const char *s = COMMANDS[k].shapes; *s; s += strspn(s, " ")) {
            size_t len = strcspn(s, " ");
            char row[256];
            snprintf(row, sizeof row, "%s %.*s", COMMANDS[k].args, (int)len, s);
            if (argc < 6 || strstr(row, argv[5])) {
                bad += put_row(&p, &COMMANDS[k], s, len);
                rows++;
                fflush(stdout);
            }
            s += len;
        }
    for (int k = 0; k < 2; k++) unlink(p.file[k]);
    rmdir(dir);
    printf("%d of %d rows grow faster than n^%.1f\n", bad, rows, MOST);
    return bad > 0;
}
