#!/usr/bin/env python3
"""The page of brushwork report in a browser."""
import json
import os

from axe import violations
from browser import Browser
from e2e import Suite, check, write
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
            browser.value("void document.querySelectorAll('details').forEach(d => d.open = true)")
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


def with_messages(s, folder):
    """A page with all chapters: messages of each severity, folded ones, a comparison."""
    old, source = brighter(s, folder)
    new = source[:-4] + ".bsp"
    s.run("brushwork", "build", source, "-o", new, "--preset", "fast").expect(0)
    lines = [{"code": code, "severity": severity, "title": "t", "message": f"m {i}", "file": "a.vmf", "line": i, "point": [i, 0, 0]}
             for code, severity in (("V001", "error"), ("V180", "warning"), ("P004", "note")) for i in range(6)]
    lines.append({"result": {"stages": [{"name": "vbsp", "counters": {"nodes": 3}}]}})
    messages = write(os.path.join(folder, "all.json"), "".join(json.dumps(line) + "\n" for line in lines))
    page = source[:-4] + ".html"
    s.run("brushwork", "report", new, "-o", page, "--against", old, "--messages", messages).expect(0)
    return page


@suite.case
def axe_finds_nothing(s, folder):
    page = with_messages(s, folder)
    for width in (1280, 390):
        with Browser(width, 900) as browser:
            for scheme in ("light", "dark"):
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.open(page)
                check(violations(browser) == [], f"{width} {scheme}: {violations(browser)}")
                browser.value("void document.querySelectorAll('details').forEach(d => d.open = true)")
                check(violations(browser) == [], f"{width} {scheme}, unfolded: {violations(browser)}")
                check(browser.value("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}")


def border_of(browser):
    return browser.value("parseFloat(getComputedStyle(document.querySelector('.slider .before')).getPropertyValue('--at'))")


@suite.case
def the_border_between_before_and_after_moves(s, folder):
    """By the pointer, a click and the keyboard, without a script of the page."""
    with Browser(1280, 900) as browser:
        browser.open(with_messages(s, folder))
        browser.value("document.querySelector('.slider').scrollIntoView()")
        left, top, width = browser.value("(r => [r.left, r.top, r.width])(document.querySelector('.slider').getBoundingClientRect())")
        check(border_of(browser) == 10, "at first it is in the middle")
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + 0.9 * width, y=top + 50)
        browser.wait("getComputedStyle(document.querySelector('.slider .before')).getPropertyValue('--at').trim() === '18'")
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + 0.5 * width, y=top - 8)
        browser.wait("getComputedStyle(document.querySelector('.slider .before')).getPropertyValue('--at').trim() === '10'")
        browser.click(left + 0.2 * width, top + 50)
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + 0.5 * width, y=top - 8)
        browser.wait("getComputedStyle(document.querySelector('.slider .before')).getPropertyValue('--at').trim() === '4'")
        browser.type_key("ArrowRight", "ArrowRight", 39)
        browser.wait("getComputedStyle(document.querySelector('.slider .before')).getPropertyValue('--at').trim() === '5'")
        clip = browser.value("getComputedStyle(document.querySelector('.slider .before img')).clipPath")
        check("75%" in clip or "calc" in clip, clip)
        check(not browser.errors, browser.errors)


suite.main()
