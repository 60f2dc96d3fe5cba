"""Wire formats: bodies, parameters, times and errors in requests and responses."""
