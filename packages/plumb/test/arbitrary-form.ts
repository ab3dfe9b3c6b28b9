// Random chains of the forms that keep something from one message to the next (batch, fold), with lists, fall-backs and barriers around them,
// and what a reference makes of messages that takes one after the other through them, by the rules of plumbing(5).

import fc from 'fast-check'
import { rangesOf } from '../../runtime/src/graph/input-context.js'
import { FROM_LIST, fromList, type Made, simple } from './arbitrary-chain.js'

/** A message on its way, and where it parted from others: through which branch of which barrier, and what it stems from there. */
export interface Message {
  readonly value: number
  readonly seq: number
  readonly parted: readonly { readonly join: Join; readonly branch: number; readonly of: Parted }[]
  /** What entered the process with the port `error` that it is in. */
  readonly entered?: number
}

/** What becomes of messages where they are. */
export interface Around {
  readonly emit: (message: Message) => void
  readonly fail: (message: Message) => void
  readonly lose: (message: Message) => void
  /** An element was left out of its list. */
  readonly skip: (message: Message) => void
}

export interface Running {
  push(message: Message, around: Around): void
  end(around: Around): void
}

export interface Form {
  /** A chain from int to int. */
  readonly source: string
  readonly open: (books: Books) => Running
  /** A process of its own, with its port `error`. */
  readonly recovers?: true
  /** The statements of a body that are it; `at` reports their names from those of others. */
  readonly statements?: (from: string, to: string, at: number) => string
}

export interface Books {
  readonly joins: Join[]
  /** Upstream first. */
  readonly loops: Loop[]
  /** What barriers by keys have left. */
  readonly left: string[]
}

interface Loop {
  /** Takes one message further. */
  step(): boolean
}

/** What leaves a loop is taken to its end before what stays in it. */
export const settle = ({ loops }: Books): void => {
  while ([...loops].reverse().some((loop) => loop.step()));
}

export const NEVER_ENDS = { end: () => {} }

/** Of one message at a time. */
export const stateless = (chain: {
  readonly source: string
  readonly make: (value: number) => Made & { readonly hasFailed?: boolean }
}): Form => ({
  source: chain.source,
  open: () => ({
    ...NEVER_ENDS,
    push: (message, { emit, fail, lose }) => {
      const { outs, isLost, hasFailed } = chain.make(message.value)
      for (const value of outs) emit({ ...message, value })
      if (hasFailed) fail(message)
      if (hasFailed || isLost) lose(message)
    },
  }),
})

export const plain = simple.map(({ source, make }) =>
  stateless({
    source,
    make: (value) => {
      const failed: number[] = []
      const made = make(value, { seq: 0, failed, skipped: [], left: new Map(), leftInLists: { sum: 0 } })
      return { ...made, hasFailed: failed.length > 0 }
    },
  }),
)

export const flattened = fc.integer({ min: 2, max: 5 }).map((k) =>
  stateless({
    source: `map([(value + x) % 59 for x in range(value % ${k})]) ; flatten`,
    make: (v) => ({ outs: Array.from({ length: v % k }, (_, x) => (v + x) % 59), isLost: false }),
  }),
)

export const gathered = (size: number, toInt: string, make: (values: readonly number[]) => number): Form => ({
  source: `batch(${size}) ; ${toInt}`,
  open: () => {
    let waiting: Message[] = []
    const letGo = (emit: Around['emit']): void => {
      const last = waiting.at(-1)
      const values = waiting.map((one) => one.value)
      waiting = []
      if (last) emit({ ...last, value: make(values) })
    }
    return {
      push: (message, { emit, lose }) => {
        const before = waiting.at(-1)
        waiting.push(message)
        // What has parted elsewhere is in a list of another origin now.
        const parted = before?.parted.filter(({ of }, i) => message.parted[i]?.of !== of) ?? []
        if (before && parted.length > 0) lose({ ...before, parted })
        if (waiting.length === size) letGo(emit)
      },
      end: ({ emit }) => letGo(emit),
    }
  },
})

export const batched = fc.integer({ min: 1, max: 4 }).map((size) => gathered(size, FROM_LIST, fromList))

const batchedWhole = fc.constant({ ...gathered(Number.POSITIVE_INFINITY, FROM_LIST, fromList), source: `batch() ; ${FROM_LIST}` })

