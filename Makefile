# Everything runs in the virtual environment .venv, which the first call makes.

VENV := .venv
BIN := $(VENV)/bin
SAMPLE := tests/sample

.PHONY: help grade check build release web style quick test fuzz

help:
	@echo "make grade                             grade the class that comes with the kit"
	@echo "make grade CLASS=FILE ROSTER=FILE      grade your own class (ROSTER is optional)"
	@echo "make check                             say what is wrong in the course"
	@echo "make build                             generate exercises/ from solutions/"
	@echo "make release                           write the students' bundle into dist/"
	@echo "make web                               write the page for the browser into dist/web/ (needs Node 20 and npm)"
	@echo "make style                             style, types and layers"
	@echo "make quick                             style and the fast tests, in about a minute"
	@echo "make test                              style and all tests, as in CI"
	@echo "make fuzz                              10,000 random hand-ins (COUNT=N), in about ten minutes"
	@echo "make bench                             what grading costs, beside other graders (FULL=1: for long)"
	@echo
	@echo "EXERCISE=NAME chooses one of several exercises (grade, check, build, release, web)."

# CLASS and ROSTER reach the shell through its environment, so that any file name works.
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

web: $(VENV)/.grade web/dist/index.html
	@$(BIN)/grader release --web $(ONE)

style: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

quick: style
	$(BIN)/python -m pytest -n 3 --dist worksteal -m 'not slow' -q

test: style
	$(BIN)/python -m pytest -n auto --dist loadfile --cov --cov-report=term -q
	$(BIN)/grader check

fuzz: $(VENV)/.test
	cd tests && ../$(BIN)/python -m helpers.fuzz_class $(or $(COUNT),10000) $(SEED)

bench: $(VENV)/.test
	$(BIN)/python benchmarks/compare.py $(if $(FULL),--count 120 1000 5000 --plain 30)
	$(BIN)/python benchmarks/floor.py
	$(BIN)/python benchmarks/peers.py $(if $(FULL),--count 16)
	$(if $(FULL),$(BIN)/python benchmarks/growth.py 100 300 1000 3000 10000)

$(VENV)/.grade: pyproject.toml | $(VENV)/.python
	@echo "Installing the grader into $(VENV), which takes a minute the first time." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[nbgrader,report]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.python
	@echo "Installing the grader and its tests' tools into $(VENV), which takes a few minutes the first time." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[nbgrader,postgres,upload,cluster,report,test,lint]'
	@touch $@ $(VENV)/.grade

# What the page has in common for all exercises.
web/dist/index.html: web/node_modules/.package-lock.json web/build.js $(wildcard web/src/*)
	@cd web && npm run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "make web needs Node 20 or newer and npm; install them." >&2; exit 1; }
	@cd web && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# PYTHON=... names the Python to use. Without it, the first one that is new enough is used.
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
