"""Notices, buttons and progress that people see beside an answer."""
