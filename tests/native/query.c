/* Opens a compiled problem, solves, tracks and places it, and writes the answers as text with every bit:

       query BLOCK TARGETS COUNT KERNELS

   BLOCK is what Solver.to_bytes() gives, TARGETS has COUNT rows of targets as doubles. */
#include <stdio.h>
#include <stdlib.h>

#include "include/manikin.h"

static void* content(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (!file) exit(3);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  void* out = malloc(*bytes > 0 ? *bytes : 1);
  if (!out || fread(out, 1, *bytes, file) != *bytes) exit(3);
  fclose(file);
  return out;
}

static void* room(long count, size_t size) {
  void* out = calloc((size_t)(count > 0 ? count : 1), size);
  if (!out) exit(3);
  return out;
}

static void print(const char* name, const double* numbers, long count) {
  printf("%s", name);
  for (long k = 0; k < count; ++k) printf(" %a", numbers[k]);
  printf("\n");
}

int main(int count, char** words) {
  if (count != 5 || manikin_use(words[4]) != 0) return 2;
  size_t bytes, target_bytes;
  void* block = content(words[1], &bytes);
  double* targets = content(words[2], &target_bytes);
  const long rows = atol(words[3]);
  manikin_problem* problem = manikin_open(block, bytes);
  free(block);
  if (!problem) {
    printf("error %s\n", manikin_error());
    free(targets);
    return 1;
  }
  const long nq = manikin_numbers(problem), goals = manikin_goals(problem), segments = manikin_segments(problem);
  double *poses = room(rows * nq, sizeof(double)), *errors = room(rows * goals, sizeof(double)), *placed = room(16 * segments, sizeof(double));
  int* chosen = room(rows * goals, sizeof(int));
  manikin_result* results = room(rows, sizeof(manikin_result));
  manikin_options options = manikin_defaults();
  int failed = manikin_solve(problem, &options, NULL, targets, NULL, poses, errors, chosen, results);
  print("solve", poses, nq);
  options.threads = 2;
  failed |= manikin_solve_many(problem, &options, rows, NULL, targets, NULL, poses, errors, chosen, results);
  print("poses", poses, rows * nq);
  print("errors", errors, rows * goals);
  printf("chosen");
  for (long k = 0; k < rows * goals; ++k) printf(" %d", chosen[k]);
  printf("\nstatus");
  for (long k = 0; k < rows; ++k) printf(" %d", results[k].status);
  printf("\n");
  failed |= manikin_placements(problem, poses, placed);
  print("placed", placed, 16 * segments);
  failed |= manikin_track(problem, NULL, rows, NULL, targets, NULL, poses, errors, chosen, results);
  print("track", poses, rows * nq);
  poses[0] = 1.0 / 0.0;
  const int refused = manikin_solve(problem, &options, poses, targets, NULL, poses, NULL, NULL, NULL);
  printf("refused %d %s\n", refused, manikin_error());
  manikin_close(problem);
  free(targets);
  free(poses);
  free(errors);
  free(placed);
  free(chosen);
  free(results);
  if (failed) printf("failed %s\n", manikin_error());
  return failed;
}
