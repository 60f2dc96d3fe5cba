"""What is loaded from files and followed while serving: food catalogs and population models."""
