"""Helpers that several test files share.

Small courses, from the simplest to the most complete one:
    ``adding_course``: the text of a course.toml with one criterion.
    ``sums_course``: a course on disk with real tests; for what runs tests.
    ``notebook_course``: a course on disk and handed-in notebooks; for the notebook edition.
    ``small_lesson``: a sound lesson with all that is generated; for tests that break it.

Classes:
    ``small_class``: results written by hand; for exports and uploads.
    ``gradebook_class``: results written by hand for ``notebook_course``; for the gradebook.
    ``intake_class``, ``platform_downloads``: folders and archives as platforms name them; for the intake.
    ``nbgrader_class``, ``jupyter_server``: the kit's lesson in a native nbgrader course, and a server on it.
    ``sample_class``: the sample class in ``tests/sample``.
    ``hostile_class``: the submissions in ``tests/hostile``, among honest ones.

The kit's lessons:
    ``lessons``: both, with all that a test needs of them.
    ``exercise_suites``: their tests, run in this process against any version of a function.
    ``right_variants``, ``class_answers``: right and wrong answers to the first lesson.
    ``block_tables_class``: right and wrong answers to the second.

The jail:
    ``jail``: the best one that this machine can build.
    ``scripted_child``: a child that answers byte by byte as a test says.
    ``probe_inside``, ``probe_jail``: what is tried from inside, and the table of it.
    ``users``, ``grade_class``: scripts run as root and as an ordinary user.

Platforms:
    ``fake_server``, ``fake_canvas``, ``fake_canvas_files``, ``fake_moodle``, ``fake_lti``: real HTTP servers.
    ``platform_readers``: readers of score files that work as the platforms' own.

``golden`` compares with the texts in ``tests/golden``; ``contrast`` measures colours; ``postgres_server``
starts PostgreSQL; ``paths`` has the places of the kit and its tests.
"""
