/* The span and arc scorers read the fenceposts that the label attention layer outputs; the scorers of tags and analyses
 * read the vectors that enter it. */
#include "parser/parse/parse_network.h"

#include "parser/model/model.h"

const char *parse_head_category(const Model *model, int head)
{
    const ParseNetwork *own = model->task == &TASK_PARSE ? parse_network(&model->net) : NULL;
    return own && head < own->c.categories.n ? own->c.categories.name[head] : NULL;
}

bool parse_head_names(const Model *model, int head, int label)
{
    if (!parse_head_category(model, head)) return false;
    const Categories *c = &parse_network(&model->net)->c.categories;
    for (int k = c->first[label]; k < c->first[label + 1]; k++)
        if (c->of[k] == head) return true;
    return false;
}

Status parse_network_configure(const Model *model, NetworkConfig *config, Arena *arena, Error *error)
{
    ParseNetworkConfig *own = arena_calloc(arena, 1, sizeof *own);
    const VocabSizes n = model_sizes(model);
    if (!own) return error_set(error, ERR_NOMEM, "out of memory for a network");
    *own = (ParseNetworkConfig){ .d_label_hidden = model->c.d_label_hidden,
                                 .n_labels = n.labels,
                                 .arc = { .d_arc = model->c.d_arc,
                                          .d_type = model->c.d_type,
                                          .n_types = n.types,
                                          .type_given_head = model->c.type_given_head,
                                          .dropout = model->c.dep_dropout },
                                 .d_tag_hidden = model->c.d_tag_hidden,
                                 .n_tags = n.tags,
                                 .analysis = &model->analysis,
                                 .n_analyses = n.analyses };
    config->own = own;
    if (model->c.use_lal && model->c.lal_form != LAL_WORDS) {
        config->encoder.d_phrase = model->c.lal_d_phrase;
        config->encoder.phrases_alone = model->c.lal_form == LAL_PHRASES;
        own->arc.d_phrase = model->c.lal_arcs;
    }
    if (model->c.lal_linked && config->encoder.d_phrase) {
        Status status = categories_find(model, model->c.n_label_heads, arena, &own->categories, error);
        if (status != OK) return status;
    }
    if (config->encoder.d_phrase && (model->c.lal_q_as_matrix || model->c.lal_combine_as_self))
        return error_set(error, ERR_CONFIG, "lal_form %s: found %s, expected label heads with a query vector each",
                         model->c.lal_form == LAL_BOTH ? "both" : "phrases",
                         model->c.lal_q_as_matrix ? "lal_q_as_matrix" : "lal_combine_as_self");
    if (config->encoder.phrases_alone && model->c.lal_own_reduce)
        return error_set(error, ERR_CONFIG,
                         "lal_own_reduce: found lal_form phrases, expected words or both, whose views are projected");
    if (own->n_analyses && !own->d_tag_hidden)
        return error_set(error, ERR_CONFIG,
                         "found no tagger, expected one (d_tag_hidden) that scores analyses of words");
    return OK;
}

Status parse_network_declare(Network *net, ParamSet *ps, Error *error)
{
    ParseNetwork *own = net->own;
    own->c = *(const ParseNetworkConfig *)net->c.own;
    const ParseNetworkConfig *c = &own->c;
    const PhraseAttention *phrase = &net->encoder.phrase;
    int width = own->c.arc.d = net->encoder.width, sums = phrase->heads * phrase->values;
    if (own->c.arc.d_phrase) own->c.arc.d_phrase = sums;
    Status status = span_scorer_declare(&own->span, ps, width, sums, c->d_label_hidden, c->n_labels, error);
    if (status == OK) status = arc_scorer_declare(&own->arc, ps, c->arc, error);
    if (status != OK || !c->d_tag_hidden) return status;
    status = linear_declare(&own->tag_w1, &own->tag_b1, ps, "f_tag.0", net->c.encoder.d_model, c->d_tag_hidden, error);
    if (status == OK) status = norm_declare(&own->tag_norm, ps, "f_tag.1", c->d_tag_hidden, NORM_LAL, error);
    if (status != OK) return status;
    status = linear_declare(&own->tag_w2, &own->tag_b2, ps, "f_tag.3", c->d_tag_hidden, c->n_tags, error);
    if (status != OK || !c->n_analyses) return status;
    return linear_declare(&own->analysis_w, &own->analysis_b, ps, "f_analysis", c->d_tag_hidden, c->n_analyses, error);
}

void parse_network_init(const Network *net, ParamSet *ps, unsigned long seed)
{
    const ParseNetwork *own = parse_network(net);
    span_scorer_init(&own->span, ps, seed);
    arc_scorer_init(&own->arc, ps, seed);
    if (!own->c.d_tag_hidden) return;
    linear_init(own->tag_w1, own->tag_b1, ps, seed);
    norm_init(&own->tag_norm, ps);
    linear_init(own->tag_w2, own->tag_b2, ps, seed);
    if (own->c.n_analyses) linear_init(own->analysis_w, own->analysis_b, ps, seed);
}

int parse_network_readers(const Network *net, EncoderReader out[TASK_READERS])
{
    const ParseNetwork *own = parse_network(net);
    const EncoderReader all[] = { { own->span.w1, READS_FENCEPOSTS },       { own->arc.arc_h, READS_FENCEPOSTS },
                                  { own->arc.arc_c, READS_FENCEPOSTS },     { own->arc.type_h, READS_FENCEPOSTS },
                                  { own->arc.type_c, READS_FENCEPOSTS },    { own->span.phrase, READS_PHRASES },
                                  { own->arc.type_between, READS_PHRASES }, { own->arc.between_h, MEETS_PHRASES },
                                  { own->arc.between_c, MEETS_PHRASES },    { own->arc.between_c_b, MEETS_PHRASES } };
    int n = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].param >= 0) out[n++] = all[k];
    return n;
}

void parse_network_forward(const Forward *forward, const Network *net, NetworkOutput *out)
{
    const ParseNetwork *own = parse_network(net);
    ParseScores *scores = tape_host(forward->t, 1, sizeof *scores);
    if (!scores) return;
    *scores = (ParseScores){ 0 };
    out->own = scores;
    if (out->encoder.fencepost) {
        scores->g = span_scorer_project(forward, &own->span, out->encoder.fencepost, out->encoder.phrase);
        arc_scorer_forward(forward, &own->arc, out->encoder.fencepost, out->encoder.phrase, &scores->arc);
    }
    if (!own->c.d_tag_hidden) return;
    Tensor *h = op_linear(forward->t, out->encoder.contextual, forward_weight(forward, own->tag_w1),
                          forward_param(forward, own->tag_b1), false);
    h = op_relu(forward->t, norm_forward(forward, &own->tag_norm, h));
    scores->tags =
        op_linear(forward->t, h, forward_weight(forward, own->tag_w2), forward_param(forward, own->tag_b2), false);
    if (!own->c.n_analyses) return;
    scores->words = op_linear(forward->t, h, forward_weight(forward, own->analysis_w),
                              forward_param(forward, own->analysis_b), false);
}
