# Two commands on a fresh machine: `make run` and `make test`. Needs Python 3.10 or newer, a C++17 compiler and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
OUT ?= out
BLENDER ?= build/blender
BLENDER_PYTHON ?= python3.11
CLANG ?= clang++
CLANG_FORMAT ?= $(BIN)/clang-format
CLANG_TIDY ?= $(or $(shell command -v clang-tidy-14),clang-tidy)
RUN_CLANG_TIDY ?= $(or $(shell command -v run-clang-tidy-14),run-clang-tidy)
PARALLEL ?= -n auto --dist worksteal
PACKAGE_TESTS ?= tests --ignore=tests/test_imports.py --ignore=tests/test_benchmarks.py --ignore=tests/test_benchmarks_users.py
SMOKE_TESTS ?= tests/test_core.py tests/test_backend.py tests/test_posing.py tests/test_version.py tests/test_imports.py tests/cli tests/files/bvh tests/goals
CPP = $(shell find cpp -name '*.cpp' -o -name '*.h')
CONFIGURE = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python \
  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
SANITIZED = LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 MANIKIN_TEST_PROFILE=few \
  PYTHONPATH=$(abspath build/sanitized) $(BIN)/python -m pytest -q -p no:cacheprovider
NATIVE_TESTS := tests/test_core.py tests/figure tests/kinematics tests/linalg tests/solvers tests/test_backend.py
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src cpp -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.h' -o -name py.typed)

.PHONY: run test lint format format-cpp format-cpp-check format-ts format-ts-check tidy pre-commit coverage coverage-package coverage-native bench bench-users docs \
  sanitize clang-test stub studio studio-packages studio-pictures sdist wheel wheel-check install-check wheels batch-check blender-check clean

run: $(VENV)/.installed  ## install into a local venv and pose the built-in person
	$(BIN)/manikin demo --out $(OUT)
	@echo "To pose the person by hand in the browser: $(BIN)/manikin studio"

test: $(VENV)/.tested  ## install what the tests need, and run them
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST)

lint: $(VENV)/.linted  ## ruff, mypy --strict on the package, mypy on the tests
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check src tests benchmarks examples tools
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

format: $(VENV)/.linted  ## mend what ruff can mend, and format the Python files
	$(BIN)/ruff check --fix src tests benchmarks examples tools
	$(BIN)/ruff format src tests benchmarks examples tools

format-cpp: $(VENV)/.linted  ## format the C++ files
	$(CLANG_FORMAT) -i $(CPP)

format-cpp-check: $(VENV)/.linted  ## fail if a C++ file is not formatted
	$(CLANG_FORMAT) --dry-run --Werror $(CPP)

format-ts: studio-packages  ## format the TypeScript files
	cd studio && npm run --silent format

format-ts-check: studio-packages  ## fail if a TypeScript file is not formatted
	cd studio && npm run --silent format-check

tidy: $(VENV)/.tested  ## clang-tidy on the native core; its checks are in .clang-tidy
	$(CONFIGURE) -B build/tidy -DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	$(RUN_CLANG_TIDY) -clang-tidy-binary $(CLANG_TIDY) -quiet -p build/tidy '$(CURDIR)/cpp/.*'

pre-commit: $(VENV)/.linted  ## every hook on every file
	$(BIN)/python -m pip install -q pre-commit
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/pre-commit run --all-files

coverage: coverage-package coverage-native  ## what the tests run of the package and of the native core

coverage-package: $(VENV)/.tested  ## lines and branches of the package; the report is build/coverage/package/index.html
	$(BIN)/python -m pip install -q "pytest-cov>=7"
	rm -rf build/coverage/package && mkdir -p build/coverage
	COVERAGE_FILE=$(CURDIR)/build/coverage/data $(BIN)/python -m pytest -q -p no:cacheprovider $(PARALLEL) --cov=manikin --cov-report= $(PACKAGE_TESTS)
	COVERAGE_FILE=$(CURDIR)/build/coverage/data $(BIN)/python -m coverage html -q -d build/coverage/package
	COVERAGE_FILE=$(CURDIR)/build/coverage/data $(BIN)/python -m coverage report | tail -1

coverage-native: $(VENV)/.tested  ## lines of the native core that the native tests run, by gcov; the report is build/coverage/native.html
	$(BIN)/python -m pip install -q "gcovr>=7"
	$(CONFIGURE) -B build/gcov -DMANIKIN_COVERAGE=ON
	$(BIN)/cmake --build build/gcov
	find build/gcov -name '*.gcda' -delete
	rm -rf build/covered && mkdir -p build/covered build/coverage && cp -r src/manikin build/covered/manikin && rm -f build/covered/manikin/_core*.so
	cp build/gcov/_core*.so build/covered/manikin/
	-PYTHONPATH=$(abspath build/covered) $(BIN)/python -m pytest -q -p no:cacheprovider $(PARALLEL) $(NATIVE_TESTS)  # this build has other last bits; make test judges
	$(BIN)/gcovr --root . --filter cpp/ --exclude-throw-branches --gcov-ignore-errors=all --html build/coverage/native.html --print-summary build/gcov

bench: $(VENV)/.optional  ## ours and the peers in one run: builds each peer's own venv under build/bench/ (4 GB), then measures (6 min)
	$(BIN)/python -m benchmarks.environments
	$(BIN)/python -m benchmarks --peers

