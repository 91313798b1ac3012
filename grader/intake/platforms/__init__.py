"""One module a platform: how its download names students and files."""
