/* What must hold of the entries of "heads", between them, and between them and the
 * model */
#include <string.h>

#include "base/locale.h"
#include "lal/heads/encoder_options_internal.h"

static OptionPath entry_path(int k, const char *key)
{
    OptionPath entry = option_path_item("heads", k);
    return *key ? option_path(entry.text, key) : entry;
}

static OptionPath entry_item(int k, const char *key, int item)
{
    return option_path_item(entry_path(k, key).text, item);
}

static Status no_memory(const EncoderCheck *c)
{
    return error_set(c->at.e, ERR_NOMEM, "out of memory checking encoder options");
}

static void put_numbers(StrBuf *out, const HeadNumbers *l)
{
    for (int k = 0; k < l->n; k++) strbuf_printf(out, "%s%d", k ? ", " : "", l->item[k]);
}

/* ---- layers and heads that exist */

static int stack_heads(const EncoderCheck *c, HeadStack stack)
{
    switch (stack) {
    case STACK_DECODER:
    case STACK_CROSS:
    case STACK_SELF: return c->shape->n_heads;
    case STACK_LABEL: return c->shape->n_label_heads;
    case STACK_PRETRAINED: return c->shape->n_pretrained_heads;
    default: return c->o->pal.heads;
    }
}

/* Layers of a stack are numbered 0 .. stack_layers - 1; not all layers of projected attention have heads. */
static int stack_layers(const EncoderCheck *c, HeadStack stack)
{
    return stack == STACK_LABEL         ? 1
           : stack_is_pretrained(stack) ? c->shape->n_pretrained_layers
           : stack_is_decoder(stack)    ? c->shape->n_decoder_layers
                                        : c->shape->n_layers;
}

static bool in_layer(const EncoderCheck *c, const HeadEntry *h, int layer)
{
    const HeadNumbers *pal = encoder_options_pal_layers(c->o, h->stack);
    return head_numbers_has(&h->layers, layer) && (!pal || head_numbers_has(pal, layer));
}

static const char *pal_key(HeadStack stack) { return stack == STACK_PAL ? "pal.layers" : "pal.pretrained_layers"; }

static Status check_layers(const EncoderCheck *c, int k)
{
    const HeadEntry *h = &c->o->heads[k];
    const HeadNumbers *pal = encoder_options_pal_layers(c->o, h->stack);
    const char *whose = stack_is_pretrained(h->stack) ? "pretrained encoder"
                        : stack_is_decoder(h->stack)  ? "decoder"
                                                      : "model";
    int n = stack_layers(c, h->stack);
    for (int i = 0; i < h->layers.n; i++) {
        int l = h->layers.item[i];
        const OptionPath at = entry_item(k, "layers", i);
        if (n == 0) return encoder_fault(c, at.text, "layer %d does not exist: the model has no layers", l);
        if (l >= n)
            return encoder_fault(c, at.text, "layer %d does not exist: the %s has layers 0..%d", l, whose, n - 1);
        if (!pal || head_numbers_has(pal, l)) continue;
        StrBuf list = { 0 };
        put_numbers(&list, pal);
        Status s = encoder_fault(c, at.text, "layer %d has no projected attention layer; %s is [%s]", l,
                                 pal_key(h->stack), list.ptr ? list.ptr : "");
        strbuf_fini(&list);
        return s;
    }
    return OK;
}

/* "layer 0 head 1", "pal layer 0 head 1", "label head 1" */
typedef struct HeadName {
    char text[64];
} HeadName;

static HeadName head_name(HeadStack stack, int layer, int head)
{
    static const char *const before[HEAD_STACKS] = { [STACK_SELF] = "",
                                                     [STACK_PAL] = "pal ",
                                                     [STACK_PRETRAINED] = "pretrained ",
                                                     [STACK_PRETRAINED_PAL] = "pretrained pal ",
                                                     [STACK_DECODER] = "decoder ",
                                                     [STACK_CROSS] = "cross " };
    HeadName n;
    if (stack == STACK_LABEL) locale_snprintf(n.text, sizeof n.text, "label head %d", head);
    else locale_snprintf(n.text, sizeof n.text, "%slayer %d head %d", before[stack], layer, head);
    return n;
}

