"""Score files: each platform's function makes one of an order, or raises UsageError or CourseError."""
