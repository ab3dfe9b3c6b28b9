// Which arm of a `match` takes a value: by its kind, by the literal that tells records apart, else by a check of the types.

import { parseTree } from '@plumb/wire/json'
import { isJson } from '../../types/kind.js'
import { withoutLimits } from '../../types/limits.js'
import { fieldOf, hasDefaults, isRequired } from '../../types/required-fields.js'
import type { RecordType, Type } from '../../types/type.js'
import { literalsOf, type Variant, variantsOf } from '../../types/variants.js'
import { checkTree } from '../../validate/check-tree.js'
import { fillDefaults } from '../../validate/defaults.js'
import { kindOfValue, stringOfValue } from './coerce.js'
import { type FieldKey, keyOf, peek, type RuntimeValue, Slice } from './slice.js'
import { sliced } from './write.js'

type Kind = ReturnType<typeof kindOfValue>

interface Candidate {
  readonly arm: number
  readonly variant: Variant
}

/** Of one kind: the arm that takes each literal, or all. */
interface Choice {
  readonly tag?: FieldKey
  readonly byText?: ReadonlyMap<string, number>
  readonly only?: number
  readonly candidates: readonly Candidate[]
}

export class Picker {
  /** The value that `pick` was called with last, with the defaults of its arm's type. */
  value: RuntimeValue = null
  readonly #choices = new Map<Kind, Choice>()
  readonly #isUnknown: boolean
  /** The number of the arm that takes what no type takes. */
  readonly #rest: number

  /** `arms`: the types of the arms; undefined is that for the rest. `of`: the type of what is taken apart. */
  constructor(
    private readonly arms: readonly (Type | undefined)[],
    of: Type,
  ) {
    this.#isUnknown = isJson(of)
    this.#rest = arms.indexOf(undefined)
    const found = new Map<Kind, Candidate[]>()
    for (const [arm, type] of arms.entries()) {
      for (const variant of type ? variantsOf(type) : []) {
        const kind = KINDS[variant.kind]
        found.set(kind, [...(found.get(kind) ?? []), { arm, variant }])
      }
    }
    for (const [kind, candidates] of found) this.#choices.set(kind, this.#isUnknown ? { candidates } : choiceOf(candidates, variantsOf(of)))
  }

  /** The number of the arm. */
  pick(value: RuntimeValue): number {
    this.value = value
    const choice = this.#choices.get(kindOfValue(value))
    if (!choice) return this.#rest
    if (choice.only !== undefined) return choice.only
    if (choice.byText) {
      const text = choice.tag ? peek(value, choice.tag) : value
      return text === undefined ? this.#rest : (choice.byText.get(stringOfValue(text)) ?? this.#rest)
    }
    return this.#check(value, choice.candidates)
  }

  /** The fields of records that decide, beside the kinds of values. Undefined: anything may. */
  get fields(): readonly string[] | undefined {
    const choices = [...this.#choices.values()]
    if (choices.some(({ only, byText }) => only === undefined && !byText)) return undefined
    return choices.flatMap(({ tag }) => (tag ? [tag.text] : []))
  }

  #check(value: RuntimeValue, candidates: readonly Candidate[]): number {
    const { buf, start, end } = sliced(value)
    const tree = parseTree(buf, start, end)
    if (tree.kind === 'fault') return this.#rest
    for (const { arm, variant } of candidates) {
      // Limits do not tell variants apart, but types of a json.
      if (checkTree(this.#isUnknown ? variant : withoutLimits(variant), buf, tree)) continue
      const type = this.#isUnknown ? this.arms[arm] : undefined
      const filled = type && hasDefaults(type) ? fillDefaults(type, buf, tree) : undefined
      if (filled) this.value = sliceOfBytes(filled)
      return arm
    }
    return this.#rest
  }
}

const sliceOfBytes = (bytes: Buffer): Slice => new Slice(Buffer.concat([bytes, Buffer.from('\n')]), 0, bytes.length)

const KINDS: Readonly<Record<Variant['kind'], Kind>> = {
  string: 'string',
  literal: 'string',
  int: 'number',
  number: 'number',
  bool: 'bool',
  unit: 'null',
  array: 'list',
  tuple: 'list',
  record: 'object',
  map: 'object',
  // No arm has it: all types overlap it.
  json: 'object',
}

/** `all`: the variants of the whole sum, of which the candidates are some. */
const choiceOf = (candidates: readonly Candidate[], all: readonly Variant[]): Choice => {
  const [first] = candidates
  if (!first) return { candidates }
  const kind = KINDS[first.variant.kind]
  const others = all.filter((variant) => KINDS[variant.kind] === kind)
  const isOne = candidates.every(({ arm }) => arm === first.arm)
  if (isOne && others.length === candidates.length) return { candidates, only: first.arm }
  if (kind === 'string') return { candidates, byText: textsOf(candidates, ({ variant }) => literalsOf(variant)) }
  const records = others.flatMap((variant) => (variant.kind === 'record' ? [variant] : []))
  const tag = records.length === others.length ? tagOf(records) : undefined
  if (tag === undefined) return { candidates }
  return {
    candidates,
    tag: keyOf(tag),
    byText: textsOf(candidates, ({ variant }) => (variant.kind === 'record' ? tagsOf(variant, tag) : undefined)),
  }
}

const textsOf = (
  candidates: readonly Candidate[],
  of: (candidate: Candidate) => readonly string[] | undefined,
): ReadonlyMap<string, number> =>
  new Map(candidates.flatMap((candidate) => (of(candidate) ?? []).map((text) => [text, candidate.arm] as const)))

const tagsOf = (record: RecordType, name: string): readonly string[] | undefined => {
  const field = fieldOf(record, name)
  return field && isRequired(field) ? literalsOf(field.type) : undefined
}

/** A field that is another literal in each. */
const tagOf = (records: readonly RecordType[]): string | undefined =>
  records[0]?.fields
    .map(({ name }) => name)
    .find((name) => {
      const texts = records.map((record) => tagsOf(record, name))
      const all = texts.flatMap((list) => list ?? [])
      return texts.every((list) => list) && new Set(all).size === all.length
    })
