// The shared interface of the parts of the analysis, by which they call each other.

import type { Effect } from '../check/rules.js'
import type { Span } from '../diagnostic/source.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import type { Bound, Param } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import type { ToolPlan } from '../program/tool-plan.js'
import type { Json } from '../types/type.js'
import type { LabelledKey } from './config-uses.js'
import type { Findings } from './finding.js'
import type { Tags } from './label.js'
import type { LabelledRoot } from './labelled-roots.js'
import type { Places } from './places.js'
import type { Shape } from './shape.js'

/** The effects of a call of a tool, supplied by another package. */
export type EffectsOf = (plan: ToolPlan) => readonly Effect[]

/** The labels of each port of a process, and of everything seen in it, which its errors may contain. */
export interface FlowOutcome {
  readonly outputs: readonly Shape[]
  readonly seen: Tags
}

/** An instance of a process, which accumulates the labels of its inputs. */
export interface ProcessFlow {
  run(inputs: readonly Shape[]): FlowOutcome
}

/** Read once: a tool may be called in many places. */
export interface PlannedTool {
  readonly plan: ToolPlan
  readonly effects: readonly Effect[]
}

export type ToolConfig = { readonly [key: string]: Json }

export interface Analysis {
  readonly findings: Findings
  readonly labelledRoots: readonly LabelledRoot[]
  readonly places: Places
  /** The place of the current call in the program, where errors are shown. */
  readonly place: Span | undefined
  at<T>(place: Span, look: () => T): T
  /** A new instance. `around`: the config of the tool that runs it. */
  open(bound: Bound, around?: ToolConfig): ProcessFlow
  /** Records the labels of what the error of a call may hold. */
  fails(tags: Tags): void
  /** What is recorded so meanwhile. */
  listen<T>(work: () => T): { readonly result: T; readonly errors: Tags }
  /** The labels of a bare binding's output for an input. */
  call(bound: Bound, given: Shape): Shape
  /** The same for a process used as a tool. */
  lower(bound: Bound, given: Shape, around: ToolConfig): Shape
  tool(bound: Bound): PlannedTool
  param(param: Param): Shape
  /** The keys of its configuration with a labelled value. */
  keysOf(bound: Bound): readonly LabelledKey[]
  expression(e: Expression, input: Shape, environment: Environment, locals?: ReadonlyMap<Local, Shape>): Shape
  /** Records that an agent has read these labels. */
  note(agent: Bound, tags: Tags): void
}
