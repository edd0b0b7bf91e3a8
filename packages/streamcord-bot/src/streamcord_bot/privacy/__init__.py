"""What is stored about people, and how long."""
