/* Files that are answers, or parts of them. */
#pragma once

/* The viewer with viewer/live.js, which GET / answers: a page to parse, explain and correct with. */
extern const char PAGE_HTML[];
/* openapi.json: what GET /openapi.json has beside the paths. */
extern const char PAGE_OPENAPI[];
/* docs/parse.schema.json: a line of lal parse --format json. */
extern const char PAGE_SCHEMA[];
