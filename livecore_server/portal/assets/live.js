// Keeps an open leaderboard as it is now: the page is read again, at most once in two seconds, when a score has changed.
"use strict";

const PAUSE = 2000;
const board = document.getElementById("board");
const said = document.getElementById("live");
const changes = new EventSource(board.dataset.stream);
let waiting = false;

async function renew() {
  waiting = false;
  const answer = await fetch(location.href);
  if (!answer.ok || answer.redirected) {
    changes.close();
    said.textContent = "Not live any more: load the page again.";
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("board");
  if (fresh !== null) board.replaceChildren(...fresh.children);
}

function later() {
  if (waiting) return;
  waiting = true;
  setTimeout(renew, PAUSE);
}

changes.addEventListener("ready", () => { said.textContent = "Live: it follows every score."; });
changes.addEventListener("score_update", later);
changes.addEventListener("closed", () => {
  changes.close();
  said.textContent = "Final.";
  later();
});
changes.addEventListener("error", () => { said.textContent = "Not live at the moment, trying again."; });
