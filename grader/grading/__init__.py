"""Run submissions, score what they prove, and explain what failed."""
