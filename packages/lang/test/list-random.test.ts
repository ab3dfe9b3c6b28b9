// Random expressions over lists: the interpreter and generated code give what a second, independent meaning of them gives.

import t from 'tap'
import { checkExpression } from '../src/expression/infer/check.js'
import { compileMap } from '../src/expression/stage/stage.js'
import { run } from './evaluate.js'
import { Dice, Expressions, jsonOf, MESSAGE, NoValue, randomMessage } from './list-reference.js'
import { expression, type } from './parsed.js'

const { PLUMB_SEED, PLUMB_TIMES = '1' } = process.env
const SEED = PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(PLUMB_SEED)
const PROGRAMS = 400 * Number(PLUMB_TIMES)
const MESSAGES = 6

t.test(`seed ${SEED}: random expressions over lists mean what they say`, async (t) => {
  const input = type(MESSAGE)
  const seen = { values: 0, failures: 0, unchecked: 0 }
  for (let n = 0; n < PROGRAMS; n++) {
    const dice = new Dice(SEED + n)
    const { source, give } = new Expressions(dice).any()
    const e = expression(`[${source}]`)
    if (!checkExpression(e, { input }, () => {})) {
      seen.unchecked++
      continue
    }
    const stage = compileMap(e, { input })
    for (let m = 0; m < MESSAGES; m++) {
      const message = randomMessage(dice)
      const text = jsonOf(message)
      let expected: string | undefined
      try {
        expected = `[${jsonOf(give(new Map([...message, ['value', message]])))}]`
      } catch (failure) {
        if (!(failure instanceof NoValue)) throw failure
      }
      const found = run(stage, text)
      if (expected === undefined ? !found.startsWith('evaluation_failed: ') : found !== expected) {
        t.fail(`program ${SEED + n}: ${source}`, { message: text, expected: expected ?? 'evaluation_failed', found })
        return
      }
      if (expected === undefined) seen.failures++
      else seen.values++
    }
  }
  t.comment(JSON.stringify(seen))
  t.ok(seen.values > PROGRAMS && seen.failures > PROGRAMS / 20 && seen.unchecked < PROGRAMS / 4, JSON.stringify(seen))
})
