// Random programs of the forms that keep something from one message to the next (batch, fold), with lists, fall-backs, ports `error` and barriers
// around them, against a reference that takes one message after the other through the program, by the rules of plumbing(5).
//
// PLUMB_PROGRAMS: how many, default 150. PLUMB_SEED: those of another seed; it is printed.

import fc from 'fast-check'
import t from 'tap'
import { rangesOf } from '../src/graph/input-context.js'
import { FROM_LIST, fromList, type Made, PRELUDE, simple } from './arbitrary-chain.js'
import { runWired, type WiredRun } from './run-wired.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const PROGRAMS = Number(process.env.PLUMB_PROGRAMS ?? 150)

/** A message on its way, and where it parted from others: through which branch of which barrier, and what it stems from there. */
interface Message {
  readonly value: number
  readonly seq: number
  readonly parted: readonly { readonly join: Join; readonly branch: number; readonly of: Parted }[]
  /** What entered the process with the port `error` that it is in. */
  readonly entered?: number
}

/** What becomes of messages where they are. */
interface Around {
  readonly emit: (message: Message) => void
  readonly fail: (message: Message) => void
  readonly lose: (message: Message) => void
  /** An element was left out of its list. */
  readonly skip: (message: Message) => void
}

interface Running {
  push(message: Message, around: Around): void
  end(around: Around): void
}

interface Form {
  /** A chain from int to int. */
  readonly source: string
  readonly open: (books: Books) => Running
  /** A process of its own, with its port `error`. */
  readonly recovers?: true
}

interface Books {
  readonly joins: Join[]
}

const NEVER_ENDS = { end: () => {} }

