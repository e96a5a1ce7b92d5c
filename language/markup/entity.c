/* A table of names that is searched by halves. */
#include "language/markup/entity.h"

enum { NAME_MOST = 16, DIGITS_MOST = 8 };

typedef struct Entity {
    char name[NAME_MOST + 1];
    uint16_t character;
} Entity;

/* clang-format off */
static const Entity ENTITIES[] = { /* by name */
    { "AElig", 0xC6 }, { "AMP", 0x26 }, { "Aacute", 0xC1 }, { "Abreve", 0x102 }, { "Acirc", 0xC2 }, { "Agrave", 0xC0 },
    { "Alpha", 0x391 }, { "Amacr", 0x100 }, { "Aogon", 0x104 }, { "Aring", 0xC5 }, { "Atilde", 0xC3 },
    { "Auml", 0xC4 }, { "Beta", 0x392 }, { "COPY", 0xA9 }, { "Cacute", 0x106 }, { "Ccaron", 0x10C },
    { "Ccedil", 0xC7 }, { "Ccirc", 0x108 }, { "Cdot", 0x10A }, { "Chi", 0x3A7 }, { "Dagger", 0x2021 },
    { "Dcaron", 0x10E }, { "Delta", 0x394 }, { "Dstrok", 0x110 }, { "ENG", 0x14A }, { "ETH", 0xD0 },
    { "Eacute", 0xC9 }, { "Ecaron", 0x11A }, { "Ecirc", 0xCA }, { "Edot", 0x116 }, { "Egrave", 0xC8 },
    { "Emacr", 0x112 }, { "Eogon", 0x118 }, { "Epsilon", 0x395 }, { "Eta", 0x397 }, { "Euml", 0xCB }, { "GT", 0x3E },
    { "Gamma", 0x393 }, { "Gbreve", 0x11E }, { "Gcedil", 0x122 }, { "Gcirc", 0x11C }, { "Gdot", 0x120 },
    { "Hat", 0x5E }, { "Hcirc", 0x124 }, { "Hstrok", 0x126 }, { "IJlig", 0x132 }, { "Iacute", 0xCD },
    { "Icirc", 0xCE }, { "Idot", 0x130 }, { "Igrave", 0xCC }, { "Imacr", 0x12A }, { "Iogon", 0x12E },
    { "Iota", 0x399 }, { "Itilde", 0x128 }, { "Iuml", 0xCF }, { "Jcirc", 0x134 }, { "Kappa", 0x39A },
    { "Kcedil", 0x136 }, { "LT", 0x3C }, { "Lacute", 0x139 }, { "Lambda", 0x39B }, { "Lcaron", 0x13D },
    { "Lcedil", 0x13B }, { "Lmidot", 0x13F }, { "Lstrok", 0x141 }, { "Mu", 0x39C }, { "Nacute", 0x143 },
    { "Ncaron", 0x147 }, { "Ncedil", 0x145 }, { "NewLine", 0xA }, { "NonBreakingSpace", 0xA0 }, { "Ntilde", 0xD1 },
    { "Nu", 0x39D }, { "OElig", 0x152 }, { "Oacute", 0xD3 }, { "Ocirc", 0xD4 }, { "Odblac", 0x150 },
    { "Ograve", 0xD2 }, { "Omacr", 0x14C }, { "Omega", 0x3A9 }, { "Omicron", 0x39F }, { "Oslash", 0xD8 },
    { "Otilde", 0xD5 }, { "Ouml", 0xD6 }, { "Phi", 0x3A6 }, { "Pi", 0x3A0 }, { "Prime", 0x2033 }, { "Psi", 0x3A8 },
    { "QUOT", 0x22 }, { "REG", 0xAE }, { "Racute", 0x154 }, { "Rcaron", 0x158 }, { "Rcedil", 0x156 }, { "Rho", 0x3A1 },
    { "Sacute", 0x15A }, { "Scaron", 0x160 }, { "Scedil", 0x15E }, { "Scirc", 0x15C }, { "Sigma", 0x3A3 },
    { "THORN", 0xDE }, { "Tab", 0x9 }, { "Tau", 0x3A4 }, { "Tcaron", 0x164 }, { "Tcedil", 0x162 }, { "Theta", 0x398 },
    { "Tstrok", 0x166 }, { "Uacute", 0xDA }, { "Ubreve", 0x16C }, { "Ucirc", 0xDB }, { "Udblac", 0x170 },
    { "Ugrave", 0xD9 }, { "Umacr", 0x16A }, { "Uogon", 0x172 }, { "Upsilon", 0x3A5 }, { "Uring", 0x16E },
    { "Utilde", 0x168 }, { "Uuml", 0xDC }, { "Wcirc", 0x174 }, { "Xi", 0x39E }, { "Yacute", 0xDD }, { "Ycirc", 0x176 },
    { "Yuml", 0x178 }, { "Zacute", 0x179 }, { "Zcaron", 0x17D }, { "Zdot", 0x17B }, { "ZeroWidthSpace", 0x200B },
    { "Zeta", 0x396 }, { "aacute", 0xE1 }, { "abreve", 0x103 }, { "acirc", 0xE2 }, { "acute", 0xB4 },
    { "aelig", 0xE6 }, { "agrave", 0xE0 }, { "alefsym", 0x2135 }, { "alpha", 0x3B1 }, { "amacr", 0x101 },
    { "amp", 0x26 }, { "and", 0x2227 }, { "ang", 0x2220 }, { "aogon", 0x105 }, { "apos", 0x27 }, { "aring", 0xE5 },
    { "ast", 0x2A }, { "asymp", 0x2248 }, { "atilde", 0xE3 }, { "auml", 0xE4 }, { "bdquo", 0x201E }, { "beta", 0x3B2 },
    { "brvbar", 0xA6 }, { "bsol", 0x5C }, { "bull", 0x2022 }, { "bullet", 0x2022 }, { "cacute", 0x107 },
    { "cap", 0x2229 }, { "ccaron", 0x10D }, { "ccedil", 0xE7 }, { "ccirc", 0x109 }, { "cdot", 0x10B },
    { "cedil", 0xB8 }, { "cent", 0xA2 }, { "check", 0x2713 }, { "chi", 0x3C7 }, { "circ", 0x2C6 }, { "clubs", 0x2663 },
    { "colon", 0x3A }, { "comma", 0x2C }, { "commat", 0x40 }, { "cong", 0x2245 }, { "copy", 0xA9 },
    { "copysr", 0x2117 }, { "crarr", 0x21B5 }, { "cross", 0x2717 }, { "cup", 0x222A }, { "curren", 0xA4 },
    { "dArr", 0x21D3 }, { "dagger", 0x2020 }, { "darr", 0x2193 }, { "dash", 0x2010 }, { "dcaron", 0x10F },
    { "deg", 0xB0 }, { "delta", 0x3B4 }, { "diams", 0x2666 }, { "divide", 0xF7 }, { "dollar", 0x24 },
    { "dstrok", 0x111 }, { "eacute", 0xE9 }, { "ecaron", 0x11B }, { "ecirc", 0xEA }, { "edot", 0x117 },
    { "egrave", 0xE8 }, { "ell", 0x2113 }, { "emacr", 0x113 }, { "empty", 0x2205 }, { "emsp", 0x2003 },
    { "eng", 0x14B }, { "ensp", 0x2002 }, { "eogon", 0x119 }, { "epsilon", 0x3B5 }, { "equals", 0x3D },
    { "equiv", 0x2261 }, { "eta", 0x3B7 }, { "eth", 0xF0 }, { "euml", 0xEB }, { "euro", 0x20AC }, { "excl", 0x21 },
    { "exist", 0x2203 }, { "female", 0x2640 }, { "fnof", 0x192 }, { "forall", 0x2200 }, { "frac12", 0xBD },
    { "frac13", 0x2153 }, { "frac14", 0xBC }, { "frac15", 0x2155 }, { "frac16", 0x2159 }, { "frac18", 0x215B },
    { "frac23", 0x2154 }, { "frac25", 0x2156 }, { "frac34", 0xBE }, { "frac35", 0x2157 }, { "frac38", 0x215C },
    { "frac45", 0x2158 }, { "frac56", 0x215A }, { "frac58", 0x215D }, { "frac78", 0x215E }, { "frasl", 0x2044 },
    { "gamma", 0x3B3 }, { "gbreve", 0x11F }, { "gcirc", 0x11D }, { "gdot", 0x121 }, { "ge", 0x2265 },
    { "grave", 0x60 }, { "gt", 0x3E }, { "hArr", 0x21D4 }, { "hairsp", 0x200A }, { "half", 0xBD }, { "harr", 0x2194 },
    { "hcirc", 0x125 }, { "hearts", 0x2665 }, { "hellip", 0x2026 }, { "horbar", 0x2015 }, { "hstrok", 0x127 },
    { "hyphen", 0x2010 }, { "iacute", 0xED }, { "icirc", 0xEE }, { "iexcl", 0xA1 }, { "igrave", 0xEC },
    { "ijlig", 0x133 }, { "imacr", 0x12B }, { "image", 0x2111 }, { "imath", 0x131 }, { "incare", 0x2105 },
    { "infin", 0x221E }, { "inodot", 0x131 }, { "int", 0x222B }, { "iogon", 0x12F }, { "iota", 0x3B9 },
    { "iquest", 0xBF }, { "isin", 0x2208 }, { "itilde", 0x129 }, { "iuml", 0xEF }, { "jcirc", 0x135 },
    { "kappa", 0x3BA }, { "kcedil", 0x137 }, { "kgreen", 0x138 }, { "lArr", 0x21D0 }, { "lacute", 0x13A },
    { "lambda", 0x3BB }, { "lang", 0x2329 }, { "laquo", 0xAB }, { "larr", 0x2190 }, { "lbrace", 0x7B },
    { "lbrack", 0x5B }, { "lcaron", 0x13E }, { "lcedil", 0x13C }, { "lceil", 0x2308 }, { "lcub", 0x7B },
    { "ldquo", 0x201C }, { "ldquor", 0x201E }, { "le", 0x2264 }, { "lfloor", 0x230A }, { "lmidot", 0x140 },
    { "lowast", 0x2217 }, { "lowbar", 0x5F }, { "loz", 0x25CA }, { "lpar", 0x28 }, { "lrm", 0x200E },
    { "lsaquo", 0x2039 }, { "lsqb", 0x5B }, { "lsquo", 0x2018 }, { "lsquor", 0x201A }, { "lstrok", 0x142 },
    { "lt", 0x3C }, { "macr", 0xAF }, { "male", 0x2642 }, { "mdash", 0x2014 }, { "micro", 0xB5 }, { "middot", 0xB7 },
    { "minus", 0x2212 }, { "mu", 0x3BC }, { "nabla", 0x2207 }, { "nacute", 0x144 }, { "napos", 0x149 },
    { "nbsp", 0xA0 }, { "ncaron", 0x148 }, { "ncedil", 0x146 }, { "ndash", 0x2013 }, { "ne", 0x2260 },
    { "ni", 0x220B }, { "not", 0xAC }, { "notin", 0x2209 }, { "nsub", 0x2284 }, { "ntilde", 0xF1 }, { "nu", 0x3BD },
    { "num", 0x23 }, { "numero", 0x2116 }, { "numsp", 0x2007 }, { "oacute", 0xF3 }, { "ocirc", 0xF4 },
    { "odblac", 0x151 }, { "oelig", 0x153 }, { "ograve", 0xF2 }, { "oline", 0x203E }, { "omacr", 0x14D },
    { "omega", 0x3C9 }, { "omicron", 0x3BF }, { "oplus", 0x2295 }, { "or", 0x2228 }, { "ordf", 0xAA },
    { "ordm", 0xBA }, { "oslash", 0xF8 }, { "otilde", 0xF5 }, { "otimes", 0x2297 }, { "ouml", 0xF6 }, { "para", 0xB6 },
    { "part", 0x2202 }, { "percnt", 0x25 }, { "period", 0x2E }, { "permil", 0x2030 }, { "perp", 0x22A5 },
    { "phi", 0x3C6 }, { "phone", 0x260E }, { "pi", 0x3C0 }, { "piv", 0x3D6 }, { "plus", 0x2B }, { "plusmn", 0xB1 },
    { "pound", 0xA3 }, { "prime", 0x2032 }, { "prod", 0x220F }, { "prop", 0x221D }, { "psi", 0x3C8 },
    { "puncsp", 0x2008 }, { "quest", 0x3F }, { "quot", 0x22 }, { "rArr", 0x21D2 }, { "racute", 0x155 },
    { "radic", 0x221A }, { "rang", 0x232A }, { "raquo", 0xBB }, { "rarr", 0x2192 }, { "rbrace", 0x7D },
    { "rbrack", 0x5D }, { "rcaron", 0x159 }, { "rcedil", 0x157 }, { "rceil", 0x2309 }, { "rcub", 0x7D },
    { "rdquo", 0x201D }, { "real", 0x211C }, { "reg", 0xAE }, { "rfloor", 0x230B }, { "rho", 0x3C1 },
    { "rlm", 0x200F }, { "rpar", 0x29 }, { "rsaquo", 0x203A }, { "rsqb", 0x5D }, { "rsquo", 0x2019 },
    { "rsquor", 0x2019 }, { "sacute", 0x15B }, { "sbquo", 0x201A }, { "scaron", 0x161 }, { "scedil", 0x15F },
    { "scirc", 0x15D }, { "sdot", 0x22C5 }, { "sect", 0xA7 }, { "semi", 0x3B }, { "shy", 0xAD }, { "sigma", 0x3C3 },
    { "sigmaf", 0x3C2 }, { "sim", 0x223C }, { "sol", 0x2F }, { "spades", 0x2660 }, { "star", 0x2606 },
    { "starf", 0x2605 }, { "sub", 0x2282 }, { "sube", 0x2286 }, { "sum", 0x2211 }, { "sup", 0x2283 }, { "sup1", 0xB9 },
    { "sup2", 0xB2 }, { "sup3", 0xB3 }, { "supe", 0x2287 }, { "szlig", 0xDF }, { "tau", 0x3C4 }, { "tcaron", 0x165 },
    { "tcedil", 0x163 }, { "there4", 0x2234 }, { "theta", 0x3B8 }, { "thetasym", 0x3D1 }, { "thinsp", 0x2009 },
    { "thorn", 0xFE }, { "tilde", 0x2DC }, { "times", 0xD7 }, { "trade", 0x2122 }, { "tstrok", 0x167 },
    { "uArr", 0x21D1 }, { "uacute", 0xFA }, { "uarr", 0x2191 }, { "ubreve", 0x16D }, { "ucirc", 0xFB },
    { "udblac", 0x171 }, { "ugrave", 0xF9 }, { "umacr", 0x16B }, { "uml", 0xA8 }, { "uogon", 0x173 },
    { "upsih", 0x3D2 }, { "upsilon", 0x3C5 }, { "uring", 0x16F }, { "utilde", 0x169 }, { "uuml", 0xFC },
    { "verbar", 0x7C }, { "vert", 0x7C }, { "wcirc", 0x175 }, { "weierp", 0x2118 }, { "xi", 0x3BE },
    { "yacute", 0xFD }, { "ycirc", 0x177 }, { "yen", 0xA5 }, { "yuml", 0xFF }, { "zacute", 0x17A },
    { "zcaron", 0x17E }, { "zdot", 0x17C }, { "zeta", 0x3B6 }, { "zwj", 0x200D }, { "zwnj", 0x200C },
};
/* clang-format on */

