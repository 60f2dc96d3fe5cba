"""Food catalogs, places, literature and population models, reloaded when their files change."""
