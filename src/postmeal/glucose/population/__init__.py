"""Population model of glucose after meals: formula, band, impact score and glucose ranges."""
