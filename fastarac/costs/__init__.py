"""What errors and their prevention cost: which threshold and which model for which prices."""
