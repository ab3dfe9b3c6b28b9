// A test as it is run: what its binding is given, who answers in place of models and tools, and what has to come of it (plumb-test(1)).

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
  /** Messages by port, as JSON text; undefined where they come from a file or are random. */
  readonly given?: MessagesByPort
  /** A file of rows, relative to the spec. */
  readonly data?: string
  /** So many random inputs. */
  readonly random?: number
  readonly expect?: MessagesByPort
  readonly isAnyOrder: boolean
  readonly matches?: readonly TestCondition[]
  readonly holds?: TestCondition
  /** Codes of the errors that are expected, in the order of the inputs. */
  readonly errors: readonly string[]
  readonly errorsSpan?: Span
  readonly models: ReadonlyMap<Bound, Script>
  readonly tools: ReadonlyMap<Bound, Script>
  /** Doubles of tools that a server offers, by the names that models call them by. */
  readonly offered: ReadonlyMap<string, Script>
  readonly calls: readonly ExpectedCalls[]
  /** What is not doubled: it runs as it would in a run. */
  readonly live: ReadonlySet<Bound>
  /** By the names of the ends of a wire: `writer-critic`. */
  readonly wires: ReadonlyMap<string, ExpectedMessages>
  /** A file of all wires, relative to the spec. */
  readonly snapshot?: string
  readonly model: 'scripted' | 'recorded' | 'live'
  /** Of the rows, the share for which it has to hold. */
  readonly atLeast?: number
  /** What scores the rows, in place of conditions. */
  readonly judge?: Judge
  readonly runs: number
  readonly timeoutMs: number
}

export interface Judge {
  readonly of: Bound
  /** Takes `{ given, out }`. */
  readonly input: TestPort
  /** Gives `{ score }`. */
  readonly output: TestPort
  /** It takes the row of the file, too, as `row`. */
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

/** What a model or a tool answers in a test. `isList`: each entry once, but for those with a condition; else the one entry always. */
export interface Script {
  readonly name: string
  readonly input: Type
  readonly output: Type
  readonly isList: boolean
  readonly answers: readonly ScriptedAnswer[]
  readonly span: Span
}

export type ScriptedAnswer = AnswerKind & {
  /** It answers what this holds for, over `{ input }`. */
  readonly when?: TestCondition
}

type AnswerKind =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'random' }
  | { readonly kind: 'error'; readonly code: string }
  /** The model calls a tool; the next answer is what it says after the result. */
  | { readonly kind: 'call'; readonly tool: string; readonly json: string }
  /** The expression is over a record of the one parameter. */
  | { readonly kind: 'computed'; readonly parameter: string; readonly computed: TestCondition }

/** How often an agent or tool is asked, or what. */
export interface ExpectedCalls {
  readonly of: Bound
  readonly name: string
  readonly span: Span
  readonly least: number
  readonly most: number
  readonly inputs?: readonly string[]
}
