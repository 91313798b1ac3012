"""Read what students hand in: folders, archives, tables and names, each within limits."""