/** Of one message at a time. */
const stateless = (chain: {
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

const plain = simple.map(({ source, make }) =>
  stateless({
    source,
    make: (value) => {
      const failed: number[] = []
      const made = make(value, { seq: 0, failed, skipped: [], left: new Map(), leftInLists: { sum: 0 } })
      return { ...made, hasFailed: failed.length > 0 }
    },
  }),
)

const flattened = fc.integer({ min: 2, max: 5 }).map((k) =>
  stateless({
    source: `map([(value + x) % 59 for x in range(value % ${k})]) ; flatten`,
    make: (v) => ({ outs: Array.from({ length: v % k }, (_, x) => (v + x) % 59), isLost: false }),
  }),
)

const batched = fc.integer({ min: 1, max: 4 }).map(
  (size): Form => ({
    source: `batch(${size}) ; ${FROM_LIST}`,
    open: () => {
      let waiting: Message[] = []
      const letGo = (emit: Around['emit']): void => {
        const last = waiting.at(-1)
        const value = fromList(waiting.map((one) => one.value))
        waiting = []
        if (last) emit({ ...last, value })
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
  }),
)

const folded = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 3, max: 12 }), fc.boolean()).map(
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

const inSequence = (forms: readonly Form[]): Form => ({
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

const onList = (inner: Form, skips: boolean): Form => ({
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

const fallingBack = (parts: readonly Form[]): Form => ({
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
const recovered = (inner: Form): Form => ({
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

const few = { minLength: 1, maxLength: 3 }
const perMessage = fc.oneof(plain, flattened, folded)
const inEach = fc.array(fc.oneof(plain, folded), few).map(inSequence)
const fallBack = fc.array(fc.array(perMessage, few).map(inSequence), { minLength: 2, maxLength: 3 }).map(fallingBack)
const each = fc.tuple(inEach, fc.boolean()).map(([inner, skips]) => onList(inner, skips))
const flat = fc.oneof(plain, flattened, batched, folded, fallBack, each)
const { chain } = fc.letrec<{ part: Form; chain: Form }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    flat,
    fc.array(tie('chain'), { minLength: 2, maxLength: 3 }).map(merged),
    fc.array(tie('chain'), { minLength: 2, maxLength: 3 }).map(joined),
  ),
  chain: fc.array(tie('part'), few).map(inSequence),
}))
const program = fc.array(fc.oneof(chain, fc.array(flat, few).map(inSequence).map(recovered)), { minLength: 1, maxLength: 4 })

const RECOVERY = 'map((floor(number(text(input ?? 0))) + 31) % 97)'

/** A statement for each part, with channels between them. */
const textOf = (parts: readonly Form[]): string => {
  const bindings = parts.map(({ source, recovers }, i) => (recovers ? `let p${i} : !int -> !int = ${source}\n` : ''))
  const statements = parts.map(({ source, recovers }, i) =>
    recovers ? `  k${i} ; p${i} ; k${i + 1}\n  p${i}@error ; ${RECOVERY} ; k${i + 1}\n` : `  k${i} ; ${source} ; k${i + 1}\n`,
  )
  const channels = [...parts, undefined].map((_, i) => `  let k${i} : !int = channel\n`).join('')
  return `${PRELUDE}${bindings.join('')}let main : !int -> !int = plumb(from, to) {\n${channels}  from ; k0\n${statements.join('')}  k${parts.length} ; to\n}\n`
}

/** What a program makes of its input: outputs, inputs that fail, and what barriers have left. */
const resultOf = (parts: readonly Form[], values: readonly number[]) => {
  const books: Books = { joins: [] }
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
  for (const [i, value] of values.entries()) running.push({ value, seq: i + 1, parted: [] }, around)
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
  return result
}

const WAYS: Readonly<Record<string, Omit<WiredRun, 'text' | 'input'>>> = {
  'byte by byte': { pieces: [1] },
  'with rejects, and a slow reader': { pieces: [65_536], hasRejects: true, fullBytes: 8 },
  watched: { pieces: [65_536], emitter: { emit: () => {}, finish: async () => {} } },
}
const MAX_OUTPUTS = 400
/** On a busy machine fewer are tried, unless a number was asked for. */
const UNTIL = process.env.PLUMB_PROGRAMS === undefined ? { interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false } : {}

const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 })

t.test(`${PROGRAMS} random programs with state, lists and errors do what the reference does (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, outputs: 0, failed: 0, unpaired: 0 }
  const forms = new Set<string>()
  const law = fc.asyncProperty(program, inputs, async (parts, values) => {
    const { lines, failed, unpaired } = resultOf(parts, values)
    fc.pre(lines.length < MAX_OUTPUTS && failed.length < MAX_OUTPUTS)
    const text = textOf(parts)
    const about = `${text}${values}`
    const input = Buffer.from(values.map((value) => `${value}\n`).join(''))
    const numbered = await runWired({ text, input, pieces: [65_536], isNumbered: true, hasRejects: true })
    equal(numbered.out, lines.join(''), about)
    const faults = numbered.faults.filter(({ error }) => error !== 'unpaired')
    equal(
      faults
        .map(({ error, seq }) => `${seq} ${error}`)
        .sort()
        .join(),
      failed
        .map((seq) => `${seq} evaluation_failed`)
        .sort()
        .join(),
      `errors of ${about}`,
    )
    const left = numbered.faults.flatMap(({ error, left, seqs }) => (error === 'unpaired' ? [JSON.stringify([left, seqs])] : []))
    equal(left.sort().join(), unpaired.sort().join(), `unpaired of ${about}`)
    const bare = lines.map((line) => `${JSON.parse(line).value}\n`).join('')
    for (const [way, options] of Object.entries(WAYS)) {
      const { out, faults, oldest } = await runWired({ text, input, ...options })
      equal(out, bare, `${way}: ${about}`)
      equal(JSON.stringify(faults), JSON.stringify(numbered.faults), `errors ${way}: ${about}`)
      equal(`${oldest}`, 'Infinity', `${way}, done with: ${about}`)
    }
    seen.programs++
    seen.outputs += lines.length
    seen.failed += failed.length
    seen.unpaired += unpaired.length
    for (const [form] of text.matchAll(/\b(batch|fold|flatten|each|barrier|merge|error|scale)\b| \+ \(/g)) forms.add(form)
  })
  await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED, ...UNTIL }))
  t.ok(seen.programs >= 10 && seen.outputs > 0 && seen.failed > 0 && forms.size === 9, JSON.stringify({ ...seen, forms: [...forms] }))
})

const equal = (found: string, expected: string, about: string): void => {
  if (found !== expected) throw new Error(`${about}\n${found}\n--- instead of:\n${expected}`)
}
