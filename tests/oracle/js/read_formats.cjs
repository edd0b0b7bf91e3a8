// Texts come in as JSON, one in a line; out goes for each the list of [what is seen, its formats] in order.
// The one argument is the file of npm's discord-markdown-parser.
'use strict'

const readline = require('node:readline')
const { parse } = require(process.argv[2])

const FORMATS = {
  strong: () => 'bold',
  em: () => 'italic',
  underline: () => 'underline',
  strikethrough: () => 'strike',
  spoiler: () => 'spoiler',
  inlineCode: () => 'code',
  codeBlock: (node) => `block ${node.lang}`,
  blockQuote: () => 'quote',
  heading: (node) => `heading ${node.level}`,
  subtext: () => 'subtext',
  link: (node) => `link ${node.target}`,
  url: (node) => `link ${node.target}`,
  autolink: (node) => `link ${node.target}`,
}

// What is drawn instead of letters: any two of one kind with one id look alike.
const DRAWN = {
  user: (node) => `@${node.id}`,
  role: (node) => `@&${node.id}`,
  channel: (node) => `#${node.id}`,
  emoji: (node) => `:${node.name}:${node.id}`,
  everyone: () => '@everyone',
  here: () => '@here',
  twemoji: (node) => node.name,
  timestamp: (node) => `${node.timestamp}:${node.format}`,
  slashCommand: (node) => `/${node.fullName}:${node.id}`,
  guildNavigation: (node) => `${node.navigationType}:${node.id}`,
}

function flatten(node, formats, runs) {
  if (Array.isArray(node)) return node.forEach((inner) => flatten(inner, formats, runs))
  if (node.type in DRAWN) return runs.push([DRAWN[node.type](node), [...formats, node.type]])
  const within = node.type in FORMATS ? [...formats, FORMATS[node.type](node)] : formats
  if (typeof node.content === 'string') runs.push([node.content, within])
  else if (node.content !== undefined) flatten(node.content, within, runs)
  else if (node.type !== 'br' && node.type !== 'newline') throw new Error(`what is a ${node.type}?`)
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const runs = []
  flatten(parse(JSON.parse(line), 'extended'), [], runs)
  console.log(JSON.stringify(runs))
})