bench-users: $(VENV)/.optional  ## calls as users write them: clips, reachable goals, single calls (30 min); NAME=before names the results
	$(BIN)/python -m benchmarks.environments placo mink
	$(BIN)/python -m benchmarks.success --name "$(NAME)"
	$(BIN)/python -m benchmarks.calls --name "$(NAME)"
	$(BIN)/python -m benchmarks.frames --name "$(NAME)"
	$(BIN)/python -m benchmarks.clips --peers --name "$(NAME)"

docs: $(VENV)/.installed  ## there is nothing to build: docs/ is Markdown; this opens the index
	@echo "docs/index.md is where to start reading"

sanitize: $(VENV)/.tested  ## native tests and the C program under AddressSanitizer and UndefinedBehaviorSanitizer
	$(CONFIGURE) -B build/sanitize -DMANIKIN_SANITIZE=ON -DMANIKIN_C_TEST=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
	$(BIN)/cmake --build build/sanitize
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/manikin build/sanitized/manikin && rm -f build/sanitized/manikin/_core*.so
	cp build/sanitize/_core*.so build/sanitized/manikin/
	for kernels in base v3; do MANIKIN_BACKEND=$$kernels MANIKIN_C_PROGRAM=$(abspath build/sanitize/query_in_c) $(SANITIZED) tests/native/test_c_api.py || exit 1; done
	$(SANITIZED) $(NATIVE_TESTS)

clang-test: $(VENV)/.tested  ## build the native core with Clang, and run the native tests on it
	$(CONFIGURE) -B build/clang -DCMAKE_CXX_COMPILER=$(CLANG) -DMANIKIN_WARNINGS_ARE_ERRORS=ON
	$(BIN)/cmake --build build/clang
	rm -rf build/clanged && mkdir -p build/clanged && cp -r src/manikin build/clanged/manikin && rm -f build/clanged/manikin/_core*.so
	cp build/clang/_core*.so build/clanged/manikin/
	PYTHONPATH=$(abspath build/clanged) $(BIN)/python -m pytest -q -p no:cacheprovider $(PARALLEL) $(NATIVE_TESTS) tests/test_symbols.py

studio: studio/node_modules/.installed  ## build the page of the studio; commit what it writes into src/manikin/studio/static (Node 20.19 or newer)
	cd studio && npm run build

studio-pictures: $(VENV)/.optional  ## pictures of the studio, light and dark, into build/studio-pictures (Chromium; some minutes without a GPU)
	$(BIN)/python tests/studio/screenshots.py build/studio-pictures $(NAMES)

studio-packages: studio/node_modules/.installed  ## install what builds and tests the page

studio/node_modules/.installed: studio/package-lock.json
	cd studio && npx --yes npm@10 ci
	@touch $@

stub: $(VENV)/.tested  ## write the type stub of the native core again
	$(BIN)/python -m nanobind.stubgen -m manikin._core -p cpp/bindings/stub.txt -o src/manikin/_core.pyi

sdist: $(VENV)/.tested
	$(BIN)/python -m pip install -q build && $(BIN)/python -m build --sdist

wheel: | $(VENV)/.made  ## build the wheel for this Python into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

wheel-check: | $(VENV)/.made  ## for every Python here: build the wheel, install it in a new environment, run SMOKE_TESTS there
	$(BIN)/python tests/wheels/check.py build/wheels $(PARALLEL) $(SMOKE_TESTS)

install-check: | $(VENV)/.made  ## install twice at once from a clone of the last commit, then once more: nothing is compiled again (some minutes)
	$(BIN)/python tests/wheels/twice.py build/install-check

wheels: | $(VENV)/.made  ## the wheels of a release, by cibuildwheel (on Linux it needs Docker)
	$(BIN)/python -m pip install -q cibuildwheel && $(BIN)/cibuildwheel --output-dir dist

batch-check: $(VENV)/.tested  ## 300 clips on a pool and on a Dask cluster, with a worker and the whole run killed; needs MANIKIN_DATA
	PYTHONPATH=tests:. $(BIN)/python tests/jobs/check.py build/batch-check

blender-check: $(VENV)/.tested $(BLENDER)/.installed  ## open GLB, BVH and USD of ours in Blender, and compare every joint (bpy: 900 MB, Python 3.11)
	$(BIN)/python tests/blender/write.py build/blender-check
	$(BLENDER)/bin/python tests/blender/check.py build/blender-check

$(BLENDER)/.installed:
	$(BLENDER_PYTHON) -m venv $(BLENDER) && $(BLENDER)/bin/python -m pip install --quiet "bpy==5.0.1"
	@touch $@

clean:
	rm -rf build dist $(OUT)

# The venv. Each stamp says that this much is installed from these sources; larger sets include the smaller ones, so that
# nothing is built twice. The build tools stand in the venv itself: pip would put them at a new path each time, and every
# file would be compiled again.
$(VENV)/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "scikit-build-core>=0.11" "nanobind>=2.4" "cmake>=3.18" ninja
	@touch $@

$(VENV)/.installed: $(SOURCES) | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --no-build-isolation ".[all]"
	@touch $@

$(VENV)/.tested: $(SOURCES) | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --no-build-isolation ".[test]"
	@touch $(VENV)/.installed $@

$(VENV)/.linted: $(SOURCES) | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --no-build-isolation ".[test,lint]"
	@touch $(VENV)/.installed $@

$(VENV)/.optional: $(SOURCES) | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --no-build-isolation ".[peers,lint]"
	@touch $(VENV)/.installed $(VENV)/.tested $(VENV)/.linted $@
