// What Swift's Glibc module leaves out: locales as values (newlocale(3)), and the width of characters.
#ifndef GITSPACE_CLOCALE_SHIM_H
#define GITSPACE_CLOCALE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <wchar.h>

// Declared here because the module is compiled without _XOPEN_SOURCE.
extern int wcwidth(wchar_t character);

/// The characters (LC_CTYPE) of a locale, `""` being the one that the environment names; NULL if there is none.
static inline locale_t gitspace_characters(const char *name) {
    return newlocale(LC_CTYPE_MASK, name, (locale_t)0);
}

#endif