static const uint16_t WINDOWS_1252[32] = { 0x20AC, 0,      0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                           0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0,      0x17D,  0,
                                           0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                           0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0,      0x17E,  0x178 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static char at(StrView v, size_t i) { return i < v.len ? v.ptr[i] : '\0'; }

/* Nothing goes on at byte i that an entity without its semicolon could be the beginning of. */
static bool is_apart(StrView v, size_t i)
{
    char c = at(v, i);
    return !is_digit(c) && !is_letter(c) && c != '=' && c != '_';
}

int32_t entity_named(StrView name)
{
    size_t low = 0, high = sizeof ENTITIES / sizeof *ENTITIES;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(name.ptr, ENTITIES[middle].name, name.len);
        if (!order && ENTITIES[middle].name[name.len]) order = -1;
        if (!order) return ENTITIES[middle].character;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}

static bool is_character(int32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' ||
           (c >= 0x20 && c != 0x7F && (c < 0x80 || c >= 0xA0) && (c < 0xD800 || c > 0xDFFF) && c <= 0x10FFFF);
}

/* &#8217; or &#x2019; with its first digit at byte i; returns the byte after its digits, or 0. */
static size_t number_end(StrView v, size_t i, int32_t *character)
{
    bool hex = at(v, i) == 'x' || at(v, i) == 'X';
    size_t begin = i += hex;
    int32_t c = 0;
    for (int digit; i < begin + DIGITS_MOST; i++) {
        digit = hex ? hex_digit(at(v, i)) : is_digit(at(v, i)) ? at(v, i) - '0' : -1;
        if (digit < 0) break;
        c = c > 0x10FFFF ? c : c * (hex ? 16 : 10) + digit;
    }
    if (c >= 0x80 && c < 0xA0) c = WINDOWS_1252[c - 0x80];
    if (i == begin || !is_character(c)) return 0;
    *character = c;
    return i;
}

static size_t name_end(StrView v, size_t i, int32_t *character)
{
    size_t end = i;
    while (end - i < NAME_MOST && (is_letter(at(v, end)) || is_digit(at(v, end)))) end++;
    *character = end > i ? entity_named((StrView){ v.ptr + i, end - i }) : 0;
    return *character ? end : 0;
}

size_t entity_end(StrView text, size_t i, int32_t *character)
{
    bool number = at(text, i + 1) == '#';
    size_t end = number ? number_end(text, i + 2, character) : name_end(text, i + 1, character);
    bool closed = end && at(text, end) == ';';
    if (!end || (!closed && (!is_apart(text, end) || (!number && *character >= 0x100)))) return i;
    end += closed;
    int32_t inner;
    size_t second = closed && *character == '&'
                        ? at(text, end) == '#' ? number_end(text, end + 1, &inner) : name_end(text, end, &inner)
                        : 0;
    if (!second || at(text, second) != ';') return end;
    *character = inner;
    return second + 1;
}
