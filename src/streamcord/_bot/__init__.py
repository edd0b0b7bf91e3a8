"""The runnable bot; it uses only public names of the library."""
