"""Food catalogs and population models, reloaded at runtime when their files change."""
