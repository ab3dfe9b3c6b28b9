// long
// Every reader of ours, fed with what is nearly right. PLUMB_SEED repeats a run, PLUMB_TIMES (0.3) is how many times the cases of a target, and
// PLUMB_FUZZ='TARGET' or 'TARGET CASE' tries that alone.

import t from 'tap'
import { runTarget } from './run-target.js'
import { answer } from './target/answer.js'
import { control } from './target/control.js'
import { eliza } from './target/eliza.js'
import { events } from './target/events.js'
import { expression } from './target/expression.js'
import { html } from './target/html.js'
import { lines } from './target/lines.js'
import { mcpClient } from './target/mcp-client.js'
import { mcpServer } from './target/mcp-server.js'
import { patches } from './target/patch.js'
import { policy } from './target/policy.js'
import { prompt } from './target/prompt.js'
import { record } from './target/record.js'
import { schema } from './target/schema.js'
import { spec } from './target/spec.js'
import { telemetry } from './target/telemetry.js'

const TARGETS = [
  spec,
  expression,
  lines,
  events,
  patches,
  html,
  eliza,
  schema,
  policy,
  prompt,
  mcpServer,
  mcpClient,
  record,
  answer,
  control,
  telemetry,
]

const { PLUMB_SEED, PLUMB_TIMES = '0.3', PLUMB_FUZZ = '' } = process.env
const seed = PLUMB_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(PLUMB_SEED)
const [name = '', only] = PLUMB_FUZZ.split(' ')

t.comment(`seed ${seed}`)
for (const target of TARGETS.filter((one) => name === '' || one.name === name)) {
  t.test(`seed ${seed}: ${target.name}`, async (t) => {
    const tried = await runTarget(target, { seed, times: Number(PLUMB_TIMES), only: only === undefined ? undefined : Number(only) })
    t.pass(`${tried} inputs`)
  })
}