export const folded = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 3, max: 12 }), fc.boolean()).map(
  ([from, k, fails]): Form => ({
    source: `fold((state * 3 + value${fails ? ` + 0 % (value % ${k})` : ''}) % 53, from: ${from})`,
    open: () => {
      let state = from
      return {
        ...NEVER_ENDS,
        push: (message, { emit, fail, lose }) => {
          if (fails && message.value % k === 0) {
            fail(message)
            return lose(message)
          }
          state = (state * 3 + message.value) % 53
          emit({ ...message, value: state })
        },
      }
    },
  }),
)

const foldedByKey = fc
  .record({
    from: fc.nat(9),
    keys: fc.integer({ min: 1, max: 4 }),
    k: fc.integer({ min: 3, max: 12 }),
    fails: fc.constantFrom('', 'state', 'key'),
  })
  .map(({ from, keys, k, fails }): Form => {
    const failing = ` + 0 % (value % ${k})`
    const [inState, inKey] = [fails === 'state' ? failing : '', fails === 'key' ? failing : '']
    return {
      source: `fold((state * 3 + value${inState}) % 53, from: ${from}, by: value % ${keys}${inKey})`,
      open: () => {
        const states = new Map<number, number>()
        return {
          ...NEVER_ENDS,
          push: (message, { emit, fail, lose }) => {
            if (fails !== '' && message.value % k === 0) {
              fail(message)
              return lose(message)
            }
            const key = message.value % keys
            const state = ((states.get(key) ?? from) * 3 + message.value) % 53
            states.set(key, state)
            emit({ ...message, value: state })
          },
        }
      },
    }
  })

const foldedAtEnd = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 3, max: 12 })).map(
  ([from, keys, k]): Form => ({
    source: `fold((state * 3 + value + 0 % (value % ${k})) % 53, from: ${from}, emit: "end"${keys > 1 ? `, by: value % ${keys}` : ''})`,
    open: () => {
      const last = new Map<number, Message>()
      const states = new Map<number, number>()
      return {
        push: (message, { fail, lose }) => {
          if (message.value % k === 0) {
            fail(message)
            return lose(message)
          }
          const key = message.value % keys
          const before = last.get(key)
          last.set(key, message)
          states.set(key, ((states.get(key) ?? from) * 3 + message.value) % 53)
          const parted = before?.parted.filter(({ of }, i) => message.parted[i]?.of !== of) ?? []
          if (before && parted.length > 0) lose({ ...before, parted })
        },
        end: ({ emit }) => {
          for (const [key, message] of last) emit({ ...message, value: states.get(key) as number })
        },
      }
    },
  }),
)

/** At the end of a program: an error behind it would name several inputs. */
const joinedByKey = (branches: readonly Form[], keys: number, drops: boolean): Form => ({
  source: `(${branches.map(({ source }) => `(${source})`).join(' * ')}) ; barrier(by: (${branches.map(() => `value % ${keys}`).join(', ')})${drops ? ', unmatched: "drop"' : ''}) ; map((${branches.map((_, i) => `value[${i}] * ${i + 2}`).join(' + ')}) % 89)`,
  open: (books) => {
    const running = branches.map((branch) => branch.open(books))
    const groups = new Map<number, Message[][]>()
    const arriving =
      (branch: number, { emit }: Around): Around['emit'] =>
      (message) => {
        const key = message.value % keys
        const queues = groups.get(key) ?? branches.map((): Message[] => [])
        groups.set(key, queues)
        queues[branch]?.push(message)
        if (queues.some((queue) => queue.length === 0)) return
        const tuple = queues.map((queue) => queue.shift() as Message)
        emit({ ...message, value: tuple.reduce((sum, { value }, i) => sum + value * (i + 2), 0) % 89 })
      }
    return {
      push: (message, around) => running.forEach((one, i) => void one.push(message, { ...around, emit: arriving(i, around) })),
      end: (around) => {
        running.forEach((one, i) => void one.end({ ...around, emit: arriving(i, around) }))
        const left = branches.map((_, i) => [...groups.values()].flatMap((queues) => queues[i] ?? []))
        const seqs = [...new Set(left.flat().map(({ seq }) => seq))].sort((a, b) => a - b)
        if (seqs.length > 0 && !drops) books.left.push(JSON.stringify([left.map(({ length }) => length), rangesOf(seqs)]))
      },
    }
  },
})

