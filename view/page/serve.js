// A page without a map asks its server for one, and for the next when that was built.

const RETRY = 1000; // milliseconds

function rest(milliseconds) {
  return new Promise(done => setTimeout(done, milliseconds));
}

// The block of data in the text of a page with a map.
function dataOfPage(text) {
  const found = /id="data">([A-Za-z0-9+\/=]*)<\/script>/.exec(text);
  if (!found)
    throw new Error("the server has sent no map");
  return found[1];
}

async function fetchText(name) {
  const answer = await fetch(name, {cache: "no-store"});
  if (!answer.ok)
    throw new Error(`${name}: status ${answer.status}`);
  return answer.text();
}

function noticeText(state, hasMap) {
  if (state.state === "building")
    return "Building the map.";
  if (state.state === "failed")
    return `Not built: ${state.text} (${countText(state.messages)}). ${hasMap ? "This is the map before." : ""}`;
  return "";
}

function showNotice(text, buttons = []) {
  const notice = document.getElementById("notice");
  notice.replaceChildren(text, ...buttons);
  notice.hidden = !text;
}

function noticeButton(text, pressed) {
  const button = element("button", {type: "button"}, text);
  button.addEventListener("click", pressed);
  return button;
}

// Tells the first error of a build. The camera flies to that of a build which has just ended, unless
// it was there before, and can go back.
function showErrors(page, state, map, before) {
  const errors = page.messages().filter(({severity}) => severity === "error"), text = noticeText(state, map > 0);
  const fresh = errors.find(error => !before.has(lineOf(error)) && page.placeOf(error));
  const shown = fresh || errors.find(error => page.placeOf(error)) || errors[0];
  if (!shown) {
    showNotice(text);
    return;
  }
  const go = page.placeOf(shown), back = fresh ? page.flyFrom(go) : null;
  const buttons = [go && noticeButton("Fly there", go), back && noticeButton("Go back", back)].filter(Boolean);
  showNotice(`${text ? `${text} ` : ""}${lineOf(shown)}`, buttons);
}

// Takes what the server tells. Returns the number of the map that is shown.
async function takeState(page, state, shown) {
  const before = new Set(page.messages().map(lineOf));
  let map = shown;
  if (state.map !== shown && state.state === "shown") {
    await page.open(await readMap(dataOfPage(await fetchText("map"))));
    map = state.map;
    document.body.dataset.map = map;
  }
  if (state.state === "failed")
    page.showMessages(state.messages);
  if (state.state === "building")
    showNotice(noticeText(state, map > 0));
  else
    showErrors(page, state, map, before);
  document.body.dataset.news = `${state.news} ${state.state}`;
  return map;
}

// Follows the server for as long as the page is open. `page` has open(map) and showMessages(rows).
async function follow(page) {
  let news = 0, shown = 0;
  for (;;) {
    try {
      const state = JSON.parse(await fetchText(`state?after=${news}`));
      shown = await takeState(page, state, shown);
      news = state.news;
    } catch (error) {
      showNotice(`The server does not answer: ${error.message}`);
      await rest(RETRY);
    }
  }
}
