// The options of render.

import type { SpecOptions } from './run-options.js'

export const FORMATS = ['svg', 'png', 'dot', 'mermaid', 'json'] as const
export type Format = (typeof FORMATS)[number]

export const THEMES = ['light', 'dark', 'none'] as const
export type Theme = (typeof THEMES)[number]

export const DIRECTIONS = ['down', 'right'] as const
export type Direction = (typeof DIRECTIONS)[number]

export interface RenderOptions extends SpecOptions {
  /** Default: by the extension of the output file, else svg. */
  readonly format: Format | undefined
  /** For svg and png. Default: svg has no background, png a white one. */
  readonly theme: Theme | undefined
  readonly binding: string
  /** Draws this one instead. */
  readonly protocol: string | undefined
  /** Where data goes. */
  readonly direction: Direction | undefined
  /** How many levels of nested plumbs are drawn open. */
  readonly expand: number
  /** The record of a run, whose numbers stand on boxes and wires. */
  readonly run: string | undefined
  /** Colours wires by untrusted or secret data; refused flows are drawn too. */
  readonly colours: boolean
  /** Draws frames around the parts that may run on other machines. */
  readonly parts: boolean
  /** Default, and `-`: stdout. */
  readonly output: string | undefined
}
