# Everything runs in a virtual environment of its own, .venv, which the first call sets up.

VENV := .venv
BIN := $(VENV)/bin
SAMPLE := tests/sample

.PHONY: help grade test check build release

help:
	@echo "make grade                             grade the class that comes with the kit"
	@echo "make grade CLASS=FILE ROSTER=FILE      grade a class of yours (ROSTER may be left out)"
	@echo "make check                             is the course sound?"
	@echo "make build                             write exercises/ anew from solutions/"
	@echo "make release                           write what students get, into dist/"
	@echo "make test                              all that is tested, as in CI"
	@echo
	@echo "EXERCISE=NAME says which one, in a course with several."

# CLASS and ROSTER reach the shell through its environment, as they stand, so that any file name will do.
ifdef CLASS
override CLASS := $(value CLASS)
override ROSTER := $(value ROSTER)
export CLASS ROSTER
endif

ONE := $(if $(EXERCISE),--exercise $(EXERCISE))

grade: $(VENV)/.grade
ifdef CLASS
	@if [ -n "$$ROSTER" ]; then set -- --roster "$$ROSTER"; fi; $(BIN)/grader grade $(ONE) "$$@" -- "$$CLASS"
else
	@$(BIN)/grader grade $(SAMPLE)/class.zip --course $(SAMPLE)/course.toml --roster $(SAMPLE)/roster.csv
endif

check: $(VENV)/.grade
	@$(BIN)/grader check $(ONE)

build: $(VENV)/.grade
	@$(BIN)/grader build $(ONE)

release: $(VENV)/.grade
	@$(BIN)/grader release $(ONE)

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist loadfile --cov --cov-report=term -q
	$(BIN)/grader check

$(VENV)/.grade: pyproject.toml | $(VENV)/.python
	@echo "Installing the grader into $(VENV), which takes a minute the first time." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[nbgrader]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.python
	@echo "Installing the grader and its tests' tools into $(VENV), which takes a few minutes the first time." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[nbgrader,postgres,upload,cluster,test,lint]'
	@touch $@ $(VENV)/.grade

# PYTHON=... names the one to use; without it the first that is new enough.
$(VENV)/.python:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    "$$python" -m venv --clear $(VENV) || { \
	      echo "$$python could not make a virtual environment; on Debian and Ubuntu install python3-venv." >&2; \
	      exit 1; }; \
	    touch $@; exit 0; \
	  fi; \
	done; \
	echo "The grader needs Python 3.11 or newer, and here is $$(python3 --version 2>&1 || echo none)." \
	  "Install one, or name it: make grade PYTHON=/path/to/python3.12" >&2; exit 1
