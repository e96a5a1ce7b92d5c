/* parser/train/run/plot.c
 * Two charts over the same epochs: F1 and LAS of each dev set, and the losses on a logarithmic scale. */
#include "parser/train/run/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/map.h"

/* Values of one kind, [n_checks] of the plot; NAN where a check has none. */
typedef struct Series {
    char name[80];
    double *y;
    int cap;
    int colour; /* of COLOURS */
    bool dashed;
} Series;

enum { LOSSES = 4, SERIES_MOST = 160 };

typedef struct Plot {
    double *epoch;
    bool *best;
    int n_checks, epoch_cap, best_cap;
    Series loss[LOSSES], dev[SERIES_MOST];
    int n_dev;
    StrMap names; /* of dev sets */
    char run[17]; /* of the last check, "" if it has none */
    bool oracle;  /* scores with gold parses, no parser's */
} Plot;

static void plot_fini(Plot *p)
{
    for (int k = 0; k < LOSSES; k++) mem_free(p->loss[k].y);
    for (int k = 0; k < p->n_dev; k++) mem_free(p->dev[k].y);
    mem_free(p->epoch);
    mem_free(p->best);
    map_fini(&p->names);
}

/* ---- the log */

/* Forgets earlier checks if they come from another run than `run`, such as one that was killed. */
static void take_run(Plot *p, const cJSON *run)
{
    char now[sizeof p->run];
    snprintf(now, sizeof now, "%s", cJSON_IsString(run) ? run->valuestring : "");
    if (strcmp(now, p->run) == 0) return;
    for (int k = 0; k < p->n_dev; k++) mem_free(p->dev[k].y);
    map_fini(&p->names);
    map_init(&p->names);
    p->n_dev = p->n_checks = 0;
    p->oracle = false;
    memcpy(p->run, now, sizeof now);
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *x = json_get(object, name);
    return cJSON_IsNumber(x) ? x->valuedouble : NAN;
}

/* The series of a score of a dev set; added, without values before the present check, if it is new. NULL: out of
 * memory, or too many of them. */
static Series *dev_series(Plot *p, const char *set, const char *score, bool dashed)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s %s", utf8_first(set, 60), set, score);
    for (int k = 0; k < p->n_dev; k++)
        if (strcmp(p->dev[k].name, name) == 0) return &p->dev[k];
    int colour = map_add(&p->names, set, strlen(set));
    if (p->n_dev == SERIES_MOST || colour < 0) return NULL;
    Series *s = &p->dev[p->n_dev];
    *s = (Series){ .colour = colour, .dashed = dashed };
    memcpy(s->name, name, sizeof name);
    if (!mem_reserve(s->y, &s->cap, p->n_checks + 1)) return NULL;
    for (int k = 0; k <= p->n_checks; k++) s->y[k] = NAN;
    p->n_dev++;
    return s;
}

/* Makes room for the next check, without values. */
static bool add_check(Plot *p, double epoch)
{
    while (p->n_checks && p->epoch[p->n_checks - 1] >= epoch) p->n_checks--;
    int n = p->n_checks + 1;
    bool ok = mem_reserve(p->epoch, &p->epoch_cap, n) && mem_reserve(p->best, &p->best_cap, n);
    for (int k = 0; k < LOSSES && ok; k++) ok = mem_reserve(p->loss[k].y, &p->loss[k].cap, n);
    for (int k = 0; k < p->n_dev && ok; k++) ok = mem_reserve(p->dev[k].y, &p->dev[k].cap, n);
    for (int k = 0; k < p->n_dev && ok; k++) p->dev[k].y[n - 1] = NAN;
    if (ok) p->epoch[n - 1] = epoch;
    return ok;
}

static bool read_check(Plot *p, const cJSON *line)
{
    static const char *const losses[LOSSES] = { "span", "arc", "type", "tag" };
    static const struct {
        const char *key, *name;
    } scores[] = { { "f1", "F1" }, { "las_nopunct", "LAS" } };
    take_run(p, json_get(line, "run"));
    if (!add_check(p, number_of(line, "epoch"))) return false;
    int at = p->n_checks;
    const cJSON *loss = json_get(line, "loss"), *set;
    for (int k = 0; k < LOSSES; k++) {
        snprintf(p->loss[k].name, sizeof p->loss[k].name, "%s", losses[k]);
        p->loss[k].colour = k;
        p->loss[k].y[at] = number_of(loss, losses[k]);
    }
    p->best[at] = false;
    p->oracle = p->oracle || cJSON_IsTrue(json_get(line, "oracle"));
    cJSON_ArrayForEach(set, json_get(line, "dev"))
    {
        p->best[at] = cJSON_IsTrue(json_get(line, "best"));
        for (int k = 0; k < 2; k++) {
            double y = number_of(set, scores[k].key);
            if (isnan(y)) continue; /* trees alone, or dependencies alone */
            Series *s = dev_series(p, set->string, scores[k].name, k == 1);
            if (!s) return false;
            s->y[at] = y;
        }
    }
    p->n_checks++;
    return true;
}

