// oceanic.js as a peer. Run by judge.py.
import { createRequire } from "node:module";
const require = createRequire(process.env.PEER_MODULES + "/");
const { Client } = require("oceanic.js");

const client = new Client({
  auth: `Bot ${process.env.TWIN_TOKEN}`,
  rest: { baseURL: process.env.TWIN_API },
  gateway: { intents: ["GUILDS", "GUILD_MESSAGES", "MESSAGE_CONTENT"] },
});

client.once("ready", () => client.application.bulkEditGlobalCommands([
  { type: 1, name: "ask", description: "ask", options: [
    { type: 3, name: "question", description: "d", required: true },
    { type: 6, name: "who", description: "d", required: true }] },
  { type: 1, name: "form", description: "form" },
  { name: "Greet", type: 2 },
  { name: "Quote", type: 3 },
]));

client.on("messageCreate", async (message) => {
  if (message.author.bot || !message.content) return;
  const [word, ...more] = message.content.split(" ");
  const { channels, webhooks } = client.rest;
  const id = message.channelID;
  const send = (options) => channels.createMessage(id, options);
  if (word === "ready?") await send({ content: "ready" });
  else if (word === "send") {
    const sent = await send({ content: "one" });
    await sent.edit({ content: "two" });
    const gone = await send({ content: "gone" });
    await gone.delete();
  } else if (word === "file") {
    const files = [{ name: "notes.txt", contents: Buffer.from("file content") }];
    await send({ content: "here", files, messageReference: { messageID: message.id } });
  } else if (word === "embed") {
    await send({ embeds: [{ title: "Title", color: 0x123456, fields: [{ name: "name", value: "value" }] }] });
  } else if (word === "react") await message.createReaction("👍");
  else if (word === "thread") {
    const thread = await message.startThread({ name: "talk", autoArchiveDuration: 60 });
    await thread.createMessage({ content: "inside" });
  } else if (word === "forum") {
    await channels.startThreadInThreadOnlyChannel(more[0], { name: "post", message: { content: "first" } });
  } else if (word === "webhook") {
    const webhook = await webhooks.create(id, { name: "hook" });
    await webhook.execute({ content: "as Luna", username: "Luna", wait: true });
  } else if (word === "menu") {
    const options = [{ label: "a", value: "a" }, { label: "b", value: "b" }];
    await send({ content: "choose", components: [{ type: 1, components: [{ type: 3, customID: "pick", options }] }] });
  } else if (word === "burst") for (let number = 0; number < 12; number++) await send({ content: String(number) });
});

client.on("interactionCreate", async (inter) => {
  if (inter.type === 3) return inter.createMessage({ content: `picked ${inter.data.values.getStrings()[0]}` });
  if (inter.type === 5) return inter.createMessage({ content: `hello ${inter.data.components.getTextInput("name")}` });
  if (inter.data.name === "ask") {
    await inter.defer();
    const who = inter.data.options.getMember("who", true);
    const question = inter.data.options.getString("question", true);
    return inter.editOriginal({ content: `answer to ${question} for ${who.user.username}` });
  }
  if (inter.data.name === "form") {
    const field = { type: 4, customID: "name", label: "Name", style: 1 };
    return inter.createModal({ title: "Form", customID: "form", components: [{ type: 1, components: [field] }] });
  }
  if (inter.data.name === "Greet") return inter.createMessage({ content: `hello ${inter.data.target.username}` });
  return inter.createMessage({ content: `quote: ${inter.data.target.content}` });
});

client.on("error", (error) => console.error(error));
client.connect();
