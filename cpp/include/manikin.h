/* manikin's C interface: poses an articulated figure.
 *
 * A problem is a figure with goals. Python compiles it and exports it as one block of bytes (`Solver.to_bytes()`). With the same kernels,
 * answers are the same as in Python, to the bit.
 *
 *   manikin_problem* problem = manikin_open(block, bytes);
 *   manikin_options options = manikin_defaults();
 *   if (!problem || manikin_solve(problem, &options, NULL, targets, NULL, pose, errors, NULL, &result) != 0) puts(manikin_error());
 *   manikin_close(problem);
 *
 * Every function may be called from any thread. A problem never changes, so threads may share it. No function throws. Functions that can
 * fail return 0 on success; otherwise `manikin_error()` describes the error.
 */
#ifndef MANIKIN_H
#define MANIKIN_H

#include <stddef.h>

#if defined(_WIN32) && defined(MANIKIN_SHARED)
#define MANIKIN_API __declspec(dllexport)
#elif defined(__GNUC__)
#define MANIKIN_API __attribute__((visibility("default")))
#else
#define MANIKIN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct manikin_problem manikin_problem;

/* How a row ended. */
enum { MANIKIN_REACHED = 0, MANIKIN_STALLED = 1, MANIKIN_OUT_OF_ITERATIONS = 2, MANIKIN_OUT_OF_TIME = 3 };

typedef struct manikin_options {
  int restarts;            /* most other starts of one search, used if the first ends in a local minimum; below 0: the usual number. Default: -1.
                             * A track uses restarts only if the number is above 0. */
  int iterations;          /* most iterations of a row. Default: 1000000 */
  unsigned long long seed; /* seed of the random starts. Default: 0 */
  double budget;           /* time limit of the whole call, in seconds. Default: infinite */
  int first;               /* 1: take the first solution found for an arm; 0: the one nearest to the start. Default: 0 */
  int threads;             /* number of threads that share the rows. Default: 1 */
  double dt;               /* of a track: seconds between two frames. Default: 1/30 */
  const double* max_speed; /* of a track: (numbers) speed limits in radians or lengths per second. Default: NULL, the figure's own limits */
  int refine, escape;      /* of a track: 1 enables the pass over missed frames. Default: 0 */
} manikin_options;

typedef struct manikin_result {
  int status;             /* MANIKIN_REACHED, ... */
  int iterations;         /* over all starts */
  double start_violation; /* how far the start was outside its limits before it was clipped, in radians or lengths */
} manikin_result;

/* Returns the default options. */
MANIKIN_API manikin_options manikin_defaults(void);
/* Describes the error of the last call on this thread; "" if it succeeded. */
MANIKIN_API const char* manikin_error(void);

/* Selects the kernels for the whole process: "base" for any processor, "v3" for AVX2 and FMA. The default is the fastest that this
 * processor can run. Call it before other functions. */
MANIKIN_API int manikin_use(const char* kernels);

/* Reads a compiled problem; returns NULL if the block is not valid. The block may be freed afterwards. */
MANIKIN_API manikin_problem* manikin_open(const void* block, size_t bytes);
MANIKIN_API void manikin_close(manikin_problem* problem); /* NULL is allowed */

MANIKIN_API int manikin_numbers(const manikin_problem* problem); /* length of a pose */
MANIKIN_API int manikin_goals(const manikin_problem* problem);   /* including those of closed loops */
MANIKIN_API int manikin_weights(const manikin_problem* problem); /* goals with a weight: those of the caller */
MANIKIN_API int manikin_targets(const manikin_problem* problem); /* length of a row of targets */
MANIKIN_API int manikin_segments(const manikin_problem* problem);

/* Solves one pose.
 *   start    (numbers); NULL: the rest pose, turned and moved to the targets if these determine a heading
 *   targets  (targets); NULL: the defaults of the goals
 *   weights  (weights), 0 for goals that do not count; NULL: the defaults of the goals
 *   pose     (numbers) out
 *   errors   (goals) out, in lengths or radians; may be NULL
 *   chosen   (goals) out, the chosen member of each AnyOf; may be NULL
 *   result   out; may be NULL
 */
MANIKIN_API int manikin_solve(const manikin_problem* problem, const manikin_options* options, const double* start, const double* targets,
                              const double* weights, double* pose, double* errors, int* chosen, manikin_result* result);
/* Solves `count` poses, each from the same start: targets (count, targets), out (count, ...). */
MANIKIN_API int manikin_solve_many(const manikin_problem* problem, const manikin_options* options, long count, const double* start,
                                   const double* targets, const double* weights, double* poses, double* errors, int* chosen, manikin_result* results);
/* Solves `count` frames, each from the previous pose: targets (count, targets), out (count, ...). */
MANIKIN_API int manikin_track(const manikin_problem* problem, const manikin_options* options, long count, const double* start, const double* targets,
                              const double* weights, double* poses, double* errors, int* chosen, manikin_result* results);
/* Computes the world placements (segments, 4, 4) of all segments in a pose. */
MANIKIN_API int manikin_placements(const manikin_problem* problem, const double* pose, double* placements);

#ifdef __cplusplus
}
#endif

#endif
