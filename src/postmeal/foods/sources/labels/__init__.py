"""Parse the texts on food labels, and check the amounts on them."""
