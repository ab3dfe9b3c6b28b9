// The words of the morphisms, with how many ports each has and which of them are total (plumbing(5), Totality).

import type { Chain, MorphismAtom, Structural } from './ast.js'

interface MorphismPorts {
  /** `many`: two or more, as they come. */
  readonly inputs: number | 'many'
  readonly outputs: number
  /** Gives exactly one result for each message: only such morphisms can be lowered. */
  readonly isTotal: boolean
}

export const MORPHISM_PORTS: Readonly<Record<MorphismAtom['kind'], MorphismPorts>> = {
  id: { inputs: 1, outputs: 1, isTotal: true },
  copy: { inputs: 1, outputs: 2, isTotal: true },
  merge: { inputs: 'many', outputs: 1, isTotal: false },
  discard: { inputs: 1, outputs: 1, isTotal: true },
  empty: { inputs: 0, outputs: 1, isTotal: false },
  barrier: { inputs: 'many', outputs: 1, isTotal: false },
  map: { inputs: 1, outputs: 1, isTotal: true },
  filter: { inputs: 1, outputs: 1, isTotal: false },
  project: { inputs: 1, outputs: 1, isTotal: false },
  flatten: { inputs: 1, outputs: 1, isTotal: false },
  batch: { inputs: 1, outputs: 1, isTotal: false },
  fold: { inputs: 1, outputs: 1, isTotal: false },
  endorse: { inputs: 1, outputs: 1, isTotal: true },
  declassify: { inputs: 1, outputs: 1, isTotal: true },
}

const WORDS = Object.keys(MORPHISM_PORTS) as readonly MorphismAtom['kind'][]

export const MORPHISMS: ReadonlySet<string> = new Set(WORDS)

export const isMorphism = (chain: Chain): chain is MorphismAtom => MORPHISMS.has(chain.kind)

/** Those that stand alone, without arguments. */
export const PLAIN_MORPHISMS: ReadonlySet<string> = new Set<Structural['kind']>([
  'id',
  'copy',
  'merge',
  'discard',
  'empty',
  'barrier',
  'flatten',
])

/** They may give no result, or need more than one message: they cannot be lowered, and are not allowed in the base category. */
export const NOT_TOTAL: ReadonlySet<string> = new Set(WORDS.filter((word) => !MORPHISM_PORTS[word].isTotal))
