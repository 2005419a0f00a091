// The tunable constants of the bindings.
#pragma once

// Milliseconds between two looks at the signals (Ctrl-C) during a native call.
constexpr int kSignalMilliseconds = 50;
// Rows of a heading between two looks at the signals.
constexpr long kRowsBetween = 1024;
// Numbers of poses, for each thread, between two looks at the signals.
constexpr long kNumbersAtOnce = 1 << 17;
// Least poses at once; a multiple of all lanes.
constexpr long kLeastAtOnce = 64;
// Seconds between two frames where nothing is said; solvers/native/speeds.py has the same as FRAME.
constexpr double kFrameSeconds = 1.0 / 30.0;
