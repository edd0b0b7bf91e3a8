// The client against a real twin; the bot is a few requests, so that nothing has to be installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { Twin, TwinError, useTwin } from "../node.js";
import { matchers } from "../matchers.js";

const twin = useTwin({ command: process.env.TWIN_COMMAND?.split(" ") });

/** What a bot would ask Discord. */
async function ask(method, path, body) {
  const response = await fetch(`${twin.info.api}${path}`, {
    method, headers: { authorization: `Bot ${twin.token}`, "content-type": "application/json" }, body: body && JSON.stringify(body),
  });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

const send = (content) => ask("POST", `/channels/${twin.info.channel.id}/messages`, { content });

test("users act, and the bot's messages come one by one", async () => {
  const alice = await twin.user(), bob = await twin.user("bob");
  const said = await alice.say("hello", { files: { "a.txt": "text" } });
  assert.equal(said.attachments[0].filename, "a.txt");
  const reply = await bob.reply(said, "hi");
  assert.equal(reply.message_reference.message_id, said.id);
  assert.deepEqual((await bob.react(said, "👍")).reacted, { "👍": [bob.id] });
  await send(`one ${alice.mention}`);
  await send("two");
  assert.equal((await twin.nextMessage()).content, `one ${alice.mention}`);
  assert.equal((await twin.waitForMessage("two")).content, "two");
  assert.equal((await matchers.toHavePinged(twin, alice)).pass, true);
  assert.equal((await matchers.toHavePinged(twin, bob)).pass, false);
  assert.equal((await matchers.toHaveSaid(twin, /^two$/)).pass, true);
  assert.equal(matchers.toSay(said, "hell").pass, true);
});

test("before each test the twin is empty", async () => {
  assert.deepEqual(await twin.messages(), []);
  assert.deepEqual(await twin.requests(), []);
});

test("faults, refusals and their reasons", async () => {
  await twin.fault("STATUS", { status: 503, routes: ["messages.create"] });
  assert.equal((await send("x")).status, 503);
  assert.equal((await matchers.toHaveRefusedNothing(twin)).pass, true);
  assert.equal((await send("x".repeat(2001))).status, 400);
  const refused = await matchers.toHaveRefusedNothing(twin);
  assert.equal(refused.pass, false);
  assert.match(refused.message(), /BASE_TYPE_MAX_LENGTH/);
  assert.equal((await twin.waitForRequests({ status: 400 })).length, 1);
});

test("guilds, channels, roles and other bots are prepared", async () => {
  const guild = await twin.addGuild("Second", { channels: ["talk"] });
  const channel = await twin.addChannel("other");
  const carol = (await twin.user("carol")).in(channel);
  assert.equal((await carol.say("here")).channel_id, channel.id);
  await twin.permissions({ channel, deny: ["SEND_MESSAGES"] });
  assert.equal((await ask("POST", `/channels/${channel.id}/messages`, { content: "x" })).status, 403);
  const other = await twin.addBot("other");
  assert.notEqual(other.token, twin.token);
  assert.equal(guild.channels[0].name, "talk");
});

test("a state is saved and loaded, time moves, and another day is another Discord", async () => {
  await (await twin.user("bob")).say("kept");
  const state = await twin.saveState();
  await twin.reset();
  assert.equal((await twin.loadState(state)).messages, 1);
  assert.deepEqual((await twin.messages()).map((one) => one.content), ["kept"]);
  const before = (await twin.get("clock")).now;
  assert.ok((await twin.advance(900)).now - before >= 900);
  assert.equal((await twin.configure({ as_of: "2026-11-15" })).obfuscate_channels, false);
});

test("what cannot be done says why", async () => {
  await assert.rejects(() => twin.post("say", { text: "x", channel: "nowhere" }), (error) =>
    error instanceof TwinError && error.status === 404 && /there is no channel 'nowhere'/.test(error.message));
  await assert.rejects(() => twin.nextMessage({ timeout: 0.05 }), { status: 504 });
  await assert.rejects(() => Twin.start({ command: "no-such-program" }), /no twin could be started \(no-such-program: /);
  assert.deepEqual(await twin.quiet(0.05), { number: 0, requests: 0 });
});

test("npx discord-twin passes its arguments on", () => {
  const cli = fileURLToPath(new URL("../cli.js", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "twin-"));
  const program = join(folder, "discord-twin");
  writeFileSync(program, "#!/bin/sh\necho ran with $*\nexit 3\n", { mode: 0o755 });
  const done = spawnSync(process.execPath, [cli, "--port", "0"], { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
  assert.equal(done.stdout.toString(), "ran with --port 0\n");
  assert.equal(done.status, 3);
});
