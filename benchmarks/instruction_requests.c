/* Requests to callgrind, for Python to call: outside of valgrind they do nothing. */
#include <valgrind/callgrind.h>

void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void zero(void) { CALLGRIND_ZERO_STATS; }
void dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
int inside(void) { return RUNNING_ON_VALGRIND; }
