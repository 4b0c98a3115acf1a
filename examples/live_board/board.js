// A live leaderboard in a browser: it reads the best entries once, and then follows the stream of changes.
//
// The address of the page says what to show: #server=http://127.0.0.1:8787&key=lc_test_client_…&board=lbd_…
// The client key is made to be in a game's client, so it may stand here. `EventSource` cannot send it, because it sends no
// headers; so the stream is read with `fetch`. The server must allow this page's origin (LIVECORE_CORS_ORIGINS).

const SHOWN = 10;
const READ = 50;
const given = new URLSearchParams(location.hash.slice(1));
const board = `${given.get("server")}/sdk/v1/event-leaderboards/${encodeURIComponent(given.get("board"))}`;
const headers = { Authorization: `Bearer ${given.get("key")}` };

/** The entries that are known, by the player's id. */
let entries = new Map();
let order = "desc";

function better(one, other) {
  const difference = order === "desc" ? other.score - one.score : one.score - other.score;
  return difference || (one.reachedAt < other.reachedAt ? -1 : one.reachedAt > other.reachedAt ? 1 : one.playerId < other.playerId ? -1 : 1);
}

function show(changed) {
  const first = [...entries.values()].sort(better).slice(0, SHOWN);
  const rows = first.map((entry, place) => {
    const row = document.createElement("tr");
    row.className = entry.playerId === changed ? "changed" : "";
    for (const text of [place + 1, entry.name, entry.score.toLocaleString("en")]) {
      // Names are texts of players, so they are never read as HTML.
      row.insertCell().textContent = text;
    }
    return row;
  });
  document.getElementById("rows").replaceChildren(...rows);
}

function say(text) {
  document.getElementById("status").textContent = text;
}

/** Read the best entries. Those of players who are further down become known when they change. */
async function read() {
  const answer = await fetch(`${board}?limit=${READ}`, { headers });
  const { data, error } = await answer.json();
  if (error) throw new Error(error.message);
  order = data.leaderboard.order;
  document.getElementById("name").textContent = data.leaderboard.name;
  entries = new Map(data.entries.map((entry) => [entry.playerId, entry]));
  show();
}

/** The messages of a stream of server-sent events: name, id and data of each. */
async function* messages(body) {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = part.split("\n").filter((line) => line && !line.startsWith(":"));
      const message = Object.fromEntries(fields.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
      if (message.event) yield { name: message.event, id: message.id, data: JSON.parse(message.data) };
    }
  }
}

/** Follow the stream until it ends; returns whether to come back. */
async function follow(state) {
  const resumed = state.last ? { ...headers, "Last-Event-ID": state.last } : headers;
  const answer = await fetch(`${board}/stream`, { headers: resumed });
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    const { error } = await answer.json();
    say(error.message);
    return false;
  }
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  for await (const { name, id, data } of messages(answer.body)) {
    state.last = id ?? state.last;
    state.failures = 0;
    if (name === "ready") {
      // Entries are read after the subscription, so that no change falls between the two.
      if (!state.known || data.resync) await read();
      state.known = true;
      say(`Live, ${data.entryCount} players`);
    } else if (name === "score_update") {
      entries.set(data.entry.playerId, data.entry);
      show(data.entry.playerId);
      say(`Live, ${data.entry.name} is at rank ${data.entry.rank}`);
    } else if (name === "closed") {
      if (data.reason === "server_draining") return true;
      await read();
      say("Final");
      return false;
    }
  }
  return true;
}

async function main() {
  const state = { last: undefined, known: false, failures: 0 };
  for (let again = true; again; ) {
    try {
      again = await follow(state);
    } catch (fault) {
      say(`Connecting again: ${fault.message}`);
    }
    state.failures += 1;
    const pause = Math.min(30_000, 250 * 2 ** state.failures) * (0.5 + Math.random() / 2);
    if (again) await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

main();
