"""The commands of administration: partners, keys, data, backup and restoration."""
