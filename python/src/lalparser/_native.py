"""Made from include/lalparser.h by python/make_native.py; not to be changed by hand."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int, c_long,
                    c_size_t, c_void_p)
from typing import Any, Dict

VERSION = "0.3.0"
LAL_OK = 0
LAL_ERROR_MEMORY = 1
LAL_ERROR_IO = 2
LAL_ERROR_FORMAT = 3
LAL_ERROR_ARGUMENT = 4
LAL_ERROR_MODEL = 5
LAL_ERROR_LIMIT = 6
LAL_ERROR_NUMERIC = 7
LAL_ERROR_BUSY = 16
LAL_STOPPED = 17
LAL_PRODUCTS_AUTO = 0
LAL_PRODUCTS_F32 = 1
LAL_PRODUCTS_BF16 = 2
LAL_PRODUCTS_INT16 = 3
LAL_PRODUCTS_INT8 = 4
LAL_NEWLINES_AUTO = 0
LAL_NEWLINES_SENTENCE = 1
LAL_NEWLINES_PARAGRAPH = 2
LAL_NEWLINES_SPACE = 3
LAL_MARKUP_AUTO = 0
LAL_MARKUP_NONE = 1
LAL_MARKUP_MARKDOWN = 2
LAL_MARKUP_HTML = 3
LAL_MARKUP_SRT = 4
LAL_MARKUP_LATEX = 5
LAL_SENTENCES_FIND = 0
LAL_SENTENCES_LINE = 1
LAL_SENTENCES_ALL = 2
LAL_TOKENS_FIND = 0
LAL_TOKENS_SPACE = 1
LAL_HYPHENS_MODEL = 0
LAL_HYPHENS_SPLIT = 1
LAL_HYPHENS_KEEP = 2
LAL_INVALID_ERROR = 0
LAL_INVALID_REPLACE = 1
LAL_INVALID_SKIP = 2
LAL_DEPS_AUTO = 0
LAL_DEPS_UD = 1
LAL_DEPS_MODEL = 2
LAL_NONE = -1
LAL_FREE = -2
LAL_COLUMNS_TAGS = 1
LAL_COLUMNS_ARCS = 2
LAL_CHOSEN_NONE = 0
LAL_CHOSEN_PHRASE = 1
LAL_CHOSEN_ARC = 2
LAL_PATTERN_AUTO = 0
LAL_PATTERN_TREGEX = 1
LAL_PATTERN_SEMGREX = 2
LAL_GRAPH_AUTO = 0
LAL_GRAPH_ENHANCED = 1
LAL_GRAPH_BASIC = 2


class LalError(Structure):
    _fields_ = [
        ("code", c_int),
        ("line", c_long),
        ("column", c_long),
        ("message", c_char * 1400),
    ]


class LalShippedModel(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("file", c_char_p),
        ("language", c_char_p),
        ("script", c_char_p),
        ("about", c_char_p),
        ("terms", c_char_p),
    ]


class LalOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("threads", c_int),
        ("batch_tokens", c_int),
        ("max_words", c_int),
        ("sentences", c_int),
        ("tokens", c_int),
        ("max_memory", c_double),
        ("treebank", c_char_p),
        ("newlines", c_int),
        ("markup", c_int),
        ("probabilities", c_int),
        ("contributions", c_int),
        ("deps", c_int),
        ("why", c_int),
        ("hyphens", c_int),
        ("ranges", c_int),
        ("stop", CFUNCTYPE(c_int, c_void_p)),
        ("stop_context", c_void_p),
        ("k_best", c_int),
        ("confidence", c_int),
        ("invalid", c_int),
        ("rules", c_void_p),
    ]


class LalToken(Structure):
    _fields_ = [
        ("begin", c_size_t),
        ("end", c_size_t),
        ("begin_char", c_size_t),
        ("end_char", c_size_t),
        ("begin_utf16", c_size_t),
        ("end_utf16", c_size_t),
        ("form", c_char_p),
        ("tag", c_char_p),
        ("tag_probability", c_double),
        ("head", c_int),
        ("type", c_char_p),
        ("probability", c_double),
        ("joint_probability", c_double),
        ("phrase", c_int),
        ("lemma", c_char_p),
        ("upos", c_char_p),
        ("feats", c_char_p),
        ("ud_head", c_int),
        ("ud_relation", c_char_p),
        ("ud_probability", c_double),
        ("multiword", c_int),
        ("glued", c_int),
    ]


class LalMultiword(Structure):
    _fields_ = [
        ("begin", c_int),
        ("end", c_int),
        ("form", c_char_p),
    ]


class LalArc(Structure):
    _fields_ = [
        ("token", c_int),
        ("head", c_int),
        ("relation", c_char_p),
    ]


class LalPhrase(Structure):
    _fields_ = [
        ("begin", c_int),
        ("end", c_int),
        ("label", c_char_p),
        ("parent", c_int),
        ("first_child", c_int),
        ("next", c_int),
        ("probability", c_double),
        ("joint_probability", c_double),
    ]


class LalSentence(Structure):
    pass


LalSentence._fields_ = [
    ("tokens", POINTER(LalToken)),
    ("n_tokens", c_int),
    ("phrases", POINTER(LalPhrase)),
    ("n_phrases", c_int),
    ("multiwords", POINTER(LalMultiword)),
    ("n_multiwords", c_int),
    ("first_token", c_size_t),
    ("score", c_double),
    ("line", c_long),
    ("new_paragraph", c_int),
    ("touches_next", c_int),
    ("pieces", c_int),
    ("phrase_parts", POINTER(c_float)),
    ("arc_parts", POINTER(c_float)),
    ("n_heads", c_int),
    ("probability", c_double),
    ("best", POINTER(LalSentence)),
    ("n_best", c_int),
    ("p_tree", c_double),
    ("expected_f1", c_double),
    ("calibrated_f1", c_double),
    ("expected_las", c_double),
    ("scheme", c_char_p),
    ("enhanced", POINTER(LalArc)),
    ("n_enhanced", c_int),
]


class LalPlace(Structure):
    _fields_ = [
        ("line", c_long),
        ("column", c_long),
    ]


class LalResult(Structure):
    _fields_ = [
        ("sentences", POINTER(LalSentence)),
        ("n_sentences", c_size_t),
        ("n_tokens", c_size_t),
        ("invalid", POINTER(LalPlace)),
        ("n_invalid", c_size_t),
        ("text", c_char_p),
        ("text_size", c_size_t),
    ]


class LalText(Structure):
    _fields_ = [
        ("text", c_char_p),
        ("size", c_size_t),
    ]


class LalWords(Structure):
    _fields_ = [
        ("words", POINTER(c_char_p)),
        ("tags", POINTER(c_char_p)),
        ("n", c_int),
    ]


class LalGiven(Structure):
    _fields_ = [
        ("heads", POINTER(c_int)),
        ("types", POINTER(c_char_p)),
        ("phrases", POINTER(LalPhrase)),
        ("n_phrases", c_int),
        ("more_phrases", c_int),
    ]


class LalInspectOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("page", c_int),
        ("top", c_int),
        ("flips", c_int),
        ("chosen", c_int),
        ("begin", c_int),
        ("end", c_int),
    ]


class LalPatternOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("semgrex", c_char_p),
        ("where", c_char_p),
        ("heads", c_char_p),
        ("top", c_char_p),
        ("ignore_case", c_int),
        ("graph", c_int),
        ("deps", c_int),
        ("repeats", c_int),
        ("most_steps", c_long),
        ("most_matches", c_long),
    ]


class LalNode(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("node", c_int),
        ("phrase", c_int),
        ("token", c_int),
        ("id", c_char_p),
        ("begin", c_int),
        ("end", c_int),
        ("label", c_char_p),
        ("text", c_char_p),
        ("begin_byte", c_size_t),
        ("end_byte", c_size_t),
        ("begin_char", c_size_t),
        ("end_char", c_size_t),
        ("begin_utf16", c_size_t),
        ("end_utf16", c_size_t),
    ]


class LalVariable(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class LalEdge(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("relation", c_char_p),
        ("governor", c_char_p),
        ("dependent", c_char_p),
    ]


class LalMatch(Structure):
    _fields_ = [
        ("node", LalNode),
        ("named", POINTER(LalNode)),
        ("variables", POINTER(LalVariable)),
        ("relations", POINTER(LalVariable)),
        ("edges", POINTER(LalEdge)),
        ("n_named", c_int),
        ("n_variables", c_int),
        ("n_relations", c_int),
        ("n_edges", c_int),
    ]


class LalFound(Structure):
    _fields_ = [
        ("sentence", c_size_t),
        ("line", c_long),
        ("text", c_char_p),
        ("words", POINTER(c_char_p)),
        ("n_words", c_int),
        ("matches", POINTER(LalMatch)),
        ("n_matches", c_int),
    ]


LalTake = CFUNCTYPE(c_int, c_void_p, POINTER(LalSentence))
LalWrite = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)

FUNCTIONS: Dict[str, Any] = {
    "lal_version": (c_char_p, []),
    "lal_set_products": (c_int, [c_int, POINTER(LalError)]),
    "lal_model_load": (c_void_p, [c_char_p, POINTER(LalError)]),
    "lal_model_load_copy": (c_void_p, [c_char_p, POINTER(LalError)]),
    "lal_model_default": (c_void_p, [POINTER(LalError)]),
    "lal_model_free": (None, [c_void_p]),
    "lal_model_treebank": (c_char_p, [c_void_p, c_int]),
    "lal_model_language": (c_char_p, [c_void_p]),
    "lal_model_digest": (c_char_p, [c_void_p]),
    "lal_models": (POINTER(LalShippedModel), [c_int]),
    "lal_rules_load": (c_void_p, [c_char_p, POINTER(LalError)]),
    "lal_rules_new": (c_void_p, [c_char_p, c_size_t, POINTER(LalError)]),
    "lal_rules_free": (None, [c_void_p]),
    "lal_options_init": (None, [POINTER(LalOptions), c_size_t]),
    "lal_markup_of": (c_int, [c_char_p]),
    "lal_parser_new": (c_void_p, [c_void_p, POINTER(LalOptions), POINTER(LalError)]),
    "lal_parser_free": (None, [c_void_p]),
    "lal_parser_set_options": (c_int, [c_void_p, POINTER(LalOptions), POINTER(LalError)]),
    "lal_parse_text": (POINTER(LalResult), [c_void_p, c_char_p, c_size_t, POINTER(LalError)]),
    "lal_parse_texts": (c_int, [c_void_p, POINTER(LalText), c_int, POINTER(POINTER(LalResult)), POINTER(LalError)]),
    "lal_split_text": (POINTER(LalResult), [c_void_p, POINTER(LalOptions), c_char_p, c_size_t, POINTER(LalError)]),
    "lal_parse_tokens": (POINTER(LalResult), [c_void_p, POINTER(LalWords), c_int, POINTER(LalError)]),
    "lal_parse_given": (POINTER(LalResult), [c_void_p, POINTER(LalWords), POINTER(LalGiven), c_int, POINTER(LalError)]),
    "lal_result_free": (None, [POINTER(LalResult)]),
    "lal_parse_text_each": (c_int, [c_void_p, c_char_p, c_size_t, LalTake, c_void_p, POINTER(LalError)]),
    "lal_parse_file_each": (c_int, [c_void_p, c_char_p, LalTake, c_void_p, POINTER(LalError)]),
    "lal_formats": (c_char_p, [c_int]),
    "lal_parse_text_as": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, LalWrite, c_void_p, POINTER(LalError)]),
    "lal_parse_conllu_as": (c_int, [c_void_p, c_char_p, c_size_t, c_int, LalWrite, c_void_p, POINTER(LalError)]),
    "lal_parse_json_as": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, LalWrite, c_void_p, POINTER(LalError)]),
    "lal_sentence_as": (c_void_p, [POINTER(LalSentence), c_long, c_char_p, c_size_t, c_char_p, POINTER(LalOptions),
        POINTER(LalError)]),
    "lal_string_free": (None, [c_void_p]),
    "lal_split_text_as": (c_int, [c_void_p, POINTER(LalOptions), c_char_p, c_size_t, c_char_p, LalWrite, c_void_p,
        POINTER(LalError)]),
    "lal_inspect_json": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(LalInspectOptions), LalWrite, c_void_p,
        POINTER(LalError)]),
    "lal_pattern_compile": (c_void_p, [c_char_p, POINTER(LalPatternOptions), POINTER(LalError)]),
    "lal_pattern_free": (None, [c_void_p]),
    "lal_search_sentences": (c_int, [c_void_p, POINTER(LalSentence), c_size_t, POINTER(LalError)]),
    "lal_search_text": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(LalError)]),
    "lal_search_next": (POINTER(LalFound), [c_void_p, POINTER(LalError)]),
    "lal_search_tree": (c_void_p, [c_void_p, c_int, c_int, POINTER(LalError)]),
}


def declare(library: Any) -> Any:
    """Gives the functions of a loaded library their types."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
