// discord.js as a peer. Run by judge.py.
import { createRequire } from "node:module";
const require = createRequire(process.env.PEER_MODULES + "/");
const { Client, Events, GatewayIntentBits, AttachmentBuilder, EmbedBuilder, ActionRowBuilder, StringSelectMenuBuilder,
  ModalBuilder, TextInputBuilder, TextInputStyle } = require("discord.js");

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
  rest: { api: process.env.TWIN_ROOT + "/api" },
});

client.once(Events.ClientReady, () => client.application.commands.set([
  { name: "ask", description: "ask", options: [
    { type: 3, name: "question", description: "d", required: true },
    { type: 6, name: "who", description: "d", required: true }] },
  { name: "form", description: "form" },
  { name: "Greet", type: 2 },
  { name: "Quote", type: 3 },
]));

client.on(Events.MessageCreate, async (message) => {
  if (message.author.bot || !message.content) return;
  const [word, ...rest] = message.content.split(" ");
  const channel = message.channel;
  if (word === "ready?") await channel.send("ready");
  else if (word === "send") {
    const sent = await channel.send("one");
    await sent.edit("two");
    const gone = await channel.send("gone");
    await gone.delete();
  } else if (word === "file") {
    const file = new AttachmentBuilder(Buffer.from("file content"), { name: "notes.txt" });
    await message.reply({ content: "here", files: [file] });
  } else if (word === "embed") {
    const embed = new EmbedBuilder().setTitle("Title").setColor(0x123456).addFields({ name: "name", value: "value" });
    await channel.send({ embeds: [embed] });
  } else if (word === "react") await message.react("👍");
  else if (word === "thread") await (await message.startThread({ name: "talk" })).send("inside");
  else if (word === "forum") {
    const forum = await client.channels.fetch(rest[0]);
    await forum.threads.create({ name: "post", message: { content: "first" } });
  } else if (word === "webhook") {
    const webhook = await channel.createWebhook({ name: "hook" });
    await webhook.send({ content: "as Luna", username: "Luna" });
  } else if (word === "menu") {
    const menu = new StringSelectMenuBuilder().setCustomId("pick")
      .addOptions({ label: "a", value: "a" }, { label: "b", value: "b" });
    await channel.send({ content: "choose", components: [new ActionRowBuilder().addComponents(menu)] });
  } else if (word === "burst") for (let number = 0; number < 12; number++) await channel.send(String(number));
});

client.on(Events.InteractionCreate, async (inter) => {
  if (inter.isStringSelectMenu()) return inter.reply(`picked ${inter.values[0]}`);
  if (inter.isModalSubmit()) return inter.reply(`hello ${inter.fields.getTextInputValue("name")}`);
  if (inter.commandName === "ask") {
    await inter.deferReply();
    const who = inter.options.getMember("who");
    return inter.editReply(`answer to ${inter.options.getString("question")} for ${who.user.username}`);
  }
  if (inter.commandName === "form") {
    const field = new TextInputBuilder().setCustomId("name").setLabel("Name").setStyle(TextInputStyle.Short);
    const row = new ActionRowBuilder().addComponents(field);
    return inter.showModal(new ModalBuilder().setCustomId("form").setTitle("Form").addComponents(row));
  }
  if (inter.commandName === "Greet") return inter.reply(`hello ${inter.targetMember.user.username}`);
  return inter.reply(`quote: ${inter.targetMessage.content}`);
});

client.on(Events.Error, (error) => console.error(error));
client.login(process.env.TWIN_TOKEN);
