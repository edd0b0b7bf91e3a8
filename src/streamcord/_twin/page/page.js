// Shows what the twin tells over /page/events. Rows come as HTML that the twin has escaped; names are set as text.
"use strict";

const at = (id) => document.getElementById(id);
const rows = new Map();      // message id -> its article
let here = "";               // the channel that is shown
let places = [];
let quiet = 0;

function show(channel) {
  here = channel;
  for (const row of rows.values()) row.hidden = row.dataset.channel !== here;
  const place = places.find((one) => one.id === here);
  at("place").textContent = place ? `# ${place.name}` : "";
  at("text").placeholder = place ? `Message #${place.name}` : "";
  at("typing").textContent = "";
  for (const button of document.querySelectorAll("nav button"))
    button.toggleAttribute("aria-current", button.value === here);
  toEnd(true);
}

function toEnd(always) {
  const box = at("messages");
  if (always || box.scrollHeight - box.scrollTop - box.clientHeight < 200) box.scrollTop = box.scrollHeight;
}

function list(news) {
  places = news.channels;
  at("server").textContent = news.server;
  at("channels").replaceChildren(...places.map((place) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.value = place.id;
    button.textContent = place.name;
    button.className = place.thread ? "thread" : "";
    button.onclick = () => show(place.id);
    item.append(button);
    return item;
  }));
  if (!places.some((place) => place.id === here)) here = places.length ? places[0].id : "";
  show(here);
}

function put(news, isNew) {
  let row = rows.get(news.id);
  if (!row) {
    row = document.createElement("article");
    row.dataset.channel = news.channel;
    rows.set(news.id, row);
    at("messages").append(row);
  }
  row.className = (news.heads ? "heads" : "") + (isNew ? " new" : "");
  row.innerHTML = news.html;
  row.hidden = news.channel !== here;
  if (!row.hidden) { at("typing").textContent = ""; toEnd(false); }
}

function typing(news) {
  if (news.channel !== here) return;
  at("typing").textContent = `${news.name} is typing…`;
  clearTimeout(quiet);
  quiet = setTimeout(() => { at("typing").textContent = ""; }, 10000);
}

function start(news) {
  rows.clear();
  at("messages").replaceChildren();
  list(news);
  for (const row of news.messages) put(row, false);
  toEnd(true);
}

const takes = {
  all: start,
  places: list,
  put: (news) => put(news, true),
  drop: (news) => { rows.get(news.id)?.remove(); rows.delete(news.id); },
  typing,
};
const events = new EventSource("/page/events");
events.onopen = () => { at("state").textContent = "live"; };
events.onerror = () => { at("state").textContent = "the twin is away"; };
events.onmessage = (event) => { const news = JSON.parse(event.data); takes[news.kind](news); };

at("write").onsubmit = async (event) => {
  event.preventDefault();
  const text = at("text").value.trim();
  if (!text) return;
  const sent = await fetch("/page/say", { method: "POST", body: JSON.stringify({ channel: here, text }) });
  if (sent.ok) at("text").value = "";
};
at("text").focus();