/* Heads that pruning has left. */
static Status check_kept(const EncoderCheck *c, int k, int layer, int item)
{
    const HeadEntry *h = &c->o->heads[k];
    int n = c->shape->n_layers;
    LayerId id = h->stack == STACK_LABEL ? layer_label(n) : h->stack == STACK_PAL ? layer_pal(n, layer) : layer;
    const HeadNumbers *own = c->shape->kept, *decoder = c->shape->decoder_kept,
                      *kept = own && h->stack <= STACK_PAL ? &own[id] : NULL;
    if (decoder && stack_is_decoder(h->stack))
        kept = &decoder[((int)h->stack - (int)STACK_DECODER) * c->shape->n_decoder_layers + layer];
    if (!kept || h->heads.all || head_numbers_has(kept, h->heads.item[item])) return OK;
    StrBuf list = { 0 };
    put_numbers(&list, kept);
    Status s = encoder_fault(c, entry_item(k, "heads", item).text, "%s was pruned from this model; kept: %s",
                             head_name(h->stack, layer, h->heads.item[item]).text, list.ptr ? list.ptr : "none");
    strbuf_fini(&list);
    return s;
}

/* Has the model the stack of entry k? */
static Status check_stack(const EncoderCheck *c, int k)
{
    HeadStack stack = c->o->heads[k].stack;
    const HeadNumbers *pal = encoder_options_pal_layers(c->o, stack);
    const OptionPath at = entry_path(k, "stack");
    if (stack == STACK_LABEL && c->shape->n_label_heads == 0)
        return encoder_fault(c, at.text, "the model has no label heads");
    if (stack_is_decoder(stack) && c->shape->n_decoder_layers == 0)
        return encoder_fault(c, at.text, "the model has no decoder, to which stack \"%s\" belongs",
                             ENCODER_OPTIONS_STACKS[stack]);
    if (stack_is_pretrained(stack) && c->shape->n_pretrained_layers == 0)
        return encoder_fault(c, at.text, "the model has no pretrained encoder; --pretrained FILE gives it one");
    if (pal && !pal->all && !pal->n)
        return encoder_fault(c, at.text, "the %s has no projected attention layers; %s is []",
                             stack == STACK_PAL ? "model" : "pretrained encoder", pal_key(stack));
    if (stack == STACK_SELF && c->shape->n_layers == 0)
        return encoder_fault(c, at.text, "the model has no self-attention layers");
    return OK;
}

static Status check_heads(const EncoderCheck *c, int k)
{
    const HeadEntry *h = &c->o->heads[k];
    int n = stack_heads(c, h->stack), first = 0;
    Status s = check_stack(c, k);
    if (s == OK) s = check_layers(c, k);
    while (s == OK && first < stack_layers(c, h->stack) && !in_layer(c, h, first)) first++;
    for (int i = 0; i < h->heads.n && s == OK; i++) {
        int head = h->heads.item[i];
        const OptionPath at = entry_item(k, "heads", i);
        if (head >= n && h->stack == STACK_LABEL)
            s = encoder_fault(c, at.text, "head %d does not exist: the label attention layer has heads 0..%d", head,
                              n - 1);
        else if (head >= n)
            s = encoder_fault(c, at.text, "head %d does not exist: layer %d%s has heads 0..%d", head, first,
                              h->stack == STACK_PRETRAINED ? " of the pretrained encoder"
                              : stack_is_decoder(h->stack) ? " of the decoder"
                                                           : "",
                              n - 1);
        for (int l = 0; l < stack_layers(c, h->stack) && s == OK; l++)
            if (in_layer(c, h, l)) s = check_kept(c, k, l, i);
    }
    return s;
}

/* ---- patterns of an entry */

static Status resolve_patterns(const EncoderCheck *c, int k)
{
    HeadEntry *h = &c->o->heads[k];
    Pattern *item = arena_calloc(c->memory, (size_t)h->n_names, sizeof *item);
    if (!item) return no_memory(c);
    h->patterns = (PatternList){ h->n_names, item };
    for (int i = 0; i < h->n_names; i++) {
        Error why = { 0 };
        Status s = pattern_read(&item[i], h->names[i], &c->o->patterns, c->memory, &why);
        if (s == ERR_NOMEM) return no_memory(c);
        if (s != OK) return encoder_fault(c, entry_path(k, "pattern").text, "%s", why.message);
        if (item[i].kind == PATTERN_INTRA_SPAN && h->source >= 0) item[i].o.intra_span_source = h->source;
    }
    return OK;
}

