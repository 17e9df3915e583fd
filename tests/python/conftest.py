"""Marks the tests that need Chromium, so that pytest can run them alone (-m browser) or leave them out."""


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: looks at a page in Chromium")


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
