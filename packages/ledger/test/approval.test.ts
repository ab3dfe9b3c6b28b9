// The file of calls that wait for a person: what it says is on the disk before what follows is done, so that wherever a run stops a call is made
// at most once, and none is forgotten.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { appendLine, decisionLine, openHeldCalls, readCalls, stateNow } from '../src/approval/index.js'
import type { Consent } from '../src/approval/question.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-approval-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
let files = 0
const newFile = (text?: string): string => {
  const path = join(directory, `${++files}.jsonl`)
  if (text !== undefined) writeFileSync(path, text)
  return path
}

const CALL = { tool: 'send', input: '{"to":"ann"}', process: 'bot', why: 'asks', call: 'c1', nth: 1 }

interface Attempt {
  readonly error: string | undefined
  readonly result: unknown
  readonly made: number
}

/** One process asks for the call, as `heard` answers. */
const attempt = async (path: string, heard: Consent | undefined, call = CALL, isLost = false): Promise<Attempt> => {
  const held = openHeldCalls(path)
  if (!held.ok) return { error: held.error.error, result: undefined, made: 0 }
  let made = 0
  const run = async (edited?: string) => {
    made++
    return { sent: true, ...(edited === undefined ? {} : { edited }) }
  }
  const settled = await held.value.of(call).settle({ ask: async () => heard, run, isLost: () => isLost })
  return settled.ok ? { error: undefined, result: settled.value, made } : { error: settled.error.error, result: undefined, made }
}

const decide = (path: string, isApproved: boolean, more: { why?: string; untilMs?: number } = {}): void => {
  const calls = readCalls(path)
  for (const id of calls.ok ? calls.value.keys() : []) appendLine(path, decisionLine(id, { isApproved, ...more }))
}

const stateIn = (path: string): string | undefined => {
  const calls = readCalls(path)
  const [call] = calls.ok ? calls.value.values() : []
  return call && stateNow(call, Date.now())
}

t.test('a call waits, is approved, is made once, and its result is known from then on', async (t) => {
  const path = newFile()
  t.match(await attempt(path, undefined), { error: 'parked', made: 0 }, 'no one is there')
  t.match(await attempt(path, undefined), { error: 'parked', made: 0 }, 'nor the next time')
  t.equal(readFileSync(path, 'utf8').split('\n').length, 2, 'it is asked for once')
  decide(path, true)
  t.match(await attempt(path, undefined), { error: undefined, result: { sent: true }, made: 1 }, 'made')
  t.match(await attempt(path, undefined), { error: undefined, result: { sent: true }, made: 0 }, 'and not again')
  decide(path, true)
  t.match(await attempt(path, undefined), { made: 0 }, 'also when it is approved once more')
})

t.test('a call that a person gave another input is made with that, also once more', async (t) => {
  const path = newFile()
  const edited = '{"to":"bob"}'
  t.match(await attempt(path, { edited }, CALL, true), { result: { sent: true, edited }, made: 1 }, 'its result is lost')
  t.match(await attempt(path, undefined), { error: 'in_doubt', made: 0 })
  decide(path, true)
  t.match(await attempt(path, undefined), { result: { sent: true, edited }, made: 1 })
})

t.test('where a person is there nothing waits, and the call is made once all the same', async (t) => {
  const path = newFile()
  t.match(await attempt(path, true), { error: undefined, made: 1 })
  t.match(await attempt(path, undefined), { error: undefined, made: 0 })
  const refused = newFile()
  t.match(await attempt(refused, false), { error: 'approval_required', made: 0 }, 'a no is a no')
})

