// What Swift's Glibc module leaves out: gettext(3), and the width of characters.
#ifndef GITSPACE_CGETTEXT_SHIM_H
#define GITSPACE_CGETTEXT_SHIM_H

#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <wchar.h>

// Declared here because the module is compiled without _XOPEN_SOURCE.
extern int wcwidth(wchar_t character);

#endif
