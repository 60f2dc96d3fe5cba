"""What travels: bodies, parameters, times and errors as requests and responses write them."""
