// What is compared, as the command line says it: variants by what differs in them, models, a revision.

import { type Fault, fail, fault, preview, type Result, succeed } from '@plumb/wire'

export interface Variant {
  readonly name: string
  /** The spec as it stands, with these params, keys of agents, or another spec in its place; or as it was at a revision. */
  readonly is: { readonly settings: ReadonlyMap<string, string> } | { readonly revision: string }
  /** It was named by --model. */
  readonly isModel?: boolean
  /** The words of the command line that name it. */
  readonly words: readonly string[]
}

export interface VariantOptions {
  readonly variants: readonly string[]
  readonly models: readonly string[]
  readonly against: string | undefined
  readonly coverage: boolean
  readonly lcov: string | undefined
}

const NOTHING: ReadonlyMap<string, string> = new Map()
export const AS_IT_STANDS: Variant = { name: 'as it stands', is: { settings: NOTHING }, words: [] }

/** Whether anything is to be compared; one --model alone is that of all agents. */
const isComparing = ({ variants, models, against }: VariantOptions): boolean =>
  variants.length > 0 || models.length > 1 || against !== undefined

/** The first is the baseline. Empty: nothing is compared. */
export const readVariants = (options: VariantOptions): Result<readonly Variant[]> => {
  const { variants, models, against } = options
  if (!isComparing(options)) return succeed([])
  // Each variant is a spec of its own, whose places are not those of the file.
  if (options.coverage || options.lcov !== undefined)
    return fail('usage', 'coverage is that of one spec: leave out --variant, --against and all but one --model')
  const named: Variant[] = []
  for (const text of variants) {
    const read = readVariant(text)
    if (!read.ok) return read
    named.push(read.value)
  }
  const isEachModel = variants.length > 0 || models.length > 1
  if (isEachModel)
    for (const model of models)
      named.push({ name: model, is: { settings: new Map([['model', JSON.stringify(model)]]) }, isModel: true, words: ['--model', model] })
  const all = against === undefined ? named : [...ofRevision(against), ...named]
  const compared = all.length === 1 ? [AS_IT_STANDS, ...all] : all
  const double = compared.find(({ name }, i) => compared.findIndex((other) => other.name === name) < i)
  return double ? fail('usage', `two variants are named '${preview(double.name)}'`) : succeed(compared)
}

const ofRevision = (revision: string): readonly Variant[] => [
  { name: revision, is: { revision }, words: [] },
  { name: 'working copy', is: { settings: NOTHING }, words: ['--against', revision] },
]

const KEY = /^\s*([A-Za-z_][\w.]*)\s*=\s*/

/** `NAME: key=value, key=value`; a value with a comma is JSON. */
const readVariant = (text: string): Result<Variant> => {
  const refuse = (why: string): Result<never> => ({ ok: false, error: malformed(text, why) })
  const [head = '', name = ''] = /^\s*([^:=,]*[^:=,\s])\s*:/.exec(text) ?? []
  if (name === '') return refuse('it begins with its name and a colon')
  const settings = new Map<string, string>()
  for (let rest = text.slice(head.length); rest.trim() !== ''; ) {
    const [whole = '', key = ''] = KEY.exec(rest) ?? []
    if (key === '') return refuse(`'${preview(rest.trim(), 40)}' is not a KEY=VALUE`)
    if (settings.has(key)) return refuse(`'${key}' is given twice`)
    const value = readValue(rest.slice(whole.length))
    if (value === undefined) return refuse(`the JSON of '${key}' does not end`)
    if (value === '') return refuse(`'${key}' has no value`)
    settings.set(key, value.trim())
    rest = rest.slice(whole.length + value.length)
    if (rest.trim() !== '' && !/^\s*,/.test(rest)) return refuse(`a comma is missing behind '${key}'`)
    rest = rest.replace(/^\s*,/, '')
  }
  return succeed({ name, is: { settings }, words: ['--variant', text] })
}

const malformed = (text: string, why: string): Fault =>
  fault('usage', `'${preview(text, 80)}' is not a variant, such as 'NAME: model=gpt-5-mini, effort=low': ${why}`)

/** The value at the beginning: JSON whole, anything else up to the next comma. Undefined: its JSON does not end. */
const readValue = (text: string): string | undefined => {
  if (!/^["{[]/.test(text)) return text.split(',', 1)[0]
  let [depth, isText] = [0, false]
  for (let i = 0; i < text.length; i++) {
    const sign = text[i] as string
    if (isText && sign === '\\') i++
    else if (sign === '"') isText = !isText
    else if (!isText && (sign === '{' || sign === '[')) depth++
    else if (!isText && (sign === '}' || sign === ']')) depth--
    if (depth === 0 && !isText) return text.slice(0, i + 1)
  }
  return undefined
}
