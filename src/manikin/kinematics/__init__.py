"""What can be said of joints with arrays alone: swing and twist, and distances between capsules."""
