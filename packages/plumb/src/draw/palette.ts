// The colours of pictures. Boxes are pale with dark text, so that they read on any page; lines and their labels keep to the middle for the same reason.

import type { NodeKind } from './describe.js'
import type { Wire } from './picture.js'

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

export const BOX_COLOURS: Readonly<Record<NodeKind, Colours>> = {
  input: PORT,
  output: PORT,
  agent: colours('#ece6ff', '#7c5ce0', '#25145c', '#5f5092'),
  plumb: colours('#dff5ee', '#2f9e7d', '#0b3a2d', '#3f6f60'),
  map: TRANSFORM,
  filter: colours('#fdf0d5', '#cf8a17', '#452c02', '#7a6134'),
  barrier: STRUCTURE,
  discard: STRUCTURE,
  empty: STRUCTURE,
  id: STRUCTURE,
  copy: STRUCTURE,
  merge: STRUCTURE,
  channel: STRUCTURE,
  inlet: STRUCTURE,
  outlet: STRUCTURE,
}

export const TOOL_COLOURS = colours('#fff9db', '#b59a1d', '#3d3405', '#6b5f22')

export const WIRE_COLOURS: Readonly<Record<Wire['role'], string>> = { data: '#76808e', control: '#d2691e', telemetry: '#1590a0' }

export const FRAME_COLOURS = colours('#8a94a31c', '#8a94a3', '#7f8997', '#7f8997')
