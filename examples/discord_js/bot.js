// A bot of discord.js: it answers pings, rolls dice in a command and counts presses of a button.
import { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits, MessageFlags } from "discord.js";

const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const COMMANDS = [
  { name: "roll", description: "Roll a die", options: [{ type: 4, name: "sides", description: "How many", min_value: 2, max_value: 100 }] },
  { name: "counter", description: "A button to press" },
];

export function makeBot(rest = {}) {
  const bot = new Client({ intents: [Guilds, GuildMessages, MessageContent], rest });
  let count = 0;
  bot.once(Events.ClientReady, () => bot.application.commands.set(COMMANDS));
  bot.on(Events.MessageCreate, async (message) => {
    if (!message.author.bot && message.content === "ping") await message.reply("pong");
  });
  bot.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isButton()) return interaction.update(`pressed ${++count} times`);
    if (interaction.commandName === "roll") {
      const sides = interaction.options.getInteger("sides") ?? 6;
      return interaction.reply({ content: `You rolled ${1 + Math.floor(Math.random() * sides)}.`, flags: MessageFlags.Ephemeral });
    }
    const button = new ButtonBuilder().setCustomId("press").setLabel("Press").setStyle(ButtonStyle.Primary);
    return interaction.reply({ content: "pressed 0 times", components: [new ActionRowBuilder().addComponents(button)] });
  });
  return bot;
}
