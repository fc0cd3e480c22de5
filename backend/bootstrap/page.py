"""The browser side: npm packages, the built page, a browser for the tests."""

from __future__ import annotations

import os
import shutil

from bootstrap.steps import Steps

NOT_SOURCES = {"dist", "report", "coverage", "node_modules"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Page:
    """Installs into `node_modules`, builds into `frontend/dist`."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._root = steps.root

    def packages(self) -> None:
        """npm packages, exactly as locked."""
        inputs = [self._root / "package.json", self._root / "package-lock.json"]
        # `npm ci` removes node_modules first, and the stamp with it: a broken-off run counts as none.
        stamp = self._root / "node_modules" / ".stamp"
        options = ["--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=4"]
        self._steps.run_once("npm packages", stamp, inputs, "npm", "ci", *options)

    def build(self) -> None:
        """The page, with hashed and compressed files."""
        frontend, stamp = self._root / "frontend", self._root / ".firstlight" / "page.stamp"
        if not (frontend / "dist" / "index.html").is_file():
            stamp.unlink(missing_ok=True)
        sources = [path for path in sorted(frontend.iterdir()) if path.name not in NOT_SOURCES]
        inputs = [self._root / "package-lock.json", *sources]
        self._steps.run_once("Page", stamp, inputs, "npm", "run", "build")

    def browser(self) -> None:
        """A Chromium for the tests: `$CHROMIUM`, an installed one, else from Debian, else Playwright's own."""
        if os.environ.get("CHROMIUM") or any(map(shutil.which, BROWSERS)):
            return
        name = "Browser for tests"
        install = self._from_debian if os.geteuid() == 0 and shutil.which("apt-get") else self._from_playwright
        self._steps.once(name, self._root / "node_modules" / ".stamp-browser", [], lambda: install(name))

    def _from_debian(self, name: str) -> None:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        self._steps.run(name, "apt-get", "update", env=quiet)
        packages = ["chromium", "fonts-liberation"]
        self._steps.run(name, "apt-get", "install", "--yes", "--no-install-recommends", *packages, env=quiet)

    def _from_playwright(self, name: str) -> None:
        self._steps.run(name, "npx", "playwright", "install", "chromium")
