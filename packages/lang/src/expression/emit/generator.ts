// The state of writing one evaluator: which parts of the message it needs, its constants, its variables.
//
// In the generated code `b` is the buffer, `k` the captures, `out` the sink and `p` the place to write at; constants and run-time
// functions are properties of `K` and `R` under names of its own. No text of a user is in it.

import type { Expression } from '../../parse/ast.js'
import type { Path } from '../../scan/scanner.js'
import type { Checked, Form, ValuePosition } from '../infer/checked.js'
import type { Fact } from '../infer/context.js'
import type { Local } from '../infer/environment.js'
import { keyOf, sliceOf } from '../run/slice.js'
import type { MessageScanner } from '../stage/message-scanner.js'
import { CannotFuse, type ComputedInput, type FusedInput, inputAt, type PlacedInput, WHOLE } from './fused-input.js'
import { type CodeExtent, LocalCode } from './local-code.js'

/** How to generate an expression, in each form. They call each other for its parts, through the generator. */
export interface Emitters {
  /** A JavaScript expression in the form of its type. */
  readonly value: (e: Expression, g: Generator) => string
  /** The same as a `RuntimeValue`. */
  readonly boxed: (e: Expression, g: Generator) => string
  /** A function that writes the JSON into a sink of its own. */
  readonly writer: (e: Expression, g: Generator) => string
}

/** In characters: bindings that repeatedly call others twice would be inlined exponentially often. */
const MAX_INLINED = 4000

export class Generator {
  readonly constants: unknown[]
  readonly variables: Set<string>
  private readonly names: Map<string, string>
  private readonly locals: Map<Local, LocalCode>
  /** Locals that are other names for parts, or for variables. */
  private readonly aliases: Map<Local, FusedInput>
  private readonly room: { left: number; locals: number }

  /** `message` is the input of the stage, and `before` generates the stages before it into the same code. */
  constructor(
    private readonly emitters: Emitters,
    readonly checked: Checked,
    private readonly scanner: MessageScanner,
    private readonly message = WHOLE,
    before?: Generator,
  ) {
    this.constants = before?.constants ?? []
    this.variables = before?.variables ?? new Set()
    this.names = before?.names ?? new Map()
    this.locals = before?.locals ?? new Map()
    this.aliases = before?.aliases ?? new Map()
    this.room = before?.room ?? { left: MAX_INLINED, locals: 0 }
  }

  /** For the stage after `message`, in the same code. */
  behind(checked: Checked, message: FusedInput): Generator {
    return new Generator(this.emitters, checked, this.scanner, message, this)
  }

  /** Whether so many characters of an expression may be inlined. */
  takeRoom(characters: number): boolean {
    this.room.left -= characters
    return this.room.left >= 0
  }

  value(e: Expression): string {
    return this.emitters.value(e, this)
  }

  boxed(e: Expression): string {
    return this.emitters.boxed(e, this)
  }

  writer(e: Expression): string {
    return this.emitters.writer(e, this)
  }

  fact(e: Expression): Fact {
    return this.checked.fact(e)
  }

  form(e: Expression): Form {
    return this.checked.form(e)
  }

  /** Start and end of a part, and its buffer; the start is negative if it is absent. */
  extent(place: ValuePosition): CodeExtent {
    const input = this.input(place)
    if (input.kind !== 'place') throw new CannotFuse()
    return this.placed(input)
  }

  placed({ root, path }: PlacedInput): CodeExtent {
    return root ? this.local(root).extent(path) : this.captured(path)
  }

  /** The same for a part of the original message. */
  private captured(path: Path): CodeExtent {
    const slot = this.scanner.slot(path)
    return { buf: 'b', start: `k[${2 * slot}]`, end: `k[${2 * slot + 1}]`, name: String(2 * slot) }
  }

  input({ root, path }: ValuePosition): FusedInput {
    const from = root ? (this.aliases.get(root) ?? { kind: 'place', root, path: [] }) : this.message
    return inputAt(from, path)
  }

  /** The variable of an expression that only names a value computed before: by an earlier stage, or of a `let` or `match`. */
  computed(e: Expression): ComputedInput | undefined {
    const place = this.checked.place(e)
    const input = place && this.input(place)
    return input?.kind === 'value' ? input : undefined
  }

  /** The path, if an expression only names a part of the input, or of a local. */
  place(e: Expression): ValuePosition | undefined {
    return this.computed(e) === undefined ? this.checked.place(e) : undefined
  }

  /** The same of the input alone. */
  path(e: Expression): Path | undefined {
    const place = this.place(e)
    return place && !place.root ? place.path : undefined
  }

  /** Code for items: `write` generates what is done with each. */
  withLocal(local: Local, write: (item: LocalCode) => string): { readonly item: LocalCode; readonly code: string } {
    const item = new LocalCode(local.type, this.room.locals++)
    this.locals.set(local, item)
    return { item, code: write(item) }
  }

  /** Another name for what is there. */
  alias(local: Local, input: FusedInput): void {
    this.aliases.set(local, input)
  }

  private local(local: Local): LocalCode {
    const found = this.locals.get(local)
    if (!found) throw new TypeError(`not bound: ${local.name}`)
    return found
  }

  constant(value: unknown): string {
    return `K${this.constants.push(value) - 1}`
  }

  /** Equal constants are shared. */
  private shared(kind: string, text: string, make: () => unknown): string {
    const key = kind + text
    const name = this.names.get(key) ?? this.constant(make())
    this.names.set(key, name)
    return name
  }

  text(text: string): string {
    return this.shared('text ', text, () => text)
  }

  key(text: string): string {
    return this.shared('key ', text, () => keyOf(text))
  }

  /** JSON text of a constant, boxed. */
  slice(json: string): string {
    return this.shared('slice ', json, () => sliceOf(json))
  }

  /** Bytes to be written unchanged. */
  bytes(text: string): string {
    return this.shared('bytes ', text, () => Buffer.from(text))
  }

  site(e: Expression): string {
    const site = this.checked.site(e)
    return this.shared('site ', site, () => site)
  }

  variable(): string {
    return this.declared(`t${this.variables.size}`)
  }

  /** A part decoded once, when first needed. `kind` distinguishes its forms. */
  once(kind: string, place: ValuePosition, decode: (part: CodeExtent) => string): string {
    const part = this.extent(place)
    const name = `${kind}${part.name}`
    const input = this.input(place)
    if (input.kind === 'place' && input.root) this.local(input.root).variables.add(name)
    else this.declared(name)
    return `(${name} === undefined ? ${name} = ${decode(part)} : ${name})`
  }

  private declared(name: string): string {
    this.variables.add(name)
    return name
  }
}
