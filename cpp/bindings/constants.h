// The tunable constants of the bindings.
#pragma once
#include <Python.h>

#include <cstddef>

// During a native call, signals (Ctrl-C) are checked at this interval, in milliseconds.
constexpr int kSignalMilliseconds = 50;
// The checks of rows, and the computation of headings, look for signals once in this many rows.
constexpr long kRowsBetween = 1024;
// A computation over poses checks signals after this many numbers for each thread.
constexpr long kNumbersAtOnce = 1 << 17;
// A computation over at most this many poses keeps the GIL: it takes some microseconds.
constexpr long kPosesWithGil = 16;
// A computation over poses takes at least this many poses at a time; the value is a multiple of every lane count.
constexpr long kLeastAtOnce = 64;
// Default time between two frames, in seconds. FRAME in solvers/native/speeds.py has the same value.
constexpr double kFrameSeconds = 1.0 / 30.0;
// A track whose answer has at most this many numbers stores them in one object; arrays are made when they are read.
constexpr Py_ssize_t kPackedNumbers = 4096;
// A track of at most this many frames, with the frame before, needs no memory for their times and endings.
constexpr std::size_t kFewFrames = 17;