export const inSequence = (forms: readonly Form[]): Form => ({
  source: forms.map(({ source }) => source).join(' ; '),
  open: (books) => {
    const running = forms.map((form) => form.open(books))
    const behind = (i: number, around: Around): Around => ({ ...around, emit: (message) => pushAt(i + 1, message, around) })
    const pushAt = (i: number, message: Message, around: Around): void => {
      const one = running[i]
      if (one) one.push(message, behind(i, around))
      else around.emit(message)
    }
    return {
      push: (message, around) => pushAt(0, message, around),
      end: (around) => running.forEach((one, i) => void one.end(behind(i, around))),
    }
  },
})

const merged = (branches: readonly Form[]): Form => ({
  source: `(${branches.map(({ source }) => `(${source})`).join(' * ')}) ; merge`,
  open: (books) => {
    const running = branches.map((branch) => branch.open(books))
    return {
      push: (message, around) => running.forEach((one) => void one.push(message, around)),
      end: (around) => running.forEach((one) => void one.end(around)),
    }
  },
})

/** What a message was where it parted, and what of it waits on each branch. */
interface Parted {
  readonly message: Message
  readonly waiting: number[][]
  readonly isLost: boolean[]
}

interface Join {
  readonly all: Parted[]
}

const joined = (branches: readonly Form[]): Form => ({
  source: `(${branches.map(({ source }) => `(${source})`).join(' * ')}) ; barrier ; map((${branches.map((_, i) => `value[${i}] * ${i + 2}`).join(' + ')}) % 89)`,
  open: (books) => {
    const running = branches.map((branch) => branch.open(books))
    const join: Join = { all: [] }
    books.joins.push(join)
    const arriving =
      ({ emit }: Around): Around['emit'] =>
      ({ value, parted }) => {
        const { of, branch } = parted.at(-1) as Message['parted'][number]
        of.waiting[branch]?.push(value)
        if (of.waiting.some((queue) => queue.length === 0)) return
        const tuple = of.waiting.map((queue) => queue.shift() as number)
        emit({ ...of.message, value: tuple.reduce((sum, n, i) => sum + n * (i + 2), 0) % 89 })
      }
    return {
      push: (message, around) => {
        const of = { message, waiting: branches.map((): number[] => []), isLost: branches.map(() => false) }
        join.all.push(of)
        for (const [branch, one] of running.entries())
          one.push({ ...message, parted: [...message.parted, { join, branch, of }] }, { ...around, emit: arriving(around) })
      },
      end: (around) => running.forEach((one) => void one.end({ ...around, emit: arriving(around) })),
    }
  },
})

const ELEMENTS = (v: number): number[] => [v, (v * 3 + 1) % 61, v % 5]

export const onList = (inner: Form, skips: boolean): Form => ({
  source: `map([value, (value * 3 + 1) % 61, value % 5]) ; each(${inner.source}${skips ? ', on_error: "skip"' : ''}) ; ${FROM_LIST}`,
  open: (books) => {
    const running = inner.open(books)
    return {
      ...NEVER_ENDS,
      push: (message, around) => {
        const list: number[] = []
        let hasFailed = false
        for (const value of ELEMENTS(message.value)) {
          const outs: number[] = []
          let isOut = false
          const fail = () => {
            isOut = true
          }
          running.push({ ...message, value }, { ...around, emit: (out) => void outs.push(out.value), fail, lose: () => {} })
          if (!isOut) list.push(...outs)
          else if (skips) around.skip(message)
          else hasFailed = true
        }
        if (!hasFailed) return around.emit({ ...message, value: fromList(list) })
        around.fail(message)
        around.lose(message)
      },
    }
  },
})

export const fallingBack = (parts: readonly Form[]): Form => ({
  source: `(${parts.map(({ source }) => `(${source})`).join(' + ')})`,
  open: (books) => {
    const running = parts.map((part) => part.open(books))
    return {
      ...NEVER_ENDS,
      push: (message, around) => {
        for (const one of running) {
          const outs: Message[] = []
          let [hasFailed, isLost] = [false, false]
          one.push(message, {
            ...around,
            emit: (out) => void outs.push(out),
            fail: () => {
              hasFailed = true
            },
            lose: () => {
              isLost = true
            },
          })
          if (hasFailed) continue
          for (const out of outs) around.emit(out)
          if (isLost) around.lose(message)
          return
        }
        around.fail(message)
        around.lose(message)
      },
    }
  },
})

