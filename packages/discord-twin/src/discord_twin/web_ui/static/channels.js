// Where one can go and who is there: the channels, the people, who one is, and the posts of a forum.
import { at, avatar, icon, make } from "./dom.js";
import { askForPerson, askForPost } from "./forms.js";
import { openMenu, openPersonMenu } from "./menus.js";
import { channelOf, here, world } from "./store.js";

let visit = () => {}, change = () => {};

/** What happens when someone goes to a channel, and when they become someone else. */
export function whenMoved(go, become) { visit = go; change = become; }

// Channels

const SIGNS = { text: "hash", thread: "thread", forum: "forum" };

export function drawPlaces() {
  at("server").textContent = world.server;
  const rooms = world.channels.filter((one) => one.kind !== "direct"), direct = world.channels.filter((one) => one.kind === "direct");
  at("channels").replaceChildren(
    make("ul", { "aria-label": "Text channels" }, rooms.filter((one) => !one.archived || one.id === world.here).map(drawChannel)),
    make("h3", { id: "direct" }, "Direct messages"),
    make("ul", { "aria-labelledby": "direct" }, direct.map(drawChannel), drawNewDirect(direct)));
  drawSelf();
  drawTop();
}

function drawChannel(place) {
  const unread = place.unread && place.id !== world.here;
  const words = [place.name, unread && `${place.unread} unread`, place.mentions && unread && `${place.mentions} for you`];
  return make("li", {}, make("button", {
    type: "button", value: place.id, class: `${place.kind} ${unread ? "unread" : ""}`, "aria-label": words.filter(Boolean).join(", "),
    "aria-current": place.id === world.here ? "page" : undefined, onclick: () => visit(place.id),
  }, place.avatar ? avatar(place.avatar, "small") : icon(SIGNS[place.kind] ?? "hash"), make("span", {}, place.name),
  unread && place.mentions ? make("b", { class: "count" }, String(place.mentions)) : null));
}

/** Bots with whom there is no conversation yet. */
function drawNewDirect(direct) {
  const names = new Set(direct.map((one) => one.name));
  return world.people.filter((one) => one.bot && !names.has(one.name)).map((bot) => make("li", {}, make("button", {
    type: "button", class: "direct faint", "aria-label": `Message ${bot.name}`,
    onclick: () => document.dispatchEvent(new CustomEvent("direct", { detail: bot.id })),
  }, avatar(bot.avatar, "small"), make("span", {}, bot.name))));
}

/** Change what is unread without drawing everything. */
export function markUnread(channel, unread, mentions) {
  const place = channelOf(channel);
  if (!place || (place.unread === unread && place.mentions === mentions)) return;
  Object.assign(place, { unread, mentions });
  const old = [...at("channels").querySelectorAll("button")].find((one) => one.value === channel)?.parentElement;
  old?.replaceWith(drawChannel(place));
  drawTitle();
}

export function drawTop() {
  const place = here();
  const sign = place?.avatar ? avatar(place.avatar, "small") : icon(SIGNS[place?.kind] ?? "hash");
  at("place").replaceChildren(...(place ? [sign, make("span", { class: "where" }, place.name)] : []));
  at("topic").textContent = place?.topic ?? "";
  const name = place ? (place.kind === "direct" ? `@${place.name}` : `#${place.name}`) : "";
  at("messages").setAttribute("aria-label", `Messages in ${name}`);
  const closed = !place || !place.can_write || place.kind === "forum";
  at("text").placeholder = closed ? "You cannot write here" : `Message ${name}`;
  for (const id of ["text", "attach", "emoji", "send"]) at(id).disabled = closed;
  at("write").hidden = place?.kind === "forum";
  at("show-tools").hidden = !world.tools;
  drawTitle();
}

function drawTitle() {
  const count = world.channels.reduce((sum, one) => sum + (one.id === world.here ? 0 : one.mentions), 0);
  const unread = world.channels.some((one) => one.id !== world.here && one.unread);
  at("show-places").dataset.count = count || (unread ? "•" : "");
  document.title = `${count ? `(${count}) ` : ""}${here()?.name ?? "twin"} | ${world.server}`;
}

// A forum

/** The posts of a forum, where messages would be. */
export function drawForum(forum) {
  const posts = world.channels.filter((one) => one.parent === forum.id).reverse();
  at("rows").replaceChildren(make("div", { class: "forum" },
    make("button", { type: "button", class: "button primary", onclick: () => askForPost(forum) }, "New post"),
    posts.length ? posts.map((post) => make("button", { type: "button", class: "post", onclick: () => visit(post.id) },
      make("b", {}, post.name), make("span", {}, post.first), make("small", {}, `${post.count} ${post.count === 1 ? "message" : "messages"}`)))
      : make("p", { class: "subtext" }, "There is no post yet.")));
}

// People

export function drawPeople() {
  if (document.body.classList.contains("panel")) return;
  const side = at("side");
  side.setAttribute("aria-label", "People");
  const list = (title, people) => people.length ? [make("h3", {}, `${title} — ${people.length}`), make("ul", {}, people.map((one) =>
    make("li", {}, make("button", {
      type: "button", onclick: (event) => openPersonMenu(event.currentTarget, one),
    }, avatar(one.avatar, "small"), make("span", {}, one.name), one.bot && make("span", { class: "badge" }, "APP")))))] : [];
  side.replaceChildren(make("div", { class: "people" },
    ...list("Apps", world.people.filter((one) => one.bot)), ...list("People", world.people.filter((one) => !one.bot))));
}

at("side").addEventListener("people", drawPeople);

/** Who one is, and a way to be someone else. */
function drawSelf() {
  const others = world.people.filter((one) => !one.bot && one.id !== world.me.id);
  at("self").replaceChildren(make("button", {
    type: "button", "aria-haspopup": "menu",
    onclick: (event) => openMenu(event.currentTarget, "Act as someone else", [
      { head: "Act as someone else" },
      ...others.map((one) => ({ label: one.name, icon: "people", act: () => change(one.id) })),
      { label: "New user …", icon: "plus", act: () => askForPerson(change) },
    ]),
  }, avatar(world.me.avatar, "small"), make("span", {}, world.me.name), world.me.name !== "you" && make("small", {}, "you"),
  make("span", { class: "unseen" }, "Act as someone else")));
}

// Drawers of narrow windows

function toggle(name, other) {
  const isOpen = document.body.classList.toggle(name);
  document.body.classList.remove(other);
  at("show-places").setAttribute("aria-expanded", String(document.body.classList.contains("places")));
  at("show-people").setAttribute("aria-expanded", String(document.body.classList.contains("side")));
  if (isOpen) (name === "places" ? at("channels") : at("side")).querySelector("button")?.focus();
}

export function closeDrawers() {
  document.body.classList.remove("places", ...(document.body.classList.contains("panel") ? [] : ["side"]));
  at("show-places").setAttribute("aria-expanded", "false");
}

at("show-places").append(icon("menu"));
at("show-people").append(icon("people"));
at("show-places").addEventListener("click", () => toggle("places", "side"));
at("show-people").addEventListener("click", () => toggle("side", "places"));
document.querySelector("main").addEventListener("pointerdown", (event) => {
  if (!event.target.closest("#top")) closeDrawers();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !document.body.matches(".places, .side:not(.panel)")) return;
  closeDrawers();
  at("text").focus();
});
