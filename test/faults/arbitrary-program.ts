// Random programs around programs of others that answer in some manner: in chains, loops, nested plumbs, branches of barriers, fall-backs, lists,
// and before wired ports `error`.

import fc from 'fast-check'
import { DROPPED, MANNERS, type Manner } from './foreign-program.js'

/** What is written beside a body. */
class Bindings {
  readonly lines: string[] = []
  #count = 0

  constructor(
    private readonly prefix: string,
    /** The command of a program, without its last two words. */
    private readonly command: (name: string) => readonly string[],
  ) {}

  name(kind: string): string {
    return `${kind}${this.prefix}${this.#count++}`
  }

  program(how: string, k: number): string {
    const { form, isNumeric = false } = MANNERS[how] as Manner
    const [name, type] = [this.name('c'), isNumeric ? 'int' : 'M']
    const command = JSON.stringify([...this.command(name), how, String(k)])
    this.lines.push(`let ${name} : !${type} -> !${type} = agent { command: ${command}, answers: "${form}", sandbox: false }`)
    return name
  }

  body(write: (from: string, to: string) => readonly string[]): string {
    const name = this.name('q')
    this.lines.push(`let ${name} : !M -> !M = plumb(from, to) {\n${write('from', 'to').join('\n')}\n}`)
    return name
  }
}

/** From M to M. */
interface Part {
  readonly manners: readonly string[]
  /** Its answers come in the order of its inputs, or in one that the inputs alone decide. */
  readonly isOrdered: boolean
  readonly hasDrops?: true
  readonly hasLoop?: true
  readonly expression: (bindings: Bindings) => string
  /** Statements of a body, in place of an expression. */
  readonly statements?: (bindings: Bindings, from: string, to: string) => readonly string[]
}

const statementsOf = ({ statements, expression }: Part, bindings: Bindings, from: string, to: string): readonly string[] =>
  statements?.(bindings, from, to) ?? [`  ${from} ; ${expression(bindings)} ; ${to}`]

const child = (how: string, k: number): Part => ({
  manners: [how],
  // It answers backwards what it has taken whenever no more has come yet, and when that is depends on time.
  isOrdered: how !== 'n-idle',
  expression: (bindings) => {
    const name = bindings.program(how, k)
    if (!MANNERS[how]?.isNumeric) return name
    return `map(p * 1000000 + id * 1000 + 299) ; ${name} ; map({ p: floor(value / 1000000), id: floor(value / 1000) % 1000, n: 0, bad: value % 1000 != 299 })`
  },
})

const about = (parts: readonly Part[]) => ({
  manners: parts.flatMap(({ manners }) => manners),
  isOrdered: parts.every(({ isOrdered }) => isOrdered),
  ...(parts.some(({ hasDrops }) => hasDrops) ? { hasDrops: true as const } : {}),
  ...(parts.some(({ hasLoop }) => hasLoop) ? { hasLoop: true as const } : {}),
})

const inSequence = (parts: readonly Part[]): Part => ({
  ...about(parts),
  expression: (bindings) => parts.map(({ expression }) => expression(bindings)).join(' ; '),
})

/** A statement for each part, with channels between them. */
const body = (parts: readonly Part[], bindings: Bindings, from: string, to: string): readonly string[] => {
  const between = parts.slice(1).map(() => bindings.name('k'))
  const places = [from, ...between, to]
  return [
    ...between.map((name) => `  let ${name} : !M = channel`),
    ...parts.flatMap((part, i) => statementsOf(part, bindings, places[i] as string, places[i + 1] as string)),
  ]
}

const nested = (parts: readonly Part[]): Part => ({
  ...about(parts),
  expression: (bindings) => bindings.body((from, to) => body(parts, bindings, from, to)),
})

const FILTER: Part = {
  manners: [],
  isOrdered: true,
  hasDrops: true,
  expression: () => `filter(id % ${DROPPED.modulus} != ${DROPPED.rest})`,
}

