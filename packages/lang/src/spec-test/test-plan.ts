// The plan of a test: its inputs, the doubles of models and tools, and the expectations (plumb-test(1)).

import type { Span } from '../diagnostic/source.js'
import type { Bound, Scope } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import type { Type } from '../types/type.js'

export interface TestPlan {
  readonly name: string
  readonly of: Bound
  /** From the word `test` to the last brace. */
  readonly span: Span
  readonly inputs: readonly TestPort[]
  readonly outputs: readonly TestPort[]
  /** Messages by port, as JSON text. Undefined: they come from a file or are random. */
  readonly given?: MessagesByPort
  /** A file of rows, relative to the spec. */
  readonly data?: string
  /** The message of a row, over `{ row }`. Undefined: the row is the message, or has it as `given`. */
  readonly rowInput?: TestCondition
  /** The one output of a row, over `{ row }`. */
  readonly rowWant?: TestCondition
  /** The number of random inputs. */
  readonly random?: number
  readonly expect?: MessagesByPort
  readonly isAnyOrder: boolean
  readonly matches?: readonly TestCondition[]
  readonly holds?: TestCondition
  /** Expected error codes, in the order of the inputs. */
  readonly errors: readonly string[]
  readonly errorsSpan?: Span
  readonly models: ReadonlyMap<Bound, Script>
  readonly tools: ReadonlyMap<Bound, Script>
  /** Doubles of servers' tools, by the names that models use. */
  readonly offered: ReadonlyMap<string, Script>
  readonly calls: readonly ExpectedCalls[]
  /** Subjects without doubles: they run as in a real run. */
  readonly live: ReadonlySet<Bound>
  /** By the names of the ends of a wire: `writer-critic`. */
  readonly wires: ReadonlyMap<string, ExpectedMessages>
  /** A file of all wires, relative to the spec. */
  readonly snapshot?: string
  readonly model: 'scripted' | 'recorded' | 'live'
  /** The share of rows that has to pass. */
  readonly atLeast?: number
  /** Score the rows, in place of conditions; all of one kind. */
  readonly judges: readonly Judge[]
  readonly runs: number
  readonly timeoutMs: number
}

export interface Judge {
  readonly of: Bound
  /** Of one output, or of those of two variants. */
  readonly kind: 'score' | 'pair'
  /** Takes `{ given, out }`, or `{ given, a, b }`. */
  readonly input: TestPort
  /** Gives `{ score }`, or `{ better }`. */
  readonly output: TestPort
  /** It also takes the row of the file, as `row`. */
  readonly takesRow: boolean
}

export interface TestPort {
  readonly name: string
  readonly type: Type
}

export interface ExpectedMessages {
  readonly messages: readonly string[]
  readonly span: Span
}

export type MessagesByPort = ReadonlyMap<string, ExpectedMessages>

/** An expression over a record: `input` is the type of that. */
export interface TestCondition {
  readonly expression: Expression
  readonly input: Type
  /** For the params of its file. */
  readonly scope: Scope
}

/** The answers of a model or a tool in a test. `isList`: each entry once, except those with a condition; else the one entry always. */
export interface Script {
  readonly name: string
  readonly input: Type
  readonly output: Type
  readonly isList: boolean
  readonly answers: readonly ScriptedAnswer[]
  readonly span: Span
}

export type ScriptedAnswer = AnswerKind & {
  /** The condition of its inputs, over `{ input }`. */
  readonly when?: TestCondition
}

type AnswerKind =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'random' }
  | { readonly kind: 'error'; readonly code: string }
  /** The model calls a tool; the next answer is its reply to the result. */
  | { readonly kind: 'call'; readonly tool: string; readonly json: string }
  /** The expression is over a record of the one parameter. */
  | { readonly kind: 'computed'; readonly parameter: string; readonly computed: TestCondition }

/** How often an agent or tool is called, or with what. */
export interface ExpectedCalls {
  readonly of: Bound
  readonly name: string
  readonly span: Span
  readonly least: number
  readonly most: number
  readonly inputs?: readonly string[]
}
