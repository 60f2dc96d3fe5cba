"""What every request passes: admission, middleware, health checks and the OpenAPI documents."""
