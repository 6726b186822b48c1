"""Configuration of the documentation; it builds without a network and reads without one."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

from dpref import __version__  # noqa: E402

logging.getLogger("dpref").setLevel(logging.WARNING)  # a package of the theme shows whatever is logged at INFO

project = "dpref"
author = "The dpref authors"
copyright = "the dpref authors"  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "sphinxcontrib.typer",
    "mathml",
    "code_lines",
    "theorems",
    "algorithm_pages",
    "findings_pages",
    "argument_pages",
    "claims_schema",
    "navigation",
    "negation_pages",
    "public_names",
    "python_names",
    "reference",
    "second_checker",
]
exclude_patterns = ["_build", "generated/schema", "generated/second_checker"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib", "generated/proofs.bib"]
bibtex_default_style = "alpha"
bibtex_reference_style = "author_year"
suppress_warnings = ["bibtex.duplicate_citation"]

default_role = "literal"
smartquotes = False
add_module_names = False
toc_object_entries = False  # hundreds of functions in the navigation of every page help nobody, and take minutes
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "ignore-module-all": True}  # a name stands on the page of its own module
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
python_use_unqualified_type_names = True

nitpicky = True
# The pages of other projects are not at hand, and type variables have no page of their own.
nitpick_ignore_regex = [
    ("py:.*", r"(?!(dpref|proofs)\.).*"),
    ("py:.*", r"(dpref|proofs)\.(.*\.)?([A-Z](_co|_contra)?|_\w+)"),
]

html_theme = "furo"
html_title = f"dpref {__version__}"
html_static_path = ["_static"]
html_css_files = ["dpref.css"]
html_js_files = ["landmarks.js"]
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
