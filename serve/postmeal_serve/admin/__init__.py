"""Admin commands: partners, keys, data, backup and restore."""
