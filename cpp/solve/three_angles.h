// Rotations as angles about axes, one after the other. The twins are in reference/heading.py and reference/natural.py.
#pragma once

namespace manikin {

// The turn about a unit vector, row by row.
void turn_about(const double* axis, double cosine, double sine, double* out);
void turn_by(const double* axis, double angle, double* out);
// The angles about three axes (rows) that make a rotation, of two sets the one with `side` 1 or -1.
void angles_of(const double* axes, const double* wanted, const double* now, int side, double* angles);
// Whole turns taken off, so that the angles are near to where they are now and within limits (3, 2); false where that cannot be.
bool bring_near(const double* now, const double* limits, double* angles);
// Of both sets of angles the one nearest to now within limits; where none is within, the one that is outside by least, brought inside.
void angles_within(const double* axes, const double* wanted, const double* now, const double* limits, double* angles);
// A quaternion w, x, y, z as a rotation, row by row; it need not have length 1.
void matrix_of(const double* q, double* out);

}  // namespace manikin
