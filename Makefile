# The few commands of the project. Everything lives in .venv; nothing is installed elsewhere.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
export PYTHONPYCACHEPREFIX :=

.PHONY: install run test golden lint bench soak picture lock clean

install: .venv/installed

.venv/installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q bot handlers
	@touch $@

.venv/installed-dev: .venv/installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	@touch $@

# The whole bot with nothing configured, on an invented repository.
run: .venv/installed
	$(BIN)/digest-bot demo

# Three processes on two cores: many tests wait for a bot that waits.
test: .venv/installed-dev
	$(BIN)/python -m pytest -n 3 --dist loadgroup

# Writes the golden files anew; read the difference before you commit it.
golden: .venv/installed-dev
	$(BIN)/python -m pytest -q tests/test_digest.py --golden

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed-dev
	$(BIN)/python -m tests.bench

# A year of every time zone and a thousand digests due at once on a virtual clock, and more faults: some 30 minutes.
soak: .venv/installed-dev
	$(BIN)/python -m pytest tests/soak -o python_files='soak_*.py' -n 2 --dist worksteal -rP --show-capture=stdout

# The picture in the README; needs Debian's chromium and fonts-noto-cjk.
picture: .venv/installed-dev
	$(BIN)/python -m tests.picture docs/page.png

# Needs uv. No index host enters a lock: the machine's own pip configuration decides where packages come from.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
		--python-version 3.11 --group build pyproject.toml --output-file requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
		--python-version 3.11 --group build --group dev pyproject.toml --output-file requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
