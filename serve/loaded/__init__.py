"""Food catalogs and population models, reloaded while serving when their files change."""
