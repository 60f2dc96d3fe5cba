"""Programs that build what the library ships."""
