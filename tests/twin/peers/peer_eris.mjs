// eris as a peer. Run by judge.py. eris speaks HTTPS only; its requests are turned to plain HTTP here.
import { createRequire } from "node:module";
const require = createRequire(process.env.PEER_MODULES + "/");
const https = require("node:https");
const http = require("node:http");
const root = new URL(process.env.TWIN_ROOT);
https.request = (options, answer) => http.request(
  { ...options, protocol: "http:", agent: undefined, host: root.hostname, port: root.port }, answer);
const Eris = require("eris");

const client = new Eris(`Bot ${process.env.TWIN_TOKEN}`, {
  intents: ["guilds", "guildMessages", "messageContent"],
  rest: { baseURL: "/api/v10" },
  restMode: true,
});

client.once("ready", () => client.bulkEditCommands([
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
  const id = message.channel.id;
  const send = (content, file) => client.createMessage(id, content, file);
  if (word === "ready?") await send("ready");
  else if (word === "send") {
    const sent = await send("one");
    await sent.edit("two");
    const gone = await send("gone");
    await gone.delete();
  } else if (word === "file") {
    const file = { name: "notes.txt", file: Buffer.from("file content") };
    await send({ content: "here", messageReference: { messageID: message.id } }, file);
  } else if (word === "embed") {
    await send({ embeds: [{ title: "Title", color: 0x123456, fields: [{ name: "name", value: "value" }] }] });
  } else if (word === "react") await message.addReaction("👍");
  else if (word === "thread") {
    const thread = await message.createThreadWithMessage({ name: "talk", autoArchiveDuration: 60 });
    await client.createMessage(thread.id, "inside");
  } else if (word === "forum") {
    await client.createThread(more[0], { name: "post", message: { content: "first" } });
  } else if (word === "webhook") {
    const webhook = await client.createChannelWebhook(id, { name: "hook" });
    await client.executeWebhook(webhook.id, webhook.token, { content: "as Luna", username: "Luna", wait: true });
  } else if (word === "menu") {
    const options = [{ label: "a", value: "a" }, { label: "b", value: "b" }];
    await send({ content: "choose", components: [{ type: 1, components: [{ type: 3, custom_id: "pick", options }] }] });
  } else if (word === "burst") for (let number = 0; number < 12; number++) await send(String(number));
});

client.on("interactionCreate", async (inter) => {
  if (inter.type === 3) return inter.createMessage(`picked ${inter.data.values[0]}`);
  if (inter.type === 5) return inter.createMessage(`hello ${inter.data.components[0].components[0].value}`);
  if (inter.data.name === "ask") {
    await inter.defer();
    const [question, who] = inter.data.options.map((one) => one.value);
    const member = inter.data.resolved.members.get(who);
    return inter.editOriginalMessage(`answer to ${question} for ${member.user.username}`);
  }
  if (inter.data.name === "form") {
    const field = { type: 4, custom_id: "name", label: "Name", style: 1 };
    return inter.createModal({ title: "Form", custom_id: "form", components: [{ type: 1, components: [field] }] });
  }
  if (inter.data.name === "Greet") return inter.createMessage(`hello ${inter.data.resolved.users.get(inter.data.target_id).username}`);
  return inter.createMessage(`quote: ${inter.data.resolved.messages.get(inter.data.target_id).content}`);
});

client.on("error", (error) => console.error(error));
client.connect();