static Status read_log(Plot *p, const char *path, Error *e)
{
    StrBuf text = { 0 };
    Status s = file_read_text(path, &text, e);
    StrView all = { text.ptr, text.len }, line;
    size_t at = 0;
    for (long n = 1; s == OK && text_line(all, &at, &line); n++) {
        cJSON *j = NULL;
        if (at == all.len && all.ptr[all.len - 1] != '\n') break; /* is being written */
        if (json_parse(line.ptr, line.len, &j, e) == ERR_NOMEM) s = ERR_NOMEM;
        else if (isnan(number_of(j, "epoch")))
            s = error_at(e, ERR_FORMAT, path, n, 0, "found no object with an epoch, expected a log of lal train");
        else if (!read_check(p, j)) s = error_set(e, ERR_NOMEM, "out of memory drawing %s", path);
        cJSON_Delete(j);
    }
    strbuf_fini(&text);
    if (s == OK && !p->n_checks) s = error_at(e, ERR_FORMAT, path, 0, 0, "found no check, expected a log of lal train");
    return s;
}

/* ---- the charts */

enum { WIDTH = 960, LEFT = 56, RIGHT = 760, LEGEND = 780, CHART = 260, TOP = 92, BETWEEN = 72, ROW = 18, TICKS = 6 };

/* Okabe and Ito's colours, which most colour-blind readers can tell apart; for light and for dark paper. */
static const char *const COLOURS[][2] = { { "#0072b2", "#56b4e9" }, { "#d55e00", "#ff9f5a" }, { "#00805f", "#3ddba8" },
                                          { "#a34b82", "#e9a3cd" }, { "#8a6d00", "#f0d442" }, { "#444444", "#d0d0d0" },
                                          { "#5b3fa8", "#b9a5ff" }, { "#9c1c1c", "#ff8f8f" } };
enum { N_COLOURS = sizeof COLOURS / sizeof *COLOURS };

typedef struct Chart {
    const char *name;
    const Series *series;
    int n;
    bool log;         /* of base 10 */
    double low, high; /* of y, after taking the logarithm */
    double end;       /* the last epoch */
    int top;          /* pixels */
} Chart;

static double value_of(const Chart *c, double y) { return !c->log ? y : y > 0 ? log10(y) : NAN; }
static double x_at(const Chart *c, double epoch) { return LEFT + (RIGHT - LEFT) * epoch / c->end; }
static double y_at(const Chart *c, double value)
{
    return c->top + CHART * (1 - (value - c->low) / (c->high - c->low));
}

/* 1, 2 or 5 times a power of ten, at least range / TICKS. */
static double nice_step(double range)
{
    double step = pow(10, floor(log10(range / TICKS)));
    while (range / step > TICKS) step *= range / step / TICKS > 5 ? 10 : range / step / TICKS > 2 ? 5 : 2;
    return step;
}

/* The tick of a logarithmic axis at or below a value: the logarithm of 1, 2 or 5 times a power of ten. */
static double log_tick(double value)
{
    double whole = floor(value + 1e-9), rest = value + 1e-9 - whole;
    return whole + (rest >= log10(5) ? log10(5) : rest >= log10(2) ? log10(2) : 0);
}

static double tick_after(const Chart *c, double tick, double step)
{
    return c->log ? log_tick(tick + log10(2.5) + 1e-6) : tick + step;
}

