"""How the documentation is built: Markdown through MyST, no network, and every warning an error (`nox -s docs`)."""

from __future__ import annotations

import sys
from pathlib import Path

from livecore.version import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "Livecore"
author = "The Livecore authors"
copyright = author
release = VERSION
version = VERSION

extensions = ["myst_parser", "sphinx_copybutton", "reading"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}

# Headings get anchors, so that a page may point into another, and the pointer is checked.
myst_heading_anchors = 3
# A term and, after a colon, what it means: the columns of the benchmarks.
myst_enable_extensions = ["deflist"]

html_theme = "furo"
# Code in letters of 12 pixels: the theme's column holds 98 of them in a line. A test holds our code to 96.
html_theme_options = {"light_css_variables": {"code-font-size": "var(--font-size--small--3)"}}
html_title = f"Livecore {VERSION}"
# The theme's default copies the Markdown beside the pages; the repository has it.
html_copy_source = False
html_show_sphinx = False

html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_search_scorer = str(HERE / "_static" / "search.js")

# The copy button takes the commands without their prompt, and nothing of what they print.
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
