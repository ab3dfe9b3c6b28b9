// long
// Random bodies whose processes converse in a tree, each with delays of its own: none waits for ever, and each conversation comes to its end.

import fc from 'fast-check'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { holds, runs } from '../../wire/test/property.js'
import { makeShell } from './shell.js'

/** Whether the side as written says each of its messages, one after the other. */
type Talk = readonly boolean[]

interface Body {
  /** The parent of each process but the first. */
  readonly parents: readonly number[]
  /** The conversation of each with its parent. */
  readonly talks: readonly Talk[]
  /** Whether a process begins one when it has heard something in the one before, or at once. */
  readonly waits: readonly boolean[]
}

const arbitraryBody: fc.Arbitrary<Body> = fc.integer({ min: 1, max: 3 }).chain((count) =>
  fc.record({
    parents: fc.tuple(...Array.from({ length: count }, (_, i) => fc.integer({ min: 0, max: i }))),
    talks: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), { minLength: count, maxLength: count }),
    waits: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  }),
)

const said = (edge: number, i: number): string => JSON.stringify(`${edge}.${i}`)

const protocolOf = (talk: Talk, edge: number): string =>
  `protocol P${edge} = ${talk.map((isSaid, i) => `${isSaid ? 'send' : 'recv'} ${said(edge, i)} . `).join('')}end`

/** What one process does in one conversation: it says a run of messages when it has heard the one before it. */
const speech = (talk: Talk, edge: number, isWritten: boolean, begin: string): string[] => {
  const own = talk.map((isSaid) => isSaid === isWritten)
  const statements: string[] = []
  for (const [i, isOwn] of own.entries()) {
    if (!isOwn || own[i - 1]) continue
    const end = own.indexOf(false, i) < 0 ? own.length : own.indexOf(false, i)
    const list = Array.from({ length: end - i }, (_, k) => said(edge, i + k)).join(', ')
    const after = i === 0 ? begin : `late${edge} ; filter(value = ${said(edge, i - 1)})`
    statements.push(`${after} ; map([${list}]) ; flatten ; says${edge}`)
  }
  const hears = own.some((isOwn) => !isOwn)
  return [
    `let says${edge} : !json = channel`,
    ...(own.some((isOwn) => isOwn) ? [`says${edge} ; s${edge}`] : []),
    ...(hears ? [`let late${edge} : !json = channel`, `s${edge}_in ; slow${edge} ; late${edge}`] : []),
    ...statements,
  ]
}

const specOf = ({ parents, talks, waits }: Body): string => {
  const processes = Array.from({ length: parents.length + 1 }, (_, p) => {
    const edges = parents.flatMap((parent, i) => (parent === p || i + 1 === p ? [i] : []))
    let begin = 'input'
    const statements = edges.flatMap((edge) => {
      const talk = talks[edge] as Talk
      const own = speech(talk, edge, edge + 1 === p, begin)
      const hearsOf = talk.findIndex((isSaid) => isSaid !== (edge + 1 === p))
      if (hearsOf >= 0 && waits[(p + edge) % 10]) begin = `late${edge} ; filter(value = ${said(edge, hearsOf)})`
      return own
    })
    const ports = edges.map((edge) => `${edge + 1 === p ? '' : '~'}P${edge}`)
    return `let p${p} : (${['!json', ...ports].join(', ')}) -> () = plumb(${['input', ...edges.map((e) => `s${e}`)].join(', ')}) {
  input ; discard ; ignored
  let ignored : !json = channel
  ${statements.join('\n  ')}
}`
  })
  const spawns = processes.map((_, p) => {
    const edges = parents.flatMap((parent, i) => (parent === p || i + 1 === p ? [i] : []))
    return `spawn p${p}(${['input=input', ...edges.map((e) => `s${e}=c${e}`)].join(', ')})`
  })
  return [
    ...talks.map(protocolOf),
    ...talks.map((_, e) => `let slow${e} : !json -> !json = agent { command: ["bash", "slow.sh"], sandbox: false, answers: "each" }`),
    ...processes,
    'let main : !json -> !json = plumb(input, output) {',
    ...talks.map((_, e) => `  let c${e} : P${e} = channel`),
    ...spawns.map((spawn) => `  ${spawn}`),
    '  input ; output',
    '}',
  ].join('\n')
}

const SLOW = 'while IFS= read -r line; do sleep 0.0$((RANDOM % 10)); printf "%s\\n" "$line"; done\n'

t.test('none waits for ever', async (t) => {
  let messages = 0
  let wrong = ''
  const property = fc.asyncProperty(arbitraryBody, async (body) => {
    const { shell } = makeShell({ 'a.plumb': specOf(body), 'slow.sh': SLOW })
    const { status, out, err } = await shell(`timeout ${scaled(60)} plumb a.plumb`, '1\n')
    messages += body.talks.flat().length
    if (status === 0 && out === '1\n' && err === '') return true
    wrong = `${status}: ${out}${err}\n${specOf(body)}`
    return false
  })
  await holds(t, property, { numRuns: runs(12), endOnFailure: true })
  t.equal(wrong, '')
  t.comment(`${messages} messages`)
})
