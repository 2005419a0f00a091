// The namespace of the kernels. They are compiled once for each instruction set, with MANIKIN_ISA as the name of the namespace (CMakeLists.txt), so
// that no function of one set can be linked in place of another's. An editor, or a compiler that reads a single header, sees the base set.
#pragma once

#ifndef MANIKIN_ISA
#define MANIKIN_ISA base
#endif

#define MANIKIN_JOIN_(a, b) a##b
#define MANIKIN_JOIN(a, b) MANIKIN_JOIN_(a, b)
#define MANIKIN_TEXT_(x) #x
#define MANIKIN_TEXT(x) MANIKIN_TEXT_(x)
