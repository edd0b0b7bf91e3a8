"""What people and servers may ask of a store about themselves."""
