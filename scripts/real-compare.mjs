// Two prompts and two small models over 200 labelled tickets, compared by plumb test: real-compare.mjs [TICKETS]
//
// The models are SmolLM2-135M and the same without two of its 30 layers, on llama.cpp (scripts/real). What is the same in two variants is asked
// once: the second stage is asked again only for tickets of which the first one says something else. On two idle cores it takes some ten minutes.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, runMain } from './command.mjs'

const COUNT = Number(process.argv[2] ?? 200)

/** By the team that answers them; {p} is a product and {m} a month. */
const TICKETS = {
  billing: [
    'my invoice of {m} is wrong',
    'I was charged twice for {p}',
    'please refund what I paid for {p}',
    'the price of {p} on my bill is not what we agreed',
    'my card was declined when I paid for {p}',
  ],
  support: [
    '{p} crashes when I log in',
    'I cannot open {p} any more',
    '{p} shows an error since {m}',
    'how do I reset my password for {p}',
    'the app is very slow with {p}',
  ],
  sales: [
    'I want to buy forty licences of {p}',
    'do you offer a discount on {p} for schools',
    'can somebody show us {p} in {m}',
    'we would like a quote for {p}',
    'which plan of {p} fits a team of ten',
  ],
  shipping: [
    'my parcel with {p} has not come',
    '{p} arrived damaged',
    'where is my order of {p} from {m}',
    'the courier left {p} at the wrong door',
    'please send {p} to another address',
  ],
}
const PRODUCTS = ['the espresso machine', 'the desk app', 'the starter kit', 'the camera', 'the printer']
const MONTHS = ['March', 'June', 'October', 'May', 'January']
const ENDS = ['and I need an answer today', 'but there is no hurry']

const rows = Object.entries(TICKETS).flatMap(([team, texts]) =>
  texts.flatMap((text) =>
    PRODUCTS.flatMap((product, i) =>
      ENDS.map((end) => {
        const words = text.replace('{p}', product).replace('{m}', MONTHS[i])
        return { text: `${words[0].toUpperCase()}${words.slice(1)}, ${end}.`, team }
      }),
    ),
  ),
)

const QUESTION = 'Which team answers this ticket: billing, support, sales or shipping?'
const EXAMPLES = `${QUESTION} "I was charged too much." is billing. "I want my money back." is billing. "The app does not start." is support. "I forgot my password." is support. "What does it cost for fifty people?" is sales. "We want to buy more." is sales. "The parcel is late." is shipping. "It came broken." is shipping.`

const AGENT = 'provider: "llamacpp", model: "smollm2", temperature: 0, amnesiac: true, concurrency: 2'
const SPEC = `param style : string = ${JSON.stringify(QUESTION)}
type Team = "billing" | "support" | "sales" | "shipping"
type Answer = { team: Team, when: "today" | "this week" }
let sorter : !string -> !Team = agent { ${AGENT}, max_tokens: 30, prompt: style }
let urgency : !{ text: string, team: Team } -> !Answer = agent {
  ${AGENT}, max_tokens: 40, prompt: "Repeat the team. Say whether the ticket has to be answered today or this week."
}
let joined : !(string, Team) -> !{ text: string, team: Team } = map({ text: value[0], team: value[1] })
let main : !string -> !Answer = plumb(input, output) {
  input ; sorter
  (input * sorter) ; barrier ; joined ; urgency ; output
}
test "tickets find their team" of main {
  data: "rows.jsonl", input: row.text, holds: out.team = row.team, at_least: 0, model: "live", timeout: 600
}
`

const startServer = async (python, layers = []) => {
  const child = spawn(python, [`${ROOT}/scripts/real/server.py`, '0', ...layers], { stdio: ['pipe', 'pipe', 'ignore'] })
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(Number(line)))
    child.once('exit', () => reject(new Error('the server ended')))
  })
  // The files of a smaller model go with it.
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => child.stdin.end() }
}

const compare = (directory, [whole, smaller]) =>
  new Promise((resolve) => {
    const variant = (name, keys) => [
      '--variant',
      `${name}: ${Object.entries(keys)
        .map(([key, text]) => `${key}=${JSON.stringify(text)}`)
        .join(', ')}`,
    ]
    const variants = [
      variant('question', { endpoint: whole.url }),
      variant('examples', { endpoint: whole.url, style: EXAMPLES }),
      variant('question_smaller', { endpoint: smaller.url, model: 'smollm2-28' }),
      variant('examples_smaller', { endpoint: smaller.url, model: 'smollm2-28', style: EXAMPLES }),
    ].flat()
    const plumb = spawn(`${ROOT}/packages/plumb/bin/plumb`, ['test', '--live', '--seed', '55', ...variants, 'sort.plumb'], {
      cwd: directory,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    plumb.on('close', (status) => resolve(status === 0))
  })

await runMain(import.meta.url, async () => {
  const python = execFileSync('bash', [`${ROOT}/scripts/real/install`, 'server'], { encoding: 'utf8' }).trim()
  const directory = mkdtempSync(join(tmpdir(), 'plumb-compare-'))
  const step = rows.length / COUNT
  const chosen = Array.from({ length: Math.min(COUNT, rows.length) }, (_, i) => rows[Math.floor(i * Math.max(1, step))])
  writeFileSync(join(directory, 'rows.jsonl'), chosen.map((row) => `${JSON.stringify(row)}\n`).join(''))
  writeFileSync(join(directory, 'sort.plumb'), SPEC)
  const servers = [await startServer(python), await startServer(python, ['24-25'])]
  const isDone = await compare(directory, servers)
  for (const server of servers) server.stop()
  rmSync(directory, { recursive: true })
  return isDone
})
