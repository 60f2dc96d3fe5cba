"""HTTP layer: admission, middleware, health checks and the OpenAPI documents."""
