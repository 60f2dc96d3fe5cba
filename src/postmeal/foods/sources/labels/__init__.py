"""Parse the texts and check the amounts of food labels."""
