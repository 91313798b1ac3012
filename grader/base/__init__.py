"""What every other package uses: errors, files and text."""
