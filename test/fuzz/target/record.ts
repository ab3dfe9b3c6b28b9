// Records of a run, as a crash or anybody may have left them: each file behind a line with its name. Resuming and viewing them is refused in
// words, or goes by what is whole in them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bindingNamed, compile, type Graph, planOf } from '../../../packages/lang/src/index.js'
import { runPage } from '../../../packages/plumb/src/view/page.js'
import { readRunParts } from '../../../packages/plumb/src/view/run-parts.js'
import { runOptions } from '../../../packages/runtime/src/options/run-options.js'
import { readRunFile } from '../../../packages/runtime/src/record/directory.js'
import { describeDifference } from '../../../packages/runtime/src/record/identity.js'
import { readAnswers } from '../../../packages/runtime/src/record/resume/read-answers.js'
import { bundledFiles, type Fault, isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const SPEC = `let a : !string -> !string = agent { provider: "eliza", model: "doctor" }
let b : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }
let main : !string -> !string = plumb(input, output) { input ; a ; b ; output }`
const graph = (): Graph => {
  const files = bundledFiles({ entry: 'a.plumb', files: {}, modules: {} })
  const bound = bindingNamed(compile({ path: 'a.plumb', text: SPEC, files }).program, 'main')
  if (!bound) throw new Error('there is no main')
  return planOf(bound)
}
const GRAPH = graph()

const IDENTITY = { files: { 'a.plumb': 'f00' }, options: { binding: 'main' } }
const lines = (...values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const WIRE = { index: 1, name: '01-input-a', from: 'input', fromPort: 'output', to: 'a', toPort: 'input', type: 'string' }
const RUN = {
  format: 1,
  plumb: '0.1.0',
  spec: 'a.plumb',
  binding: 'main',
  ...IDENTITY,
  wires: [WIRE],
  pid: 1,
  host: 'h',
  began: '2026-01-01T00:00:00.000Z',
}
const TRACE = lines(
  {
    name: 'run',
    ph: 'M',
    pid: 1,
    tid: 0,
    args: { spec: 'a.plumb', binding: 'main', time: '2026', dot: 'digraph { a }', wires: [WIRE], nodes: [{ name: 'a', kind: 'agent' }] },
  },
  { name: 'process_name', ph: 'M', pid: 2, tid: 0, args: { name: 'agent a' } },
  { name: 'thread_name', ph: 'M', pid: 1, tid: 1, args: { name: 'a' } },
  { name: 'a', cat: 'work', ph: 'X', pid: 2, tid: 1, ts: 5, dur: 7, args: { seq: 1, input: '"x"', output: '"y"', waited_ms: 1 } },
  { name: '01-input-a', cat: 'wire', ph: 'i', pid: 1, tid: 1, ts: 3, args: { message: '"x"', seq: 1 } },
  { name: 'm', cat: 'model', ph: 'b', id: 'k', pid: 2, tid: 1, ts: 5, args: { read: 4, written: 5 } },
  { name: 'm', cat: 'model', ph: 'e', id: 'k', pid: 2, tid: 1, ts: 9, args: {} },
  { name: 't', cat: 'tool', ph: 'b', id: 't', pid: 2, tid: 1, ts: 6, args: { input: { a: 1 } } },
  {
    name: 't',
    cat: 'tool',
    ph: 'e',
    id: 't',
    pid: 2,
    tid: 1,
    ts: 8,
    args: { ok: true, result: 'r', stages: ['x'], attempts: 1, depth: 0 },
  },
  { name: 'end', ph: 'i', pid: 1, tid: 0, ts: 20, args: { status: 0 } },
)
const ANSWERS = lines(
  { process: 'a', seq: 1, input: '"x"', output: '"y"' },
  { process: 'a', remembered: [{ role: 'user', content: 'x' }] },
  { process: 'b', seq: 2, input: '"z"', fault: { error: 'bad_reply', category: 'invalid', detail: 'd' } },
  { process: 'b', seq: 3, input: '"x"', output: '{"a":[1]}' },
)

const FILES = ['run.json', 'answers.jsonl', 'trace.json'] as const
const pack = (...texts: readonly string[]): string => texts.map((text, i) => `-- ${FILES[i]} --\n${text}`).join('')

const sound = ({ error, detail }: Fault): void => must(isCode(error) && detail.length < 4000, `a refusal says ${detail.slice(0, 100)}`)

export const record: Target = {
  name: 'record',
  seeds: [
    pack(`${JSON.stringify(RUN, null, 2)}\n`, ANSWERS, TRACE),
    pack(JSON.stringify({ ...RUN, ended: 'x', status: 1, stopped_by: 'SIGTERM' }), ANSWERS, `[${TRACE.trim().replaceAll('\n', ',\n')}]`),
  ],
  words: [
    ...[
      '-- run.json --\n',
      '-- answers.jsonl --\n',
      '-- trace.json --\n',
      '"format":1',
      '"files":',
      '"options":',
      '"wires":',
      '"pid":',
      '"host":',
      '"process":"a"',
      '"process":"b"',
      '"seq":',
    ],
    ...[
      '"input":',
      '"output":',
      '"fault":',
      '"remembered":[',
      '"error":',
      '"ph":"X"',
      '"ph":"M"',
      '"ph":"i"',
      '"ph":"b"',
      '"ph":"e"',
      '"id":',
      '"pid":1',
      '"tid":',
      '"ts":',
      '"dur":',
      '"args":{',
    ],
    ...[
      '"name":"process_name"',
      '"name":"run"',
      '"cat":"work"',
      '"cat":"wire"',
      '"cat":"tool"',
      '"traceEvents":[',
      '{',
      '}',
      '[',
      ']',
      'null',
      '\n',
      '"constructor"',
      '1e300',
      '-1',
    ],
  ],
  cases: 300,
  judge: async (input) => {
    const directory = mkdtempSync(join(tmpdir(), 'plumb-fuzz-'))
    try {
      const text = input.toString('utf8')
      for (const file of FILES) writeFileSync(join(directory, file), text.split(`-- ${file} --\n`)[1]?.split(/^-- \S+ --\n/m)[0] ?? '')
      const run = readRunFile(directory)
      if (!run.ok) sound(run.error)
      else {
        const difference = describeDifference(run.value, IDENTITY)
        must(difference === undefined || difference !== '', 'a difference that says nothing')
      }
      const answers = readAnswers(directory, GRAPH, { ...runOptions('run', {}), programs: { agent: 'any-program', tool: undefined } })
      if (!answers.ok) sound(answers.error)
      else
        for (const each of answers.value.values()) {
          must(Array.isArray(each.memory), 'a memory is not a list')
          for (const input of ['"x"', '"z"', 'undefined']) {
            const sealed = each.take(1, input)
            if (sealed?.fault)
              must(isCode(sealed.fault.error) && typeof sealed.fault.detail === 'string', `a fault is ${JSON.stringify(sealed.fault)}`)
            else if (sealed) JSON.parse(sealed.output)
          }
        }
      const parts = await readRunParts(directory)
      if (!parts.ok) return sound(parts.error)
      must(runPage({ ...parts.value, isServed: false }).endsWith('</html>\n'), 'a page has no end')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
}
