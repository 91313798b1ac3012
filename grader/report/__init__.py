"""Reports for instructors: a class as a page and a table, and one student in full."""
