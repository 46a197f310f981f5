#!/usr/bin/env python3
"""brushwork view --serve: the page follows the source."""
import math
import os
import re

from browser import Browser, MapPage
from e2e import Suite, check, read, write
from pictures import mean, mean_difference, pixels
from view_pages import SIZE, Served, place, press

suite = Suite()


@suite.case
def a_served_map_follows_its_source(s, folder):
    """The camera stays. A build that fails leaves the picture and says so; what it says leads to places."""
    text = read(s.map("two_rooms.vmf")).decode()
    source = write(os.path.join(folder, "edited.vmf"), text)
    with Served(s, folder, source) as served, Browser(*SIZE) as browser:
        browser.open(served.address, "view=128,128,64,0,90&mode=light&panel=0")
        page = MapPage(browser)
        browser.value("void ([...document.querySelectorAll('summary')].find(s => s.textContent === 'Limits').parentNode.open = true)")
        lit = pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))
        write(source, re.sub(r'"_light" "\d+ \d+ \d+ ', '"_light" "250 10 10 ', text))
        browser.wait("document.body.dataset.map === '2'")
        check(place(browser) == [128, 100, 64, 0, 90], place(browser))
        check(browser.value("document.querySelector('details[open] > summary').textContent") == "Limits", "an open list")
        red = pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))
        colours = [mean(shot[2], 0, 0, *SIZE) for shot in (lit, red)]
        check(colours[1][0] > 4 * colours[1][1] and colours[0][0] < 4 * colours[0][1], colours)
        write(source, text[:len(text) // 2])
        browser.wait("document.body.dataset.news.endsWith('failed')")
        check("Not built" in browser.value("document.getElementById('notice').textContent"), "the notice")
        check(browser.value("document.getElementById('panel').textContent.includes('C003')"), "no list of messages")
        browser.value("void (document.getElementById('notice').style.visibility = 'hidden')")
        check(mean_difference(red, pixels(page.shot("view=128,100,64,0,90&mode=light&panel=0"))) < 0.5, "another picture")
        write(source, read(s.map("leak.vmf")))
        browser.wait("document.body.dataset.map === '3'")
        # A leak is told with its place, and the camera is before it; it can go back.
        at = place(browser)
        check(40 < math.dist(at[:3], (272, 128, 128)) < 170, f"not before the hole: {at}")
        check("V001" in browser.value("document.getElementById('notice').textContent"), "the notice")
        press(browser, "Go back", "#notice button")
        browser.wait("document.body.dataset.drawn.startsWith('view=128,100,64,0,90')")
        # The same leak again is no news.
        write(source, read(s.map("leak.vmf")) + b"\n")
        browser.wait("document.body.dataset.map === '4'")
        check(place(browser)[:3] == [128, 100, 64], place(browser))
        press(browser, "Fly there", "#notice button")
        browser.wait("!document.body.dataset.drawn.startsWith('view=128,100,64,')")
        check(not browser.errors, browser.errors)
        check(all(address.startswith(served.address) for address in browser.requests), browser.requests)


suite.main()
