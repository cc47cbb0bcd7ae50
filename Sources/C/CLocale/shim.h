// The width of characters, which Swift's Glibc module lacks.
#ifndef GITSPACE_CLOCALE_SHIM_H
#define GITSPACE_CLOCALE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <wchar.h>

// Declared here because the module is compiled without _XOPEN_SOURCE.
extern int wcwidth(wchar_t character);

#endif
