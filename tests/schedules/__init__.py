"""Seeded schedules of faults: one number is one answer, one place, one road and all that goes wrong."""