static bool is_key_mask(PatternKind kind) { return pattern_is_key_set(kind) && !pattern_is_target(kind); }

/* Can heads of a decoder have this pattern for this use? */
static Status check_decoder_pattern(const EncoderCheck *c, int k, const Pattern *p)
{
    const HeadEntry *h = &c->o->heads[k];
    const OptionPath at = entry_path(k, "pattern");
    const char *name = pattern_name(p->kind);
    if (h->stack == STACK_DECODER && !pattern_is_written(p->kind))
        return encoder_fault(c, at.text,
                             "pattern \"%s\" would look at words that are not yet written; heads of stack "
                             "\"decoder\" take %s",
                             name, pattern_names(pattern_is_written).text);
    if (h->stack == STACK_CROSS && !pattern_is_key_set(p->kind))
        return encoder_fault(
            c, at.text, "pattern \"%s\" is of the query's own text; heads of stack \"cross\" take %s of the source",
            name, pattern_names(is_key_mask).text);
    if (h->stack == STACK_CROSS && h->use == USE_GUIDE)
        return encoder_fault(c, entry_path(k, "use").text,
                             "heads of stack \"cross\" cannot be guided; use \"mask\" or \"fixed\"");
    return OK;
}

/* Can these heads have this pattern for this use? */
static Status check_pattern(const EncoderCheck *c, int k, const Pattern *p)
{
    const HeadEntry *h = &c->o->heads[k];
    const OptionPath at = entry_path(k, "pattern");
    const char *name = pattern_name(p->kind);
    bool label = p->kind == PATTERN_LABEL_SPAN;
    if (pattern_is_target(p->kind) && h->use != USE_GUIDE)
        return encoder_fault(c, at.text, "\"%s\" is a target, not a mask; use \"guide\"%s", name,
                             p->kind == PATTERN_DEP_HEAD ? " (mask: dep_syn)" : "");
    if (pattern_is_weighted(p->kind) && (h->use != USE_FIXED || h->patterns.n > 1))
        return encoder_fault(c, entry_path(k, h->use != USE_FIXED ? "use" : "pattern").text,
                             "\"%s\" is no set, but weights of fixed heads; use \"fixed\", and no other pattern", name);
    if (pattern_is_weighted(p->kind) && h->stack != STACK_SELF && h->stack != STACK_PAL && h->stack != STACK_DECODER)
        return encoder_fault(c, at.text, "heads with \"%s\" belong to stack self, pal or decoder", name);
    if (label && h->stack != STACK_LABEL)
        return encoder_fault(c, at.text, "\"%s\" is a target of label heads; use stack \"label\"", name);
    if (h->stack == STACK_LABEL && pattern_needs_position(p->kind) && !c->shape->label_matrix)
        return encoder_fault(c, at.text, "pattern \"%s\" needs a query position; label heads take %s", name,
                             pattern_names(pattern_is_key_set).text);
    if (h->stack == STACK_LABEL && h->use == USE_FIXED)
        return encoder_fault(c, entry_path(k, "use").text, "label heads cannot be fixed; use \"mask\" or \"guide\"");
    if (label && !h->labels && !p->label)
        return encoder_fault(c, entry_path(k, "").text,
                             "\"label_span\" needs \"labels\", one for each number of \"heads\"");
    if (pattern_needs_parts(p) && c->shape->text < (p->o.intra_span_source == SYNTAX_SIDE ? TEXT_GAP : TEXT_DOCUMENT))
        return encoder_fault(c, at.text, "pattern \"%s\" by %s needs %s, which this task does not read", name,
                             p->o.intra_span_source == SYNTAX_SIDE ? "side" : "sentence",
                             p->o.intra_span_source == SYNTAX_SIDE ? "the words around a gap" : "documents");
    if (p->kind == PATTERN_MATCH_TOKEN && p->o.match_token_key == MATCH_LEMMA)
        return encoder_fault(c, at.text, "match_token with key \"lemma\" needs lemmas, which the data do not have");
    return check_decoder_pattern(c, k, p);
}

