// Ties the parts together: takes the twin's news, and goes where someone wants to go.
import { at } from "./dom.js";
import { moveTo, perform } from "./composer.js";
import { drawLog, drop, mark, put, whenOpened, whenUsed } from "./message_list.js";
import { closeDrawers, drawForum, drawPeople, drawPlaces, drawTop, markUnread, whenMoved } from "./channels.js";
import { offerLinkedState } from "./state_link.js";
import "./test_tools.js";
import { act, ask, become, channelOf, connect, here, ring, room, world } from "./store.js";

// Going

async function visit(channel) {
  if (channel === world.here) return closeDrawers();
  moveTo(channel);
  world.here = channel;
  const unread = here()?.unread ?? 0;
  await load(channel);
  if (channel !== world.here) return undefined;
  show(unread);
  closeDrawers();
  // A field in focus would open the keyboard of a phone; who writes already goes on.
  if (document.activeElement !== at("text"))
    at(matchMedia("(hover: hover)").matches ? "text" : "messages").focus({ preventScroll: true });
  return undefined;
}

async function load(channel) {
  if (room(channel) || channelOf(channel)?.kind === "forum") return;
  const answer = await ask("messages", { channel });
  if (answer) keep(answer);
}

const keep = (answer) => world.rooms.set(answer.channel, {
  messages: new Map(answer.messages.map((one) => [one.id, one])), more: answer.more,
});

function show(unread) {
  drawPlaces();
  typers.clear();
  drawTyping();
  if (here()?.kind === "forum") drawForum(here());
  else drawLog(unread);
  read();
}

let told = 0;

/** What is looked at is read; the twin is told a moment later, once for all that came meanwhile. */
function read() {
  if (!here()?.unread || document.hidden) return;
  markUnread(world.here, 0, 0);
  clearTimeout(told);
  told = setTimeout((channel) => act("read", { channel }, true), 200, world.here);
}

function change(person) {
  become(person);
  world.me = null;
  world.rooms.clear();
  connect(take);
}

whenOpened(visit);
whenUsed(perform);
whenMoved(visit, change);
document.addEventListener("visibilitychange", read);
document.addEventListener("placed", drawTop);
document.addEventListener("visit", (event) => visit(event.detail));
document.addEventListener("direct", async (event) => {
  const answer = await act("dm", { user: event.detail });
  if (answer) visit(answer.channel);
});

// Who is typing

const typers = new Map();   // id -> name and when they stop

function type(news) {
  if (news.channel !== world.here) return;
  clearTimeout(typers.get(news.id)?.end);
  typers.set(news.id, { name: news.name, end: setTimeout(() => { typers.delete(news.id); drawTyping(); }, 10000) });
  drawTyping();
}

function drawTyping() {
  const names = [...typers.values()].map((one) => one.name);
  const words = names.length > 3 ? "Several people are typing …" : `${names.join(" and ")} ${names.length > 1 ? "are" : "is"} typing …`;
  at("typing").textContent = names.length ? words : "";
}

// News

function placed(news) {
  const known = here();
  Object.assign(world, {
    me: news.me, server: news.server, channels: news.channels, people: news.people, roles: news.roles, emoji: news.emoji,
    window: news.window,
  });
  if (known && !here()) return visit(world.channels[0]?.id ?? "");
  drawPlaces();
  drawPeople();
  if (here()?.kind === "forum") drawForum(here());
  return undefined;
}

let offered = false;

function begin(news) {
  world.rooms.clear();
  world.explains = news.explains;
  world.tools = news.tools;
  if (world.tools && !offered) { offered = true; offerLinkedState(); }
  const moved = world.here !== news.here;
  world.here = news.here;
  placed(news);
  if (news.channel) keep(news);
  if (moved) moveTo(news.here);
  show(here()?.unread ?? 0);
}

function said(news) {
  if (news.channel === world.here) {
    // A persona speaks through a webhook, whose id is not that of the bot who types.
    for (const id of typers.keys()) if (id === news.author.id || news.author.machine) typers.delete(id);
    drawTyping();
  }
  put(news);
}

function marked(news) {
  mark(news.channel, news.id, news.mark);
  const seen = news.channel === world.here && !document.hidden;
  markUnread(news.channel, news.unread, news.mentions);
  if (seen) return read();
  const message = room(news.channel)?.messages.get(news.id) ?? last.get(news.id);
  if (news.mark === "push" && message) ring(message, channelOf(news.channel)?.name ?? "");
  return undefined;
}

const last = new Map();   // the newest messages of channels that were never opened, for the phone

const takes = {
  all: begin,
  places: placed,
  put: (news) => {
    last.set(news.id, news);
    if (last.size > 20) last.delete(last.keys().next().value);
    said(news);
  },
  drop: (news) => drop(news.channel, news.id),
  typing: type,
  marks: marked,
};

function take(news) { takes[news.kind]?.(news); }

connect(take);
at("text").focus();