const joined = ([first, second]: readonly [Part | undefined, Part]): Part => ({
  ...about(first ? [first, second] : [second]),
  isOrdered: false,
  expression: (bindings) =>
    `((${first?.expression(bindings) ?? 'id'}) * (${second.expression(bindings)})) ; barrier ; map({ ...value[0], bad: value[0].bad or value[1].bad or value[0].id != value[1].id })`,
})

const merged = (part: Part): Part => ({
  ...about([part]),
  isOrdered: false,
  expression: (bindings) => `(id * (${part.expression(bindings)})) ; merge`,
})

const fallingBack = ([first, second]: readonly [Part, Part | undefined]): Part => ({
  ...about(second ? [first, second] : [first]),
  expression: (bindings) => `((${first.expression(bindings)}) + (${second?.expression(bindings) ?? 'map(value)'}))`,
})

const onList = (part: Part, skips: boolean): Part => ({
  ...about([part]),
  expression: (bindings) =>
    `map([value, value]) ; each(${part.expression(bindings)}${skips ? ', on_error: "skip"' : ''}) ; filter(length(value) > 0) ; map({ ...value[0], bad: any([x.bad or x.id != value[0].id for x in value]) })`,
})

const asNested = (part: Part): Part => ({
  ...part,
  expression: (bindings) => bindings.body((from, to) => statementsOf(part, bindings, from, to)),
})

/** What it fails on goes on as it came. */
const recovered = (part: Part): Part =>
  asNested({
    ...about([part]),
    isOrdered: false,
    expression: () => '',
    statements: (bindings, from, to) => {
      const [name, back] = [bindings.body((from, to) => statementsOf(part, bindings, from, to)), bindings.name('m')]
      bindings.lines.push(`let ${back} : !json -> !M = id`)
      return [`  ${from} ; ${name} ; ${to}`, `  ${name}@error ; filter(has(input)) ; map(input ?? null) ; ${back} ; ${to}`]
    },
  })

const recoveredChild = (how: string, k: number): Part =>
  asNested({
    manners: [how],
    isOrdered: false,
    expression: () => '',
    statements: (bindings, from, to) => {
      const [name, back] = [bindings.program(how, k), bindings.name('m')]
      bindings.lines.push(`let ${back} : !json -> !M = id`)
      return [`  ${from} ; ${name} ; ${to}`, `  ${name}@error ; filter(has(input)) ; map(input ?? null) ; ${back} ; ${to}`]
    },
  })

/** Each message goes round so many times: the hundreds of `n` tell how often yet. */
const loop = (part: Part, turns: number): Part =>
  asNested({
    ...about([part]),
    isOrdered: false,
    hasLoop: true,
    expression: () => '',
    statements: (bindings, from, to) => {
      const [into, out] = [bindings.name('s'), bindings.name('t')]
      return [
        `  let ${into} : !M = channel`,
        `  let ${out} : !M = channel`,
        `  ${from} ; map({ ...value, n: n + ${100 * turns} }) ; ${into}`,
        `  ${into} ; ${part.expression(bindings)} ; map({ ...value, n: n - 100 }) ; ${out}`,
        `  ${out} ; filter(n >= 100) ; ${into}`,
        `  ${out} ; filter(n < 100) ; map({ ...value, n: n % 100 }) ; ${to}`,
      ]
    },
  })

const NAMES = Object.keys(MANNERS)
const mannersWhere = (fits: (manner: Manner) => boolean) => NAMES.filter((name) => fits(MANNERS[name] as Manner))

