/* Pages for a browser: the viewer (viewer/) and the JSON documents that it shows. A folder gets index.html, style.css
 * and script.js, and data/NAME.js for each document, which a page that was opened from a file may load (it may not read
 * JSON): so a page of many sentences reads those that are looked at. A path that ends in ".html" becomes one file that
 * has all of it. Nothing is loaded from elsewhere. */
#pragma once

#include "base/file.h"
#include "base/lock.h"

/* The files of the viewer; the scripts are one. */
extern const char VIEWER_PAGE[], VIEWER_STYLE[], VIEWER_SCRIPT[];

typedef struct Pages {
    const char *path; /* borrowed */
    Lock lock;        /* on the folder or file, until pages_close */
    bool one;         /* it is a file */
    FileWriter file;  /* that file; it gets its name when all is written */
    bool open;
} Pages;

/* Makes the folder if it does not exist and writes the viewer. ERR_IO, also where another process writes there
 * (base/lock.h), ERR_NOMEM. */
Status pages_open(Pages *pages, const char *path, Error *error);
/* Writes the document `name` and frees it. ERR_NOMEM also if json->failed, ERR_IO. */
Status pages_put(Pages *pages, const char *name, StrBuf *json, Error *error);
/* Ends the file, if commit is set, and the lock; also after errors. Does nothing if nothing is open. */
Status pages_close(Pages *pages, bool commit, Error *error);
