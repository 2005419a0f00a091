/* manikin's C interface: poses an articulated figure.
 *
 * A problem, that is a figure with goals, is compiled in Python and handed over as one block of bytes (`Solver.to_bytes()`). Answers are
 * the same as in Python, to the bit, on the same kernels.
 *
 *   manikin_problem* problem = manikin_open(block, bytes);
 *   manikin_options options = manikin_defaults();
 *   if (!problem || manikin_solve(problem, &options, NULL, targets, NULL, pose, errors, &result) != 0) puts(manikin_error());
 *   manikin_close(problem);
 *
 * Every function may be called from any thread; a problem never changes, so threads may share it. No function throws. Functions that can
 * fail return 0 where all went well; else `manikin_error()` says what was wrong.
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
  int restarts;            /* most other starts of one search, where the first ends in a local minimum; below 0 as many as usual: -1.
                             * A track has none unless a number above 0 is given. */
  int iterations;          /* most iterations of a row: 1000000 */
  unsigned long long seed; /* of the random starts: 0 */
  double budget;           /* seconds for the whole call: infinite */
  int first;               /* 1 takes the first solution of an arm that is found, 0 the one nearest to the start: 0 */
  int threads;             /* over the rows: 1 */
  double dt;               /* of a track, seconds between two frames: 1/30 */
  const double* max_speed; /* of a track, (numbers) radians or lengths a second; NULL is the figure's own */
  int refine, escape;      /* passes of a track over the frames that are missed: 0 */
} manikin_options;

typedef struct manikin_result {
  int status;             /* MANIKIN_REACHED, ... */
  int iterations;         /* all starts together */
  double start_violation; /* how far the start was outside its limits before it was brought in, in radians or lengths */
} manikin_result;

/* The options of a call that says nothing. */
MANIKIN_API manikin_options manikin_defaults(void);
/* What was wrong with the last call of this thread; "" where nothing was. */
MANIKIN_API const char* manikin_error(void);

/* The kernels for the whole process: "base" for any processor, "v3" for AVX2 and FMA. Unless one is chosen, the fastest that this
 * processor runs are used. Call it before other functions. */
MANIKIN_API int manikin_use(const char* kernels);

/* A compiled problem; NULL where the block does not hold. The block may be let go afterwards. */
MANIKIN_API manikin_problem* manikin_open(const void* block, size_t bytes);
MANIKIN_API void manikin_close(manikin_problem* problem); /* NULL does nothing */

MANIKIN_API int manikin_numbers(const manikin_problem* problem); /* of a pose */
MANIKIN_API int manikin_goals(const manikin_problem* problem);   /* with those of closed loops */
MANIKIN_API int manikin_weights(const manikin_problem* problem); /* goals that have a weight: those of the caller */
MANIKIN_API int manikin_targets(const manikin_problem* problem); /* numbers in a row of targets */
MANIKIN_API int manikin_segments(const manikin_problem* problem);

/* One pose.
 *   start    (numbers); NULL is the rest pose, turned and moved to the targets where these fix a heading
 *   targets  (targets); NULL are the goals' own
 *   weights  (weights), 0 where a goal does not count; NULL are the goals' own
 *   pose     (numbers) out
 *   errors   (goals) out, in lengths or radians; may be NULL
 *   chosen   (goals) out, which member of each AnyOf was taken; may be NULL
 *   result   out; may be NULL
 */
MANIKIN_API int manikin_solve(const manikin_problem* problem, const manikin_options* options, const double* start, const double* targets,
                              const double* weights, double* pose, double* errors, int* chosen, manikin_result* result);
/* `count` poses, each from the same start: targets (count, targets), out (count, ...). */
MANIKIN_API int manikin_solve_many(const manikin_problem* problem, const manikin_options* options, long count, const double* start,
                                   const double* targets, const double* weights, double* poses, double* errors, int* chosen, manikin_result* results);
/* `count` frames, each from the pose before: targets (count, targets), out (count, ...). */
MANIKIN_API int manikin_track(const manikin_problem* problem, const manikin_options* options, long count, const double* start, const double* targets,
                              const double* weights, double* poses, double* errors, int* chosen, manikin_result* results);
/* World placements (segments, 4, 4) of all segments in a pose. */
MANIKIN_API int manikin_placements(const manikin_problem* problem, const double* pose, double* placements);

#ifdef __cplusplus
}
#endif

#endif
