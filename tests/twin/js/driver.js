// An unchanged discord.js client that does what every peer does here: reply, edit, file, webhook, slash command.
// It says what it sees as JSON lines on stdout, and stops when stdin closes.
import { Client, Events, GatewayIntentBits } from "discord.js";

const { TWIN_API, TWIN_TOKEN } = process.env;
const say = (event, more = {}) => process.stdout.write(JSON.stringify({ event, ...more }) + "\n");

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
  rest: { api: TWIN_API },
});

client.once(Events.ClientReady, async () => {
  const option = { type: 3, name: "question", description: "what to ask", required: true };
  await client.application.commands.set([{ name: "ask", description: "ask something", options: [option] }]);
  say("ready", { user: client.user.username, guilds: client.guilds.cache.size });
});

client.on(Events.MessageCreate, async (message) => {
  if (message.author.bot) return;
  await message.channel.sendTyping();
  const file = { attachment: Buffer.from("file content"), name: "notes.txt", description: "some notes" };
  const reply = await message.reply({ content: `you said ${message.content}`, files: [file] });
  const stored = await fetch(reply.attachments.first().url);
  say("file", { text: await stored.text() });
  await reply.edit("edited");
  const webhook = await message.channel.createWebhook({ name: "Luna" });
  const sent = await webhook.send({ content: "as Luna", username: "Luna the cat" });
  await webhook.editMessage(sent, "as Luna, edited");
  say("done");
});

client.on(Events.InteractionCreate, async (interaction) => {
  await interaction.deferReply();
  await interaction.editReply(`answer to ${interaction.options.getString("question")}`);
  await interaction.followUp("and more");
});

client.on(Events.ShardResume, (_, replayed) => say("resumed", { replayed }));
client.on(Events.Error, (error) => say("error", { text: String(error) }));
process.stdin.on("close", async () => {
  await client.destroy();
  process.exit(0);
});
process.stdin.resume();

client.login(TWIN_TOKEN).catch((error) => {
  say("error", { text: String(error) });
  process.exit(1);
});
