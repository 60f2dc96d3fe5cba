"""One loader a data set, each from its official format."""
