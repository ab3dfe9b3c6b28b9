// The colours of pictures. Boxes are pale with dark text, and lines and their labels of medium brightness, so that both read on any page.

import type { Theme } from '../options/render-options.js'
import type { NodeKind } from './describe.js'
import type { FlowColour, Wire } from './picture.js'

export interface Colours {
  readonly fill: string
  readonly line: string
  readonly text: string
  readonly faint: string
}

const colours = (fill: string, line: string, text: string, faint: string): Colours => ({ fill, line, text, faint })

const STRUCTURE = colours('#eef1f5', '#8a94a3', '#1f2733', '#5b6675')
const PORT = colours('#3d4757', '#8a94a3', '#ffffff', '#d5dbe3')
const TRANSFORM = colours('#e3f0fd', '#4b8fd6', '#0e2a47', '#44617f')

const LIGHT_BOXES: Readonly<Record<NodeKind, Colours>> = {
  input: PORT,
  output: PORT,
  agent: colours('#ece6ff', '#7c5ce0', '#25145c', '#5f5092'),
  plumb: colours('#dff5ee', '#2f9e7d', '#0b3a2d', '#3f6f60'),
  map: TRANSFORM,
  fold: TRANSFORM,
  filter: colours('#fdf0d5', '#cf8a17', '#452c02', '#7a6134'),
  barrier: STRUCTURE,
  each: STRUCTURE,
  gather: STRUCTURE,
  choice: STRUCTURE,
  select: STRUCTURE,
  failures: STRUCTURE,
  discard: STRUCTURE,
  flatten: STRUCTURE,
  batch: STRUCTURE,
  empty: STRUCTURE,
  id: STRUCTURE,
  copy: STRUCTURE,
  merge: STRUCTURE,
  channel: STRUCTURE,
  conversation: STRUCTURE,
  inlet: STRUCTURE,
  outlet: STRUCTURE,
}

const DARK_STRUCTURE = colours('#232a34', '#8a94a3', '#e4e8ee', '#a3adba')
const DARK_PORT = colours('#d5dbe3', '#8a94a3', '#1f2733', '#3d4757')
const DARK_TRANSFORM = colours('#142a42', '#4b8fd6', '#dcebfb', '#9dbbd9')

const DARK_BOXES: Readonly<Record<NodeKind, Colours>> = {
  input: DARK_PORT,
  output: DARK_PORT,
  agent: colours('#2a2150', '#9a7ff0', '#ece6ff', '#b7a9e6'),
  plumb: colours('#12382d', '#3fb893', '#dff5ee', '#93c7b5'),
  map: DARK_TRANSFORM,
  fold: DARK_TRANSFORM,
  filter: colours('#3b2a0c', '#cf8a17', '#fdf0d5', '#cfb37f'),
  barrier: DARK_STRUCTURE,
  each: DARK_STRUCTURE,
  gather: DARK_STRUCTURE,
  choice: DARK_STRUCTURE,
  select: DARK_STRUCTURE,
  failures: DARK_STRUCTURE,
  discard: DARK_STRUCTURE,
  flatten: DARK_STRUCTURE,
  batch: DARK_STRUCTURE,
  empty: DARK_STRUCTURE,
  id: DARK_STRUCTURE,
  copy: DARK_STRUCTURE,
  merge: DARK_STRUCTURE,
  channel: DARK_STRUCTURE,
  conversation: DARK_STRUCTURE,
  inlet: DARK_STRUCTURE,
  outlet: DARK_STRUCTURE,
}

export interface Palette {
  readonly background: string
  readonly boxes: Readonly<Record<NodeKind, Colours>>
  readonly tools: Colours
  readonly wires: Readonly<Record<Wire['role'], string>>
  /** Instead of those. */
  readonly flows: Readonly<Record<FlowColour, string>>
  readonly frame: Colours
}

const WIRES: Palette['wires'] = { data: '#76808e', control: '#d2691e', telemetry: '#1590a0' }
const FLOWS: Palette['flows'] = { untrusted: '#d62839', secret: '#8338ec', both: '#e5308f' }
const FRAME = colours('#8a94a31c', '#8a94a3', '#7f8997', '#7f8997')
const LIGHT_TOOLS = colours('#fff9db', '#b59a1d', '#3d3405', '#6b5f22')

/** `none` has no background. */
export const PALETTES: Readonly<Record<Theme, Palette>> = {
  none: { background: 'transparent', boxes: LIGHT_BOXES, tools: LIGHT_TOOLS, wires: WIRES, flows: FLOWS, frame: FRAME },
  light: { background: '#ffffff', boxes: LIGHT_BOXES, tools: LIGHT_TOOLS, wires: WIRES, flows: FLOWS, frame: FRAME },
  dark: {
    background: '#14181e',
    boxes: DARK_BOXES,
    tools: colours('#332c0b', '#d9ad2b', '#fff3c4', '#cbbf8c'),
    wires: { data: '#98a4b3', control: '#f08a3c', telemetry: '#3fb8c8' },
    flows: { untrusted: '#ff5d6c', secret: '#b388ff', both: '#ff6fb5' },
    frame: colours('#8a94a31c', '#8a94a3', '#a3adba', '#a3adba'),
  },
}

/** Each colour of the first palette, and what the second has in its place. */
export const recoloured = (from: Palette, to: Palette): ReadonlyMap<string, string> => {
  const pairs = new Map<string, string>()
  const walk = (a: unknown, b: unknown): void => {
    if (typeof a === 'string' && typeof b === 'string') {
      if (/^#[\da-f]{6}$/.test(a) && !pairs.has(a)) pairs.set(a, b)
    } else if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null)
      for (const [key, value] of Object.entries(a)) walk(value, (b as Readonly<Record<string, unknown>>)[key])
  }
  walk(from, to)
  return pairs
}
