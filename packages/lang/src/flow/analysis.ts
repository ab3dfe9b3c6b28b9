// What the parts of the analysis have in common: they call each other through this.

import type { Effect } from '../check/rules.js'
import type { Span } from '../diagnostic/source.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import type { Bound } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import type { ToolPlan } from '../program/tool-plan.js'
import type { Findings } from './finding.js'
import type { Tags } from './label.js'
import type { LabelledRoot } from './prompt-files.js'
import type { Shape } from './shape.js'

/** What a call of a tool may do; who knows it is not of this package. */
export type EffectsOf = (plan: ToolPlan) => readonly Effect[]

/** What leaves a process, port by port, and the labels of all that was seen in it: what it fails on may hold any of that. */
export interface FlowOutcome {
  readonly outputs: readonly Shape[]
  readonly seen: Tags
}

/** An instance of a process: what it has learnt of its inputs it keeps. */
export interface ProcessFlow {
  run(inputs: readonly Shape[]): FlowOutcome
}

export interface Analysis {
  readonly findings: Findings
  readonly effectsOf: EffectsOf
  readonly labelledRoots: readonly LabelledRoot[]
  /** Where the call at hand stands in the program: an error is shown there. */
  readonly place: Span | undefined
  at<T>(place: Span, look: () => T): T
  /** A new instance. */
  open(bound: Bound): ProcessFlow
  /** What a bare binding gives for what it is given. */
  call(bound: Bound, given: Shape): Shape
  /** The same of a process that stands as a tool. */
  lower(bound: Bound, given: Shape): Shape
  expression(e: Expression, input: Shape, environment: Environment, locals?: ReadonlyMap<Local, Shape>): Shape
  /** An agent has read what has these labels. */
  note(agent: Bound, tags: Tags): void
}
