// A client of the control API of discord-twin, and a way to start one. No dependencies.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** A request to the control API that was refused; `status` is that of HTTP, `message` says why. */
export class TwinError extends Error {
  constructor(status, message, where) {
    super(`${where}: ${message}`);
    this.name = "TwinError";
    this.status = status;
  }
}

// Programs that start a twin, in the order in which they are tried.
export const COMMANDS = [["discord-twin"], ["uvx", "discord-twin"], ["pipx", "run", "discord-twin"]];
const START_TIMEOUT_MS = 60_000;   // uvx downloads the package the first time
const STOP_TIMEOUT_MS = 5_000;

const idOf = (one) => (one !== null && typeof one === "object" ? one.id : one);

/** Replace objects that the twin returned by their ids, and leave out what is undefined. */
const plain = (given) => Object.fromEntries(
  Object.entries(given).filter(([, value]) => value !== undefined).map(([name, value]) =>
    [name, ["user", "channel", "message", "guild", "reply_to", "interaction", "target"].includes(name) ? idOf(value) : value]));

/** Files as the control API takes them: `{"notes.txt": "text or Buffer"}`. */
const files = (given) => given && Object.entries(given).map(([name, content]) =>
  ({ name, data: Buffer.from(content).toString("base64") }));

/** One running twin. */
export class Twin {
  #process;

  constructor(url, process = null) {
    this.url = url.replace(/\/$/, "");
    this.#process = process;
    this.info = null;
  }

  /** Connect to a twin that is running, by its address; `DISCORD_TWIN_URL` is the default. */
  static async connect(url = process.env.DISCORD_TWIN_URL) {
    if (!url) throw new TwinError(0, "no address is given and DISCORD_TWIN_URL is not set", "Twin.connect");
    const twin = new Twin(url);
    twin.info = await twin.get("");
    return twin;
  }

  /**
   * Start a twin on a free port, or connect to the one of `DISCORD_TWIN_URL`. Rate limits are off unless `limits` is true.
   */
  static async start({ command, limits = false, asOf, args = [] } = {}) {
    if (process.env.DISCORD_TWIN_URL && !command) return Twin.connect();
    const options = ["--port", "0", "--quiet", ...(limits ? [] : ["--no-limits"]), ...(asOf ? ["--as-of", asOf] : []), ...args];
    const tried = [];
    for (const [program, ...rest] of command ? [[command].flat()] : COMMANDS) {
      const child = spawn(program, [...rest, ...options], { stdio: ["ignore", "pipe", "pipe"] });
      try {
        const twin = new Twin(await address(child), child);
        twin.info = await twin.get("");
        return twin;
      } catch (error) {
        child.kill();
        tried.push(`${program}: ${error.message}`);
        if (error.code !== "ENOENT") break;
      }
    }
    throw new TwinError(0, `no twin could be started (${tried.join("; ")}); install it with: pip install discord-twin`, "Twin.start");
  }

