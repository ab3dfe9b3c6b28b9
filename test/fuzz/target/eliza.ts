// Scripts of ELIZA, with what is said to her behind a line of '---': a script that loads never fails later, and a conversation can be taken up.

import { readFileSync } from 'node:fs'
import { loadScript } from '../../../packages/plumb-agent/src/provider/eliza/script.js'
import { ElizaSession } from '../../../packages/plumb-agent/src/provider/eliza/session.js'
import { isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const SAID = '\n---\nMen are all alike.\nMy cat remembers you, and your mother!\n\nred or crimson, he dreamt\nperhaps\n'
const scriptOf = (path: string): string => readFileSync(path, 'utf8') + SAID
const DOCTOR = scriptOf('packages/plumb-agent/src/provider/eliza/doctor.script')

export const eliza: Target = {
  name: 'eliza',
  seeds: [
    scriptOf('packages/plumb-agent/test/fixtures/eliza/mini.script'),
    scriptOf('packages/plumb/examples/sceptic.script'),
    scriptOf('packages/plumb/examples/optimist.script'),
    DOCTOR,
  ],
  words: [
    ...[
      '(',
      ')',
      '((',
      '))',
      '(0)',
      '((0) (',
      'NONE',
      'MEMORY',
      'START',
      'NEWKEY',
      'DLIST(/X)',
      '(/X)',
      '(/FAMILY)',
      '(*A B)',
      '(PRE (1 2) (=NONE))',
      '(=YOU)',
      '= ',
    ],
    ...[
      '0',
      '1',
      '2',
      '99',
      '-1',
      '1000000000',
      'YOU',
      'I',
      'MY',
      'ME',
      ';',
      "'",
      ',',
      '.',
      '!',
      '?',
      '\n---\n',
      'my',
      'you are',
      'ß',
      'ŉ',
      'ᾳ',
    ],
  ],
  cases: 250,
  maxBytes: 24_000,
  judge: (input) => {
    const text = input.toString('utf8')
    const [script = '', said = SAID] = text.split('\n---\n')
    const loaded = loadScript(script, 'fuzz.script')
    if (!loaded.ok) return must(isCode(loaded.error.error) && typeof loaded.error.line === 'number', 'a refusal without its line')
    const session = new ElizaSession(loaded.value)
    const second = new ElizaSession(loaded.value)
    for (const line of `${said}\n${SAID}`.split('\n').slice(0, 40)) {
      const reply = session.reply(line)
      must(typeof reply === 'string' && !/[\n\r]/.test(reply), `she says ${JSON.stringify(reply)}`)
      must(second.reply(line) === reply, 'she says two things to the same')
      // Taken up by another.
      const state = JSON.parse(JSON.stringify(second.snapshot()))
      const restored = new ElizaSession(loaded.value).restore(state)
      must(restored.ok, `she cannot go on: ${restored.ok ? '' : restored.error.detail}`)
      must(
        second.restore(state).ok && JSON.stringify(second.snapshot()) === JSON.stringify(state),
        'a state is another when it is taken up',
      )
    }
  },
}