const partsOf = (names: readonly string[]) => {
  const inLoop = names.filter((name) => !MANNERS[name]?.waits && !MANNERS[name]?.isNumeric)
  const childOf = (some: readonly string[]) => fc.tuple(fc.constantFrom(...some), fc.integer({ min: 1, max: 5 }))
  const any = childOf(names).map(([how, k]) => child(how, k))
  const turning = childOf(inLoop).map(([how, k]) => child(how, k))
  const around = (inner: fc.Arbitrary<Part>, recovering: readonly string[]): fc.Arbitrary<Part> =>
    fc.oneof(
      inner,
      fc.constant(FILTER),
      fc.array(inner, { minLength: 1, maxLength: 2 }).map(nested),
      inner.map((part) => nested([nested([part])])),
      fc.tuple(fc.option(inner, { nil: undefined }), inner).map(joined),
      inner.map(merged),
      fc.tuple(inner, fc.option(inner, { nil: undefined })).map(fallingBack),
      fc.tuple(inner, fc.boolean()).map(([part, skips]) => onList(part, skips)),
      inner.map(recovered),
      childOf(recovering.filter((name) => !MANNERS[name]?.isNumeric)).map(([how, k]) => recoveredChild(how, k)),
    )
  const loops = fc
    .tuple(fc.oneof(turning, around(turning, inLoop)), fc.integer({ min: 1, max: 2 }))
    .map(([part, turns]) => loop(part, turns))
  const within = fc.oneof(
    { weight: 3, arbitrary: any },
    { weight: 1, arbitrary: fc.array(any, { minLength: 2, maxLength: 2 }).map(inSequence) },
  )
  return fc.oneof({ weight: 5, arbitrary: around(within, names) }, { weight: 2, arbitrary: loops })
}

export interface Program {
  readonly parts: readonly Part[]
  readonly manners: readonly string[]
  readonly isOrdered: boolean
  readonly hasDrops: boolean
  /** It may give the answer of one input to another, since a program miscounts. */
  readonly mixes: boolean
  /** Its programs answer all, and rightly. */
  readonly isClean: boolean
}

const programOf = (parts: readonly Part[]): Program => {
  const { manners, isOrdered, hasDrops = false } = about(parts)
  return {
    parts,
    manners,
    isOrdered,
    hasDrops: hasDrops || manners.some((how) => MANNERS[how]?.drops),
    mixes: manners.some((how) => MANNERS[how]?.mixes),
    isClean: manners.every((how) => CLEAN.has(how)),
  }
}

const CLEAN = new Set(['right', 'slow', 'n-right', 'n-beside', 'n-late', 'n-idle', 'n-odd-members', 'n-drops'])

const programs = (names: readonly string[]) => fc.array(partsOf(names), { minLength: 1, maxLength: 2 }).map(programOf)

/** With programs of others that do anything. */
export const program = programs(NAMES)
/** What comes of each message depends on it alone; and in one chain, on what came before. */
export const steady = fc.oneof(
  programs(mannersWhere(({ counts }) => !counts)),
  fc
    .array(fc.constantFrom(...mannersWhere(({ mixes }) => !mixes)), { minLength: 1, maxLength: 2 })
    .chain((names) =>
      fc
        .tuple(...names.map((how) => fc.tuple(fc.constant(how), fc.integer({ min: 1, max: 5 }), fc.boolean())))
        .map((all) => programOf(all.map(([how, k, isNested]) => (isNested ? nested([child(how, k)]) : child(how, k))))),
    ),
)

/** One spec with them side by side: each gets the messages whose `p` is its place. */
export const specOf = (programs: readonly Program[], command: (name: string) => readonly string[]): string => {
  const all = programs.map(({ parts }, p) => {
    const bindings = new Bindings(`_${p}_`, command)
    const [from, to] = [bindings.name('from'), bindings.name('to')]
    const statements = body(parts, bindings, from, to)
    const channels = `  let ${from} : !M = channel\n  let ${to} : !M = channel\n`
    return { lines: bindings.lines, body: `${channels}  input ; filter(p = ${p}) ; ${from}\n${statements.join('\n')}\n  ${to} ; output\n` }
  })
  // A way that is always open: the end of one program ends nothing else.
  return `type M = { p: int, id: int, n: int, bad: bool }
${all.flatMap(({ lines }) => lines).join('\n')}
let main : !M -> !M = plumb(input, output) {
${all.map((one) => one.body).join('')}  input ; filter(p < 0) ; output
}
`
}
