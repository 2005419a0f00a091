"""Motions from the keypoints of pose estimators: `fit_points`."""
