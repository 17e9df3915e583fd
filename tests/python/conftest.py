"""Marks the tests that need Chromium, so that pytest can select them (-m browser) or skip them."""


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: looks at a page in Chromium")


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