t.test('what a decision holds for', async (t) => {
  const denied = newFile()
  await attempt(denied, undefined)
  decide(denied, false, { why: 'not on Fridays' })
  t.match(await attempt(denied, undefined), { error: 'approval_required', made: 0 }, 'a call that is denied is not made')
  decide(denied, true)
  t.match(await attempt(denied, undefined), { made: 1 }, 'until it is approved')

  const other = newFile()
  await attempt(other, undefined)
  decide(other, true)
  t.match(
    await attempt(other, undefined, { ...CALL, input: '{"to":"bob"}', call: 'c2' }),
    { error: 'parked', made: 0 },
    'not other arguments',
  )
  t.match(await attempt(other, undefined, { ...CALL, process: 'bob', call: 'c2' }), { error: 'parked', made: 0 }, 'nor another process')
  t.match(await attempt(other, undefined, { ...CALL, call: 'c3' }), { made: 1 }, 'the same call elsewhere in the conversation')
  t.match(await attempt(other, undefined, { ...CALL, call: 'c4' }), { error: 'parked', made: 0 }, 'once')

  const digits = newFile()
  await attempt(digits, undefined, { ...CALL, input: '9007199254740993' })
  decide(digits, true)
  t.match(
    await attempt(digits, undefined, { ...CALL, input: '9007199254740992', call: 'c2' }),
    { error: 'parked', made: 0 },
    'all digits count',
  )

  const late = newFile()
  await attempt(late, undefined)
  decide(late, true, { untilMs: Date.now() - 1 })
  t.match(await attempt(late, undefined), { error: 'parked', made: 0 }, 'and the time until it holds')
})

t.test('two equal calls are two questions', async (t) => {
  const path = newFile()
  const second = { ...CALL, nth: 2 }
  await attempt(path, undefined)
  await attempt(path, undefined, second)
  decide(path, true)
  t.match(await attempt(path, undefined, second), { made: 1 })
  t.match(await attempt(path, undefined), { made: 1 })
  t.match(await attempt(path, undefined, second), { made: 0 })
})

t.test('what came of a call is not known: it is in doubt, and a person looks', async (t) => {
  const path = newFile()
  await attempt(path, true, CALL, true)
  t.equal(stateIn(path), 'in_doubt')
  t.match(await attempt(path, true), { error: 'in_doubt', made: 0 }, 'it is not made unasked, also with a person there')
  decide(path, true)
  t.match(await attempt(path, undefined), { error: undefined, made: 1 }, 'and made again when that is allowed')
})

// A kill at any moment leaves the lines before it, and maybe a part of the next. What is run lies between `begun` and `done`.
t.test('wherever the file ends the call is made at most once, or is in doubt', async (t) => {
  const whole = newFile()
  await attempt(whole, undefined)
  decide(whole, true)
  await attempt(whole, undefined)
  const text = readFileSync(whole, 'utf8')
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1)
  t.equal(ends.length, 4, 'asked, approved, begun, done')
  for (let end = 0; end <= text.length; end++) {
    const written = ends.filter((one) => one <= end).length
    // A line counts without its line break too.
    const known = ends.includes(end + 1) ? written + 1 : written
    const path = newFile(text.slice(0, end))
    const first = await attempt(path, undefined)
    const wanted = [
      { error: 'parked', made: 0 },
      { error: 'parked', made: 0 },
      { error: undefined, made: 1 },
      { error: 'in_doubt', made: 0 },
      { error: undefined, made: 0 },
    ][known]
    if (!t.match(first, wanted as object, `cut after ${end} bytes`)) return
    const second = await attempt(path, undefined)
    if (!t.equal(second.made, 0, `cut after ${end} bytes, once more`)) return
  }
})

t.test('what cannot be written down is not done', async (t) => {
  const nowhere = join(directory, 'missing', 'a.jsonl')
  t.match(await attempt(nowhere, undefined), { error: 'write_failed', made: 0 })
  t.match(await attempt(nowhere, true), { error: 'write_failed', made: 0 })
})

t.test('lines that are none are skipped, and a person is not believed about calls that were never asked for', async (t) => {
  const path = newFile('{"kind":"approved","id":"x"}\nnull\n[1]\n{"kind":"asked","id":7}\n{"kind":"asked","id":"y","tool":1}\n{"kind"')
  t.match(await attempt(path, undefined), { error: 'parked', made: 0 })
  const calls = readCalls(path)
  t.equal(calls.ok && calls.value.size, 1)
})
