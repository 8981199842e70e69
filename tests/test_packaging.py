"""Our top-level names are plain words: these guards tell when they meet somebody else's."""

import sys
from importlib import metadata

PACKAGES = frozenset({"core", "ingest", "verifier", "store", "api"})
#: Folders of the checkout that are importable while the tests run.
IN_CHECKOUT = PACKAGES | {"tests", "training", "bench"}


def test_no_other_distribution_installs_one_of_our_names() -> None:
    # Not packages_distributions(): it knows nothing of an editable install.
    met = {
        (name, file.parts[0])
        for distribution in metadata.distributions()
        if (name := distribution.metadata["Name"]) != "spanproof"
        for file in distribution.files or ()
        if file.parts[0].removesuffix(".py") in IN_CHECKOUT
    }
    assert not met


def test_no_name_of_ours_is_one_of_the_standard_library() -> None:
    assert not IN_CHECKOUT & sys.stdlib_module_names
