// discord.js's own builders as judges: a JSON line {kind, body} in, "ok" or the error's message out.
import { createRequire } from "node:module";
import readline from "node:readline";
const require = createRequire(process.env.PEER_MODULES + "/");
const d = require("discord.js");

const has = (body, name) => body[name] !== undefined && body[name] !== null;
const set = (builder, body, calls) => {
  for (const [name, method] of calls) if (has(body, name)) builder[method](body[name]);
  return builder;
};
const judges = {
  embed(body) {
    const embed = new d.EmbedBuilder();
    set(embed, body, [["title", "setTitle"], ["description", "setDescription"], ["url", "setURL"], ["color", "setColor"]]);
    if (has(body, "footer")) embed.setFooter({ text: body.footer.text });
    if (has(body, "author")) embed.setAuthor({ name: body.author.name });
    if (has(body, "image")) embed.setImage(body.image.url);
    if (has(body, "fields")) embed.setFields(body.fields);
    embed.toJSON();
  },
  button(body) {
    set(new d.ButtonBuilder(), body, [["style", "setStyle"], ["label", "setLabel"], ["custom_id", "setCustomId"],
      ["url", "setURL"], ["disabled", "setDisabled"]]).toJSON();
  },
  select(body) {
    const menu = set(new d.StringSelectMenuBuilder(), body, [["custom_id", "setCustomId"], ["placeholder", "setPlaceholder"],
      ["min_values", "setMinValues"], ["max_values", "setMaxValues"]]);
    if (has(body, "options")) menu.setOptions(body.options);
    menu.toJSON();
  },
  command(body) {
    const command = set(new d.SlashCommandBuilder(), body, [["name", "setName"], ["description", "setDescription"]]);
    for (const one of body.options ?? []) command.addStringOption((option) => {
      set(option, one, [["name", "setName"], ["description", "setDescription"], ["required", "setRequired"]]);
      if (one.choices?.length) option.addChoices(...one.choices);
      return option;
    });
    command.toJSON();
  },
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { kind, body } = JSON.parse(line);
  try {
    judges[kind](body);
    console.log("ok");
  } catch (error) {
    console.log(String(error.message).split("\n")[0] || "error");
  }
}