/* The range of the values. Of scores at most the upper 30 points are shown: the first checks may be far below. */
static void find_range(Chart *c, const Plot *p)
{
    double low = INFINITY, high = -INFINITY;
    for (int s = 0; s < c->n; s++)
        for (int k = 0; k < p->n_checks; k++) {
            double y = value_of(c, c->series[s].y[k]);
            if (isnan(y)) continue;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    if (low > high) low = high = 0;
    if (!c->log && low < high - 30) low = high - 30;
    double step = nice_step(fmax(high - low, 1));
    c->low = c->log ? log_tick(low) : floor(low / step) * step;
    c->high = tick_after(c, c->low, step);
    while (c->high < high - 1e-9) c->high = tick_after(c, c->high, step);
    if (!c->log) c->high = fmin(c->high, fmax(100, high));
    c->end = p->epoch[p->n_checks - 1] > 0 ? p->epoch[p->n_checks - 1] : 1;
}

static void put_text(StrBuf *out, double x, double y, const char *class, const char *text)
{
    strbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    strbuf_xml(out, text);
    strbuf_puts(out, "</text>\n");
}

static void put_line(StrBuf *out, double x0, double y0, double x1, double y1, const char *class)
{
    strbuf_printf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>\n", x0, y0, x1, y1, class);
}

static void put_axes(StrBuf *out, const Chart *c)
{
    char label[32];
    double step = nice_step(c->high - c->low);
    for (double v = c->low; v <= c->high + 1e-6; v = tick_after(c, v, step)) {
        put_line(out, LEFT, y_at(c, v), RIGHT, y_at(c, v), "grid");
        snprintf(label, sizeof label, "%.6g", c->log ? pow(10, v) : v);
        put_text(out, LEFT - 8, y_at(c, v) + 4, "y", label);
    }
    step = fmax(nice_step(c->end), c->end < 1 ? 0 : 1);
    for (double x = 0; x <= c->end + step / 1e6; x += step) {
        put_line(out, x_at(c, x), c->top + CHART, x_at(c, x), c->top + CHART + 5, "axis");
        snprintf(label, sizeof label, "%g", x);
        put_text(out, x_at(c, x), c->top + CHART + 18, "x", label);
    }
    put_line(out, LEFT, c->top + CHART, RIGHT, c->top + CHART, "axis");
    put_text(out, LEFT, c->top - 10, "b", c->name);
    put_text(out, RIGHT, c->top + CHART + 34, "y", "epoch");
}

/* A line through the values, interrupted where one is missing, with a dot at each check if there are few. */
static void put_series(StrBuf *out, const Chart *c, const Plot *p, const Series *s)
{
    bool pen = false, few = p->n_checks <= 40;
    strbuf_printf(out, "<g class=\"c%d\" clip-path=\"url(#clip%d)\"><path class=\"s%s\" d=\"", s->colour % N_COLOURS,
                  c->top, s->dashed ? " dash" : "");
    for (int k = 0; k < p->n_checks; k++) {
        double y = value_of(c, s->y[k]);
        if (!isnan(y)) strbuf_printf(out, "%c%.1f %.1f", pen ? 'L' : 'M', x_at(c, p->epoch[k]), y_at(c, y));
        pen = !isnan(y);
    }
    strbuf_puts(out, "\"/>\n");
    for (int k = 0; k < p->n_checks && few; k++) {
        double y = value_of(c, s->y[k]);
        if (isnan(y)) continue;
        strbuf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>", x_at(c, p->epoch[k]), y_at(c, y));
        strbuf_xml(out, s->name);
        strbuf_printf(out, " %.4g, epoch %.4g</title></circle>\n", s->y[k], p->epoch[k]);
    }
    strbuf_puts(out, "</g>\n");
}

/* The names, with the values at check `at`. */
static void put_legend(StrBuf *out, const Chart *c, const char *title, int at)
{
    int y = c->top + 4, shown = 0;
    put_text(out, LEGEND, c->top - 10, "t", title);
    for (int k = 0; k < c->n; k++) {
        const Series *s = &c->series[k];
        if (isnan(value_of(c, s->y[at]))) continue;
        if (++shown > CHART / ROW) return;
        char value[32];
        snprintf(value, sizeof value, c->log ? "%.3g" : "%.2f", s->y[at]);
        strbuf_printf(out, "<g class=\"c%d\"><path class=\"s%s\" d=\"M%d %dh24\"/></g>\n", s->colour % N_COLOURS,
                      s->dashed ? " dash" : "", LEGEND, y);
        put_text(out, LEGEND + 32, y + 4, "t", s->name);
        put_text(out, WIDTH - 12, y + 4, "y", value);
        y += ROW;
    }
}

static void put_chart(StrBuf *out, Chart *c, const Plot *p, int best)
{
    char title[48];
    int at = best < 0 ? p->n_checks - 1 : best;
    find_range(c, p);
    strbuf_printf(out, "<clipPath id=\"clip%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
                  c->top, LEFT - 4, c->top - 4, RIGHT - LEFT + 8, CHART + 5);
    put_axes(out, c);
    for (int k = 0; k < c->n; k++) put_series(out, c, p, &c->series[k]);
    if (best >= 0) put_line(out, x_at(c, p->epoch[best]), c->top, x_at(c, p->epoch[best]), c->top + CHART, "best");
    snprintf(title, sizeof title, "%s, epoch %.4g", best < 0 ? "last" : "best", p->epoch[at]);
    put_legend(out, c, title, at);
}

static void put_style(StrBuf *out)
{
    strbuf_puts(out, "<style>.plot{--ink:#1b1b1b;--soft:#5a5a5a;--grid:#d4d9de;--paper:#fff");
    for (int k = 0; k < N_COLOURS; k++) strbuf_printf(out, ";--c%d:%s", k, COLOURS[k][0]);
    strbuf_puts(out, "}\n@media(prefers-color-scheme:dark){.plot{--ink:#e8e8e8;--soft:#aab0b6;--grid:#3d444b;"
                     "--paper:#16191d");
    for (int k = 0; k < N_COLOURS; k++) strbuf_printf(out, ";--c%d:%s", k, COLOURS[k][1]);
    strbuf_puts(out, "}}\n");
    for (int k = 0; k < N_COLOURS; k++) strbuf_printf(out, ".plot .c%d{stroke:var(--c%d);fill:var(--c%d)}", k, k, k);
    strbuf_puts(out, "\n.plot text{font:12px sans-serif;fill:var(--soft)}.plot .b,.plot .h{font-weight:bold;"
                     "fill:var(--ink)}.plot .h{font-size:15px}.plot .y{text-anchor:end}.plot .x{text-anchor:middle}"
                     ".plot path{fill:none}.plot .s{stroke-width:2;stroke-linejoin:round}.plot circle{stroke:none}"
                     ".plot .dash{stroke-dasharray:5 3}.plot .grid{stroke:var(--grid)}"
                     ".plot .axis{stroke:var(--soft)}.plot .best{stroke:var(--ink);stroke-dasharray:2 3}"
                     ".plot .paper{fill:var(--paper)}</style>\n");
}

static void put_plot(StrBuf *out, const Plot *p, const char *path)
{
    int best = -1, last = p->n_checks - 1;
    for (int k = 0; k <= last; k++)
        if (p->best[k]) best = k;
    Chart dev = { .name = "dev scores", .series = p->dev, .n = p->n_dev, .top = TOP };
    Chart loss = { .name = "losses, mean for a sentence", .series = p->loss, .n = LOSSES, .log = true };
    loss.top = p->n_dev ? dev.top + CHART + BETWEEN : dev.top;
    int height = loss.top + CHART + 48;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"img\">\n<title>training, ",
                  WIDTH, height, WIDTH, height);
    strbuf_xml(out, path);
    strbuf_puts(out, "</title>\n");
    put_style(out);
    strbuf_puts(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    put_text(out, LEFT, 30, "h", file_name(path));
    char text[96];
    int n = snprintf(text, sizeof text, "%s%d checks up to epoch %.4g", p->oracle ? "ORACLE: " : "", p->n_checks,
                     p->epoch[last]);
    if (best >= 0 && n > 0) snprintf(text + n, sizeof text - (size_t)n, ", the best at epoch %.4g", p->epoch[best]);
    put_text(out, LEFT, 49, "t", text);
    if (p->n_dev) put_chart(out, &dev, p, best);
    put_chart(out, &loss, p, best);
    strbuf_puts(out, "</svg>\n");
}

Status plot_log(StrBuf *svg, const char *path, Error *e)
{
    Plot *p = mem_calloc(1, sizeof *p);
    if (!p) return error_set(e, ERR_NOMEM, "out of memory drawing %s", path);
    map_init(&p->names);
    Status s = read_log(p, path, e);
    if (s == OK) put_plot(svg, p, path);
    if (s == OK && svg->failed) s = error_set(e, ERR_NOMEM, "out of memory drawing %s", path);
    plot_fini(p);
    mem_free(p);
    return s;
}
