// What the command line says of a drawing.

import type { SpecOptions } from './load.js'

export const FORMATS = ['svg', 'png', 'dot', 'mermaid', 'json'] as const
export type Format = (typeof FORMATS)[number]

export const THEMES = ['light', 'dark', 'none'] as const
export type Theme = (typeof THEMES)[number]

export interface RenderOptions extends SpecOptions {
  /** Default: what the name of the output ends with, else svg. */
  readonly format?: Format
  /** Of svg and png. Default: svg has no background, png a white one. */
  readonly theme?: Theme
  readonly binding: string
  /** Wires are coloured by what may be untrusted or secret of what they carry; what is refused for that is drawn too. */
  readonly colours?: boolean
  /** Frames stand around the parts that may run on machines of their own. */
  readonly parts?: boolean
  /** Default, and `-`: stdout. */
  readonly output?: string
}
