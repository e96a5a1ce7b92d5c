/* parser/serve/page.h
 * page.html, which GET / answers: a page to try the server with. */
#pragma once

extern const char PAGE_HTML[];
