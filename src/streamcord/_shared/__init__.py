"""Small parts that know nothing of the rest of the package: every room may use them."""