  /** End the twin, if this object started it. */
  async stop() {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { await this.stop(); }

  /** The token of the first bot. */
  get token() { return this.info.bots[0].token; }
  /** What `rest.api` of discord.js takes; clients of other libraries take `info.api`. */
  get restApi() { return `${this.url}/api`; }
  /** Variables for a bot that runs as a process of its own. */
  get env() {
    return { DISCORD_TOKEN: this.token, DISCORD_TWIN_URL: this.url, DISCORD_TWIN_API: this.info.api, DISCORD_TWIN_GATEWAY: this.info.gateway };
  }

  // Requests

  async call(method, path, body) {
    const response = await fetch(`${this.url}/control/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const said = response.status === 204 ? null : await response.json();
    if (!response.ok) throw new TwinError(response.status, said?.error ?? response.statusText, `${method} /control/${path}`);
    return said;
  }

  get(path, query = {}) {
    const words = new URLSearchParams(plain(query)).toString();
    return this.call("GET", words ? `${path}?${words}` : path);
  }

  post(path, body = {}) { return this.call("POST", path, plain(body)); }

  // The whole twin

  /** Start over: messages and everything that was added go; bots stay connected and keep their commands. */
  reset() { return this.post("reset"); }
  /** Change options by the names of TwinOptions: `twin.configure({ as_of: "2026-11-15" })`. */
  configure(options) { return this.call("PATCH", "options", options); }
  /** Move time forward by seconds, or set how fast it runs. */
  advance(seconds) { return this.post("clock", { advance: seconds }); }
  speed(factor) { return this.post("clock", { speed: factor }); }
  saveState() { return this.get("state"); }
  loadState(state) { return this.call("PUT", "state", state); }

  // What is on it

  addGuild(name, more = {}) { return this.post("guilds", { name, ...more }); }
  addChannel(name, more = {}) { return this.post("channels", { name, ...more }); }
  addRole(name, more = {}) { return this.post("roles", { name, ...more }); }
  addBot(name, more = {}) { return this.post("bots", { name, ...more }); }
  permissions(given) { return this.post("permissions", given); }

  /** A user who acts; one of that name is not made twice. Without a name: the first user. */
  async user(name, more = {}) {
    return new User(this, name === undefined ? this.info.user : await this.post("users", { name, ...more }));
  }

  // Looking and waiting

  async messages(channel) { return (await this.get("messages", { channel })).messages; }
  async requests(query = {}) { return (await this.get("requests", query)).requests; }
  async events(query = {}) { return (await this.get("events", query)).events; }
  async pings() { return (await this.get("pings")).pings; }
  /** The requests and events about one message. */
  history(message) { return this.get(`messages/${idOf(message)}/history`); }
  /** Wait for the oldest message of the bot that was not returned yet. */
  nextMessage({ channel, timeout = 5 } = {}) { return this.post("next-message", { channel, timeout }); }
  /** Wait until a bot is connected. */
  ready(timeout = 10) { return this.post("wait", { for: "ready", timeout }); }
  /** Wait until a bot has registered its commands, or one of a name. */
  commands(name, timeout = 10) { return this.post("wait", { for: "commands", name, timeout }).then((found) => found.commands); }
  /** Wait until the bot has made no request for some seconds: then it will not answer any more. */
  quiet(seconds = 0.5, timeout = 10) { return this.post("wait", { for: "quiet", seconds, timeout }); }
  /** Wait for a message of the bot that contains a text. */
  waitForMessage(contains, more = {}) { return this.post("wait", { for: "message", contains, ...more }); }
  waitForRequests(given) { return this.post("wait", { for: "request", ...given }).then((found) => found.requests); }
  waitForEvents(given) { return this.post("wait", { for: "event", ...given }).then((found) => found.events); }
  /** Wait until an interaction is answered, also one that "is thinking". */
  answered(interaction, timeout = 5) { return this.post("wait", { for: "answer", interaction, timeout }); }

  // Failing

  /** Let a later request fail: `twin.fault("STATUS", { status: 503, routes: ["messages.create"] })`. */
  fault(kind, more = {}) { return this.post("faults", { kind, ...more }); }
  clearFaults() { return this.call("DELETE", "faults"); }
  dropGateway(code = 4000) { return this.post("gateway", { do: "drop", code }); }
  outage(seconds) { return this.post("outage", { seconds }); }
}

/** A user of a twin, at one channel: the first one unless `in` names another. */
export class User {
  constructor(twin, view, channel) {
    this.twin = twin;
    this.id = view.id;
    this.name = view.username;
    this.channel = channel;
  }

  /** The same user in another channel. */
  in(channel) { return new User(this.twin, { id: this.id, username: this.name }, idOf(channel)); }
  get mention() { return `<@${this.id}>`; }

  #act(path, more) { return this.twin.post(path, { user: this.id, ...more }); }
  #here(path, more) { return this.#act(path, { channel: this.channel, ...more }); }

  say(text, more = {}) { return this.#here("say", { text, ...more, files: files(more.files) }); }
  reply(message, text) { return this.#act("say", { channel: message.channel_id, text, reply_to: message }); }
  react(message, emoji, on = true) { return this.#act("react", { message, emoji, on }); }
  vote(message, answer) { return this.#act("vote", { message, answer }); }
  pin(message) { return this.#act("pin", { message }); }
  edit(message, text) { return this.twin.post("edit", { message, text }); }
  delete(message) { return this.twin.post("delete", { message }); }
  type() { return this.#here("typing"); }
  thread(name, more = {}) { return this.#here("threads", { name, ...more }); }
  direct() { return this.#act("direct"); }

  slash(name, options = {}, more = {}) { return this.#here("slash", { name, options, ...more }); }
  complete(name, typing, options = {}) { return this.#here("complete", { name, typing, options }); }
  menu(name, target) { return this.#here("menu", target.content === undefined ? { name, target } : { name, message: target }); }
  press(message, id, more = {}) { return this.#act("press", { message, id, ...more }); }
  choose(message, id, ...values) { return this.press(message, id, { values }); }
  submit(interaction, values, more = {}) { return this.#act("submit", { interaction, values, ...more }); }
}

/** The address that a started twin prints, or why it ended. */
function address(child) {
  return new Promise((resolve, reject) => {
    let out = "", errors = "";
    const timer = setTimeout(() => reject(new Error(`printed no address in ${START_TIMEOUT_MS / 1000} s`)), START_TIMEOUT_MS);
    const done = (settle, value) => { clearTimeout(timer); settle(value); };
    child.on("error", (error) => done(reject, error));
    child.on("exit", (code) => done(reject, new Error(errors.trim() || `ended with ${code}`)));
    child.stderr.on("data", (chunk) => { errors = (errors + chunk).slice(-2000); });
    child.stdout.on("data", (chunk) => {
      if (out.length < 10_000) out += chunk;   // what it prints later is not needed, but must be read
      const found = out.match(/page +(http\S+)/);
      if (found) done(resolve, found[1]);
    });
  });
}
