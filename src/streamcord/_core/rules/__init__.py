"""The rules of stage 6, one file each; their order is in `normalizer.py`."""
