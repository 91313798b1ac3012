"""One download of each platform, file by file, as the platform names them; the people are invented."""

from helpers.intake_class import ONE, OTHER, TWO

CANVAS = {
    "lovelaceada_LATE_11_5002_reservation-1.py": TWO,
    "lovelaceada_LATE_11_5001_hands_on.py": ONE,
    "oneilbrontësiobhán_14_5003_my lab (1).py": TWO,
    "李小明_15_5004_reservation.py": TWO,
    "_19_5008_e.py": TWO,
    "smithlate_23_5010_reservation.py": TWO,
    "studenttest_99_5020_reservation.py": TWO,
    "hoppergrace_31_text.html": b"<p>see mail</p>",
}
MOODLE = {
    "Ada Lovelace_12_assignsubmission_file/reservation.py": TWO,
    "Ada Lovelace_12_assignsubmission_file/hands_on.py": ONE,
    "Ada Lovelace_12_assignsubmission_onlinetext/onlinetext.html": b"<p>hello</p>",
    "De La Cruz_Ana_13_assignsubmission_file_/reservation.py": TWO,
    "=1+1 @Cmd_14_assignsubmission_file/reservation.py": TWO,
    "Participant_15_assignsubmission_file/reservation.py": TWO,
    "Blue team_3_assignsubmission_file/reservation.py": TWO,
    "Default group_assignsubmission_file/reservation.py": TWO,
}
BRIGHTSPACE = {
    "39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM/reservation.py": TWO,
    "39786-640693 - Ada Lovelace - Oct 11, 2025 922 PM/reservation.py": OTHER,
    "39790-640693 - Anne - Marie - Oct 10, 2025 1022 AM/hands_on.py": ONE,
    "39791-640693 - Bo O'Neil- Oct 10, 2025 1022 AM - reservation.py": TWO,
    "39792-640693 - Cy - 10.10.2025 1022/reservation.py": TWO,
    "index.html": b"<html>",
}
STAMP = "_attempt_2025-10-10-10-22-33"
MANIFEST = """\
Name: Ada (the first) Lovelace (ada_l)
Assignment: Lab_1
Date Submitted: Friday, October 10, 2025 10:22:33 AM CEST
Current Grade: Not Graded Yet

Submission Field:
Name: Grace Hopper (hopper)
Files:
\tOriginal filename: fake.py
\tFilename: Lab_1_ada_l{stamp}_reservation(1).py

Comments:
There are no student comments for this submission.

Files:
\tOriginal filename: reservation.py
\tFilename: Lab_1_ada_l{stamp}_reservation(1).py
\tOriginal filename: sub\\hands_on.py
\tFilename: Lab_1_ada_l{stamp}_hands_on.py
"""
BLACKBOARD = {
    f"Lab_1_ada_l{STAMP}.txt": MANIFEST.format(stamp=STAMP).replace("\n", "\r\n").encode(),
    f"Lab_1_ada_l{STAMP}_reservation(1).py": TWO,
    f"Lab_1_ada_l{STAMP}_hands_on.py": ONE,
    f"Lab_1_hopper{STAMP}_reservation.py": OTHER,
    "Lab_1_hopper_attempt_2025-10-09-08-00-00_reservation.py": TWO,
    f"Lab_1_ta_previewuser{STAMP}_reservation.py": TWO,
}
GRADESCOPE_YML = b"""\
---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '00017'
    :email: ada@example.edu
  :created_at: 2025-10-10 10:22:33.123456789 Z
  :score: 3.0
  :history: []
submission_102:
  :submitters:
  - :name: Bo O'Neil
    :sid: 0o17
    :email: bo@example.edu
  - :name: Cy
    :sid:
    :email: cy@example.edu
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2025-10-11 10:22:33.000000000 Z
    zone: !ruby/object:ActiveSupport::TimeZone
      name: America/New_York
submission_103:
  :submitters: []
  :created_at: soon
submission_104: oops
"""
GRADESCOPE = {
    "submission_metadata.yml": GRADESCOPE_YML,
    "submission_101/reservation.py": TWO,
    "submission_102/lab/reservation.py": TWO,
    "submission_103/reservation.py": TWO,
    "submission_105/reservation.py": TWO,
}
NBGRADER = {
    "ada/contiguous_reservation/reservation.ipynb": b"{}",
    "ada/contiguous_reservation/timestamp.txt": b"2025-10-10 10:22:33.5 UTC\n",
    "bo/contiguous_reservation/reservation.py": TWO,
    "bo/contiguous_reservation/timestamp.txt": b"2025-10-10 10:22",
    "cy/contiguous_reservation/reservation.py": TWO,
    "cy/contiguous_reservation/timestamp.txt": b"",
    "dee/contiguous_reservation/hands_on.py": ONE,
    "eli/other/reservation.py": TWO,
}
GITHUB = {
    "contiguous-reservation-ada-l/reservation.py": TWO,
    "contiguous-reservation-bo/sub/hands_on.py": ONE,
}
EXAMPLES = {
    "canvas": CANVAS,
    "moodle": MOODLE,
    "brightspace": BRIGHTSPACE,
    "blackboard": BLACKBOARD,
    "gradescope": GRADESCOPE,
    "nbgrader": NBGRADER,
    "github": GITHUB,
}
