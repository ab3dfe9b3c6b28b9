// Random loops: a chain of forms through which each message goes a few times.

import fc from 'fast-check'
import { type Around, type Form, fallingBack, gathered, type Message, NEVER_ENDS, settle, stateless } from './arbitrary-form.js'

/** A message below 100 that goes round so many times is so many hundreds more. */
export const rounds = (forms: readonly Form[], turns: number): Form => ({
  source: '',
  statements: (from, to, at) => `  let s${at} : !int = channel
  let t${at} : !int = channel
  ${from} ; map(value + ${100 * turns}) ; s${at}
  s${at} ; ${forms.map(({ source }) => source).join(' ; ')} ; map(value - 100) ; t${at}
  t${at} ; filter(value >= 100) ; s${at}
  t${at} ; filter(value < 100) ; ${to}
`,
  // What goes round waits behind what already goes round, in front of each form.
  open: (books) => {
    const running = forms.map((form) => form.open(books))
    const waiting: { readonly message: Message; readonly at: number; readonly around: Around }[] = []
    const behind = (at: number, around: Around): Around => ({
      ...around,
      emit: (message) => void waiting.push({ message, at: at + 1, around }),
    })
    books.loops.push({
      step: () => {
        const next = waiting.shift()
        if (!next) return false
        const { message, at, around } = next
        const one = running[at]
        if (one) one.push(message, behind(at, around))
        else if (message.value >= 200) waiting.push({ message: { ...message, value: message.value - 100 }, at: 0, around })
        else around.emit({ ...message, value: message.value - 100 })
        return true
      },
    })
    return {
      push: (message, around) => void waiting.push({ message: { ...message, value: message.value + 100 * turns }, at: 0, around }),
      end: (around) => {
        settle(books)
        // What the first batch lets go may come to the next, or to it again.
        const letGo = (): boolean =>
          running.some((one, at) => {
            one.end(behind(at, around))
            return waiting.length > 0
          })
        while (letGo()) settle(books)
      },
    }
  },
})

const hundreds = (v: number): number => v - (v % 100)
const HUNDREDS = 'value - value % 100'

const computing = fc.integer({ min: 2, max: 6 }).map((k) =>
  stateless({
    source: `map(${HUNDREDS} + (value % 100 * ${k} + 1) % 97)`,
    make: (v) => ({ outs: [hundreds(v) + (((v % 100) * k + 1) % 97)], isLost: false }),
  }),
)

const failing = fc.integer({ min: 3, max: 12 }).map((k) =>
  stateless({
    source: `map(value + 0 % (value % ${k}))`,
    make: (v) => (v % k === 0 ? { outs: [], isLost: true, hasFailed: true } : { outs: [v], isLost: false }),
  }),
)

const dropping = fc.integer({ min: 3, max: 12 }).map((k) =>
  stateless({
    source: `filter(value % ${k} != 1)`,
    make: (v) => (v % k === 1 ? { outs: [], isLost: true } : { outs: [v], isLost: false }),
  }),
)

const apart = fc.integer({ min: 2, max: 3 }).map((k) =>
  stateless({
    source: `map([${HUNDREDS} + (value % 100 + x) % 59 for x in range(value % ${k})]) ; flatten`,
    make: (v) => ({ outs: Array.from({ length: v % k }, (_, x) => hundreds(v) + (((v % 100) + x) % 59)), isLost: false }),
  }),
)

const folded = fc.integer({ min: 0, max: 9 }).map(
  (from): Form => ({
    source: `fold(${HUNDREDS} + (state % 100 * 3 + value % 100) % 53, from: ${from})`,
    open: () => {
      let state = from
      return {
        ...NEVER_ENDS,
        push: (message, { emit }) => {
          state = hundreds(message.value) + (((state % 100) * 3 + (message.value % 100)) % 53)
          emit({ ...message, value: state })
        },
      }
    },
  }),
)

/** The last of a list says how often it goes round. */
const batched = fc.integer({ min: 1, max: 3 }).map((size) => gathered(size, 'map(last(value))', (values) => values.at(-1) as number))

/** Each takes hundreds for what they are, and leaves them. */
export const ofOne = fc.oneof(computing, failing, dropping, apart, fc.tuple(failing, dropping).map(fallingBack))
const form = fc.oneof(ofOne, folded, batched)

/** Statements of a body. */
export const loop: fc.Arbitrary<Form> = fc
  .tuple(fc.array(form, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 3 }))
  .map(([forms, turns]) => rounds(forms, turns))
