// The same with jest: `npm run test:jest`.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { useTwin } from "discord-twin/jest";
import { makeBot } from "./bot.js";

const twin = useTwin();
let bot;

beforeAll(async () => {
  bot = makeBot({ api: twin.restApi });
  await bot.login(twin.token);
  await twin.commands("roll");
});
afterAll(() => bot.destroy());

test("it answers a ping and refuses nothing", async () => {
  const bob = await twin.user("bob");
  await bob.say("ping");
  expect(await twin.nextMessage()).toSay("pong");
  await expect(twin).toHaveRefusedNothing();
});
