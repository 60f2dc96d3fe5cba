"""What is eaten, and the nutrients in it."""
