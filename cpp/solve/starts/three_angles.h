// Rotations as successive angles about axes, as matrices and as quaternions. The Python versions are in reference/heading.py and reference/natural.py.
#pragma once

namespace manikin {

// Computes the rotation about a unit vector, row by row.
void turn_about(const double* axis, double cosine, double sine, double* out);
void turn_by(const double* axis, double angle, double* out);
// Computes the angles about three axes (rows) that make a rotation. `side` 1 or -1 selects one of the two solutions.
void angles_of(const double* axes, const double* wanted, const double* now, int side, double* angles);
// Removes whole turns, so that the angles are near their present values and within limits (3, 2). Returns false if that is not possible.
bool bring_near(const double* now, const double* limits, double* angles);
// Chooses the solution within limits that is nearest to the present angles. If neither is within limits, takes the one with the least excess and
// clips it.
void angles_within(const double* axes, const double* wanted, const double* now, const double* limits, double* angles);
// Computes the quaternion w, x, y, z of a rotation, given row by row, from its largest component; w is at least 0.
void quaternion_of(const double* r, double* q);
// Computes a unit vector perpendicular to a unit vector, always the same one.
void perpendicular(const double* axis, double* out);

}  // namespace manikin
