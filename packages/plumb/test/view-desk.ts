// A recorded run with whatever a page has to show: answers that are sent back, calls that fail, pictures, hostile words, and a nested plumb.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { openTalkingModel, type Reply, type Said } from './fixtures/talking-model.js'

export const HOSTILE =
  '</pre></article></noscript><script>document.title = "x"</script><img src=x onerror="document.title = 1"><b id=hostile>'
const WIDE = `${'| a '.repeat(300)}\n${'|-'.repeat(300)}|`
const MARKDOWN = `# Dear customer\n\nthank you for **ticket 2**, see [the page](https://a.test/x) and [not](javascript:document.title=1).\n\n1. broken\n2. *refunded*\n\n\`\`\`json\n{"order": 2}\n\`\`\`\n\n<img src=x onerror=alert(1)>\n\n${WIDE}`

const spec = (url: string) => `
use media
type Ticket = { id: int, text: string, photo?: Media.Image }
type Level = { urgency: int }
@tool true
@description "Pay money back"
let refund : { amount: int } -> { ok: bool } = map({ ok: if amount > 40 then fail("above the limit of 40 dollars") else true })
let triager : !Ticket -> !Level = agent { ${common(url)}, prompt: "TRIAGE by urgency", max_retries: 1 }
let solver : !Ticket -> !string = agent { ${common(url)}, prompt: "SOLVE it", tools: [refund] }
let polish : !string -> !string = plumb(i, o) { i ; writer ; map(value + "!") ; o }
let writer : !string -> !string = agent { ${common(url)}, prompt: "POLISH it" }
let main : !Ticket -> !string = plumb(ticket, output) {
  ticket ; triager ; map("urgency " + text(urgency)) ; output
  ticket ; solver ; polish ; output
}
`

const otherOf = (text: string): string =>
  text.replace('TRIAGE by urgency', 'TRIAGE by anger').replace('map("urgency "', 'map(if urgency = 2 then "soon" else "urgency "')

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const common = (url: string): string =>
  `provider: "openai", model: "gpt-4o", endpoint: "${url}", stream: false, transport_retries: 0, amnesiac: true`

/** Ticket 3 gets prose instead of a level, twice; ticket 4 asks for too much money; ticket 5 is refused by the server. */
const reply = (system: string, messages: readonly Said[]): Reply => {
  const told = JSON.stringify(messages.filter(({ role }) => role !== 'system' && role !== 'developer'))
  const id = Number(/id\\+":\s*(\d+)/.exec(told)?.[1])
  if (system.includes('TRIAGE')) return id === 3 ? 'I am sorry, I cannot decide' : `{"urgency": ${id}}`
  if (system.includes('POLISH')) return told.includes('MARK') ? MARKDOWN : 'polished'
  if (id === 5) return { status: 400, error: 'no such thing' }
  if (messages.at(-1)?.role === 'tool') return id === 2 ? 'MARK' : id === 1 ? HOSTILE : 'solved'
  return { says: 'Let me look that up', calls: 'refund', with: { amount: id === 4 ? 50 : 10 } }
}

const ticket = (id: number, more = {}) => JSON.stringify({ id, text: `ticket ${id} ${HOSTILE}`, ...more })

const INPUT = `${ticket(1, { photo: { kind: 'image', path: 'parcel.png' } })}\n${[2, 3, 4, 5].map((id) => ticket(id)).join('\n')}\n{"id":"six"}\n`

/**
 * Runs it in a directory of its own; the record is `rec`. `other.plumb` is the same with another prompt of the triager, and a stage behind it
 * that says something else of ticket 2.
 */
export const recordDesk = async (t: Test, script: string): Promise<{ directory: string; err: string }> => {
  const model = await openTalkingModel(reply)
  t.teardown(() => model.close())
  const directory = makeTestDirectory({ 'desk.plumb': spec(model.url), 'other.plumb': otherOf(spec(model.url)), 'in.jsonl': INPUT })
  writeFileSync(join(directory, 'parcel.png'), Buffer.from(PNG, 'base64'))
  const { err } = await bash(script, { directory, env: { ...envIn(directory), OPENAI_API_KEY: 'sk-x' } })
  return { directory, err }
}