/** What it fails on goes on as a number made of what entered it. */
export const recovered = (inner: Form): Form => ({
  source: inner.source,
  recovers: true,
  open: (books) => {
    const running = inner.open(books)
    const within = (around: Around): Around => ({
      ...around,
      fail: (message) => around.emit({ ...message, value: ((message.entered as number) + 31) % 97 }),
    })
    return {
      push: (message, around) => running.push({ ...message, entered: message.value }, within(around)),
      end: (around) => running.end(within(around)),
    }
  },
})

export const few = { minLength: 1, maxLength: 3 }
const perMessage = fc.oneof(plain, flattened, folded, foldedByKey)
const inEach = fc.array(fc.oneof(plain, folded, foldedByKey), few).map(inSequence)
const fallBack = fc.array(fc.array(perMessage, few).map(inSequence), { minLength: 2, maxLength: 3 }).map(fallingBack)
const each = fc.tuple(inEach, fc.boolean()).map(([inner, skips]) => onList(inner, skips))
export const flat = fc.oneof(plain, flattened, batched, batchedWhole, folded, foldedByKey, foldedAtEnd, fallBack, each)
export const { chain } = fc.letrec<{ part: Form; chain: Form }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    flat,
    fc.array(tie('chain'), { minLength: 2, maxLength: 3 }).map(merged),
    fc.array(tie('chain'), { minLength: 2, maxLength: 3 }).map(joined),
  ),
  chain: fc.array(tie('part'), few).map(inSequence),
}))
export const keyedEnd = fc
  .tuple(fc.array(chain, { minLength: 2, maxLength: 3 }), fc.integer({ min: 1, max: 5 }), fc.boolean())
  .map(([branches, keys, drops]) => joinedByKey(branches, keys, drops))

/** What a program makes of its input: outputs, inputs that fail, and what barriers have left. */
export const resultOf = (parts: readonly Form[], values: readonly number[]) => {
  const books: Books = { joins: [], loops: [], left: [] }
  const running = inSequence(parts).open(books)
  const result = { lines: [] as string[], failed: [] as number[], unpaired: [] as string[] }
  const lose = ({ parted }: Message): void => {
    for (const { branch, of } of parted) of.isLost[branch] = true
  }
  const note = ({ seq }: Message): void => void result.failed.push(seq)
  const around: Around = {
    emit: ({ seq, value }) => void result.lines.push(`{"seq":${seq},"value":${value}}\n`),
    fail: note,
    skip: note,
    lose,
  }
  for (const [i, value] of values.entries()) {
    running.push({ value, seq: i + 1, parted: [] }, around)
    settle(books)
  }
  running.end(around)
  // Those inside come first: what they leave is missing outside.
  for (const { all } of books.joins) {
    const left = all.filter(({ waiting }) => waiting.some(({ length }) => length > 0))
    for (const { message } of left) lose(message)
    const unknown = left.filter(({ waiting, isLost }) => !waiting.some(({ length }, i) => length === 0 && isLost[i]))
    if (unknown.length === 0) continue
    const counts = (unknown[0] as Parted).waiting.map((_, i) => unknown.reduce((sum, { waiting }) => sum + (waiting[i]?.length ?? 0), 0))
    const seqs = [...new Set(unknown.map(({ message }) => message.seq))].sort((a, b) => a - b)
    result.unpaired.push(JSON.stringify([counts, rangesOf(seqs)]))
  }
  result.unpaired.push(...books.left)
  return result
}

/** A statement for each part, with channels between them. */
export const bodyOf = (parts: readonly Form[], from: string, to: string): string => {
  const channels = [...parts, undefined].map((_, i) => `  let k${i} : !int = channel\n`).join('')
  const statements = parts.map(({ source, recovers, statements }, i) => {
    const [before, behind] = [`k${i}`, `k${i + 1}`]
    if (statements) return statements(before, behind, i)
    return recovers ? `  ${before} ; p${i} ; ${behind}\n  p${i}@error ; ${RECOVERY} ; ${behind}\n` : `  ${before} ; ${source} ; ${behind}\n`
  })
  return `${channels}  ${from} ; k0\n${statements.join('')}  k${parts.length} ; ${to}\n`
}

const RECOVERY = 'map((floor(number(text(input ?? 0))) + 31) % 97)'
