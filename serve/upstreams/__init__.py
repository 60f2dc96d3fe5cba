"""What is asked outside: nothing, unless a setting names it."""
