"""Test doubles and contract tests, published as `streamcord.testing`."""