/* Where the parse of a pattern comes from. */
static SyntaxSource source_of(const EncoderCheck *c, const HeadEntry *h, const Pattern *p)
{
    int own = p->kind == PATTERN_INTRA_SPAN && p->o.intra_span_source != SYNTAX_TREE ? p->o.intra_span_source : -1,
        s = h->source >= 0 ? h->source
            : own >= 0     ? own
                           : c->o->syntax.source;
    return s == SYNTAX_NONE && h->use == USE_GUIDE && h->source < 0 ? SYNTAX_GOLD : (SyntaxSource)s;
}

static Status check_syntax(const EncoderCheck *c, int k)
{
    static const char *const uses[] = { "mask", "fixed", "target" };
    HeadEntry *h = &c->o->heads[k];
    h->syntax = SYNTAX_NONE;
    for (int i = 0; i < h->patterns.n; i++) {
        const Pattern *p = &h->patterns.item[i];
        if (!pattern_needs_parse(p)) continue;
        SyntaxSource s = source_of(c, h, p);
        if (s == SYNTAX_NONE && h->source == SYNTAX_NONE)
            return encoder_fault(c, entry_path(k, "source").text,
                                 "pattern \"%s\" needs a parse, which source \"punct\" has not", pattern_name(p->kind));
        if (s == SYNTAX_NONE)
            return encoder_fault(c, entry_path(k, "pattern").text,
                                 "pattern \"%s\" as %s needs encoder_options.syntax.source", pattern_name(p->kind),
                                 uses[h->use]);
        if (h->syntax != SYNTAX_NONE && h->syntax != s)
            return encoder_fault(c, entry_path(k, "pattern").text,
                                 "found parses of sources \"%s\" and \"%s\" in one entry, expected one",
                                 ENCODER_OPTIONS_SOURCES[h->syntax], ENCODER_OPTIONS_SOURCES[s]);
        h->syntax = s;
    }
    return encoder_options_check_source(c, entry_path(k, h->source >= 0 ? "source" : "pattern").text, h->syntax);
}

/* A sentence has one parse, which all masks read. */
static Status check_one_source(const EncoderCheck *c, int k)
{
    const HeadEntry *h = &c->o->heads[k];
    for (int i = 0; i < k && h->use != USE_GUIDE && h->syntax != SYNTAX_NONE; i++) {
        const HeadEntry *other = &c->o->heads[i];
        if (other->use == USE_GUIDE || other->syntax == SYNTAX_NONE || other->syntax == h->syntax) continue;
        return encoder_fault(c, entry_path(k, h->source >= 0 ? "source" : "pattern").text,
                             "found masks with parses of sources \"%s\" (heads[%d]) and \"%s\", expected one",
                             ENCODER_OPTIONS_SOURCES[other->syntax], i, ENCODER_OPTIONS_SOURCES[h->syntax]);
    }
    return OK;
}

static Status check_entry(const EncoderCheck *c, int k)
{
    HeadEntry *h = &c->o->heads[k];
    Status s = check_heads(c, k);
    if (s == OK) s = resolve_patterns(c, k);
    bool label = false, span = false;
    for (int i = 0; i < h->patterns.n && s == OK; i++) {
        s = check_pattern(c, k, &h->patterns.item[i]);
        label = label || h->patterns.item[i].kind == PATTERN_LABEL_SPAN;
        span = span || h->patterns.item[i].kind == PATTERN_INTRA_SPAN;
    }
    if (s == OK && h->labels && !label)
        s = encoder_fault(c, entry_path(k, "labels").text, "\"labels\" has no effect without pattern \"label_span\"");
    if (s == OK && h->source >= 0 && !span && !pattern_list_needs_parse(&h->patterns))
        s = encoder_fault(c, entry_path(k, "source").text,
                          "\"source\" has no effect: no pattern of this entry reads a parse");
    if (s == OK) s = check_syntax(c, k);
    return s == OK ? check_one_source(c, k) : s;
}

/* ---- two entries on one head */

/* The entries that each head of a stack has already, as number + 1: of a mask or fixed pattern, of guidance. */
typedef struct Taken {
    short mask, guide;
} Taken;

/* "rel_pos" or "rel_pos", "seprat" */
typedef struct EntryPatterns {
    char text[200];
} EntryPatterns;

