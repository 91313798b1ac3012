"""What each learning platform imports, and how scores are uploaded to it."""
