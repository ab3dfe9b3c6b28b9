// The flow errors: one for each place that data must not reach, with the shortest path to it.

import type { Diagnostic } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { type Label, type Trail, type TrailStep, trailSteps } from './label.js'

export interface FlowFinding {
  readonly label: Label
  /** As in "a tool that runs commands". */
  readonly sink: string
  /** Where to fix it. */
  readonly span: Span
  readonly trail: Trail
  /** From the last step of the path into the sink; several if it leads through parts of a tool. */
  readonly last: readonly TrailStep[]
  readonly help: string
}

/** The shortest for each label and place. */
export class Findings {
  readonly #found = new Map<string, FlowFinding>()

  add(finding: FlowFinding): void {
    const { label, span, trail } = finding
    const key = `${label} ${span.source.path} ${span.start} ${finding.last.at(-1)?.text}`
    const known = this.#found.get(key)
    if (!known || trail.length < known.trail.length) this.#found.set(key, finding)
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#found.values()].map(asDiagnostic)
  }
}

const asDiagnostic = ({ label, sink, span, trail, last, help }: FlowFinding): Diagnostic => ({
  severity: 'error',
  code: label === 'untrusted' ? 'untrusted_flow' : 'secret_flow',
  message: `${label} data reaches ${sink}`,
  span,
  help,
  path: [...trailSteps(trail), ...last].map(({ text, note, span }) => ({ message: text, span, ...(note === undefined ? {} : { note }) })),
})
