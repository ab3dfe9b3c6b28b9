// A spec of 2,000 lines, as people lay them out: what a build waits for, and an editor at each keystroke.

import { pathToFileURL } from 'node:url'
import { openLanguageClient } from '../language-client.mjs'
import { timeRun } from '../measure.mjs'
import { median } from '../statistics.mjs'

const NODE = 'node -e 0'
const LINES = 2000
const group = (i) => [
  `type T${i} = {`,
  '  id: int,',
  '  name: string,',
  '  kind: "view" | "order"',
  '}',
  `let a${i} : !T${i} -> !T${i} = filter(id > ${i} and kind = "view")`,
  `let b${i} : !T${i} -> !string = map(upper(name))`,
  `let m${i} : !T${i} -> !string = plumb(input, output) {`,
  `  input ; a${i} ; b${i} ; output`,
  '}',
]
const lines = Array.from({ length: LINES / 10 }, (_, i) => group(i)).flat()
const TEXT = `${lines.join('\n')}\n`

/** In the middle of the file, a call that is being written: each letter changes what is wrong with it. */
const EDITED = LINES / 2 + 6
const typed = (letters) => `let b${(EDITED - 6) / 10} : !T${(EDITED - 6) / 10} -> !string = map(${letters}`
const KEYS = 'upperupperupperupperupperupperupperupper'

export const checkLines = ({ isQuick, writeFixture, once }) => {
  const program = (key, command, env) => once(`check lines: ${key}`, () => ({ measure: () => timeRun(command, { env }) }))
  return {
    name: 'check of lines',
    about: '`plumb check` on a spec of 2,000 lines, 200 types and 600 bindings.',
    unit: 'ms',
    rounds: isQuick ? 7 : 25,
    cases: [
      {
        name: `${LINES} lines`,
        ours: (checkout) =>
          program(`${checkout.label} check`, [checkout.bin('plumb'), 'check', writeFixture('lines.plumb', TEXT)], checkout.env),
        peers: (checkout) => ({ [NODE]: program(NODE, [process.execPath, '-e', '0'], checkout.env) }),
        goals: [{ to: NODE, atMost: 2.5 }],
      },
    ],
  }
}

export const editor = ({ isQuick, writeFixture, once }) => {
  const measure = async (checkout, wait) => {
    const uri = pathToFileURL(writeFixture('lines.plumb', TEXT)).href
    const client = openLanguageClient([checkout.bin('plumb'), 'lsp'], { env: checkout.env })
    await client.request('initialize', { processId: process.pid, rootUri: null, capabilities: {} })
    client.notify('initialized', {})
    client.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'plumb', version: 1, text: TEXT } })
    await client.request('textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 5 } })
    const times = []
    for (let i = 0; i < KEYS.length; i++) {
      const changed = [...lines]
      const line = typed(KEYS.slice(i - (i % 5), i + 1))
      changed[EDITED] = line
      const text = `${changed.join('\n')}\n`
      const started = performance.now()
      // Nobody types the next letter while the check of this one runs.
      const checked = client.waitFor('textDocument/publishDiagnostics')
      await wait(client, { uri, text, version: i + 2, position: { line: EDITED, character: line.length } }, checked)
      times.push(performance.now() - started)
      await checked
    }
    const cpu = await client.end()
    // The first is of a process that was just started, which V8 still compiles.
    return { value: median(times), cpu: cpu / KEYS.length }
  }
  const change = (client, { uri, text, version }) =>
    client.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
  const WAITS = {
    diagnostics: async (client, key, checked) => {
      change(client, key)
      await checked
    },
    completion: async (client, key) => {
      change(client, key)
      const { uri, position } = key
      const got = await client.request('textDocument/completion', { textDocument: { uri }, position })
      if (!(got.items ?? got).some(({ label }) => label === 'upper')) throw new Error('upper is not offered')
    },
  }
  const wait = (name, under) => ({
    name,
    ours: (checkout) => once(`editor: ${checkout.label} ${name}`, () => ({ measure: () => measure(checkout, WAITS[name]) })),
    peers: () => ({}),
    goals: [{ under }],
  })
  return {
    name: 'editor',
    about: `From a keystroke in a file of ${LINES} lines to what the language server says of it: the median of ${KEYS.length}, each typed when the one before has been checked. Processor time is that of the server, start included, a keystroke.`,
    unit: 'ms',
    rounds: isQuick ? 3 : 9,
    cases: [wait('diagnostics', 30), wait('completion', 15)],
  }
}
