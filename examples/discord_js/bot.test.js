// Tests of the bot with vitest: `npm install && npm test`.
import { afterAll, beforeAll, expect, test } from "vitest";
import { useTwin } from "discord-twin/vitest";
import { makeBot } from "./bot.js";

const twin = useTwin();
let bot;

beforeAll(async () => {
  bot = makeBot({ api: twin.restApi });
  await bot.login(twin.token);
  await twin.commands("roll");
});
afterAll(() => bot.destroy());

test("it answers a ping, and nothing else", async () => {
  const alice = await twin.user();
  await alice.say("ping");
  expect(await twin.nextMessage()).toSay("pong");
  await alice.say("hello");
  await twin.quiet();
  expect(await twin.messages()).toHaveLength(3);
});

test("only the one who rolled sees the number", async () => {
  const alice = await twin.user();
  const rolled = await alice.slash("roll", { sides: 2 });
  expect(rolled.message).toSay(/You rolled [12]\./);
  expect(rolled.message.ephemeral).toBe(true);
});

test("a button counts", async () => {
  const alice = await twin.user();
  const { message } = await alice.slash("counter");
  await alice.press(message, "press");
  await twin.waitForMessage("pressed 1 times");
});

test("it survives a server error and a lost connection", async () => {
  const alice = await twin.user();
  await twin.fault("STATUS", { status: 502 });
  await twin.dropGateway();
  await alice.say("ping");
  expect(await twin.nextMessage({ timeout: 10 })).toSay("pong");
  await expect(twin).toHaveRefusedNothing();
});