static EntryPatterns entry_patterns(const HeadEntry *h)
{
    EntryPatterns n = { "" };
    for (int i = 0; i < h->n_names; i++) {
        size_t len = strlen(n.text);
        locale_snprintf(n.text + len, sizeof n.text - len, "%s\"%.*s\"", i ? ", " : "", utf8_first(h->names[i], 40),
                        h->names[i]);
    }
    return n;
}

static Status check_twice(const EncoderCheck *c, int before, int k, const char *head)
{
    static const char *const uses[] = { "mask", "fixed pattern", "guidance" };
    const HeadEntry *b = &c->o->heads[before];
    return encoder_fault(c, entry_path(k, "").text, "%s already has %s %s (heads[%d]); write a list for a union", head,
                         uses[b->use], entry_patterns(b).text, before);
}

/* A head that is guided, by one of the entries, and masked or fixed by the other. */
static Status check_guided(const EncoderCheck *c, int other, int k, const char *head)
{
    const HeadEntry *a = &c->o->heads[other], *b = &c->o->heads[k], *guide = a->use == USE_GUIDE ? a : b,
                    *mask = guide == a ? b : a;
    const OptionPath at = entry_path(k, "");
    if (mask->use == USE_FIXED) return encoder_fault(c, at.text, "%s is fixed; guiding it has no effect", head);
    if (guide->syntax == mask->syntax || guide->syntax == SYNTAX_NONE || mask->syntax == SYNTAX_NONE)
        if (pattern_list_within(&guide->patterns, &mask->patterns)) return OK;
    return encoder_fault(c, at.text, "guidance %s on %s can never be reached under mask %s", entry_patterns(guide).text,
                         head, entry_patterns(mask).text);
}

/* Compares entry k with those before it; checked [n_heads] are entries that fit it. */
static Status check_taken(const EncoderCheck *c, int k, Taken *taken, bool *checked)
{
    const HeadEntry *h = &c->o->heads[k];
    int layers = stack_layers(c, h->stack), heads = stack_heads(c, h->stack);
    bool guide = h->use == USE_GUIDE;
    memset(checked, 0, (size_t)c->o->n_heads * sizeof *checked);
    for (int l = 0; l < layers; l++)
        for (int i = 0; in_layer(c, h, l) && i < (h->heads.all ? heads : h->heads.n); i++) {
            int head = h->heads.all ? i : h->heads.item[i];
            Taken *t = &taken[l * heads + head];
            short *own = guide ? &t->guide : &t->mask, other = guide ? t->mask : t->guide;
            HeadName name = head_name(h->stack, l, head);
            Status s = OK;
            if (*own) return check_twice(c, *own - 1, k, name.text);
            if (other && !checked[other - 1]) {
                s = check_guided(c, other - 1, k, name.text);
                checked[other - 1] = true;
            }
            if (s != OK) return s;
            *own = (short)(k + 1);
        }
    return OK;
}

static Status check_conflicts(const EncoderCheck *c)
{
    Taken *taken[HEAD_STACKS];
    bool *checked = arena_alloc(c->memory, (size_t)c->o->n_heads, sizeof *checked);
    for (int k = 0; k < HEAD_STACKS; k++) {
        int heads = stack_heads(c, (HeadStack)k), layers = stack_layers(c, (HeadStack)k);
        taken[k] = arena_calloc(c->memory, (size_t)(heads > 0 ? heads : 0) * (size_t)layers, sizeof *taken[k]);
        if (!taken[k] || !checked) return no_memory(c);
    }
    Status s = OK;
    for (int k = 0; k < c->o->n_heads && s == OK; k++) s = check_taken(c, k, taken[c->o->heads[k].stack], checked);
    return s;
}

/* ---- all entries */

/* The entries get patterns in c->memory, so they are copied there: those that o had may be of other options, too. */
static Status own_entries(const EncoderCheck *c)
{
    HeadEntry *own = arena_alloc(c->memory, (size_t)c->o->n_heads, sizeof *own);
    if (!own) return no_memory(c);
    for (int k = 0; k < c->o->n_heads; k++) own[k] = c->o->heads[k];
    c->o->heads = own;
    return OK;
}

Status encoder_options_check_entries(const EncoderCheck *check)
{
    Status s = own_entries(check);
    for (int k = 0; k < check->o->n_heads && s == OK; k++) s = check_entry(check, k);
    return s == OK ? check_conflicts(check) : s;
}
