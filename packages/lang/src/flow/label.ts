// Labels and their origins: what the analysis of flows knows of one part of a value (plumb-flows(7)).

import type { Span } from '../diagnostic/source.js'

export type Label = 'untrusted' | 'secret'

/** A place that data passes. */
export interface TrailStep {
  /** As in "read by agent 'reader'". */
  readonly text: string
  readonly span: Span
  /** After its place, as in 'effect exec'. */
  readonly note?: string | undefined
}

/** The shortest known path, from its last step back to the origin of the label. */
export interface Trail {
  readonly step: TrailStep
  readonly before: Trail | undefined
  readonly length: number
}

/**
 * The labels of a part. `open`: untrusted and of a type that may hold instructions; an agent may read other untrusted data without becoming
 * untrusted.
 */
export interface Tags {
  readonly untrusted?: Trail | undefined
  readonly open?: Trail | undefined
  readonly secret?: Trail | undefined
}

export const NO_TAGS: Tags = {}

export const isTagged = ({ untrusted, secret }: Tags): boolean => untrusted !== undefined || secret !== undefined

export const begin = (step: TrailStep): Trail => ({ step, before: undefined, length: 1 })

const behind = (trail: Trail | undefined, step: TrailStep): Trail | undefined => {
  if (!trail) return undefined
  // A recursive process, or a loop within it, is one step.
  return isSameStep(trail.step, step) ? trail : { step, before: trail, length: trail.length + 1 }
}

const isSameStep = (a: TrailStep, b: TrailStep): boolean =>
  a.span.start === b.span.start && a.span.source === b.span.source && a.text === b.text

/** One step further on the path. */
export const extend = ({ untrusted, open, secret }: Tags, step: TrailStep): Tags => ({
  untrusted: behind(untrusted, step),
  open: behind(open, step),
  secret: behind(secret, step),
})

const shorter = (a: Trail | undefined, b: Trail | undefined): Trail | undefined => (a && b ? (b.length < a.length ? b : a) : (a ?? b))

/** The union of both, each label with its shorter path. */
export const uniteTags = (a: Tags, b: Tags): Tags => {
  if (a === b || !isTagged(b)) return a
  if (!isTagged(a)) return b
  return { untrusted: shorter(a.untrusted, b.untrusted), open: shorter(a.open, b.open), secret: shorter(a.secret, b.secret) }
}

export const isSameTags = (a: Tags, b: Tags): boolean =>
  a === b || (a.untrusted?.length === b.untrusted?.length && a.open?.length === b.open?.length && a.secret?.length === b.secret?.length)

/** The steps from the first. */
export const trailSteps = (trail: Trail): readonly TrailStep[] => {
  const steps: TrailStep[] = []
  for (let at: Trail | undefined = trail; at; at = at.before) steps.unshift(at.step)
  return steps
}

/** The labels of an agent that has read it: closed data holds no instructions. */
export const asRead = ({ open, secret }: Tags): Tags => ({ untrusted: open, open, secret })
