#!/usr/bin/env python3
"""The page of brushwork report in a browser."""
from browser import Browser
from e2e import Suite, check
from report_pages import brighter

suite = Suite()


@suite.case
def a_browser_shows_it(s, folder):
    old, source = brighter(s, folder)
    page = source[:-4] + ".html"
    s.run("brushwork", "report", source, "-o", page, "--against", old, "--times", "--build-option", "--preset",
          "--build-option", "fast").expect(0)
    for width in (1100, 360):
        with Browser(width, 800) as browser:
            browser.open(page)
            browser.wait("document.readyState === 'complete'")
            check(browser.value("[...document.images].every(i => i.complete && i.naturalWidth === 768)"), "pictures")
            check(browser.value("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}")
            for chapter in "changes", "clusters":
                words = f"document.querySelectorAll('#{chapter} td .word')"
                check(browser.value(f"{words}.length > 2 && [...{words}].every(w => w.getClientRects().length === 1)"), chapter)
            colours = []
            for scheme in ("light", "dark"):
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                colours.append(browser.value("getComputedStyle(document.body).backgroundColor"))
            check(colours[0] != colours[1], colours)
            asked = [address for address in browser.requests if not address.startswith("data:")]
            check(not browser.errors and len(asked) == 1, f"{browser.errors} {asked}")


suite.main()
